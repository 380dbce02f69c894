//! What a launch can be watched for: counters and checks.
//!
//! The core executes and knows of neither. A launch that is watched runs through an interpreter that also tells
//! observers what each warp does; one that is not pays nothing.

mod check;
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

pub(crate) use check::{Base, Detour, bases, detours, is_sequential, plain_name};

use crate::exec::{self, Context};
use crate::fault::Fault;
use crate::launch::Report;
use check::{Checker, Plan};
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
    let plan = Plan::new(launch, watch.checks);
    if !watch.counters {
        let (outcome, checkers) = exec::run(launch, workers, || Checker::new(&plan));
        return check::conclude(&plan, checkers.into_iter(), outcome);
    }
    let (outcome, both) = exec::run(launch, workers, || (Count::new(launch.program), Checker::new(&plan)));
    let (counts, checkers): (Vec<_>, Vec<_>) = both.into_iter().unzip();
    check::conclude(&plan, checkers.into_iter(), counted(outcome, counts))
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

/// Which mistakes to look for. The default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Accesses to the same bytes with no order between them.
    pub races: bool,
    /// Accesses outside a buffer or variable.
    pub memory: bool,
    /// Reads of memory that nobody has written.
    pub init: bool,
    /// Barriers and warp operations that not all of their threads reach.
    pub sync: bool,
}

impl Checks {
    /// None of them.
    pub const NONE: Self = Self { races: false, memory: false, init: false, sync: false };
    /// All of them.
    pub const ALL: Self = Self { races: true, memory: true, init: true, sync: true };

    /// Whether there is any.
    pub fn any(self) -> bool {
        self != Self::NONE
    }
}
