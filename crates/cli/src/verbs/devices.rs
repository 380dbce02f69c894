//! `warpwise devices`.

use crate::output;
use std::process::ExitCode;
use warpwise_lab::machine::devices::{devices, render};

const EXAMPLES: &str = "Examples:
  warpwise devices
  warpwise devices --measure
  warpwise devices --json";

/// What `devices` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Measure how fast the first GPU copies, too
    #[arg(long)]
    measure: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Describes the GPUs of this machine and the emulator's.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let report = devices(arguments.measure)?;
    output::result(&if arguments.json { report.to_json() + "\n" } else { render(&report) })?;
    Ok(ExitCode::SUCCESS)
}
