//! What stops a kernel.

use crate::watch::Finding;
use warpwise_ptx::ast::SourceLine;

pub use warpwise_arch::FaultKind;

/// Where in the program and the grid something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub function: Box<str>,
    /// One-based line of the PTX text.
    pub ptx_line: u32,
    /// The instruction as written.
    pub instruction: Box<str>,
    /// The line of the source it was compiled from, where the module says.
    pub source: Option<SourceLine>,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// `threadIdx` of the first lane concerned.
    pub thread: [u32; 3],
}

/// Why a launch ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What kind of thing went wrong.
    pub kind: FaultKind,
    /// One sentence, complete with addresses and threads; no source line (that is in `place`).
    pub message: String,
    /// Where; `None` for faults of the launch as a whole.
    pub place: Option<Box<Place>>,
    /// The device address concerned, for accesses.
    pub address: Option<u64>,
    /// What the kernel had printed by then.
    pub printed: String,
    /// What checks had found by then.
    pub findings: Vec<Finding>,
}
