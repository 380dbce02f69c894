//! What every verb returns: a report, and the views that it offers.

use super::{Style, Table};
use crate::kernels::finding::Finding;
use serde::Serialize;

/// The result of an experiment. Every report is a text for people, and JSON by its fields; its [views](View) say what
/// else can be made of it. The formats are the business of [`EXPORTERS`](super::EXPORTERS).
pub trait Report: Serialize + Sized + 'static {
    /// What it offers besides text and JSON.
    const VIEWS: &'static [View<Self>] = &[];

    /// For people.
    fn text(&self, style: Style) -> String;

    /// As one line of JSON.
    fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a report has only numbers, strings and lists")
    }
}

/// A part of a report that formats are made from.
#[derive(Debug)]
pub enum View<R> {
    /// Its data as one table of plain values, for spreadsheets.
    Records(fn(&R) -> Table),
    /// Its tables as people read them.
    Tables(fn(&R) -> Vec<Table>),
    /// A page of its own, as HTML.
    Page(fn(&R) -> String),
    /// A chart, as SVG.
    Chart(fn(&R) -> String),
    /// What is wrong with a kernel.
    Findings(fn(&R) -> Findings<'_>),
}

/// What is wrong with a kernel, and which kernel it is.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    /// All of them.
    pub all: &'a [Finding],
    /// The file that was run.
    pub file: String,
    /// The kernel.
    pub kernel: Option<&'a str>,
    /// Whether the launch was refused and nothing ran.
    pub refused: bool,
}
