//! `warpwise tour`.

use crate::{format, interrupt, output, progress};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpwise_lab::files;
use warpwise_lab::measure::sweep::{Budget, parse_budget};
use warpwise_lab::output::Exporter;
use warpwise_lab::pages::tour::{self, Results};

const EXAMPLES: &str = "\
Everything is compared with the reference. CPU variants are measured; GPU kernels are measured on a GPU if there is
one, and always counted on the emulator. The page is one file that needs no network; docs/report.md says what is
in it.

Examples:
  warpwise tour --quick
  warpwise tour --quick --budget 20s
  warpwise tour --out everything.html --json everything.json

Exit status: 0 good, 1 a wrong result, 2 bad input, 130 ended by Ctrl-C (the results so far are written).";

/// Show everything: run, verify and measure every primitive, and write one page about it
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Fewer sizes and samples: at most a minute, instead of up to ten for the whole tour
    #[arg(long)]
    quick: bool,
    /// End within this time, and skip what does not fit: 90s, 5min [default: a minute with --quick, ten without]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    budget: Option<f64>,
    /// The page
    #[arg(long, value_name = "FILE", default_value = "warpwise-report.html")]
    out: PathBuf,
    /// Also write the results, for `warpwise report`
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = format::parser::<Results>())]
    format: &'static Exporter,
}

fn parse_time(text: &str) -> Result<f64, String> {
    match parse_budget(text) {
        Ok(Budget::Seconds(seconds)) => Ok(seconds),
        _ => Err(format!("`{text}` is not a time: write 90s or 5min")),
    }
}

/// The most that a page or its results need.
const ROOM: usize = 3 << 20;

/// Keeps the results of a tour whose files cannot be written: in the folder for temporary files, or else on stdout.
fn rescue(results: &Results, problems: &[anyhow::Error]) -> anyhow::Result<()> {
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let problems = problems.join("; ");
    let file = std::env::temp_dir().join(format!("warpwise-tour-{}.json", std::process::id()));
    match format::save(&file, "json", results) {
        Ok(()) => {
            anyhow::bail!("{problems}: the results are in {0}; make the page with: warpwise report {0}", file.display())
        }
        Err(_) => {
            format::print(format::named("json"), results)?;
            anyhow::bail!("{problems}: the results are on stdout, as JSON for warpwise report")
        }
    }
}

/// Takes the tour and writes the page.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    // Fail before the tour, not minutes later, if a file cannot be written.
    for file in std::iter::once(&arguments.out).chain(&arguments.json) {
        files::check_room(file, ROOM)?;
    }
    interrupt::watch()?;
    let request = tour::Request { quick: arguments.quick, budget: arguments.budget };
    let mut results = progress::timed(|step| {
        tour::run(request, &|p: &tour::Progress| step(&p.now, p.done, p.all, p.end), &interrupt::asked)
    });
    results.command = format::command();
    if results.rows.is_empty() && !results.interrupted {
        anyhow::bail!("--budget: {} s are too short to run anything: give more time, such as 20s", request.seconds());
    }
    let mut files: Vec<(&Path, &str)> = arguments.json.iter().map(|file| (file.as_path(), "json")).collect();
    files.push((&arguments.out, "html"));
    // One file that cannot be written does not lose the other.
    let mut problems = Vec::new();
    for (file, format) in files {
        problems.extend(format::save(file, format, &results).err());
    }
    if !problems.is_empty() {
        rescue(&results, &problems)?;
    }
    format::print(arguments.format, &results)?;
    let page = format!("the page is {}", arguments.out.display());
    match arguments.format.name {
        "text" => output::result(&(page + "\n"))?,
        _ => output::note(&page),
    }
    for note in &results.notes {
        output::note(note);
    }
    Ok(match (results.interrupted, results.ok()) {
        (true, _) => ExitCode::from(130),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(1),
    })
}
