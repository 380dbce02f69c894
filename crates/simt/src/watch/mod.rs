//! What a launch can be watched for: counters and checks.
//!
//! The core executes and knows of neither. A launch that is watched runs through an interpreter that also tells
//! observers what each warp does; one that is not pays nothing.

mod checks;
mod count;
#[cfg(test)]
mod observer_tests;

pub(crate) use checks::plain_name;
pub use checks::{CHECKS, CheckEntry, Checks, UnknownCheck};

use crate::exec::{self, Job};
use crate::report::{Fault, Report};
use checks::{Checker, Stage};
use count::Count;

/// Runs a launch on `workers` host threads and watches it.
pub(crate) fn run(job: &Job<'_>, workers: usize, watch: Watch) -> Result<Report, Fault> {
    if !watch.checks.any() {
        if !watch.counters {
            return exec::run(job, workers, || ()).0;
        }
        let (outcome, counts) = exec::run(job, workers, || Count::new(job.program));
        return counted(outcome, counts);
    }
    let stage = Stage::new(job, watch.checks);
    if !watch.counters {
        let (outcome, checkers) = exec::run(job, workers, || Checker::new(&stage));
        return checks::conclude(&stage, checkers.into_iter(), outcome);
    }
    let (outcome, both) = exec::run(job, workers, || (Count::new(job.program), Checker::new(&stage)));
    let (counts, checkers): (Vec<_>, Vec<_>) = both.into_iter().unzip();
    checks::conclude(&stage, checkers.into_iter(), counted(outcome, counts))
}

fn counted(outcome: Result<Report, Fault>, counts: Vec<Count<'_>>) -> Result<Report, Fault> {
    outcome.map(|report| Report { profile: Some(Count::profile(counts)), ..report })
}

/// What to watch a launch for. The default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Count what a hardware profiler counts: [`Report::profile`](crate::Report::profile).
    pub counters: bool,
    /// Look for mistakes: [`Report::findings`](crate::Report::findings).
    pub checks: Checks,
}

impl Watch {
    /// Nothing: the plain emulator.
    pub const NOTHING: Self = Self { counters: false, checks: Checks::NONE };
    /// Counters, no checks.
    pub const COUNTERS: Self = Self { counters: true, checks: Checks::NONE };
    /// Counters and every check.
    pub const ALL: Self = Self { counters: true, checks: Checks::ALL };
}
