//! Barriers, as observers see them.

/// What lanes that arrive at a barrier of their block request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// Which of the block's barriers: `__syncthreads()` is 0.
    pub id: u32,
    /// The number of threads that it is for, if the instruction says; else all that have not exited.
    pub threads: Option<u32>,
    /// Whether they wait until it is complete; `bar.arrive` does not.
    pub waits: bool,
    /// Whether it combines a predicate over its threads, as `__syncthreads_count()` does.
    pub reduces: bool,
}
