//! What a launch can be watched for: counters and checks.
//!
//! The core executes and knows of neither. A launch that is watched runs through an interpreter that also tells
//! observers what each warp does; one that is not pays nothing.

mod counters;
mod finding;
mod profile;

pub use counters::Counters;
pub use finding::{Finding, FindingKind, MemorySpace, Severity};
pub use profile::{InstructionProfile, Profile};

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
