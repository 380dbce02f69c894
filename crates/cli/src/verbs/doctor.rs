//! `warpwise doctor`.

use crate::output;
use std::process::ExitCode;
use warpwise_lab::machine::doctor::{examine, render};

const EXAMPLES: &str = "Examples:
  warpwise doctor
  warpwise doctor --json
  WARPWISE_NVRTC=/opt/cuda/lib64 warpwise doctor";

/// What `doctor` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Examines the machine and says what was found.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let checkup = examine();
    output::result(&if arguments.json { checkup.to_json() + "\n" } else { render(&checkup) })?;
    Ok(ExitCode::SUCCESS)
}
