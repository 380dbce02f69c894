//! `convolve`, `transpose` and `sort`: an array from a file, and what becomes of it.

mod operation;

pub use operation::{Mask, Operation};

use super::verify::{of_arrays, plain};
use super::{AppError, Setup, StageTimes, Summary, Verified, milliseconds, stages};
use crate::files::{self, Array, FileError, Numbers};
use crate::output::number::duration;
use crate::output::{self, Style, Table, View};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use warpwise::Device;

/// What to do with which file.
#[derive(Clone, Debug)]
pub struct Request {
    /// A `.npy`, `.csv` or, for signals, `.wav` file.
    pub file: PathBuf,
    /// What to do.
    pub operation: Operation,
    /// Where and how.
    pub setup: Setup,
    /// A file for the result.
    pub out: Option<PathBuf>,
}

/// The result: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this format.
    pub schema: u32,
    /// `convolve`, `transpose` or `sort`.
    pub operation: &'static str,
    /// The file.
    pub file: PathBuf,
    /// Where it was computed.
    pub device: String,
    /// The rung, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Time of the call.
    pub time_ms: f64,
    /// Time of each stage; omitted on the CPU, which has none.
    #[serde(skip_serializing_if = "StageTimes::is_empty")]
    pub stages_ms: StageTimes,
    /// The result.
    pub result: Summary,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<PathBuf>,
    /// The comparison with plain sequential code; omitted if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
}

impl Report {
    /// Whether nothing is known to be wrong.
    pub fn ok(&self) -> bool {
        self.verified.as_ref().is_none_or(|verified| verified.ok)
    }
}

/// Does it.
pub fn run(request: &Request) -> Result<Report, AppError> {
    let operation = &request.operation;
    request.setup.check(operation.primitive(), operation.variants())?;
    let sound = |path: &Path| files::extension(path) == "wav";
    let signal = matches!(operation, Operation::Convolve { .. });
    if let Some(out) = &request.out {
        match signal && sound(out) && sound(&request.file) {
            true => files::check_writable(out)?,
            false => files::check_array_name(out)?,
        }
    }
    let (array, format) = match signal && sound(&request.file) {
        true => {
            let (format, samples) = files::read_sound(&request.file)?;
            let shape = vec![format.channels, samples.len() / format.channels];
            (Array { shape, numbers: Numbers::F32(samples) }, Some(format))
        }
        false => (files::read_array(&request.file)?, None),
    };
    let bad = |problem: String| FileError::Content { path: request.file.clone(), problem };
    operation.check(&array).map_err(bad)?;
    let device = request.setup.open()?;
    device.start_trace();
    let started = Instant::now();
    let result = operation.apply(&device, &request.setup, &array)?;
    let time_ms = milliseconds(started);
    let stages_ms = stages::take(&device)?.unwrap_or_default();
    let verified = match request.setup.verify.wants(operation.cost(&array)) {
        true => {
            let truth = operation.apply(&Device::cpu(), &plain(), &array)?;
            Some(of_arrays("plain sequential code", &result, &truth, operation.summed()))
        }
        false => None,
    };
    match (&request.out, format, &result.numbers) {
        (Some(out), Some(format), Numbers::F32(samples)) if sound(out) => files::write_sound(out, format, samples)?,
        (Some(out), ..) => files::write_array(out, &result)?,
        _ => {}
    }
    Ok(Report {
        schema: 1,
        operation: operation.name(),
        file: request.file.clone(),
        device: device.name(),
        variant: request.setup.variant.clone(),
        time_ms,
        stages_ms,
        result: Summary::of(&result),
        out: request.out.clone(),
        verified,
    })
}

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[View::Records(|report| Table::records(report.operation, [report]))];

    /// What was done, and the first and last numbers.
    fn text(&self, _: Style) -> String {
        let shape: Vec<String> = self.result.shape.iter().map(ToString::to_string).collect();
        let mut out = format!(
            "{} of {} to {} {} on the {} in {}\n{}\n",
            self.operation,
            self.file.display(),
            shape.join(" x "),
            self.result.ty,
            self.device,
            duration(self.time_ms / 1e3),
            self.result.line()
        );
        if !self.stages_ms.is_empty() {
            out.push_str(&format!("stages: {}\n", stages::line(&self.stages_ms)));
        }
        if let Some(path) = &self.out {
            out.push_str(&format!("written to {}\n", path.display()));
        }
        if let Some(verified) = &self.verified {
            out.push_str(&verified.line());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use crate::output::Report as _;
    use warpwise::Border;

    fn request(name: &str, text: &str, operation: Operation) -> Request {
        let file = files::testing::folder(name).join("in.csv");
        std::fs::write(&file, text).unwrap();
        let out = file.with_file_name("out.csv");
        Request { file, operation, setup: Setup::default(), out: Some(out) }
    }

    fn written(request: &Request) -> String {
        let report = run(request).unwrap();
        assert!(report.ok() && report.verified.is_some(), "{report:?}");
        std::fs::read_to_string(request.out.as_ref().unwrap()).unwrap()
    }

    #[test]
    fn rows_become_columns() {
        let mut request = request("arrays-transpose", "1,2,3\n4,5,6\n", Operation::Transpose);
        for place in [Place::Cpu, Place::Emulator] {
            request.setup.place = place;
            assert_eq!(written(&request), "1,4\n2,5\n3,6\n", "{place}");
        }
    }

    #[test]
    fn numbers_are_put_in_order() {
        let mut request = request("arrays-sort", "3\n-1\n2\n", Operation::Sort { descending: false });
        assert_eq!(written(&request), "-1\n2\n3\n");
        request.operation = Operation::Sort { descending: true };
        request.setup.place = Place::Emulator;
        assert_eq!(written(&request), "3\n2\n-1\n");
    }

    #[test]
    fn signals_are_convolved_row_by_row() {
        let mask = Mask::parse("1,2,1").unwrap();
        let operation = Operation::Convolve { mask, border: Border::Zero };
        let mut request = request("arrays-convolve", "1,0,0,2\n0,0,1,0\n", operation);
        for place in [Place::Cpu, Place::Emulator] {
            request.setup.place = place;
            assert_eq!(written(&request), "2,1,2,4\n0,1,2,1\n", "{place}");
        }
        let text = run(&request).unwrap().text(Style::default());
        assert!(
            text.starts_with("convolve of ") && text.contains("stages: ") && text.contains("verified: 8"),
            "{text}"
        );
    }

    #[test]
    fn sounds_stay_sounds() {
        let here = files::testing::folder("arrays-sound");
        let (file, out) = (here.join("in.wav"), here.join("out.wav"));
        let format = files::Sound { rate: 8000, bits: 16, float: false, channels: 1 };
        files::write_sound(&file, format, &[0.0, 0.5, 0.0, -0.5]).unwrap();
        let operation = Operation::Convolve { mask: Mask::parse("0.5,0,0.5").unwrap(), border: Border::Zero };
        let request = Request { file, operation, setup: Setup::default(), out: Some(out.clone()) };
        assert!(run(&request).unwrap().ok());
        assert_eq!(files::read_sound(&out).unwrap(), (format, vec![0.25, 0.0, 0.0, 0.0]));
    }

    #[test]
    fn mistakes_are_named() {
        let cube = |operation| {
            let here = files::testing::folder("arrays-mistakes");
            let file = here.join("in.npy");
            files::write_array(&file, &Array { shape: vec![2, 2, 2], numbers: Numbers::F32(vec![0.0; 8]) }).unwrap();
            run(&Request { file, operation, setup: Setup::default(), out: None }).unwrap_err().to_string()
        };
        assert!(cube(Operation::Transpose).contains("a transpose needs a matrix"));
        assert!(Mask::parse("1,2").unwrap_err().contains("an odd number of weights"));
        assert!(Mask::parse("1,x,1").unwrap_err().contains("`x` is not a number"));
    }
}
