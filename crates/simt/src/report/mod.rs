//! What a launch gives back: its report or its fault, what was counted and what was found. Plain data.

mod fault;
mod finding;
mod place;
mod profile;

pub use fault::{Fault, FaultKind};
pub use finding::{Finding, FindingKind, MemorySpace, Severity};
pub use place::Place;
pub use profile::{InstructionProfile, Profile};
pub use warpwise_arch::Counters;

/// What a launch that ended well gives back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// PTX instructions executed, counted once a warp (predicated-off ones included).
    pub warp_instructions: u64,
    /// What the kernel printed, in block order.
    pub printed: String,
    /// What was counted, where [`Watch::counters`](crate::Watch::counters) asked for it.
    pub profile: Option<Profile>,
    /// What the checks of [`Watch::checks`](crate::Watch::checks) found.
    pub findings: Vec<Finding>,
    /// What the checks could not look at, one sentence each.
    pub notes: Vec<String>,
}
