//! Runs a launch and compares what it did with what is expected of it.

use super::budget::Budget;
use super::buffer::Expected;
use super::plan::{ExpectedFinding, Planned};
use super::report::{LaunchReport, Missed, Verdict};
use crate::kernels::baseline::Baseline;
use crate::kernels::fail_on::FailOn;
use crate::kernels::finding::{Finding, SuppressedBy, Suppression};
use crate::kernels::run::{Execution, execute_keeping};
use crate::output::Findings;

/// What decides whether a finding is a failure.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The severities that are.
    pub fail_on: FailOn,
    /// Findings that are known, and are not.
    pub baseline: Option<Baseline>,
}

/// A launch that was judged, with what is to be told to the user besides.
pub(super) struct Judged {
    pub(super) report: LaunchReport,
    pub(super) notes: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// Runs a launch and judges it.
pub(super) fn judge(planned: &Planned, rules: &Rules) -> Judged {
    let kept: Vec<usize> = planned.buffers.iter().map(|buffer| buffer.arg).collect();
    let mut report = LaunchReport {
        name: planned.name.clone(),
        launch_file: planned.launch_file.display().to_string(),
        line: planned.line,
        file: planned.request.file.display().to_string(),
        kernel: planned.request.entry.clone(),
        result: Verdict::Good,
        time_ms: None,
        counters: None,
        findings: Vec::new(),
        broken: Vec::new(),
        refused: false,
        missed: Vec::new(),
    };
    match execute_keeping(&planned.request, &kept) {
        Ok(done) => {
            let (notes, warnings) = (done.report.notes.clone(), done.report.warnings.clone());
            compare(&mut report, planned, done, rules);
            Judged { report, notes, warnings }
        }
        Err(error) => {
            report.result = Verdict::Error;
            report.broken.push(told("bad_launch", error.to_string(), planned, planned.line));
            Judged { report, notes: Vec::new(), warnings: Vec::new() }
        }
    }
}

fn compare(report: &mut LaunchReport, planned: &Planned, done: Execution, rules: &Rules) {
    report.refused = done.report.refused();
    let threads = done.report.block.iter().product();
    let occupancy = done.gpu.occupancy(threads, None, done.shared_bytes).percent as u64;
    report.kernel = Some(done.report.kernel);
    report.time_ms = done.report.time_ms;
    report.counters = done.report.counters;
    report.findings = done.report.findings;
    for finding in &mut report.findings {
        if let Some(expected) = planned.findings.iter().find(|expected| expected.is(finding)) {
            let suppression = Suppression { by: SuppressedBy::LaunchFile, line: expected.line, reason: None };
            finding.suppressed.get_or_insert(suppression);
        }
    }
    if let Some(baseline) = &rules.baseline {
        let known = baseline.has(&findings(report));
        report.findings.iter_mut().zip(known).for_each(|(finding, known)| finding.known = Some(known));
    }
    let mut broken: Vec<(Missed, u32, String)> = Vec::new();
    let missing = planned.findings.iter().filter(|expected| !report.findings.iter().any(|f| expected.is(f)));
    broken.extend(missing.map(|expected| (Missed::Finding, expected.line, expected.missing())));
    let values = |b: &Expected| Some((Missed::Values, b.line, b.broken(&done.contents)?));
    broken.extend(planned.buffers.iter().filter_map(values));
    let counter = |c: &Budget| Some((Missed::Counter(c.name), c.line, c.broken(report.counters.as_ref())?));
    broken.extend(planned.counters.iter().filter_map(counter));
    let occupancy = |o: &Budget| Some((Missed::Occupancy, o.line, o.missed(occupancy)?));
    broken.extend(planned.occupancy.iter().filter_map(occupancy));
    for (missed, line, message) in broken {
        report.missed.push(missed);
        report.broken.push(told("expectation", message, planned, line));
    }
    if !report.broken.is_empty() || rules.fail_on.fails(&report.findings) {
        report.result = Verdict::Broken;
    }
}

/// The findings of a launch, and the kernel that they are about.
pub(super) fn findings(report: &LaunchReport) -> Findings<'_> {
    let (file, kernel) = (report.file.clone(), report.kernel.as_deref());
    Findings { all: &report.findings, file, kernel, refused: report.refused }
}

/// Something that is wrong at a line of the launch file.
fn told(kind: &'static str, message: String, planned: &Planned, line: u32) -> Finding {
    let mut finding = Finding::new(kind, "error", message, 1);
    (finding.file, finding.line) = (Some(planned.launch_file.display().to_string()), Some(line));
    finding
}

impl ExpectedFinding {
    /// Whether a finding is the expected one.
    fn is(&self, finding: &Finding) -> bool {
        finding.kind == self.kind && (self.at.is_none() || finding.line == self.at)
    }

    fn missing(&self) -> String {
        let place = self.at.map_or(String::new(), |line| format!(" at line {line}"));
        format!("{} was expected{place}, but not found", self.kind)
    }
}
