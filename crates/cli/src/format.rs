//! The output format of a verb: the flags shared by all verbs with a report, and the one place that applies them.

use crate::output;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use warpwise_lab::Style;
use warpwise_lab::output::{Exporter, Report, page_of};

/// How a report is printed. `--format` accepts the formats that the report offers.
#[derive(clap::Args)]
pub(crate) struct Format<R: Report> {
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = parser::<R>())]
    format: &'static Exporter,
    /// Print JSON: --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Also write a page for a browser: one file, with the numbers and what they say
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[arg(skip)]
    report: PhantomData<R>,
}

/// Parses the name of a format that the report offers.
pub(crate) fn parser<R: Report>() -> impl TypedValueParser<Value = &'static Exporter> {
    let values = Exporter::all_of::<R>().map(|exporter| PossibleValue::new(exporter.name).help(exporter.about));
    PossibleValuesParser::new(values).map(|name| named(&name))
}

pub(crate) fn named(name: &str) -> &'static Exporter {
    Exporter::named(name).expect("clap accepts only formats that exist")
}

impl<R: Report> Format<R> {
    /// The format.
    pub(crate) fn exporter(&self) -> &'static Exporter {
        if self.json { named("json") } else { self.format }
    }

    /// Whether the output is text for people.
    pub(crate) fn is_text(&self) -> bool {
        self.exporter().name == "text"
    }

    /// Prints a report.
    pub(crate) fn print(&self, report: &R) -> anyhow::Result<()> {
        self.print_as(report)
    }

    /// Prints a report of another kind, and writes its page.
    pub(crate) fn print_as<S: Report>(&self, report: &S) -> anyhow::Result<()> {
        print(self.exporter(), report)?;
        match &self.html {
            Some(file) => Ok(warpwise_lab::files::save(file, page_of(report, &command()).as_bytes())?),
            None => Ok(()),
        }
    }

    /// Fails before the work, not minutes later, if the page cannot be written.
    pub(crate) fn check_page(&self) -> anyhow::Result<()> {
        Ok(self.html.as_deref().map_or(Ok(()), warpwise_lab::files::check_writable)?)
    }
}

/// The command of this run.
pub(crate) fn command() -> String {
    std::iter::once("warpwise".to_owned()).chain(std::env::args().skip(1)).collect::<Vec<_>>().join(" ")
}

/// Prints a report in a format; only terminals get colours.
pub(crate) fn print<R: Report>(exporter: &Exporter, report: &R) -> anyhow::Result<()> {
    output::result(&exporter.export(report, Style { colour: output::colour(&io::stdout()) })?)
}

/// Writes a report to a file, in the format of that name.
pub(crate) fn save<R: Report>(file: &Path, format: &str, report: &R) -> anyhow::Result<()> {
    let text = named(format).export(report, Style::default())?;
    Ok(warpwise_lab::files::save(file, text.as_bytes())?)
}
