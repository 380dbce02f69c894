//! `warpwise-cluster scan`.

use std::path::PathBuf;

use warpwise::Operator;
use warpwise::scan::Kind;

use super::array::{Numbers, Source, with_type};
use super::report::Report;
use super::run::{Common, Run};
use super::{Done, one_of, reduce::number};
use crate::files::Output;
use crate::scan::{self, Scans};
use crate::timeline::Stage;
use crate::{Error, agree};

/// Combine every prefix of the numbers of files
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// sum, product, min or max
    #[arg(long, value_name = "NAME", default_value = "sum",
          value_parser = |text: &str| one_of(text, &Operator::ALL, Operator::name))]
    op: Operator,
    /// Leave every number out of its own prefix
    #[arg(long)]
    exclusive: bool,
    /// Write the result to a .npy file; a file of another ending holds plain numbers
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(run: &mut Run, arguments: &Arguments) -> Done {
    run.place(&arguments.common)?;
    let numbers = arguments.source.open(run)?;
    if numbers.ty.name() == "u8" {
        let part: Vec<u8> = numbers.part(run)?;
        return scanned(run, arguments, &numbers, part.into_iter().map(u64::from).collect());
    }
    with_type!(numbers.ty, [i32 u32 i64 u64 f32 f64], T => {
        let part = numbers.part::<T>(run)?;
        scanned(run, arguments, &numbers, part)
    })
}

fn scanned<T: Scans>(run: &Run, arguments: &Arguments, numbers: &Numbers, part: Vec<T>) -> Done {
    let kind = if arguments.exclusive { Kind::Exclusive } else { Kind::Inclusive };
    let found = agree(&run.ranks, scan::scan(&run.ranks, run.place.device(), arguments.op, kind, part))?;
    if let Some(path) = &arguments.out {
        write(run, path, &numbers.shape, found.range.start, &found.values)?;
    }
    let report = Report::new("scan", &arguments.common).with("op", arguments.op.name()).with("kind", kind.name());
    let report = report.with("type", T::NAME).with("shape", numbers.shape.clone());
    // The last prefix is in the last rank that has any.
    let mut last = [T::ZERO];
    let owner = crate::communicator::gather(&run.ranks, found.values.len() as u64).iter().rposition(|&n| n > 0);
    let Some(owner) = owner else { return Ok(report) };
    if let Some(x) = found.values.last() {
        last = [*x];
    }
    crate::communicator::broadcast(&run.ranks, owner, &mut last);
    Ok(report.with("last", number(last[0])).text(format!("{}", last[0])))
}

/// Writes this rank's elements from a place on.
pub(super) fn write<T: warpwise::Element>(
    run: &Run,
    path: &std::path::Path,
    shape: &[usize],
    at: usize,
    values: &[T],
) -> Result<(), Error> {
    run.log.during(Stage::Write, || {
        let output = Output::npy::<T>(&run.ranks, path, shape)?;
        let written = output.write(at, values);
        output.finish(&run.ranks, written)
    })
}
