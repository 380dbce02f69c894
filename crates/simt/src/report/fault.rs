//! What stops a kernel.

use super::finding::{Finding, FindingKind, Severity};
use super::place::Place;

pub use warpwise_arch::FaultKind;

/// What stopped the kernel is a finding too.
impl From<FaultKind> for FindingKind {
    fn from(kind: FaultKind) -> Self {
        Self::new(kind.name(), Severity::Error)
    }
}

/// Why a launch ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What kind of thing went wrong.
    pub kind: FaultKind,
    /// One sentence, complete with addresses and threads; no source line (that is in `place`),
    /// except that a launch that took too long says at which lines its threads were.
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
