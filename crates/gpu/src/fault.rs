//! What stops a kernel.

use crate::Finding;
use warpwise_arch::{FaultKind, LaunchLimit};
use warpwise_ptx::ast::SourceLine;

/// Where in the module and the grid something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub function: Box<str>,
    /// One-based line of the PTX text.
    pub ptx_line: u32,
    /// The instruction as written.
    pub instruction: Box<str>,
    /// The line of the source it was compiled from, if the module says.
    pub source: Option<SourceLine>,
    /// The line of a compiler's header that is inlined there, if the instruction is of one.
    pub inner: Option<SourceLine>,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// `threadIdx` of the first lane concerned.
    pub thread: [u32; 3],
}

/// Why a launch ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What kind of failure.
    pub kind: FaultKind,
    /// One sentence, complete with addresses and threads as far as the device knows them; no source line (that is in
    /// `place`), except that a launch that took too long says at which lines its threads were.
    pub message: String,
    /// Where; `None` for faults of the launch as a whole, and on devices that do not say.
    pub place: Option<Box<Place>>,
    /// The device address concerned, for accesses.
    pub address: Option<u64>,
    /// What the kernel had printed by then.
    pub printed: String,
    /// What checks had found by then.
    pub findings: Vec<Finding>,
}

impl Fault {
    /// A fault of which only the kind and a description are known.
    pub fn new(kind: FaultKind, message: String) -> Self {
        Self { kind, message, place: None, address: None, printed: String::new(), findings: Vec::new() }
    }
}

impl From<LaunchLimit> for Fault {
    fn from(limit: LaunchLimit) -> Self {
        Self::new(FaultKind::LaunchLimit, limit.0)
    }
}
