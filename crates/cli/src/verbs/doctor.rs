//! `warpwise doctor`.

use crate::format::Format;
use std::process::ExitCode;
use warpwise_lab::machine::doctor::{Checkup, examine};

const EXAMPLES: &str = "Examples:
  warpwise doctor
  warpwise doctor --json
  WARPWISE_NVRTC=/opt/cuda/lib64 warpwise doctor";

/// Show what was found on this machine, and where it was searched for
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    format: Format<Checkup>,
}

/// Examines the machine and prints what was found.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.format.print(&examine())?;
    Ok(ExitCode::SUCCESS)
}
