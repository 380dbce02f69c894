//! `warpwise list`.

use crate::format::Format;
use std::process::ExitCode;
use warpwise_lab::library::list::{Catalogue, catalogue};

const EXAMPLES: &str = "Examples:
  warpwise list
  warpwise list --json";

/// List the primitives, their types, and their variants with the idea behind each
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    format: Format<Catalogue>,
}

/// Lists the primitives.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.format.print(&catalogue())?;
    Ok(ExitCode::SUCCESS)
}
