//! `warpwise report`.

use crate::{format, output};
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::files;
use warpwise_lab::pages::tour;

const EXAMPLES: &str = "\
Examples:
  warpwise tour --quick --json results.json
  warpwise report results.json --out page.html
  warpwise report warpwise-report.html --out again.html";

/// What `report` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Results of `tour --json`, or a page of `tour`, which has them in it
    results: PathBuf,
    /// The page
    #[arg(long, value_name = "FILE", default_value = "warpwise-report.html")]
    out: PathBuf,
}

/// Makes the page of a tour from its results.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    files::check_writable(&arguments.out)?;
    let results = tour::load(&arguments.results)?;
    format::save(&arguments.out, "html", &results)?;
    output::result(&format!("the page is {}\n", arguments.out.display()))?;
    Ok(ExitCode::SUCCESS)
}
