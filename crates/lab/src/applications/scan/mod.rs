//! `scan`: every prefix of the numbers of a file combined into one.

mod own;
mod windows;

pub use own::Own;

use super::formula::{Formula, doubles, mapped, wide, with_wide_type};
use super::reading::Opened;
use super::verify::{EXACT, of_arrays, of_values, plain, running_sums};
use super::{AppError, Reading, Setup, Summary, Verified, milliseconds};
use crate::files::{Array, Number, Numbers, check_array_name, with_numbers, with_wide_numbers, write_array};
use crate::kernels::run::Value;
use crate::output::number::duration;
use crate::output::{self, Style, Table, View};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use warpwise::scan::{self, Scan, Scannable};
use warpwise::{Device, Error, Input};

pub use warpwise::Operator;
pub use warpwise::scan::Kind;

/// What to scan.
#[derive(Clone, Debug)]
pub struct Request {
    /// A `.npy` or `.csv` file, or one with nothing but numbers in it.
    pub file: PathBuf,
    /// What its numbers are combined with.
    pub operator: Operator,
    /// An operator of one's own instead.
    pub own: Option<Own>,
    /// Whether a number is part of its own prefix.
    pub kind: Kind,
    /// What is made of every number first.
    pub map: Option<Formula>,
    /// Where and how.
    pub setup: Setup,
    /// How the file is read.
    pub input: Reading,
    /// A file for the result.
    pub out: Option<PathBuf>,
}

impl Request {
    /// The operator, as it is shown.
    fn op(&self) -> String {
        self.own.as_ref().map_or(self.operator.name(), |own| &own.combine).to_owned()
    }
}

/// The result: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this format.
    pub schema: u32,
    /// The file.
    pub file: PathBuf,
    /// The operator.
    pub op: String,
    /// `inclusive` or `exclusive`.
    pub kind: &'static str,
    /// Where it was computed.
    pub device: String,
    /// The rung, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Time of the call.
    pub time_ms: f64,
    /// The result.
    pub result: Summary,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<PathBuf>,
    /// What was made of every number first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
    /// In how many windows the file was read, if it is larger than memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows: Option<usize>,
    /// The comparison with plain sequential code; omitted if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// All of the result; nothing if it was computed in windows.
    #[serde(skip)]
    pub array: Array,
}

impl Report {
    /// Whether nothing is known to be wrong.
    pub fn ok(&self) -> bool {
        self.verified.as_ref().is_none_or(|verified| verified.ok)
    }
}

/// Scans the numbers of a file, in their order in the file.
pub fn run(request: &Request) -> Result<Report, AppError> {
    request.setup.check("scan", scan::VARIANTS)?;
    if let Some(out) = &request.out {
        check_array_name(out)?;
    }
    if let (Some(_), Some(_)) = (&request.own, &request.setup.variant) {
        return Err(AppError::flag("--variant", "an operator of one's own has no rungs: leave it out"));
    }
    let array = match request.input.open(&request.file, &request.setup)? {
        Opened::Windows(..) if request.own.is_some() => {
            return Err(AppError::flag("--op", "a file that is larger than --memory takes sum, product, min or max"));
        }
        Opened::Windows(source, window) => return windows::run(request, source, window),
        Opened::Array(array) => array,
    };
    let how = Scan::new().operator(request.operator).kind(request.kind).variant(request.setup.rung::<scan::Rung>()?);
    let map = request.map.as_ref().map(|formula| wide(formula, &array.numbers)).transpose()?;
    let device = request.setup.open()?;
    let started = Instant::now();
    let numbers = match (&map, &request.own) {
        (&Some((ref expression, ty)), None) => with_wide_type!(ty, T => {
            compute::<T>(&device, &how, &mapped(expression, &array.numbers, None)?)?
        }),
        (None, None) => with_wide_numbers!(&array.numbers, xs => compute(&device, &how, xs)?),
        (&Some((ref expression, ty)), Some(own)) => with_wide_type!(ty, T => {
            own.scan::<T, _>(&device, request.kind, &mapped::<T>(expression, &array.numbers, None)?)?
        }),
        (None, Some(own)) => with_wide_numbers!(&array.numbers, xs => own.scan(&device, request.kind, xs)?),
    };
    let time_ms = milliseconds(started);
    let is_float = matches!(numbers, Numbers::F32(_) | Numbers::F64(_));
    let exact = is_float && request.operator == Operator::Sum;
    // Plain code knows only the operators of the library.
    let verify = request.own.is_none() && request.setup.verify.wants(array.numbers.len() as u128);
    let summed = (verify && exact).then(|| doubles(map.as_ref(), &array.numbers)).transpose()?;
    let array = Array { shape: array.shape, numbers };
    if let Some(out) = &request.out {
        write_array(out, &array)?;
    }
    let verified = match summed {
        Some(values) => {
            let ours: Vec<Value> = with_numbers!(&array.numbers, xs => xs.iter().map(|x| x.value()).collect());
            let truth = running_sums(&values, request.kind == Kind::Exclusive);
            Some(of_values(EXACT, &ours, &truth, values.len()))
        }
        None if verify => {
            let truth = run(&Request { setup: plain(), out: None, ..request.clone() })?;
            let summed = if request.operator == Operator::Sum { array.numbers.len() } else { 1 };
            Some(of_arrays("plain sequential code", &array, &truth.array, summed))
        }
        None => None,
    };
    Ok(Report {
        schema: 1,
        file: request.file.clone(),
        op: request.op(),
        kind: request.kind.name(),
        device: device.name(),
        variant: request.setup.variant.clone(),
        time_ms,
        result: Summary::of(&array),
        out: request.out.clone(),
        map: request.map.as_ref().map(|formula| formula.text.clone()),
        verified,
        windows: None,
        array,
    })
}

fn compute<T: Number + Scannable>(device: &Device, how: &Scan, xs: &dyn Input<T>) -> Result<Numbers, Error> {
    Ok(T::numbers(how.run(device, xs)?))
}

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[View::Records(|report| Table::records("scan", [report]))];

    /// What was done, and the first and last numbers.
    fn text(&self, _: Style) -> String {
        let took = duration(self.time_ms / 1e3);
        let mut out = format!(
            "{} {} scan of {} {} numbers on the {} in {took}\n{}\n",
            self.kind,
            self.op,
            self.result.shape.iter().product::<usize>(),
            self.result.ty,
            self.device,
            self.result.line()
        );
        if let Some(path) = &self.out {
            out.push_str(&format!("written to {}\n", path.display()));
        }
        if let Some(verified) = &self.verified {
            out.push_str(&verified.line());
        }
        out
    }
}
