//! `warpwise list`.

use crate::output;
use std::process::ExitCode;
use warpwise_lab::library::list::{catalogue, render};

const EXAMPLES: &str = "Examples:
  warpwise list
  warpwise list --json";

/// What `list` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lists what there is.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let catalogue = catalogue();
    output::result(&if arguments.json { catalogue.to_json() + "\n" } else { render(&catalogue) })?;
    Ok(ExitCode::SUCCESS)
}
