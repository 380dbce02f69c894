//! What a launch can be watched for: counters and checks.
//!
//! The core executes and knows of neither. A launch that is watched runs through an interpreter that also tells
//! observers what each warp does; one that is not pays nothing.

mod checks;
mod count;
pub(crate) mod event;
mod finding;
pub(crate) mod observer;
#[cfg(test)]
mod observer_tests;
mod profile;

pub use finding::{Finding, FindingKind, MemorySpace, Severity};
pub use profile::{InstructionProfile, Profile};
pub use warpwise_arch::Counters;

pub(crate) use checks::plain_name;
pub use checks::{CHECKS, CheckEntry, Checks, UnknownCheck};

use crate::exec::{self, Context};
use crate::fault::Fault;
use crate::launch::Report;
use checks::{Checker, Stage};
use count::Count;

/// Runs a launch on `workers` host threads and watches it.
pub(crate) fn run(launch: &Context<'_>, workers: usize, watch: Watch) -> Result<Report, Fault> {
    if !watch.checks.any() {
        if !watch.counters {
            return exec::run(launch, workers, || ()).0;
        }
        let (outcome, counts) = exec::run(launch, workers, || Count::new(launch.program));
        return counted(outcome, counts);
    }
    let stage = Stage::new(launch, watch.checks);
    if !watch.counters {
        let (outcome, checkers) = exec::run(launch, workers, || Checker::new(&stage));
        return checks::conclude(&stage, checkers.into_iter(), outcome);
    }
    let (outcome, both) = exec::run(launch, workers, || (Count::new(launch.program), Checker::new(&stage)));
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
