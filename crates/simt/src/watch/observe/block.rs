//! Blocks, as observers see them.

use crate::warp::BlockState;

/// A block of the launch.
#[derive(Clone, Copy)]
pub struct Block<'a>(pub(super) &'a BlockState);

impl Block<'_> {
    /// `blockIdx`.
    pub fn index(&self) -> [u32; 3] {
        self.0.index
    }

    /// Its number in the grid, unique within the launch.
    pub fn number(&self) -> u64 {
        self.0.linear
    }

    /// Threads that have not exited.
    pub fn live(&self) -> u32 {
        self.0.live
    }
}

impl std::fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block").field("index", &self.index()).field("live", &self.live()).finish()
    }
}
