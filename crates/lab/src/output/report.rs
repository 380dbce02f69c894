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
    /// What is wrong with kernels, for each that was run.
    Findings(fn(&R) -> Vec<Findings<'_>>),
    /// What was tried, and whether it was good.
    Cases(fn(&R) -> Vec<Suite>),
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

/// Cases that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// Where they come from.
    pub name: String,
    /// All of them.
    pub cases: Vec<Case>,
}

/// Something that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What it is called.
    pub name: String,
    /// What it is about.
    pub group: String,
    /// The file and the line that ask for it.
    pub place: Option<(String, u32)>,
    /// How long it took.
    pub seconds: Option<f64>,
    /// What is wrong; nothing, if it was good.
    pub problem: Option<Problem>,
}

/// Why a case is not good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether it could not be tried at all.
    pub is_error: bool,
    /// What sort of problem it is.
    pub kind: &'static str,
    /// In a sentence.
    pub message: String,
    /// All that is known.
    pub text: String,
}
