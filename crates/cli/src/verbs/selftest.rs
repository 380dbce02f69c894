//! `warpwise selftest`.

use crate::placement::DeviceName;
use crate::{output, progress};
use std::process::ExitCode;
use warpwise_lab::selftest::{Request, render};

const EXAMPLES: &str = "Examples:
  warpwise selftest
  warpwise selftest --device emulator reduce scan
  warpwise selftest --full --json";

/// What `selftest` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Primitives to check; all where none is named
    #[arg(value_name = "PRIMITIVE")]
    primitives: Vec<String>,
    /// Where to check
    #[arg(long, value_enum, default_value = "cpu")]
    device: DeviceName,
    /// Every type with every operator at every size
    #[arg(long)]
    full: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the conformance suite and says what passed.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let request = Request { place: arguments.device.into(), primitives: arguments.primitives, full: arguments.full };
    let report = progress::bar(|step| warpwise_lab::selftest::run(&request, step))?;
    output::result(&if arguments.json { report.to_json() + "\n" } else { render(&report) })?;
    Ok(if report.failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
