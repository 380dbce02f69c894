//! `warpwise matmul`.

use crate::format::Format;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::matmul::{Factors, Report, Request, Shown};

const EXAMPLES: &str = "Two files are multiplied as f32 if both hold f32, and as f64 otherwise.
Three sizes make a demonstration: A of M x K numbers 0, 1 and 2, times B of K x N numbers 0 and 1.

Examples:
  warpwise matmul a.npy b.npy --out c.npy
  warpwise matmul a.csv b.csv
  warpwise matmul 4 6 5 --print
  warpwise matmul 64 64 64 --variant gpu-3-tiled --json";

/// Multiply two matrices
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "warpwise matmul [OPTIONS] A B\n       warpwise matmul [OPTIONS] M K N")]
pub(crate) struct Arguments {
    /// Two .npy or .csv files, A B; or three sizes, M K N
    #[arg(required = true, num_args = 1.., value_name = "A B or M K N")]
    factors: Vec<String>,
    /// Show the corners of A, B and C
    #[arg(long)]
    print: bool,
    /// f64 instead of f32, for the demonstration
    #[arg(long)]
    double: bool,
    /// Write the product to a .npy or .csv file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

/// Multiplies two matrices.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let factors = Factors::parse(&arguments.factors, arguments.double)?;
    let shown = match (&factors, arguments.print, &arguments.out) {
        (_, true, _) => Shown::All,
        (Factors::Files(..), _, None) => Shown::Product,
        _ => Shown::Nothing,
    };
    let request = Request { factors, setup: arguments.placement.setup(), out: arguments.out };
    let mut report = progress::spin("multiplying", || warpwise_lab::applications::matmul::run(&request))?;
    report.shown = shown;
    arguments.format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
