//! What all blocks of a launch share.

use std::time::Instant;

use super::buffer::Buffer;
use crate::image::Image;
use crate::memory::{Global, View};

/// What all blocks of a launch share.
pub(crate) struct Context<'l> {
    pub(crate) image: &'l Image,
    /// Index of the kernel's function.
    pub(crate) entry: u32,
    pub(crate) memory: &'l Global,
    pub(crate) views: Vec<View>,
    /// Initial registers of each function: its constants.
    pub(crate) templates: Vec<Buffer>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Static and dynamic shared memory.
    pub(crate) shared_bytes: u32,
    pub(crate) dynamic_shared: u32,
    pub(crate) sms: u32,
    /// Blocks that the GPU holds at once.
    pub(crate) resident: u32,
    /// Whether any block may wait for any other.
    pub(crate) cooperative: bool,
    /// Whether other host threads run blocks of this launch.
    pub(crate) parallel: bool,
    pub(crate) max_instructions: u64,
    /// Instructions of a warp's turn: fewer if the budget is small.
    pub(crate) quantum: i64,
    pub(crate) started: Instant,
    /// When the launch has taken too long.
    pub(crate) deadline: Option<Instant>,
    /// Base address of the device heap.
    pub(crate) heap: Option<(u64, u64)>,
}

impl Context<'_> {
    /// Threads of a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Blocks of the grid.
    pub(crate) fn blocks(&self) -> u64 {
        self.grid.iter().map(|&d| u64::from(d)).product()
    }

    /// `blockIdx` of the n-th block.
    pub(crate) fn block_at(&self, linear: u64) -> [u32; 3] {
        let (x, y) = (u64::from(self.grid[0]), u64::from(self.grid[1]));
        [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
    }

    /// The number of a block.
    pub(crate) fn linear_block(&self, [x, y, z]: [u32; 3]) -> u64 {
        (u64::from(z) * u64::from(self.grid[1]) + u64::from(y)) * u64::from(self.grid[0]) + u64::from(x)
    }
}
