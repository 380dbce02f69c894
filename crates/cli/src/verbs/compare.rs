//! `warpwise compare`.

use crate::format::Format;
use crate::number::parse_usize;
use crate::{interrupt, progress};
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::measure::bench::load;
use warpwise_lab::measure::compare::{Comparison, Programs, alternate, compare, is_program};

const EXAMPLES: &str = "\
A configuration is faster or slower when it differs by more than the combined noise of both measurements, and by more
than 1 %; otherwise it is the same. Two programs take turns, each in several processes, and their difference must be
larger than that of the turns; of `bench`, every configuration is compared, of any other program its whole time.

Examples:
  warpwise bench reduce -n 2^20,2^24 --save-baseline before
  warpwise bench reduce -n 2^20,2^24 --json > after.json
  warpwise compare before after.json
  warpwise compare before after.json --fail-if-slower
  warpwise compare old/warpwise new/warpwise -- bench reduce -n 2^20 --device cpu
  warpwise compare ./a.out ./b.out --rounds 15 -- 1000000";

/// Compare two measurements of `bench`, or two programs: what is faster, slower, or the same
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A file written by `bench --json`, a name given to --save-baseline, or a program
    before: String,
    /// The same, measured later
    after: String,
    /// Exit with status 1 when anything is slower
    #[arg(long)]
    fail_if_slower: bool,
    /// How often each of two programs runs
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = parse_usize)]
    rounds: usize,
    #[command(flatten)]
    format: Format<Comparison>,
    /// The arguments of two programs
    #[arg(last = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
}

/// Compares two measurements.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.format.check_page()?;
    let (before, after) = (PathBuf::from(&arguments.before), PathBuf::from(&arguments.after));
    let comparison = match (is_program(&before), is_program(&after)) {
        (true, true) => {
            let programs = Programs { before, after, arguments: arguments.arguments.clone(), rounds: arguments.rounds };
            interrupt::watch()?;
            progress::bar(|step| alternate(&programs, step, &interrupt::asked))?
        }
        (false, false) if arguments.arguments.is_empty() => {
            compare(&load(&arguments.before)?, &load(&arguments.after)?)
        }
        (false, false) => anyhow::bail!("--: arguments are for two programs, and these are not programs that can run"),
        _ => anyhow::bail!("give two programs or two measurements, not one of each"),
    };
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
