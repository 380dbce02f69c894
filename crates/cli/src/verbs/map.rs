//! `warpwise map`.

use crate::format::Format;
use crate::placement::{alone, places};
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::Place;
use warpwise_lab::applications::map::{Report, Request};
use warpwise_lab::applications::{Formula, Setup, parse_let};

const EXAMPLES: &str =
    "x is a number of the first file and y one of the second. There are + - * / // % **, comparisons, \
& | ^ ~, min, max, abs, sqrt, exp, log, floor, where(c, a, b), and types such as f32(x). Types are those of NumPy.

Examples:
  warpwise map '(x - 3.5)**2' data.npy --out squares.npy
  warpwise map 'sqrt(x**2 + y**2)' x.npy y.npy --out lengths.npy
  warpwise map 'where(x > limit, limit, x)' data.npy --let limit=0.5 --json";

/// Compute a formula for every number of a file, or of two
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The formula, such as '(x - 3.5)**2'
    expression: String,
    /// A .npy or .csv file for x, and one for y
    #[arg(required = true, num_args = 1..=2)]
    files: Vec<PathBuf>,
    /// The value of a name in the formula
    #[arg(long = "let", value_name = "NAME=VALUE", value_parser = parse_let)]
    values: Vec<(String, f64)>,
    /// Write the result to a .npy or .csv file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Where to compute
    #[arg(long, value_parser = places(alone, &[]), default_value = "auto")]
    device: Place,
    #[command(flatten)]
    format: Format<Report>,
}

/// Evaluates the formula.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let request = Request {
        formula: Formula { text: arguments.expression, values: arguments.values },
        files: arguments.files,
        setup: Setup { place: arguments.device, ..Setup::default() },
        out: arguments.out,
    };
    let report = progress::spin("computing", || warpwise_lab::applications::map::run(&request))?;
    arguments.format.print(&report)?;
    Ok(ExitCode::SUCCESS)
}
