//! What checks find.

use super::place::Place;

/// The kind of a [`Finding`]: data that a check brings, not a list that it has to be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FindingKind {
    name: &'static str,
    severity: Severity,
}

impl FindingKind {
    /// A kind with the name that reports use, such as `barrier_divergence`, and how bad its findings are unless more is
    /// known of one.
    pub const fn new(name: &'static str, severity: Severity) -> Self {
        Self { name, severity }
    }

    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// How bad its findings are unless more is known of one.
    pub fn severity(self) -> Severity {
        self.severity
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Results depend on chance, or are wrong.
    Error,
    /// It does no harm today, but is not promised to stay so.
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
    /// What kind of mistake.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, complete with threads, blocks and the variable; source lines are in `place` and `other`.
    pub message: String,
    /// One sentence on what to do about it.
    pub advice: String,
    /// How often it was seen: at how many places, for accesses.
    pub count: u64,
    /// Whether it was seen more often than that: too often to count.
    pub more: bool,
    /// The instruction that was found at fault first.
    pub place: Option<Box<Place>>,
    /// The other instruction: of a race, the earlier access.
    pub other: Option<Box<Place>>,
    /// The state space, for accesses.
    pub space: Option<MemorySpace>,
    /// The variable or buffer concerned, where it is known.
    pub object: Option<String>,
    /// The device address concerned, for accesses.
    pub address: Option<u64>,
}
