//! `warpwise histogram`.

use crate::format::Format;
use crate::formula::Mapping;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::histogram::{Content, Report, Request};

const EXAMPLES: &str = "In a picture (PNG, PGM, JPEG) the 256 grey levels are counted, colours by their luminance.
In a text the lower-case letters are counted, in groups of four: a-d, e-h, ..., y-z.

Examples:
  warpwise histogram photo.jpg
  warpwise histogram README.md --json
  warpwise histogram scan.pgm --variant gpu-3-shared
  warpwise histogram photo.jpg --map '255 - x'";

/// Count the grey levels of a picture, or the letters of a text
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A picture or a text
    file: PathBuf,
    /// Treat the file as text, whatever it contains
    #[arg(long, conflicts_with = "picture")]
    text: bool,
    /// Treat the file as a picture, whatever its name
    #[arg(long)]
    picture: bool,
    #[command(flatten)]
    mapping: Mapping,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

/// Counts and draws the histogram.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let content = match (arguments.text, arguments.picture) {
        (true, _) => Content::Text,
        (_, true) => Content::Picture,
        _ => Content::Guess,
    };
    let (map, setup) = (arguments.mapping.formula(), arguments.placement.setup());
    let request = Request { file: arguments.file, content, map, setup };
    let report = progress::spin("counting", || warpwise_lab::applications::histogram::run(&request))?;
    arguments.format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
