//! `warpwise report`.

use crate::format::{self, Format};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::files;
use warpwise_lab::output::{Report, Style};
use warpwise_lab::pages::tour;

const EXAMPLES: &str = "\
Examples:
  warpwise tour --quick --json results.json
  warpwise report results.json --out page.html
  warpwise report warpwise-report.html --out again.html";

/// Recreate the page of a tour from its results
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Results from `tour --json`, or a page from `tour`, which contains them
    results: PathBuf,
    /// The page
    #[arg(long, value_name = "FILE", default_value = "warpwise-report.html")]
    out: PathBuf,
    #[command(flatten)]
    format: Format<Written>,
}

/// Where the page is: its fields are the JSON, in order.
#[derive(Serialize)]
struct Written {
    schema: u32,
    page: PathBuf,
}

impl Report for Written {
    fn text(&self, _: Style) -> String {
        format!("the page is {}\n", self.page.display())
    }
}

/// Makes the page of a tour from its results.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    files::check_writable(&arguments.out)?;
    let results = tour::load(&arguments.results)?;
    format::save(&arguments.out, "html", &results)?;
    arguments.format.print(&Written { schema: 1, page: arguments.out })?;
    Ok(ExitCode::SUCCESS)
}
