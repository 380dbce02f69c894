//! Copies that a warp has started with `cp.async`.

/// A copy started by `cp.async`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsyncCopy {
    /// The instruction that started it.
    pub(crate) pc: u32,
    pub(crate) lane: u8,
    /// Its group in its thread's count, once committed.
    pub(crate) group: Option<u32>,
    pub(crate) to: u64,
    pub(crate) from: u64,
    pub(crate) bytes: u32,
    /// Bytes that come from global memory; the rest is zeros.
    pub(crate) valid: u32,
}

/// The copies of a warp in flight. Each thread counts its own groups.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    pub(crate) pending: Vec<AsyncCopy>,
    pub(crate) committed: [u32; 32],
}

impl Copies {
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.committed = [0; 32];
    }
}
