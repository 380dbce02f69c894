//! `warpwise convolve`.

use crate::format::Format;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise::Border;
use warpwise_lab::applications::arrays::{Mask, Operation, Report, Request, run as apply};

const EXAMPLES: &str = "Every number becomes the sum of its neighbours times the weights; weights are not flipped. Rows of a matrix and channels
of a sound are signals of their own.

Examples:
  warpwise convolve signal.npy --mask 0.25,0.5,0.25 --out smooth.npy
  warpwise convolve voice.wav --mask weights.csv --border reflect --out echo.wav
  warpwise convolve steps.csv --mask -1,0,1 --variant gpu-3-tiled";

/// Convolve a signal with a mask
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A signal: a .npy, .csv or .wav file
    file: PathBuf,
    /// The weights, an odd number of them up to 129, comma-separated; or a .npy or .csv file with them
    #[arg(long, value_name = "WEIGHTS", default_value = "1,2,1", value_parser = Mask::parse, allow_hyphen_values = true)]
    mask: Mask,
    /// Numbers beyond the ends: zero, replicate, reflect or wrap
    #[arg(long, value_name = "NAME", default_value = "zero", value_parser = parse_border)]
    border: Border,
    /// Write the result to a .npy, .csv or .wav file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

fn parse_border(text: &str) -> Result<Border, String> {
    Border::ALL.into_iter().find(|border| border.name() == text).ok_or_else(|| {
        let known: Vec<_> = Border::ALL.iter().map(|border| border.name()).collect();
        format!("use one of {}", known.join(", "))
    })
}

/// Convolves the signal of a file.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let operation = Operation::Convolve { mask: arguments.mask.clone(), border: arguments.border };
    let Arguments { file, out, placement, format, .. } = arguments;
    let request = Request { file, operation, setup: placement.setup(), out };
    let report = progress::spin("convolving", || apply(&request))?;
    format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
