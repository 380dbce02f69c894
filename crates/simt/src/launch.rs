//! The description of a launch.

use std::time::Duration;

use crate::watch::Watch;

/// A launch: geometry, parameters, limits.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared_bytes: u32,
    /// The kernel's parameter block: every parameter at its offset (see
    /// [`KernelParameter::offset`](crate::KernelParameter::offset)).
    pub params: Vec<u8>,
    /// Whether blocks wait for each other: if so, a grid of more blocks than the GPU holds at once is refused (CUDA's
    /// cooperative launch).
    pub cooperative: bool,
    /// Blocks of a cluster, which run at the same time and see each other's shared memory (CUDA's thread block
    /// clusters); `None` for what the kernel declares, or no clusters.
    pub cluster: Option<[u32; 3]>,
    /// Warp instructions after which the launch ends with [`FaultKind::Timeout`](crate::FaultKind::Timeout).
    pub max_instructions: u64,
    /// Time after which the launch ends in the same way, give or take a turn of a block.
    pub time_limit: Option<Duration>,
    /// Host threads to use; 0 for all cores.
    pub workers: usize,
    /// What to watch it for.
    pub watch: Watch,
}

impl Launch {
    /// A launch with no dynamic shared memory, a budget of 2^36 warp instructions and no limit of time, on all cores.
    pub fn new(grid: [u32; 3], block: [u32; 3], params: Vec<u8>) -> Self {
        Self {
            grid,
            block,
            shared_bytes: 0,
            params,
            cooperative: false,
            cluster: None,
            max_instructions: 1 << 36,
            time_limit: None,
            workers: 0,
            watch: Watch::NOTHING,
        }
    }
}
