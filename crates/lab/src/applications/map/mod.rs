//! `map`: a formula for every number of a file, or of two.

use super::formula::{Formula, mapped, result};
use super::{AppError, Setup, Summary, milliseconds};
use crate::files::{Array, FileError, Number, check_array_name, read_array, with_type, write_array};
use crate::output::number::duration;
use crate::output::{self, Style, Table, View};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// What to compute.
#[derive(Clone, Debug)]
pub struct Request {
    /// The formula.
    pub formula: Formula,
    /// A `.npy` or `.csv` file for `x`, and perhaps one for `y`.
    pub files: Vec<PathBuf>,
    /// Where.
    pub setup: Setup,
    /// A file for the result.
    pub out: Option<PathBuf>,
}

/// The result: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this format.
    pub schema: u32,
    /// The formula.
    pub expression: String,
    /// The files.
    pub files: Vec<PathBuf>,
    /// Where it was computed.
    pub device: String,
    /// Time of the call.
    pub time_ms: f64,
    /// The result.
    pub result: Summary,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<PathBuf>,
    /// All of the result.
    #[serde(skip)]
    pub array: Array,
}

/// Evaluates a formula for the numbers of files.
pub fn run(request: &Request) -> Result<Report, AppError> {
    if let Some(out) = &request.out {
        check_array_name(out)?;
    }
    let expression = request.formula.parse("EXPRESSION")?;
    let arrays: Vec<Array> = request.files.iter().map(|file| read_array(file)).collect::<Result<_, _>>()?;
    let (xs, ys) = (&arrays[0], arrays.get(1));
    if let Some(ys) = ys.filter(|ys| ys.shape != xs.shape) {
        let problem = format!("it is {}, but x is {}: use files of one shape", ys.shape_text(), xs.shape_text());
        return Err(FileError::Content { path: request.files[1].clone(), problem }.into());
    }
    let ty = result(&expression, &xs.numbers, ys.map(|ys| &ys.numbers), "EXPRESSION")?;
    let device = request.setup.open()?;
    let started = Instant::now();
    let numbers = with_type!(ty, T => {
        let elements = mapped::<T>(&expression, &xs.numbers, ys.map(|ys| &ys.numbers))?;
        T::numbers(warpwise::map::run(&device, &elements)?)
    });
    let time_ms = milliseconds(started);
    let array = Array { shape: xs.shape.clone(), numbers };
    if let Some(out) = &request.out {
        write_array(out, &array)?;
    }
    Ok(Report {
        schema: 1,
        expression: request.formula.text.clone(),
        files: request.files.clone(),
        device: device.name(),
        time_ms,
        result: Summary::of(&array),
        out: request.out.clone(),
        array,
    })
}

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[View::Records(|report| Table::records("map", [report]))];

    /// What was done, and the first and last numbers.
    fn text(&self, _: Style) -> String {
        let took = duration(self.time_ms / 1e3);
        let (length, ty) = (self.array.numbers.len(), self.result.ty);
        let mut out = format!(
            "{} of {length} numbers, as {ty}, on the {} in {took}\n{}\n",
            self.expression,
            self.device,
            self.result.line()
        );
        if let Some(path) = &self.out {
            out.push_str(&format!("written to {}\n", path.display()));
        }
        out
    }
}
