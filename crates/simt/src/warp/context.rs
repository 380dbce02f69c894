//! What all blocks of a launch share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::buffer::Buffer;
use super::children::Children;
use super::hints::Hints;
use super::padding::{Padding, SHARED_UNIT};
use super::sample::Sample;
use crate::image::{FunctionCode, Image, Special};
use crate::memory::{Global, Heap, View};
use crate::texture::Objects;

/// What all blocks of a launch share.
pub(crate) struct Context<'l> {
    pub(crate) image: &'l Image,
    /// Index of the kernel's function.
    pub(crate) entry: u32,
    pub(crate) memory: &'l Global,
    pub(crate) views: &'l [View],
    /// Initial registers of each function that the kernel can reach: its constants.
    pub(crate) templates: &'l [Buffer],
    /// Which view each memory instruction hit last, for host threads to go on with.
    pub(crate) hints: &'l Hints,
    /// What the kernel's last launch cost for each cluster, in instructions; most if it was not launched.
    pub(crate) cost: &'l AtomicU64,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Blocks of a cluster; the grid is a multiple of it.
    pub(crate) cluster: [u32; 3],
    /// Whether the launch or the kernel states it.
    pub(crate) explicit_cluster: bool,
    /// Static and dynamic shared memory.
    pub(crate) shared_bytes: u32,
    pub(crate) dynamic_shared: u32,
    pub(crate) sms: u32,
    /// Blocks that the GPU holds at once.
    pub(crate) resident: u32,
    /// Whether any block may wait for any other.
    pub(crate) cooperative: bool,
    /// Address of the workspace in which the blocks of a cooperative launch meet; 0 without one.
    pub(crate) workspace: u64,
    /// Whether other host threads run blocks of this launch.
    pub(crate) parallel: bool,
    pub(crate) max_instructions: u64,
    /// Instructions of a warp's turn: fewer if the budget is small.
    pub(crate) quantum: i64,
    pub(crate) started: Instant,
    /// When the launch has taken too long.
    pub(crate) deadline: Option<Instant>,
    /// Texture and surface objects, by handle.
    pub(crate) objects: &'l Objects,
    /// The heap of `malloc`.
    pub(crate) heap: Option<&'l Heap>,
    /// Where accesses past the end of allocations are remembered, if they pass.
    pub(crate) padding: Option<&'l Padding>,
    /// The launches that it asks for.
    pub(crate) children: Option<&'l Children>,
    /// The clusters to run, if not all are.
    pub(crate) sample: Option<Sample>,
}

impl Context<'_> {
    /// Threads of a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Bytes of shared memory that a block has, with what lies between its end and that of its last unit where accesses
    /// to that pass.
    pub(crate) fn shared_room(&self) -> u32 {
        match self.padding {
            Some(_) => self.shared_bytes.next_multiple_of(SHARED_UNIT),
            None => self.shared_bytes,
        }
    }

    /// Blocks of the grid.
    pub(crate) fn blocks(&self) -> u64 {
        self.grid.iter().map(|&d| u64::from(d)).product()
    }

    /// Whether the program uses the barrier of a grid that a launch like this one does not have.
    pub(crate) fn lacks_workspace(&self) -> bool {
        let reads = |f: &FunctionCode| f.specials.iter().any(|(special, ..)| *special == Special::WorkspaceLow);
        self.workspace == 0 && self.image.functions.iter().any(reads)
    }

    /// Blocks of a cluster.
    pub(crate) fn cluster_blocks(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// Clusters of the grid.
    pub(crate) fn clusters(&self) -> u64 {
        self.blocks() / u64::from(self.cluster_blocks())
    }

    /// Clusters that are run.
    pub(crate) fn clusters_run(&self) -> u64 {
        self.sample.map_or_else(|| self.clusters(), |sample| sample.run.min(self.clusters()))
    }

    /// The number of the n-th cluster that is run.
    pub(crate) fn cluster_run(&self, n: u64) -> u64 {
        self.sample.map_or(n, |sample| sample.number(n, self.clusters()))
    }

    /// What the launch will cost, in instructions, if it is like the last one of its kernel.
    pub(crate) fn expected_cost(&self) -> u64 {
        self.cost.load(Ordering::Relaxed).saturating_mul(self.clusters())
    }

    /// The number of a block: of that rank in the n-th cluster.
    pub(crate) fn block_in_cluster(&self, cluster: u64, rank: u32) -> u64 {
        let [x, y, _] = self.cluster;
        let (across, down) = (u64::from(self.grid[0] / x), u64::from(self.grid[1] / y));
        let corner = [cluster % across, cluster / across % down, cluster / across / down];
        let inside = [rank % x, rank / x % y, rank / x / y];
        let at = std::array::from_fn(|axis| corner[axis] as u32 * self.cluster[axis] + inside[axis]);
        self.linear_block(at)
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
