//! What a launch gives back.

use crate::{Finding, Profile};

/// What a launch that ended well, or goes on, gives back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What the kernel printed.
    pub printed: String,
    /// What was seen of it, on a device that watches its kernels.
    pub watched: Option<Box<Watched>>,
}

/// What a device that watches its kernels saw of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// PTX instructions executed, counted once a warp (predicated-off ones included).
    pub warp_instructions: u64,
    /// What was counted, where counters were asked for.
    pub profile: Option<Profile>,
    /// What checks found, where they were asked for.
    pub findings: Vec<Finding>,
    /// What the checks could not look at, one sentence each.
    pub notes: Vec<String>,
}
