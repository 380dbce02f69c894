//! What the warps of a block share.

use super::barrier::Barrier;
use super::buffer::Buffer;
use super::cluster::ClusterState;

/// What the warps of a block share.
pub(crate) struct BlockState {
    /// `blockIdx`.
    pub(crate) index: [u32; 3],
    /// Number of the block in the grid.
    pub(crate) linear: u64,
    /// A number that no other unfinished block of the host thread has.
    pub(crate) slot: u32,
    /// Its number in its cluster.
    pub(crate) rank: u32,
    /// Its cluster, which outlives it.
    pub(crate) cluster: *mut ClusterState,
    /// Threads that have not exited.
    pub(crate) live: u32,
    pub(crate) barriers: [Barrier; 16],
    pub(crate) shared: Buffer,
    /// What `printf` wrote.
    pub(crate) printed: Vec<u8>,
}

impl BlockState {
    /// Completes barriers that were waiting for threads that have exited.
    pub(crate) fn settle_barriers(&mut self) {
        for barrier in &mut self.barriers {
            barrier.settle(self.live);
        }
    }
}

/// A bulk copy that was started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BulkCopy {
    /// The instruction that started it.
    pub(crate) pc: u32,
    pub(crate) lane: usize,
    /// Generic address.
    pub(crate) from: u64,
    /// Offset in shared memory.
    pub(crate) to: u64,
    pub(crate) bytes: u64,
    /// Offset of the object that it completes on.
    pub(crate) object: u64,
    /// The blocks of the cluster that it goes to, a bit for each rank.
    pub(crate) blocks: u32,
}
