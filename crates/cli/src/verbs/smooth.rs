//! `warpwise smooth`.

use crate::format::Format;
use crate::number::parse_usize;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::smooth::{Edge, Report, Request};

const EXAMPLES: &str =
    "Pictures are PNG, PGM, PPM or JPEG; the extension of OUT selects the format. Colours are smoothed \
one by one, 16-bit pictures keep their 16 bits; transparency is ignored. The filter has rings of weight 1, 2, 3, ... from outside in, divided by their sum.

Examples:
  warpwise smooth photo.png smooth.png
  warpwise smooth scan.pgm smooth.pgm --filter 9 --border reflect
  warpwise smooth small.png out.png --variant gpu-4-tiled";

/// Smooth a picture
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The picture
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file for the smoothed picture
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Rows and columns of the filter, an odd number up to 31
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = parse_usize)]
    filter: usize,
    /// Pixels beyond the edges: zero, replicate, reflect, wrap; or valid, which makes the picture smaller
    #[arg(long, value_name = "NAME", default_value = "replicate", value_parser = parse_edge)]
    border: Edge,
    /// Also write a grey picture of the differences from the reference, amplified until the largest is white
    #[arg(long, value_name = "FILE")]
    difference: Option<PathBuf>,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

fn parse_edge(text: &str) -> Result<Edge, String> {
    Edge::ALL.into_iter().find(|edge| edge.name() == text).ok_or_else(|| {
        let known: Vec<_> = Edge::ALL.iter().map(|edge| edge.name()).collect();
        format!("use one of {}", known.join(", "))
    })
}

/// Smooths a picture.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let request = Request {
        input: arguments.input,
        output: arguments.output,
        edge: arguments.border,
        filter: arguments.filter,
        difference: arguments.difference,
        setup: arguments.placement.setup(),
    };
    let report = progress::spin("smoothing", || warpwise_lab::applications::smooth::run(&request))?;
    arguments.format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
