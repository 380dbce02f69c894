//! `warpwise devices`.

use crate::format::Format;
use std::process::ExitCode;
use warpwise_lab::machine::devices::{DevicesReport, devices};

const EXAMPLES: &str = "Examples:
  warpwise devices
  warpwise devices --measure
  warpwise devices --json";

/// Describe the GPUs of this machine, and those that the emulator models
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Also measure how fast the first GPU copies
    #[arg(long)]
    measure: bool,
    #[command(flatten)]
    format: Format<DevicesReport>,
}

/// Describes the GPUs of this machine and the emulator's.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.format.print(&devices(arguments.measure)?)?;
    Ok(ExitCode::SUCCESS)
}
