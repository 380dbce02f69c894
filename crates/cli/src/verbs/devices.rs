//! `warpwise devices`.

use crate::format::Format;
use std::process::ExitCode;
use warpwise_lab::machine::devices::{DevicesReport, devices};

const EXAMPLES: &str = "Examples:
  warpwise devices
  warpwise devices --measure
  warpwise devices --gpu h200,rtx-2080-ti
  warpwise devices --json";

/// Describe the GPUs of this machine, and those that the emulator models
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Also measure how fast the first GPU copies
    #[arg(long)]
    measure: bool,
    /// Describe these emulated GPUs in full, comma-separated, or all
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    gpu: Vec<String>,
    #[command(flatten)]
    format: Format<DevicesReport>,
}

/// Describes the GPUs of this machine and the emulator's.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut report = devices(arguments.measure)?;
    let known: Vec<String> = report.emulated.iter().map(|gpu| gpu.name.clone()).collect();
    if let Some(other) = arguments.gpu.iter().find(|name| *name != "all" && !known.contains(name)) {
        anyhow::bail!("--gpu: there is no {other}: use all, or some of {}", known.join(", "));
    }
    report.described = if arguments.gpu.iter().any(|name| name == "all") { known } else { arguments.gpu };
    arguments.format.print(&report)?;
    Ok(ExitCode::SUCCESS)
}
