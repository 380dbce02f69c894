//! What stops a kernel.

use crate::watch::Finding;
use warpwise_ptx::ast::SourceLine;

/// The kind of a [`Fault`]; its name is the one that reports use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An access outside every allocation, variable or window.
    OutOfBounds,
    /// An access at an address that is not a multiple of its size.
    Misaligned,
    /// Threads wait for something that can no longer happen.
    Deadlock,
    /// The instruction budget ran out.
    Timeout,
    /// `trap`, or a failed `assert`.
    Trap,
    /// The launch asks for more than the GPU has.
    LaunchLimit,
    /// An instruction that the emulator does not know or cannot execute.
    Unsupported,
    /// The kernel asks for more memory or call depth than a thread has.
    StackOverflow,
}

impl FaultKind {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::OutOfBounds => "out_of_bounds",
            Self::Misaligned => "misaligned",
            Self::Deadlock => "deadlock",
            Self::Timeout => "timeout",
            Self::Trap => "trap",
            Self::LaunchLimit => "launch_limit",
            Self::Unsupported => "unsupported",
            Self::StackOverflow => "stack_overflow",
        }
    }
}

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
