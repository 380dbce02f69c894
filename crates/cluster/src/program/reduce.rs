//! `warpwise-cluster reduce`.

use serde_json::{Value, json};
use warpwise::reduce::Extreme;
use warpwise::{Element, Operator};

use super::array::{Source, with_type};
use super::report::Report;
use super::run::{Common, Run};
use super::{Done, one_of};
use crate::reduce::{self, Reduces};
use crate::{Error, agree};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Value(Operator),
    Place(Extreme),
}

impl Operation {
    fn all() -> Vec<Self> {
        Operator::ALL.map(Self::Value).into_iter().chain(Extreme::ALL.map(Self::Place)).collect()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Value(operator) => operator.name(),
            Self::Place(extreme) => extreme.name(),
        }
    }
}

/// Combine all numbers of files into one: sum, product, min, max, argmin, argmax
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// sum, product, min, max, argmin or argmax
    #[arg(long, value_name = "NAME", default_value = "sum",
          value_parser = |text: &str| one_of(text, &Operation::all(), Operation::name))]
    op: Operation,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(run: &mut Run, arguments: &Arguments) -> Done {
    run.place(&arguments.common)?;
    let numbers = arguments.source.open(run)?;
    let value = if numbers.ty.name() == "u8" {
        // Bytes are combined as u64, as on one machine.
        let part: Vec<u8> = numbers.part(run)?;
        value(run, arguments.op, &part.into_iter().map(u64::from).collect::<Vec<_>>())
    } else {
        with_type!(numbers.ty, [i32 u32 i64 u64 f32 f64], T => value::<T>(run, arguments.op, &numbers.part(run)?))
    }?;
    let text = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Ok(Report::new("reduce", &arguments.common)
        .with("op", arguments.op.name())
        .with("type", numbers.ty.name())
        .with("shape", numbers.shape.clone())
        .with("value", value)
        .text(text))
}

fn value<T: Reduces>(run: &Run, operation: Operation, part: &[T]) -> Result<Value, Error>
where
    T::Sum: Reduces,
{
    let (ranks, device) = (&run.ranks, run.place.device());
    let found = match operation {
        Operation::Value(Operator::Sum) => reduce::sum(ranks, device, part).map(number),
        Operation::Value(operator) => reduce::reduce(ranks, device, operator, part).map(number),
        Operation::Place(extreme) => reduce::place(ranks, device, extreme, part).map(|place| json!(place)),
    };
    agree(ranks, found)
}

/// A number as JSON. Those that JSON has none for are words; the shortest digits of an `f32` are its own.
pub(super) fn number<T: Element>(x: T) -> Value {
    let text = x.to_string();
    serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text))
}
