//! `reduce`: all numbers of a file combined into one.

mod windows;

pub(super) use windows::values;

use super::formula::{Formula, doubles, mapped, wide, with_wide_type};
use super::reading::Opened as Input;
use super::verify::{EXACT, of_values, plain};
use super::{AppError, Reading, Setup, Verified, milliseconds};
use crate::files::{Array, Number, check_array_name, with_numbers, with_wide_numbers, write_array};
use crate::kernels::run::Value;
use crate::output::number::duration;
use crate::output::{self, Style, Table, View};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use warpwise::reduce::{self, Extreme, Reduce, Reducible, Summable};
pub use warpwise::reduce::{Finish, Order};
use warpwise::{Device, Error, Operator};

/// How numbers are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Into a value.
    Value(Operator),
    /// Into the index of a value.
    Place(Extreme),
}

impl Operation {
    /// Every operation.
    pub fn all() -> Vec<Self> {
        Operator::ALL.map(Self::Value).into_iter().chain(Extreme::ALL.map(Self::Place)).collect()
    }

    /// Its name, as the command line spells it.
    ///
    /// ```
    /// use warpwise_lab::applications::reduce::Operation;
    ///
    /// let names: Vec<_> = Operation::all().iter().map(|op| op.name()).collect();
    /// assert_eq!(names, ["sum", "product", "min", "max", "argmin", "argmax"]);
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Value(operator) => operator.name(),
            Self::Place(extreme) => extreme.name(),
        }
    }
}

/// What to reduce.
#[derive(Clone, Debug)]
pub struct Request {
    /// A `.npy` or `.csv` file, or one with nothing but numbers in it.
    pub file: PathBuf,
    /// How its numbers are combined.
    pub operation: Operation,
    /// What is made of every number first.
    pub map: Option<Formula>,
    /// Where and how.
    pub setup: Setup,
    /// What combines the partial results of the blocks of a GPU rung.
    pub finish: Finish,
    /// The order of floats.
    pub order: Order,
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
    /// The operation.
    pub op: &'static str,
    /// Where it was computed.
    pub device: String,
    /// The rung, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// The length of every dimension.
    pub shape: Vec<usize>,
    /// The result.
    pub value: Value,
    /// Time of the call.
    pub time_ms: f64,
    /// What was made of every number first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
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

/// Reduces the numbers of a file.
pub fn run(request: &Request) -> Result<Report, AppError> {
    request.setup.check("reduce", reduce::VARIANTS)?;
    if let Some(out) = &request.out {
        check_array_name(out)?;
    }
    let array = match request.input.open(&request.file, &request.setup)? {
        Input::Windows(source, window) => return windows::run(request, source, window),
        Input::Array(array) => array,
    };
    let map = request.map.as_ref().map(|formula| wide(formula, &array.numbers)).transpose()?;
    let device = request.setup.open()?;
    let started = Instant::now();
    let result = match &map {
        &Some((ref expression, ty)) => with_wide_type!(ty, T => {
            compute::<T>(&device, request.operation, &mapped(expression, &array.numbers, None)?, request)?
        }),
        None => with_wide_numbers!(&array.numbers, xs => compute(&device, request.operation, xs, request)?),
    };
    let time_ms = milliseconds(started);
    let value = with_numbers!(&result.numbers, xs => xs[0].value());
    if let Some(out) = &request.out {
        write_array(out, &result)?;
    }
    let is_float = matches!(value, Value::Single(_) | Value::Double(_));
    let verified = match request.setup.verify.wants(array.numbers.len() as u128) {
        true if is_float && request.operation == Operation::Value(Operator::Sum) => {
            let truth = doubles(map.as_ref(), &array.numbers)?.iter().sum();
            Some(of_values(EXACT, &[value], &[Value::Double(truth)], array.numbers.len()))
        }
        true => {
            // Sums of integers that are too large for their type are widened, unless a rung is asked for.
            let widened = request.setup.variant.is_none() && request.operation == Operation::Value(Operator::Sum);
            let widened = widened && matches!(value, Value::Integer(_));
            let setup = if widened { Setup { variant: None, ..plain() } } else { plain() };
            let truth = run(&Request { setup, out: None, ..request.clone() })?;
            let with = if widened { "the CPU" } else { "plain sequential code" };
            Some(of_values(with, &[value], &[truth.value], array.numbers.len()))
        }
        false => None,
    };
    Ok(Report {
        schema: 1,
        file: request.file.clone(),
        op: request.operation.name(),
        device: device.name(),
        variant: request.setup.variant.clone(),
        ty: array.numbers.type_name(),
        shape: array.shape,
        value,
        time_ms,
        map: request.map.as_ref().map(|formula| formula.text.clone()),
        verified,
        windows: None,
    })
}

/// The result as an array of one number. A sum of integers that does not fit their type is given in 64 bits, unless a
/// rung was asked for: rungs wrap.
fn compute<T: Number + Reducible + Summable>(
    device: &Device,
    operation: Operation,
    xs: &dyn warpwise::Input<T>,
    request: &Request,
) -> Result<Array, Error> {
    let rung = request.setup.rung::<reduce::Rung>()?;
    let how = Reduce::new().variant(rung).finish(request.finish).order(request.order);
    let widens = !T::IS_FLOAT && size_of::<T>() < 8 && rung.is_none();
    let numbers = match operation {
        Operation::Value(Operator::Sum) if widens => match reduce::checked_sum(device, xs) {
            Ok(sum) => T::numbers(vec![sum]),
            Err(Error::Overflow { sum, .. }) => match u64::try_from(sum) {
                Ok(sum) if T::LOWEST == T::ZERO => u64::numbers(vec![sum]),
                _ => i64::numbers(vec![sum as i64]),
            },
            Err(other) => return Err(other),
        },
        Operation::Value(operator) => T::numbers(vec![how.operator(operator).run(device, xs)?]),
        Operation::Place(extreme) => u64::numbers(vec![how.place(device, extreme, xs)? as u64]),
    };
    Ok(Array { shape: vec![], numbers })
}

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[View::Records(|report| Table::records("reduce", [report]))];

    /// The value alone, so that other programs can use it.
    fn text(&self, _: Style) -> String {
        format!("{}\n", self.value)
    }
}

impl Report {
    /// What was done, for people.
    pub fn note(&self) -> String {
        let elements: usize = self.shape.iter().product();
        let took = duration(self.time_ms / 1e3);
        format!("{} of {elements} {} numbers on the {} in {took}", self.op, self.ty, self.device)
    }
}
