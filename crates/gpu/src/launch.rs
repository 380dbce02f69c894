//! The description of a launch.

/// A launch: geometry and parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared_bytes: u32,
    /// The kernel's parameter block: every parameter at its offset.
    pub params: Vec<u8>,
    /// Whether blocks wait for each other: if so, a grid of more blocks than the GPU holds at once is refused (CUDA's
    /// cooperative launch).
    pub cooperative: bool,
    /// Blocks of a cluster, which run at the same time and see each other's shared memory; `None` for what the kernel
    /// declares, or no clusters.
    pub cluster: Option<[u32; 3]>,
}

impl Launch {
    /// A launch with no dynamic shared memory, whose blocks do not wait for each other.
    pub fn new(grid: [u32; 3], block: [u32; 3], params: Vec<u8>) -> Self {
        Self { grid, block, shared_bytes: 0, params, cooperative: false, cluster: None }
    }
}
