//! `warpwise compact`.

use crate::format::Format;
use crate::input::Input;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::compact::{Report, Request, run as keep};
use warpwise_lab::applications::{Formula, parse_let};

const EXAMPLES: &str = "What is kept stays in its order and has one dimension.

Examples:
  warpwise compact data.npy --where 'x > 0' --out positive.npy
  warpwise compact data.npy --where 'abs(x - m) < 3' --let m=0.5 --out near.npy
  warpwise compact data.npy --where 'x != 0' --variant gpu-4-look-back --json
  warpwise compact huge.npy --where 'x == x' --memory 2^30 --out no-nan.npy";

/// Keep the numbers of a file for which a condition holds
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A .npy or .csv file, or any with --raw
    file: PathBuf,
    /// What holds for a number x that is kept: see `warpwise map`
    #[arg(long = "where", value_name = "EXPRESSION")]
    condition: String,
    /// The value of a name in the condition
    #[arg(long = "let", value_name = "NAME=VALUE", value_parser = parse_let)]
    values: Vec<(String, f64)>,
    /// Write the result to a .npy or .csv file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

/// Keeps some of the numbers of a file.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let request = Request {
        file: arguments.file,
        condition: Formula { text: arguments.condition, values: arguments.values },
        setup: arguments.placement.setup(),
        input: arguments.input.reading(),
        out: arguments.out,
    };
    let report = progress::spin("compacting", || keep(&request))?;
    arguments.format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
