//! `warpwise reduce`.

use crate::format::Format;
use crate::formula::Mapping;
use crate::input::Input;
use crate::placement::Placement;
use crate::{output, progress};
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::reduce::{Finish, Operation, Order, Report, Request};

const EXAMPLES: &str =
    "A .npy file holds little-endian u8 i32 u32 i64 u64 f32 or f64; bytes are combined as u64. A .csv \
file holds numbers and commas, read as i64 if all are whole, and as f64 otherwise. Integers wrap.

Examples:
  warpwise reduce data.npy
  warpwise reduce table.csv --op argmax --json
  warpwise reduce data.npy --op max --variant gpu-8-shuffle
  warpwise reduce data.npy --variant gpu-3-sequential --finish cpu
  warpwise reduce data.npy --order reproducible
  warpwise reduce data.npy --map '(x - mean)**2' --let mean=3.5
  warpwise reduce huge.bin --raw f32 --memory 2^30";

/// Combine all numbers of a file into one: sum, product, min, max, argmin, argmax
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A .npy or .csv file, or any with --raw
    file: PathBuf,
    /// sum, product, min, max, argmin or argmax
    #[arg(long, value_name = "NAME", default_value = "sum", value_parser = parse_operation)]
    op: Operation,
    /// What combines the partial results of the blocks of a GPU rung: gpu, recursive or cpu
    #[arg(long, value_name = "WHO", default_value = "gpu", value_parser = parse_finish)]
    finish: Finish,
    /// The order in which floats are summed or multiplied: fast, or reproducible (the same bits on every device)
    #[arg(long, value_name = "ORDER", default_value = "fast", value_parser = parse_order)]
    order: Order,
    /// Also write the result to a .npy or .csv file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    mapping: Mapping,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

fn parse_operation(text: &str) -> Result<Operation, String> {
    Operation::all().into_iter().find(|op| op.name() == text).ok_or_else(|| {
        let known: Vec<_> = Operation::all().iter().map(|op| op.name()).collect();
        format!("use one of {}", known.join(", "))
    })
}

/// Parses `--finish`.
pub(super) fn parse_finish(text: &str) -> Result<Finish, String> {
    Finish::ALL.into_iter().find(|f| f.name() == text).ok_or_else(|| {
        let known: Vec<_> = Finish::ALL.iter().map(|f| f.name()).collect();
        format!("use one of {}", known.join(", "))
    })
}

fn parse_order(text: &str) -> Result<Order, String> {
    Order::ALL.into_iter().find(|order| order.name() == text).ok_or_else(|| {
        let known: Vec<_> = Order::ALL.iter().map(|order| order.name()).collect();
        format!("use one of {}", known.join(", "))
    })
}

/// Reduces the numbers of a file.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let request = Request {
        file: arguments.file,
        operation: arguments.op,
        map: arguments.mapping.formula(),
        setup: arguments.placement.setup(),
        finish: arguments.finish,
        order: arguments.order,
        input: arguments.input.reading(),
        out: arguments.out,
    };
    let report = progress::spin("reducing", || warpwise_lab::applications::reduce::run(&request))?;
    if arguments.format.is_text() {
        output::note(&report.note());
    }
    if let Some(verified) = report.verified.as_ref().filter(|verified| !verified.ok) {
        output::warning(verified.line().trim_end());
    }
    arguments.format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
