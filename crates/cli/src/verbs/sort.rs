//! `warpwise sort`.

use crate::format::Format;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::arrays::{Operation, Report, Request, run as apply};

const EXAMPLES: &str = "Examples:
  warpwise sort numbers.npy --out sorted.npy
  warpwise sort numbers.csv --descending --device emulator";

/// Put the numbers of a file in order
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A .npy or .csv file
    file: PathBuf,
    /// The largest first
    #[arg(long)]
    descending: bool,
    /// Write the result to a .npy or .csv file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

/// Sorts the numbers of a file.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let operation = Operation::Sort { descending: arguments.descending };
    let Arguments { file, out, placement, format, .. } = arguments;
    let request = Request { file, operation, setup: placement.setup(), out };
    let report = progress::spin("sorting", || apply(&request))?;
    format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
