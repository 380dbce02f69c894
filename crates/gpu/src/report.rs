//! What a launch returns.

use crate::{Finding, Profile};

/// What a launch returns if it succeeded or is still running.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What the kernel printed.
    pub printed: String,
    /// What was observed, on a device that watches its kernels.
    pub watched: Option<Box<Watched>>,
}

/// What a device that watches its kernels observed of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// PTX instructions executed, counted once per warp (predicated-off ones included).
    pub warp_instructions: u64,
    /// The counters, if they were asked for.
    pub profile: Option<Profile>,
    /// What checks found, if they were asked for.
    pub findings: Vec<Finding>,
    /// What the checks could not examine, one sentence each.
    pub notes: Vec<String>,
}
