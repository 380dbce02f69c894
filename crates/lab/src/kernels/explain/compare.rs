//! Two kernels or rungs side by side.

use super::render::{number, title};
use super::report::{Explanation, Target};
use crate::output::{Align, Report, Style, Table, View, clean};
use serde::Serialize;
use std::fmt::Write;

/// Two explanations and their differences.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Version of this format.
    pub schema: u32,
    /// The first one.
    pub left: Explanation,
    /// The one it is compared with.
    pub right: Explanation,
    /// The counters of both, over all their kernels.
    pub ratios: Vec<Ratio>,
}

/// A number of both.
#[derive(Clone, Debug, Serialize)]
pub struct Ratio {
    /// Its name.
    pub name: String,
    /// Of the first.
    pub left: f64,
    /// Of the second.
    pub right: f64,
    /// The second divided by the first; omitted if the first is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The same for each element; omitted if both have the same number of elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_element: Option<f64>,
}

/// Puts two explanations side by side.
pub fn compare(left: Explanation, right: Explanation) -> Comparison {
    let total = |e: &Explanation| {
        let mut sums: Vec<(&'static str, u64)> = Vec::new();
        for kernel in &e.kernels {
            for (name, value) in kernel.counters.ordered() {
                match sums.iter_mut().find(|(n, _)| *n == name) {
                    Some(sum) if name == "atomic_contention" => sum.1 = sum.1.max(value),
                    Some(sum) => sum.1 += value,
                    None => sums.push((name, value)),
                }
            }
        }
        sums
    };
    let ratio = |name: String, left: f64, right: f64| Ratio {
        name,
        left,
        right,
        ratio: (left != 0.0).then(|| super::kernel::round(right / left)),
        per_element: None,
    };
    let (a, b) = (total(&left), total(&right));
    // Different amounts of data are compared per element.
    let (mine, theirs) = (left.elements.unwrap_or(0), right.elements.unwrap_or(0));
    let per_element = mine != theirs && mine > 0 && theirs > 0;
    let ratio = |name: String, left: f64, right: f64| {
        let mut ratio = ratio(name, left, right);
        if per_element {
            ratio.per_element = ratio.ratio.map(|r| super::kernel::round(r * mine as f64 / theirs as f64));
        }
        ratio
    };
    let mut ratios = vec![
        ratio("estimated_us".into(), left.estimated_us, right.estimated_us),
        ratio("launches".into(), left.launches as f64, right.launches as f64),
    ];
    let of = |sums: &[(&str, u64)], name: &str| sums.iter().find(|(n, _)| *n == name).map_or(0, |(_, v)| *v) as f64;
    ratios.extend(a.iter().map(|(name, value)| ratio((*name).to_owned(), *value as f64, of(&b, name))));
    Comparison { schema: 1, left, right, ratios }
}

impl Report for Comparison {
    const VIEWS: &'static [View<Self>] = &[
        View::Records(|comparison| Table::records("explain --compare", &comparison.ratios)),
        View::Tables(|comparison| vec![counters(comparison)]),
    ];

    fn text(&self, style: Style) -> String {
        render(self, style)
    }
}

/// The rung or the kernel, in short.
fn name(explanation: &Explanation) -> String {
    match &explanation.target {
        Target::Rung { variant, .. } => (*variant).to_owned(),
        Target::File { kernel, .. } => clean(kernel),
    }
}

/// The counters of both with their ratio.
fn counters(comparison: &Comparison) -> Table {
    let (left, right) = (name(&comparison.left), name(&comparison.right));
    let per_element = comparison.ratios.iter().any(|r| r.per_element.is_some());
    let mut headings = vec![
        ("counter", Align::Left),
        (left.as_str(), Align::Right),
        (right.as_str(), Align::Right),
        ("ratio", Align::Right),
    ];
    if per_element {
        headings.push(("ratio per element", Align::Right));
    }
    let used = |r: &&Ratio| r.left != 0.0 || r.right != 0.0;
    let shown = |ratio: Option<f64>| ratio.map_or("new".to_owned(), |ratio| format!("{ratio:.2}"));
    let row = |r: &Ratio| {
        let mut row = vec![r.name.replace('_', " "), number(r.left), number(r.right), shown(r.ratio)];
        if per_element {
            row.push(shown(r.per_element));
        }
        row
    };
    Table::new("explain --compare", &headings, comparison.ratios.iter().filter(used).map(row))
}

/// Both titles, both sets of counters with their ratio, what changed.
fn render(comparison: &Comparison, style: Style) -> String {
    let mut out = String::new();
    title(&mut out, &comparison.left, style);
    title(&mut out, &comparison.right, style);
    out.push('\n');
    out.push_str(&counters(comparison).text());
    let per_element = comparison.ratios.iter().any(|r| r.per_element.is_some());
    let _ =
        writeln!(out, "\n{}", style.paint("1", if per_element { "What changed, per element" } else { "What changed" }));
    if per_element {
        let sides = [&comparison.left, &comparison.right].map(|e| e.elements.unwrap_or(0));
        let _ = writeln!(
            out,
            "The sizes differ, {} elements beside {}: only ratios per element say something.",
            sides[0], sides[1]
        );
    }
    for change in changes(&comparison.ratios) {
        let _ = writeln!(out, "- {change}");
    }
    for (side, explanation) in [&comparison.left, &comparison.right].map(|side| (name(side), side)) {
        if let Some(first) = explanation.diagnoses.first() {
            let _ = writeln!(out, "\n{side}: {}", clean(&first.sentence));
            let _ = writeln!(out, "   {} {}", style.paint("36", "try:"), clean(&first.remedy));
        }
    }
    out
}

/// What is told first if it changed: the time, and the counters that usually explain it.
const FIRST: [&str; 4] = ["estimated_us", "warp_instructions", "global_load_sectors", "global_store_sectors"];

/// The time and counters that changed by a fifth or more: those that matter most, then the largest changes.
fn changes(ratios: &[Ratio]) -> Vec<String> {
    const SHOWN: usize = 8;
    // A counter that appears or vanishes changes by its number.
    let size = |r: &Ratio| ((r.right + 1.0) / (r.left + 1.0)).ln().abs();
    let told = |r: &&Ratio| {
        r.left != r.right && r.per_element.or(r.ratio).is_none_or(|ratio| ratio == 0.0 || ratio.ln().abs() >= 0.2)
    };
    let mut changed: Vec<&Ratio> = ratios.iter().filter(told).collect();
    // The time and what usually explains it come first, however much the others changed.
    let first = |r: &Ratio| FIRST.iter().position(|name| *name == r.name).unwrap_or(FIRST.len());
    changed.sort_by(|a, b| first(a).cmp(&first(b)).then(size(b).total_cmp(&size(a))));
    let say = |r: &&Ratio| {
        let name = r.name.replace('_', " ");
        match r.per_element.or(r.ratio) {
            None => format!("{name}: none before, now {}", number(r.right)),
            Some(0.0) => format!("{name}: gone ({} before)", number(r.left)),
            Some(ratio) if ratio < 1.0 => {
                format!("{name}: {} to {}, {:.1} times fewer", number(r.left), number(r.right), 1.0 / ratio)
            }
            Some(ratio) => format!("{name}: {} to {}, {ratio:.1} times as many", number(r.left), number(r.right)),
        }
    };
    let told: Vec<String> = changed.iter().take(SHOWN).map(say).collect();
    if told.is_empty() { vec!["nothing that was counted changed by much".to_owned()] } else { told }
}
