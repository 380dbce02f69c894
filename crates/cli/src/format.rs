//! The format of what a verb prints: the flags that all verbs with a report share, and the one place where they count.

use crate::output;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::io;
use std::marker::PhantomData;
use std::path::Path;
use warpwise_lab::Style;
use warpwise_lab::output::{Exporter, Report};

/// How a report is printed. `--format` takes the formats that there are of it.
#[derive(clap::Args)]
pub(crate) struct Format<R: Report> {
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = parser::<R>())]
    format: &'static Exporter,
    /// Print JSON: --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[arg(skip)]
    report: PhantomData<R>,
}

/// Reads a format, of those that a report offers.
pub(crate) fn parser<R: Report>() -> impl TypedValueParser<Value = &'static Exporter> {
    let values = Exporter::all_of::<R>().map(|exporter| PossibleValue::new(exporter.name).help(exporter.about));
    PossibleValuesParser::new(values).map(|name| named(&name))
}

fn named(name: &str) -> &'static Exporter {
    Exporter::named(name).expect("clap has seen to it that there is such a format")
}

impl<R: Report> Format<R> {
    /// The format.
    pub(crate) fn exporter(&self) -> &'static Exporter {
        if self.json { named("json") } else { self.format }
    }

    /// Whether people read it.
    pub(crate) fn is_text(&self) -> bool {
        self.exporter().name == "text"
    }

    /// Prints a report.
    pub(crate) fn print(&self, report: &R) -> anyhow::Result<()> {
        print(self.exporter(), report)
    }
}

/// Prints a report in a format; coloured text is for terminals.
pub(crate) fn print<R: Report>(exporter: &Exporter, report: &R) -> anyhow::Result<()> {
    output::result(&exporter.export(report, Style { colour: output::colour(&io::stdout()) })?)
}

/// Writes a report to a file, in the format of that name.
pub(crate) fn save<R: Report>(file: &Path, format: &str, report: &R) -> anyhow::Result<()> {
    let text = named(format).export(report, Style::default())?;
    Ok(warpwise_lab::files::save(file, text.as_bytes())?)
}
