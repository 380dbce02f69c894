//! What stops a kernel.

/// The kind of a fault; its name is the one used in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An access outside every allocation, variable or window.
    OutOfBounds,
    /// An access at an address that is not a multiple of its size.
    Misaligned,
    /// Threads wait for something that can no longer happen.
    Deadlock,
    /// The instruction budget or the time ran out.
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
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::OutOfBounds,
        Self::Misaligned,
        Self::Deadlock,
        Self::Timeout,
        Self::Trap,
        Self::LaunchLimit,
        Self::Unsupported,
        Self::StackOverflow,
    ];

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
