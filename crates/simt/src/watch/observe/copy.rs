//! Asynchronous copies, as observers see them.

/// A copy that a lane starts, from global to shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// The lane.
    pub lane: u32,
    /// Device address that it reads from.
    pub from: u64,
    /// Offset in shared memory that it writes to.
    pub to: u64,
    /// Bytes that it writes.
    pub bytes: u32,
    /// Bytes that it reads; the rest of the destination is set to zero.
    pub read: u32,
}
