//! `warpwise histogram`.

use crate::format::Format;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::histogram::{Content, Report, Request};

const EXAMPLES: &str = "A picture (PNG, PGM, JPEG) is counted by its 256 grey levels; colours count by their luminance.
A text is counted by its small letters, in groups of four: a-d, e-h, ..., y-z.

Examples:
  warpwise histogram photo.jpg
  warpwise histogram README.md --json
  warpwise histogram scan.pgm --variant gpu-3-shared";

/// Count the grey levels of a picture, or the letters of a text
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A picture or a text
    file: PathBuf,
    /// Take the file for a text, whatever it looks like
    #[arg(long, conflicts_with = "picture")]
    text: bool,
    /// Take the file for a picture, whatever its name
    #[arg(long)]
    picture: bool,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

/// Counts and draws.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let content = match (arguments.text, arguments.picture) {
        (true, _) => Content::Text,
        (_, true) => Content::Picture,
        _ => Content::Guess,
    };
    let request = Request { file: arguments.file, content, setup: arguments.placement.setup() };
    let report = progress::spin("counting", || warpwise_lab::applications::histogram::run(&request))?;
    arguments.format.print(&report)?;
    Ok(ExitCode::SUCCESS)
}
