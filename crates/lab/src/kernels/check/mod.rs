//! Looks for mistakes in a kernel: races, bad accesses, uninitialized reads, divergent barriers.

mod render;

use crate::kernels::checks::checks_named;
use crate::kernels::counters::CounterTable;
use crate::kernels::finding::{Finding, Stop};
use crate::kernels::run::{self, RunError};
use crate::kernels::rung::{RungError, RungRequest, Watched};
use crate::kernels::source::SourceMap;
use crate::{Baseline, FailOn};
use serde::Serialize;
use warpwise::trace::Watch;
use warpwise_gpu::FaultKind;
use warpwise_simt::Checks;

/// What to check.
#[derive(Clone, Debug)]
pub enum Request {
    /// The user's own kernel; its `checks` are what is looked for.
    File(Box<run::Request>),
    /// A rung of a primitive.
    Rung(Box<RungRequest>, Checks),
}

/// Bad input to `check`.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The kernel cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The rung cannot be run.
    #[error(transparent)]
    Rung(#[from] RungError),
    /// Nothing to look for.
    #[error("there is nothing to look for: --check none disables all checks; leave it out to enable them")]
    NoChecks,
}

/// What was found: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// Version of this format.
    pub schema: u32,
    /// The file, as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The kernel, as the source names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The primitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primitive: Option<&'static str>,
    /// The rung.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<&'static str>,
    /// Element type of a rung.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub element: Option<&'static str>,
    /// Size of a rung's data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// What it ran on.
    pub device: String,
    /// Blocks of the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<[u32; 3]>,
    /// Threads per block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// Launches that were watched.
    pub launches: usize,
    /// What was looked for.
    pub checks: Vec<&'static str>,
    /// Whether no finding that counts is an error.
    pub ok: bool,
    /// What is wrong with comments that allow findings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<CounterTable>,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Where the launch ended early, so that the rest of it was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// Remarks for the user.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Which findings are failures.
    #[serde(skip)]
    pub fail_on: FailOn,
}

impl CheckReport {
    /// Whether the launch was refused for its limits and nothing ran.
    pub fn refused(&self) -> bool {
        self.findings.iter().any(|f| f.kind == FaultKind::LaunchLimit.name())
    }

    /// Whether a finding is a failure.
    pub fn failed(&self) -> bool {
        self.fail_on.fails(&self.findings)
    }

    /// Marks the findings that a baseline has.
    pub fn compare(&mut self, baseline: &Baseline) {
        let known = baseline.has(&render::findings(self));
        self.findings.iter_mut().zip(known).for_each(|(finding, known)| finding.known = Some(known));
        self.ok = Finding::none_is_error(&self.findings);
    }
}

/// Runs a kernel with checks and reports what is wrong with it.
pub fn check(request: &Request) -> Result<CheckReport, CheckError> {
    match request {
        Request::File(request) => check_file(request),
        Request::Rung(request, checks) => check_rung(request, *checks),
    }
}

fn check_file(request: &run::Request) -> Result<CheckReport, CheckError> {
    if !request.checks.any() {
        return Err(CheckError::NoChecks);
    }
    let report = run::run(request)?;
    Ok(CheckReport {
        schema: 1,
        file: Some(request.file.display().to_string()),
        kernel: Some(report.kernel),
        primitive: None,
        variant: None,
        element: None,
        size: None,
        device: report.device,
        grid: Some(report.grid),
        block: Some(report.block),
        launches: 1,
        checks: checks_named(request.checks),
        ok: report.ok,
        warnings: report.warnings,
        counters: report.counters,
        findings: report.findings,
        stopped: report.stopped,
        notes: report.notes,
        fail_on: FailOn::Warning,
    })
}

fn check_rung(request: &RungRequest, checks: Checks) -> Result<CheckReport, CheckError> {
    if !checks.any() {
        return Err(CheckError::NoChecks);
    }
    // What stops a rung is a finding, as it is for a file.
    let (watched, _) = request.observe(Watch { counters: true, checks, ..Watch::NOTHING })?;
    Ok(rung_report(watched, checks))
}

fn rung_report(watched: Watched, checks: Checks) -> CheckReport {
    let mut findings: Vec<Finding> = Vec::new();
    let mut stopped = None;
    // The sources are needed only if there is something to show.
    let found = watched.trace.launches.iter().find(|l| !l.findings.is_empty() || l.fault.is_some());
    let sources = found.and_then(|launch| SourceMap::of_launches(launch.module, &watched.trace.launches));
    for launch in &watched.trace.launches {
        for seen in &launch.findings {
            let Some(sources) = &sources else { continue };
            let mut finding = Finding::of_check(seen, sources);
            finding.kernel = Some(launch.kernel.clone());
            let same = |f: &&mut Finding| {
                f.kind == finding.kind
                    && f.kernel == finding.kernel
                    && (f.line, f.other_line, f.ptx_line) == (finding.line, finding.other_line, finding.ptx_line)
            };
            match findings.iter_mut().find(same) {
                Some(known) => {
                    known.count += finding.count;
                    known.at_least |= finding.at_least;
                }
                None => findings.push(finding),
            }
        }
        if let (Some(fault), Some(sources)) = (&launch.fault, &sources) {
            let mut stop = Finding::of_fault(fault, sources);
            stop.kernel = Some(launch.kernel.clone());
            stopped = (fault.kind != FaultKind::LaunchLimit).then(|| Stop::at(&stop));
            stop.lead(&mut findings);
        }
    }
    let mut counters = None;
    for profile in watched.trace.launches.iter().filter_map(|l| l.profile.as_ref()) {
        counters.get_or_insert(CounterTable(warpwise_gpu::Counters::default())).0 += &profile.total;
    }
    CheckReport {
        schema: 1,
        file: None,
        kernel: None,
        primitive: Some(watched.primitive.name),
        variant: Some(watched.variant.name),
        element: Some(watched.element),
        size: Some(watched.size),
        device: "emulator".to_owned(),
        grid: None,
        block: None,
        launches: watched.trace.launches.len(),
        checks: checks_named(checks),
        ok: Finding::none_is_error(&findings),
        warnings: Vec::new(),
        counters,
        findings,
        stopped,
        notes: Vec::new(),
        fail_on: FailOn::Warning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Exporter, Report, Style};
    use warpwise::trace::{Fault, LaunchRecord, Trace};
    use warpwise_gpu::Place;

    /// A rung whose second launch accesses memory outside its buffer.
    fn stopped() -> Watched {
        let primitive = warpwise::PRIMITIVES.iter().find(|p| p.name == "reduce").expect("in the catalogue");
        let variant = primitive.variants.iter().find(|v| v.name.starts_with("gpu-")).expect("it has rungs");
        let launch = LaunchRecord {
            module: "reduce",
            kernel: "first".to_owned(),
            grid: [4, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 0,
            profile: None,
            findings: Vec::new(),
            fault: None,
        };
        let fault = Fault {
            kind: FaultKind::OutOfBounds,
            message: "load of 4 bytes at 0x10".to_owned(),
            place: Some(Box::new(Place {
                function: "second".into(),
                ptx_line: 20,
                instruction: "ld.global.u32 %r1, [%rd1];".into(),
                source: None,
                inner: None,
                block: [1, 0, 0],
                thread: [7, 0, 0],
            })),
            address: Some(16),
            printed: String::new(),
            findings: Vec::new(),
        };
        let last = LaunchRecord { kernel: "second".to_owned(), fault: Some(Box::new(fault)), ..launch.clone() };
        let trace = Trace { launches: vec![launch, last], ..Trace::default() };
        Watched {
            primitive,
            variant,
            element: "i32",
            element_bytes: 4,
            size: "n = 128".to_owned(),
            elements: 128,
            footprint: 0,
            trace,
        }
    }

    #[test]
    fn what_stops_a_rung_is_a_finding() {
        let report = rung_report(stopped(), Checks::ALL);
        assert!(!report.ok && !report.refused());
        assert_eq!((report.findings.len(), report.launches), (1, 2));
        let found = &report.findings[0];
        assert_eq!((found.kind, found.is_error(), found.kernel.as_deref()), ("out_of_bounds", true, Some("second")));
        assert_eq!((found.ptx_line, found.thread, found.block), (Some(20), Some([7, 0, 0]), Some([1, 0, 0])));
        let text = report.text(Style::default());
        assert!(text.contains("error: out_of_bounds") && text.contains("1 error"), "{text}");
        assert!(text.ends_with("(out_of_bounds): what comes after that was not checked.\n"), "{text}");
        assert!(report.to_json().contains("\"kind\":\"out_of_bounds\""));
        let stop = report.stopped.as_ref().expect("it did not end");
        assert_eq!((stop.kind, stop.line, stop.kernel.as_deref()), ("out_of_bounds", Some(20), Some("second")));
        let sarif = Exporter::named("sarif").unwrap().export(&report, Style::default()).unwrap();
        assert!(sarif.contains("out_of_bounds"), "{sarif}");
    }
}
