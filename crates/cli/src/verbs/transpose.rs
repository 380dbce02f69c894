//! `warpwise transpose`.

use crate::format::Format;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::arrays::{Operation, Report, Request, run as apply};

const EXAMPLES: &str = "Examples:
  warpwise transpose matrix.npy --out turned.npy
  warpwise transpose table.csv --variant gpu-4-padded";

/// Turn rows of a matrix into columns
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A .npy or .csv file with a matrix
    file: PathBuf,
    /// Write the result to a .npy or .csv file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

/// Transposes the matrix of a file.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let operation = Operation::Transpose;
    let Arguments { file, out, placement, format, .. } = arguments;
    let request = Request { file, operation, setup: placement.setup(), out };
    let report = progress::spin("transposing", || apply(&request))?;
    format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
