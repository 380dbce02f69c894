//! `warpwise compare`.

use crate::format::Format;
use std::process::ExitCode;
use warpwise_lab::measure::bench::load;
use warpwise_lab::measure::compare::{Comparison, compare};

const EXAMPLES: &str = "\
A configuration is faster or slower when it differs by more than the combined noise of both measurements, and by more
than 1 %; otherwise it is the same.

Examples:
  warpwise bench reduce -n 2^20,2^24 --save-baseline before
  warpwise bench reduce -n 2^20,2^24 --json > after.json
  warpwise compare before after.json
  warpwise compare before after.json --fail-if-slower";

/// Compare two measurements of `bench`: what is faster, slower, or the same
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A file written by `bench --json`, or a name given to --save-baseline
    before: String,
    /// The same, measured later
    after: String,
    /// Exit with status 1 when anything is slower
    #[arg(long)]
    fail_if_slower: bool,
    #[command(flatten)]
    format: Format<Comparison>,
}

/// Compares two measurements.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let comparison = compare(&load(&arguments.before)?, &load(&arguments.after)?);
    if comparison.results.is_empty() {
        anyhow::bail!(
            "{} and {} have no timed configuration in common: measure the same ones twice",
            arguments.before,
            arguments.after
        );
    }
    arguments.format.print(&comparison)?;
    Ok(if arguments.fail_if_slower && comparison.slower > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
