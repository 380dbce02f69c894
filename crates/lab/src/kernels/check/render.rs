//! What was found, as text.

use super::CheckReport;
use crate::kernels::finding::{Finding, describe, tally};
use crate::output::{Case, Findings, Problem, Report, Style, Suite, Table, View, clean};
use std::fmt::Write;

impl Report for CheckReport {
    const VIEWS: &'static [View<Self>] = &[
        View::Records(|report| Table::records("check", &report.findings)),
        View::Findings(|report| vec![findings(report)]),
        View::Cases(|report| vec![suite(report)]),
    ];

    fn text(&self, style: Style) -> String {
        render(self, style)
    }
}

pub(super) fn findings(report: &CheckReport) -> Findings<'_> {
    let kernels = report.primitive.map(|primitive| format!("crates/warpwise/src/{primitive}/kernels.cu"));
    let file = report.file.clone().or(kernels).unwrap_or_default();
    Findings { all: &report.findings, file, kernel: report.kernel.as_deref(), refused: report.refused() }
}

/// The kernel, or the rung with its data.
fn subject(report: &CheckReport) -> String {
    match (&report.kernel, report.primitive, report.variant) {
        (Some(kernel), _, _) => clean(kernel),
        (_, Some(primitive), Some(variant)) => {
            let size = report.size.as_deref().unwrap_or("");
            let launches = if report.launches == 1 { "launch" } else { "launches" };
            format!("{primitive} {variant}, {size}, {} {launches}", report.launches)
        }
        _ => String::new(),
    }
}

/// The check as one case.
fn suite(report: &CheckReport) -> Suite {
    let counting: Vec<&Finding> = report.findings.iter().filter(|finding| finding.counts()).collect();
    let mut text = String::new();
    counting.iter().for_each(|finding| describe(&mut text, finding, Style::default()));
    let problem = counting.first().filter(|_| report.failed()).map(|first| Problem {
        is_error: report.refused(),
        kind: first.kind,
        message: first.message.clone(),
        text,
    });
    let group = findings(report).file;
    let case = Case { name: subject(report), group, place: None, seconds: None, problem };
    Suite { name: "check".to_owned(), cases: vec![case] }
}

/// The findings, or that there are none, and what was looked for.
fn render(report: &CheckReport, style: Style) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        describe(&mut out, finding, style);
        out.push('\n');
    }
    let what = subject(report);
    let instructions =
        report.counters.map_or(String::new(), |c| format!(", {} warp instructions", c.0.warp_instructions));
    let checked = format!("checked for {}{instructions}", report.checks.join(", "));
    let counting = report.findings.iter().any(Finding::counts);
    let verdict = match (tally(&report.findings), counting) {
        (found, _) if found.is_empty() => style.paint("32", "no findings"),
        (found, false) => style.paint("32", &found),
        (found, true) => style.paint(if report.ok { "33;1" } else { "31;1" }, &found),
    };
    let _ = writeln!(out, "{what}: {verdict}; {checked}");
    if let Some(stop) = &report.stopped {
        let _ = writeln!(out, "{}", clean(&stop.sentence()));
    }
    out
}
