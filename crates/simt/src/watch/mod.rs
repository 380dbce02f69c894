//! What a launch can be watched for: counters and checks.
//!
//! The core executes and knows nothing of either. A watched launch runs through an interpreter that also reports to
//! observers what each warp does; an unwatched one pays nothing.

mod checks;
mod count;
pub mod observe;
#[cfg(test)]
mod watcher_tests;

pub use checks::plain_name;
pub use checks::{CHECKS, CheckEntry, Checks, UnknownCheck};

use crate::exec::{self, Job, Watcher};
use crate::report::{Fault, Report};
use checks::{Checker, Stage};
use count::Count;
use observe::{Observer, Own};

/// Runs a launch on `workers` host threads, watches it, and reports it to the caller's own watchers too.
pub(crate) fn run<W: Watcher + Send>(
    job: &Job<'_>,
    workers: usize,
    watch: Watch,
    own: impl Fn() -> W + Sync,
) -> (Result<Report, Fault>, Vec<W>) {
    if !watch.checks.any() {
        if !watch.counters {
            return exec::run(job, workers, own);
        }
        let (outcome, both) = exec::run(job, workers, || (Count::new(job.program), own()));
        let (counts, own) = both.into_iter().unzip();
        return (counted(outcome, counts), own);
    }
    let stage = Stage::new(job, watch.checks);
    if !watch.counters {
        let (outcome, both) = exec::run(job, workers, || (Checker::new(&stage), own()));
        let (checkers, own): (Vec<_>, _) = both.into_iter().unzip();
        return (checks::conclude(&stage, checkers.into_iter(), outcome), own);
    }
    let (outcome, all) = exec::run(job, workers, || (Count::new(job.program), (Checker::new(&stage), own())));
    let (counts, both): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let (checkers, own): (Vec<_>, _) = both.into_iter().unzip();
    (checks::conclude(&stage, checkers.into_iter(), counted(outcome, counts)), own)
}

/// Like [`run`], but with observers from outside this crate.
pub(crate) fn run_observed<O: Observer + Send>(
    job: &Job<'_>,
    workers: usize,
    watch: Watch,
    observer: impl Fn() -> O + Sync,
) -> (Result<Report, Fault>, Vec<O>) {
    let (outcome, own) = run(job, workers, watch, || Own::new(job.program, observer()));
    (outcome, own.into_iter().map(|own| own.observer).collect())
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
