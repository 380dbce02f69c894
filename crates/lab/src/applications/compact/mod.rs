//! `compact`: the numbers of a file for which an expression holds.

mod sift;
mod windows;

use super::formula::{Formula, result};
use super::reading::Opened;
use super::verify::plain;
use super::{AppError, Reading, Setup, Summary, Verified, milliseconds};
use crate::files::{Array, Numbers, check_array_name, none, write_array};
use crate::output::number::duration;
use crate::output::{self, Style, Table, View};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use warpwise::compact;
use warpwise::expression::Expression;
use warpwise::primitive::Type;

/// What to keep of which file.
#[derive(Clone, Debug)]
pub struct Request {
    /// A `.npy` or `.csv` file, or one with nothing but numbers in it.
    pub file: PathBuf,
    /// What holds for the numbers to keep.
    pub condition: Formula,
    /// Where and how.
    pub setup: Setup,
    /// How the file is read.
    pub input: Reading,
    /// A file for the result.
    pub out: Option<PathBuf>,
}

/// The result: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this format.
    pub schema: u32,
    /// The file.
    pub file: PathBuf,
    /// What holds for the numbers that were kept.
    #[serde(rename = "where")]
    pub condition: String,
    /// Where it was computed.
    pub device: String,
    /// The rung, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Numbers in the file.
    pub elements: usize,
    /// Numbers that were kept.
    pub kept: usize,
    /// Time of the call.
    pub time_ms: f64,
    /// The result.
    pub result: Summary,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<PathBuf>,
    /// In how many windows the file was read, if it is larger than memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows: Option<usize>,
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

/// Keeps the numbers of a file for which an expression holds, in their order in the file.
pub fn run(request: &Request) -> Result<Report, AppError> {
    let setup = &request.setup;
    setup.check("compact", compact::VARIANTS)?;
    if let Some(out) = &request.out {
        check_array_name(out)?;
    }
    let array = match request.input.open(&request.file, setup)? {
        Opened::Windows(source, window) => return windows::run(request, source, window),
        Opened::Array(array) => array,
    };
    let condition = condition(&request.condition, &array.numbers)?;
    let rung = setup.rung::<compact::Rung>()?;
    if rung.is_some() && !sift::has_rungs(&array.numbers) {
        let problem = format!(
            "the rungs of compact are for i32, u32, f32 and f64, and these numbers are {}: leave it out",
            array.numbers.type_name()
        );
        return Err(AppError::flag("--variant", problem));
    }
    let device = setup.open()?;
    let started = Instant::now();
    let numbers = sift::keep(&device, rung, &condition, &array.numbers)?;
    let time_ms = milliseconds(started);
    let elements = array.numbers.len();
    let verified = match setup.verify.wants(elements as u128) {
        true => {
            let rung = if sift::has_rungs(&array.numbers) { plain().rung()? } else { None };
            let truth = sift::keep(&warpwise::Device::cpu(), rung, &condition, &array.numbers)?;
            Some(sift::compare(&numbers, &truth, rung_keeps_order(setup.variant.as_deref())))
        }
        false => None,
    };
    let kept = Array { shape: vec![numbers.len()], numbers };
    if let Some(out) = &request.out {
        write_array(out, &kept)?;
    }
    Ok(Report {
        schema: 1,
        file: request.file.clone(),
        condition: request.condition.text.clone(),
        device: device.name(),
        variant: setup.variant.clone(),
        elements,
        kept: kept.numbers.len(),
        time_ms,
        result: Summary::of(&kept),
        out: request.out.clone(),
        windows: None,
        verified,
    })
}

/// The condition as an expression, which must be one that holds or does not.
fn condition(formula: &Formula, numbers: &Numbers) -> Result<Expression, AppError> {
    let expression = formula.parse("--where")?;
    match result(&expression, &none_of(numbers), None, "--where")? {
        Type::U8 => Ok(expression),
        ty => {
            let problem = format!("`{}` is a number ({}): write what holds, such as 'x > 0'", formula.text, ty.name());
            Err(AppError::flag("--where", problem))
        }
    }
}

/// No numbers of the type of these.
fn none_of(numbers: &Numbers) -> Numbers {
    none(Type::parse(numbers.type_name()).expect("numbers have a type"))
}

/// Whether a rung keeps the order of what it keeps.
fn rung_keeps_order(name: Option<&str>) -> bool {
    let variant = name.and_then(|name| compact::VARIANTS.iter().find(|variant| variant.name == name));
    variant.is_none_or(|variant| variant.free.is_none())
}

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[View::Records(|report| Table::records("compact", [report]))];

    /// What was kept, and the first and last numbers of it.
    fn text(&self, _: Style) -> String {
        let mut out = format!(
            "{} of {} {} numbers kept where {}, on the {} in {}\n",
            self.kept,
            self.elements,
            self.result.ty,
            self.condition,
            self.device,
            duration(self.time_ms / 1e3)
        );
        if self.kept > 0 {
            out.push_str(&format!("{}\n", self.result.line()));
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
    use crate::files::{read_array, testing::folder};

    fn request(name: &str, numbers: Numbers, text: &str) -> Request {
        let file = folder(name).join("in.npy");
        write_array(&file, &Array { shape: vec![numbers.len()], numbers }).unwrap();
        let out = file.with_file_name("out.npy");
        Request {
            file,
            condition: Formula { text: text.into(), values: vec![] },
            setup: Setup::default(),
            input: Reading::default(),
            out: Some(out),
        }
    }

    fn written(request: &Request) -> Numbers {
        let report = run(request).unwrap();
        assert!(report.ok() && (report.verified.is_some() || report.windows.is_some()), "{report:?}");
        let array = read_array(request.out.as_ref().unwrap()).unwrap();
        assert_eq!(array.shape, [report.kept]);
        array.numbers
    }

    #[test]
    fn what_holds_is_kept_on_every_device_and_in_every_type() {
        let some = [
            (Numbers::U8(vec![3, 0, 7]), Numbers::U8(vec![3, 7])),
            (Numbers::I32(vec![3, -1, 7]), Numbers::I32(vec![3, 7])),
            (Numbers::U64(vec![3, 0, u64::MAX]), Numbers::U64(vec![3, u64::MAX])),
            (Numbers::I64(vec![-3, 0, i64::MAX]), Numbers::I64(vec![i64::MAX])),
            (Numbers::F32(vec![0.5, f32::NAN, -2.0]), Numbers::F32(vec![0.5])),
            (Numbers::F64(vec![-0.0, 1e-300, 2.0]), Numbers::F64(vec![1e-300, 2.0])),
        ];
        for (numbers, kept) in some {
            let mut request = request("compact-types", numbers, "x > 0");
            for place in [Place::Cpu, Place::Emulator] {
                request.setup.place = place;
                assert_eq!(written(&request), kept, "{place}");
            }
        }
    }

    #[test]
    fn rungs_are_compared_with_or_without_their_order() {
        let numbers = Numbers::I32((0..5000).map(|i| i * 7919 % 1000).collect());
        let mut request = request("compact-rungs", numbers, "x % 2 == 0");
        for variant in compact::VARIANTS {
            request.setup.variant = Some(variant.name.into());
            request.setup.place = if variant.name.starts_with("cpu") { Place::Cpu } else { Place::Emulator };
            assert_eq!(written(&request).len(), 2500, "{}", variant.name);
        }
    }

    #[test]
    fn windows_keep_what_the_whole_keeps() {
        let numbers = Numbers::F32((0..1_000_000_u64).map(|i| ((i * 7919) % 10_007) as f32 - 5000.0).collect());
        let mut request = request("compact-windows", numbers, "x > a");
        request.condition.values = vec![("a".into(), 0.5)];
        let whole = written(&request);
        request.setup.place = Place::Cpu;
        request.input.memory = Some(6 * 8 * 65_536);
        assert_eq!(run(&request).unwrap().windows, Some(16));
        assert_eq!(written(&request), whole);
        // Nothing at all, too.
        request.condition.text = "x > a + 1e9".into();
        assert_eq!(written(&request), Numbers::F32(vec![]));
    }

    #[test]
    fn mistakes_are_named() {
        let mut request = request("compact-mistakes", Numbers::I64(vec![1]), "x + 1");
        let error = |request: &Request| run(request).unwrap_err().to_string();
        assert!(error(&request).contains("--where") && error(&request).contains("write what holds"));
        request.condition.text = "x > 0".into();
        request.setup.variant = Some("cpu-par".into());
        assert!(error(&request).contains("these numbers are i64"), "{}", error(&request));
    }
}
