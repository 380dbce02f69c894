//! What a launch can be watched for: counters and checks.
//!
//! The core executes and knows nothing of either. A watched launch runs through an interpreter that also reports to
//! observers what each warp does; an unwatched one pays nothing.

mod checks;
mod count;
pub mod observe;
mod record;
#[cfg(test)]
mod watcher_tests;

pub use checks::plain_name;
pub use checks::{CHECKS, CheckEntry, Checks, UnknownCheck};

use std::sync::{Mutex, PoisonError};

use crate::exec::{self, Job, Watcher};
use crate::report::{Fault, FaultKind, Report};
use checks::{Checker, Stage};
use count::Count;
use observe::{Observer, Own};

/// Memory that is copied so that a launch can be repeated.
const COPIED: u64 = 2 << 30;

/// Runs a launch on `workers` host threads, watches it, and reports it to the caller's own watchers too.
///
/// What checks find between blocks, or before a launch is stopped, depends on the order in which blocks run. If there
/// is any of that, the launch is repeated from the same memory on one host thread, where the order is always the same.
pub(crate) fn run<W: Watcher + Send>(
    job: &mut Job<'_>,
    workers: usize,
    watch: Watch,
    own: impl Fn() -> W + Sync,
) -> (Result<Report, Fault>, Vec<W>) {
    if !watch.checks.any() {
        let (outcome, watchers) = counted_run(job, workers, watch, own);
        let past = checks::past_the_end(job);
        let outcome = match outcome {
            Ok(report) => Ok(Report { findings: past, ..report }),
            Err(fault) => Err(Fault { findings: past, ..fault }),
        };
        return (outcome, watchers);
    }
    let before = if workers > 1 { job.launch.memory.copy(COPIED) } else { None };
    let (outcome, watchers, settled) = checked_run(job, workers, watch, &own);
    let endless = matches!(&outcome, Err(fault) if fault.kind == FaultKind::Timeout);
    match before {
        Some(before) if !settled && !endless => {
            job.launch.memory.restore(&before);
            job.launch.parallel = false;
            let (outcome, watchers, _) = checked_run(job, 1, watch, &own);
            (outcome, watchers)
        }
        _ => (outcome, watchers),
    }
}

fn counted_run<W: Watcher + Send>(
    job: &Job<'_>,
    workers: usize,
    watch: Watch,
    own: impl Fn() -> W + Sync,
) -> (Result<Report, Fault>, Vec<W>) {
    if !watch.counters && watch.record.is_none() {
        return exec::run(job, workers, own);
    }
    let wanted = watch.record.map(|_| record::Wanted::new(job));
    let (outcome, both) = exec::run(job, workers, || (Count::recording(job.program, wanted.as_ref()), own()));
    let (counts, own) = both.into_iter().unzip();
    (counted(outcome, counts, wanted.as_ref()), own)
}

/// As [`run`], once; also returned is whether the outcome is the same in whatever order the blocks run.
fn checked_run<W: Watcher + Send>(
    job: &Job<'_>,
    workers: usize,
    watch: Watch,
    own: impl Fn() -> W + Sync,
) -> (Result<Report, Fault>, Vec<W>, bool) {
    let stage = Stage::new(job, watch.checks);
    if !watch.counters {
        let (outcome, both) = exec::run(job, workers, || (Checker::new(&stage), own()));
        let (checkers, own): (Vec<_>, _) = both.into_iter().unzip();
        let (outcome, settled) = checks::conclude(&stage, checkers.into_iter(), outcome);
        return (outcome, own, settled);
    }
    let (outcome, all) = exec::run(job, workers, || (Count::new(job.program), (Checker::new(&stage), own())));
    let (counts, both): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let (checkers, own): (Vec<_>, _) = both.into_iter().unzip();
    let (outcome, settled) = checks::conclude(&stage, checkers.into_iter(), counted(outcome, counts, None));
    (outcome, own, settled)
}

/// Like [`run`], but with observers from outside this crate.
pub(crate) fn run_observed<O: Observer + Send>(
    job: &mut Job<'_>,
    workers: usize,
    watch: Watch,
    observer: impl Fn() -> O + Sync,
) -> (Result<Report, Fault>, Vec<O>) {
    let program = job.program;
    let (outcome, own) = run(job, workers, watch, || Own::new(program, observer()));
    (outcome, own.into_iter().map(|own| own.observer).collect())
}

/// Runs a launch on this host thread alone, for one observer from outside this crate.
pub(crate) fn run_followed(job: &Job<'_>, observer: &mut (dyn Observer + Send)) -> Result<Report, Fault> {
    let observer = Mutex::new(Some(observer));
    let take = || observer.lock().unwrap_or_else(PoisonError::into_inner).take();
    exec::run(job, 1, || Own::new(job.program, take().expect("one host thread asks for one observer"))).0
}

fn counted(
    outcome: Result<Report, Fault>,
    counts: Vec<Count<'_>>,
    wanted: Option<&record::Wanted>,
) -> Result<Report, Fault> {
    outcome.map(|report| Report { profile: Some(Count::profile(counts, wanted)), ..report })
}

/// What to watch a launch for. The default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Count what a hardware profiler counts: [`Report::profile`](crate::Report::profile).
    pub counters: bool,
    /// Look for mistakes: [`Report::findings`](crate::Report::findings).
    pub checks: Checks,
    /// Record what some blocks do, for a model of time: [`Profile::recording`](crate::Profile::recording). Counts too.
    pub record: Option<Sampling>,
}

/// Which blocks of a launch are run to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Threads up to which all blocks of a grid are run. Of a larger grid, blocks are left out, and counters are those
    /// of all blocks if the others are like those that ran.
    pub all: u64,
    /// Threads that are run of a larger grid, about.
    pub some: u64,
    /// Warp instructions after which no more blocks are started.
    pub instructions: u64,
}

impl Sampling {
    /// Every block is run.
    pub const ALL: Self = Self { all: u64::MAX, some: u64::MAX, instructions: u64::MAX };
    /// Grids of up to a million threads are run whole, unless that takes long, and a part of larger ones.
    pub const QUICK: Self = Self { all: 1 << 20, some: 1 << 17, instructions: 1 << 25 };
}

impl Watch {
    /// Nothing: the plain emulator.
    pub const NOTHING: Self = Self { counters: false, checks: Checks::NONE, record: None };
    /// Counters, no checks.
    pub const COUNTERS: Self = Self { counters: true, checks: Checks::NONE, record: None };
    /// Counters and every check.
    pub const ALL: Self = Self { counters: true, checks: Checks::ALL, record: None };
}
