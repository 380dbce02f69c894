//! What checks find.

use crate::Place;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Results depend on timing, or are wrong.
    Error,
    /// Harmless today, but not guaranteed to stay so.
    Warning,
}

impl Severity {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// The state space that a finding concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemorySpace {
    /// Buffers and `__device__` variables.
    Global,
    /// The block's memory.
    Shared,
    /// The thread's own memory.
    Local,
}

/// A mistake in a kernel. Mistakes of one kind at the same lines are one finding with a count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of mistake: the name that the check gives it, such as `race`.
    pub kind: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, complete with threads, blocks and the variable; source lines are in `place` and `other`.
    pub message: String,
    /// One sentence on what to do about it.
    pub advice: String,
    /// How often it was seen.
    pub count: u64,
    /// Whether it was seen more often than that: too often to count.
    pub more: bool,
    /// The first instruction found at fault.
    pub place: Option<Box<Place>>,
    /// The other instruction: of a race, the earlier access.
    pub other: Option<Box<Place>>,
    /// The state space, for accesses.
    pub space: Option<MemorySpace>,
    /// The variable or buffer concerned, if known.
    pub object: Option<String>,
    /// The device address concerned, for accesses.
    pub address: Option<u64>,
}
