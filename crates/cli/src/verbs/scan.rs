//! `warpwise scan`.

use crate::format::Format;
use crate::formula::Mapping;
use crate::input::Input;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::scan::{Kind, Operator, Report, Request};

const EXAMPLES: &str =
    "A .npy file holds little-endian u8 i32 u32 i64 u64 f32 or f64; bytes are combined as u64. A .csv \
file holds numbers and commas, read as i64 if all are whole, and as f64 otherwise. Integers wrap.

Examples:
  warpwise scan data.npy --out sums.npy
  warpwise scan table.csv --op max --exclusive --out so-far.csv
  warpwise scan data.npy --variant gpu-7-look-back --json
  warpwise scan data.npy --map 'x > 0' --out counts.npy
  warpwise scan huge.npy --memory 2^30 --out sums.npy";

/// Combine every prefix of the numbers of a file
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A .npy or .csv file, or any with --raw
    file: PathBuf,
    /// sum, product, min or max
    #[arg(long, value_name = "NAME", default_value = "sum", value_parser = parse_operator)]
    op: Operator,
    /// Leave every number out of its own prefix
    #[arg(long)]
    exclusive: bool,
    /// Write the result to a .npy or .csv file
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

fn parse_operator(text: &str) -> Result<Operator, String> {
    Operator::ALL.into_iter().find(|op| op.name() == text).ok_or_else(|| {
        let known: Vec<_> = Operator::ALL.iter().map(|op| op.name()).collect();
        format!("use one of {}", known.join(", "))
    })
}

/// Scans the numbers of a file.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let request = Request {
        file: arguments.file,
        operator: arguments.op,
        kind: if arguments.exclusive { Kind::Exclusive } else { Kind::Inclusive },
        map: arguments.mapping.formula(),
        setup: arguments.placement.setup(),
        input: arguments.input.reading(),
        out: arguments.out,
    };
    let report = progress::spin("scanning", || warpwise_lab::applications::scan::run(&request))?;
    arguments.format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
