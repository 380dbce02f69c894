//! Formats: how a view of a report becomes output.

use super::{EXPORTERS, Findings, Report, Style, Suite, Table, View};

/// A format.
#[derive(Debug)]
pub struct Exporter {
    /// Its name for `--format`.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// What it is made from: the first of these that a report offers.
    pub(crate) forms: &'static [Form],
}

/// How a format is made from a view.
#[derive(Debug)]
pub(crate) enum Form {
    /// From the text for people.
    Text(fn(String) -> String),
    /// From JSON on one line.
    Json(fn(String) -> String),
    /// From [`View::Records`].
    Records(fn(&Table) -> String),
    /// From [`View::Tables`].
    Tables(fn(&[Table]) -> String),
    /// From [`View::Page`].
    Page(fn(String) -> String),
    /// From [`View::Chart`].
    Chart(fn(String) -> String),
    /// From [`View::Findings`].
    Findings(fn(&[Findings<'_>]) -> String),
    /// From [`View::Cases`].
    Cases(fn(&[Suite]) -> String),
}

/// A report offers no view that a format can be made from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {format} of this: use {}", .offered.join(", "))]
pub struct NoView {
    /// The format.
    pub format: &'static str,
    /// The formats that it offers.
    pub offered: Vec<&'static str>,
}

impl Exporter {
    /// A format by its name.
    pub fn named(name: &str) -> Option<&'static Self> {
        EXPORTERS.iter().find(|exporter| exporter.name == name)
    }

    /// The formats of a kind of report.
    pub fn all_of<R: Report>() -> impl Iterator<Item = &'static Self> {
        EXPORTERS.iter().filter(|exporter| exporter.forms.iter().any(Form::is_of::<R>))
    }

    /// Refuses a kind of report that this format cannot be made from. Call it before the work, so that none is wasted.
    pub fn check<R: Report>(&self) -> Result<(), NoView> {
        match self.forms.iter().any(Form::is_of::<R>) {
            true => Ok(()),
            false => Err(NoView { format: self.name, offered: Self::all_of::<R>().map(|other| other.name).collect() }),
        }
    }

    /// The report in this format. The style is that of text.
    pub fn export<R: Report>(&self, report: &R, style: Style) -> Result<String, NoView> {
        self.check::<R>()?;
        Ok(self.forms.iter().find_map(|form| form.apply(report, style)).unwrap_or_default())
    }
}

impl Form {
    fn is_of<R: Report>(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Json(_)) || R::VIEWS.iter().any(|view| self.matches(view))
    }

    fn matches<R>(&self, view: &View<R>) -> bool {
        matches!(
            (self, view),
            (Self::Records(_), View::Records(_))
                | (Self::Tables(_), View::Tables(_))
                | (Self::Page(_), View::Page(_))
                | (Self::Chart(_), View::Chart(_))
                | (Self::Findings(_), View::Findings(_))
                | (Self::Cases(_), View::Cases(_))
        )
    }

    fn apply<R: Report>(&self, report: &R, style: Style) -> Option<String> {
        match self {
            Self::Text(write) => return Some(write(report.text(style))),
            Self::Json(write) => return Some(write(report.to_json())),
            _ => {}
        }
        R::VIEWS.iter().find_map(|view| match (self, view) {
            (Self::Records(write), View::Records(of)) => Some(write(&of(report))),
            (Self::Tables(write), View::Tables(of)) => Some(write(&of(report))),
            (Self::Page(write), View::Page(of)) => Some(write(of(report))),
            (Self::Chart(write), View::Chart(of)) => Some(write(of(report))),
            (Self::Findings(write), View::Findings(of)) => Some(write(&of(report))),
            (Self::Cases(write), View::Cases(of)) => Some(write(&of(report))),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;

    #[derive(Serialize)]
    struct Plain {
        value: f32,
    }

    impl Report for Plain {
        fn text(&self, style: Style) -> String {
            style.paint("1", &self.value.to_string()) + "\n"
        }
    }

    #[derive(Serialize)]
    struct Full;

    impl Report for Full {
        const VIEWS: &'static [View<Self>] =
            &[View::Records(|_| Table::facts("facts", [("answer", "42".to_owned())])), View::Page(|_| "<p>".into())];

        fn text(&self, _: Style) -> String {
            String::new()
        }
    }

    fn export<R: Report>(format: &str, report: &R) -> Result<String, NoView> {
        Exporter::named(format).expect("there is one").export(report, Style::default())
    }

    #[test]
    fn every_report_is_text_and_json() {
        let report = Plain { value: 0.1 };
        assert_eq!(export("text", &report).unwrap(), "0.1\n");
        assert_eq!(export("json", &report).unwrap(), "{\"value\":0.1}\n");
        let coloured = Exporter::named("text").unwrap().export(&report, Style { colour: true }).unwrap();
        assert_eq!(coloured, "\x1b[1m0.1\x1b[0m\n");
    }

    #[test]
    fn what_a_report_does_not_offer_is_refused() {
        let error = export("sarif", &Plain { value: 1.0 }).unwrap_err();
        assert_eq!(error.to_string(), "there is no sarif of this: use text, json");
        assert!(Exporter::named("csv").unwrap().check::<Full>().is_ok());
        let offered = export("sarif", &Full).unwrap_err().offered;
        assert_eq!(offered[..4], ["text", "json", "csv", "html"]);
    }

    #[test]
    fn the_first_form_that_fits_is_taken() {
        assert_eq!(export("html", &Full).unwrap(), "<p>");
        assert_eq!(export("csv", &Full).unwrap(), "what,value\nanswer,42\n");
    }

    #[test]
    fn names_are_unique() {
        for (i, exporter) in EXPORTERS.iter().enumerate() {
            assert!(EXPORTERS[..i].iter().all(|other| other.name != exporter.name), "{}", exporter.name);
            assert!(!exporter.forms.is_empty() && !exporter.about.is_empty());
        }
    }
}
