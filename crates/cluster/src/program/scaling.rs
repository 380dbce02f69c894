//! `warpwise-cluster scaling`: runs on several numbers of ranks, in one page.

use std::path::PathBuf;

use serde_json::Value;

use crate::Error;
use crate::pages::{self, Point};

/// Draw how runs scale, from the JSON that they printed
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Files with what runs printed with --json, one run in each line
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The page
    #[arg(long, value_name = "FILE", default_value = "scaling.html")]
    out: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let mut points = Vec::new();
    for path in &arguments.files {
        let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, format!("cannot be read: {e}")))?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let run: Value = serde_json::from_str(line).unwrap_or_default();
            let point = Point::of(&run).ok_or_else(|| {
                Error::file(path, "this is not what a run printed with --json: write it with ... --json > FILE")
            })?;
            points.push(point);
        }
    }
    pages::write(&arguments.out, &pages::scaling(&points))?;
    println!("{}", arguments.out.display());
    Ok(())
}
