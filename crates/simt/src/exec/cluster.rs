//! A cluster: blocks that run at the same time on one host thread and see each other's shared memory.

use super::block::{Block, Turn};
use super::watcher::Watcher;
use crate::program::Program;
use crate::warp::{ClusterState, Context, Member};

/// The blocks of a cluster, by rank; one alone in a launch without clusters.
pub(super) struct Cluster<'l> {
    /// Its number in the grid.
    pub(super) number: u64,
    pub(super) blocks: Vec<Block<'l>>,
    state: Box<ClusterState>,
}

impl<'l> Cluster<'l> {
    /// A cluster whose blocks have the slots from `slot` on.
    pub(super) fn new(launch: &'l Context<'l>, slot: u32, hints: *mut u32) -> Self {
        let mut state = Box::new(ClusterState { barrier: Default::default(), live: 0, blocks: Vec::new() });
        let mut blocks: Vec<Block<'l>> = Vec::new();
        for rank in 0..launch.cluster_blocks() {
            let mut block = Block::new(launch, (slot + rank, rank), &raw mut *state, hints);
            let shared = block.state.shared.as_mut_ptr();
            state.blocks.push(Member { slot: slot + rank, live: 0, shared, bulks: Vec::new() });
            blocks.push(block);
        }
        Self { number: 0, blocks, state }
    }

    /// Starts the kernel in the blocks of that cluster of the grid; false if their threads need more local memory than
    /// there is.
    pub(super) fn start(&mut self, launch: &Context<'_>, number: u64) -> bool {
        self.number = number;
        self.state.barrier = Default::default();
        self.state.live = launch.threads() * launch.cluster_blocks();
        for block in &mut self.state.blocks {
            block.live = launch.threads();
            block.bulks.clear();
        }
        let start = |(rank, block): (u32, &mut Block<'l>)| block.start(launch, launch.block_in_cluster(number, rank));
        (0..).zip(&mut self.blocks).map(start).fold(true, |all, fits| all & fits)
    }

    /// Instructions that its warps have executed.
    pub(super) fn executed(&self) -> u64 {
        self.blocks.iter().flat_map(|block| &block.warps).map(|warp| warp.executed).sum()
    }

    /// Runs until its blocks end, only poll, or every warp has had that many turns; also returns the rank of the block
    /// that faulted, if one did.
    pub(super) fn turn<O: Watcher>(&mut self, rounds: u32, program: &Program, observer: &mut O) -> (usize, Turn) {
        let alone = self.blocks.len() == 1;
        let (mut all_poll, mut stuck) = (true, true);
        for (rank, block) in self.blocks.iter_mut().enumerate().filter(|(_, block)| block.state.live > 0) {
            match block.turn(rounds, alone, program, observer) {
                Turn::Done => (all_poll, stuck) = (false, false),
                Turn::Again { polling } => (all_poll, stuck) = (all_poll & polling, false),
                Turn::Stuck => {}
                fault @ Turn::Fault(..) => return (rank, fault),
            }
        }
        if self.state.live == 0 {
            return (0, Turn::Done);
        }
        if stuck && !self.blocks.iter_mut().any(Block::unblock) {
            let rank = self.blocks.iter().position(|block| block.state.live > 0).unwrap_or(0);
            return (rank, self.blocks[rank].deadlock(&self.state, observer));
        }
        (0, Turn::Again { polling: all_poll && !stuck })
    }
}
