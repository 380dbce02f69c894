//! What was found, as text.

use super::CheckReport;
use crate::kernels::finding::describe;
use crate::output::{Findings, Report, Style, Table, View, clean};
use std::fmt::Write;

impl Report for CheckReport {
    const VIEWS: &'static [View<Self>] =
        &[View::Records(|report| Table::records("check", &report.findings)), View::Findings(findings)];

    fn text(&self, style: Style) -> String {
        render(self, style)
    }
}

fn findings(report: &CheckReport) -> Findings<'_> {
    let kernels = report.primitive.map(|primitive| format!("crates/warpwise/src/{primitive}/kernels.cu"));
    let file = report.file.clone().or(kernels).unwrap_or_default();
    Findings { all: &report.findings, file, kernel: report.kernel.as_deref(), refused: report.refused() }
}

/// The findings, or that there are none, and what was looked for.
fn render(report: &CheckReport, style: Style) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        describe(&mut out, finding, style);
        out.push('\n');
    }
    let what = match (&report.kernel, report.primitive, report.variant) {
        (Some(kernel), _, _) => clean(kernel),
        (_, Some(primitive), Some(variant)) => {
            let size = report.size.as_deref().unwrap_or("");
            let launches = if report.launches == 1 { "launch" } else { "launches" };
            format!("{primitive} {variant}, {size}, {} {launches}", report.launches)
        }
        _ => String::new(),
    };
    let instructions =
        report.counters.map_or(String::new(), |c| format!(", {} warp instructions", c.0.warp_instructions));
    let checked = format!("checked for {}{instructions}", report.checks.join(", "));
    let count = |severity: &str| report.findings.iter().filter(|f| f.severity == severity).count();
    let some = |n: usize, name: &str| match n {
        0 => None,
        1 => Some(format!("1 {name}")),
        n => Some(format!("{n} {name}s")),
    };
    let found: Vec<String> =
        [some(count("error"), "error"), some(count("warning"), "warning")].into_iter().flatten().collect();
    let verdict = if found.is_empty() {
        style.paint("32", "no findings")
    } else {
        style.paint(if report.ok { "33;1" } else { "31;1" }, &found.join(", "))
    };
    let _ = writeln!(out, "{what}: {verdict}; {checked}");
    if let Some(stop) = &report.stopped {
        let _ = writeln!(out, "{}", clean(&stop.sentence()));
    }
    out
}
