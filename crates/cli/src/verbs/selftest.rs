//! `warpwise selftest`.

use crate::format::Format;
use crate::number::parse_u32;
use crate::placement::places;
use crate::{interrupt, progress};
use std::process::ExitCode;
use warpwise_lab::Place;
use warpwise_lab::library::selftest::{Request, SelftestReport};

const EXAMPLES: &str = "Examples:
  warpwise selftest
  warpwise selftest --device emulator reduce scan
  warpwise selftest --full --json
  warpwise selftest --device cuda --full
  warpwise selftest --device both

Exit status: 0 good, 1 a wrong result, 2 bad input, 130 ended by Ctrl-C (the results so far are shown).";

/// Check every variant against the reference, on this machine
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Primitives to check, or by_key, segmented, unique, top_k; all if none is named
    #[arg(value_name = "PRIMITIVE")]
    primitives: Vec<String>,
    /// Where to check
    #[arg(long, value_parser = places(|place| place != Place::Auto, &[]), default_value = "cpu")]
    device: Place,
    /// Every type with every operator at every size
    #[arg(long)]
    full: bool,
    /// Instead of the grid, more than 2^31 elements, if a primitive accepts them: up to 20 GiB of host and GPU memory
    #[arg(long, conflicts_with = "full")]
    large: bool,
    /// At most N checks per variant, spread over its grid
    #[arg(long, value_name = "N", value_parser = parse_few)]
    few: Option<u32>,
    /// On a GPU, ask the driver for every buffer and leave fresh memory as it is: for compute-sanitizer
    #[arg(long)]
    plain_memory: bool,
    #[command(flatten)]
    format: Format<SelftestReport>,
}

fn parse_few(text: &str) -> Result<u32, String> {
    match parse_u32(text)? {
        0 => Err("0 is too few: use at least 1".into()),
        few => Ok(few),
    }
}

/// Runs the conformance suite and reports what passed.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { device: place, primitives, full, large, plain_memory, .. } = arguments;
    let few = arguments.few.map(|few| few as usize);
    let request = Request { place, plain_memory, primitives, full, large, few };
    interrupt::watch()?;
    let report = progress::bar(|step| warpwise_lab::library::selftest::run(&request, step, &interrupt::asked))?;
    arguments.format.print(&report)?;
    Ok(match (report.interrupted, report.ok()) {
        (true, _) => ExitCode::from(130),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(1),
    })
}
