//! `warpwise histogram`.

use crate::format::Format;
use crate::formula::Mapping;
use crate::input::Input;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::histogram::{Bins, Content, Report, Request, parse_range};
use warpwise_lab::kernels::run::parse_count;

const EXAMPLES: &str = "In a picture (PNG, PGM, JPEG) the 256 grey levels are counted, colours by their luminance.
In a text the lower-case letters are counted, in groups of four: a-d, e-h, ..., y-z.
In an array (.npy, or --raw or --numbers) equal parts of a range are counted, as by numpy.histogram, or the 256 values
of bytes.

Examples:
  warpwise histogram photo.jpg
  warpwise histogram README.md --json
  warpwise histogram scan.pgm --variant gpu-3-shared
  warpwise histogram photo.jpg --map '255 - x'
  warpwise histogram data.npy --bins 100 --range -1,1
  warpwise histogram huge.bin --raw f32 --bins 50 --memory 2^30";

/// Count the grey levels of a picture, the letters of a text, or the numbers of an array
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A picture, a text or an array
    file: PathBuf,
    /// Treat the file as text, whatever it contains
    #[arg(long, conflicts_with = "picture")]
    text: bool,
    /// Treat the file as a picture, whatever its name
    #[arg(long)]
    picture: bool,
    /// Treat the file as an array, such as a .csv file of numbers
    #[arg(long, conflicts_with_all = ["text", "picture"])]
    numbers: bool,
    /// Equal parts that the range of an array is cut into [default: 10]
    #[arg(long, value_name = "N", value_parser = count, conflicts_with_all = ["text", "picture"])]
    bins: Option<usize>,
    /// The range of an array that is counted, such as -1,1 [default: from the least number to the greatest]
    #[arg(
        long, value_name = "LO,HI", value_parser = parse_range, allow_hyphen_values = true,
        conflicts_with_all = ["text", "picture"]
    )]
    range: Option<(f64, f64)>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    mapping: Mapping,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

/// A number of parts: at least one.
fn count(text: &str) -> Result<usize, String> {
    match parse_count(text)? {
        0 => Err("give at least 1".to_owned()),
        bins => Ok(usize::try_from(bins).unwrap_or(usize::MAX)),
    }
}

/// Counts and draws the histogram.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let content = match (arguments.text, arguments.picture, arguments.numbers) {
        (true, ..) => Content::Text,
        (_, true, _) => Content::Picture,
        (.., true) => Content::Numbers,
        _ => Content::Guess,
    };
    let request = Request {
        file: arguments.file,
        content,
        map: arguments.mapping.formula(),
        setup: arguments.placement.setup(),
        bins: Bins { count: arguments.bins, range: arguments.range },
        input: arguments.input.reading(),
    };
    let report = progress::spin("counting", || warpwise_lab::applications::histogram::run(&request))?;
    arguments.format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
