//! A block: warps that share memory and barriers, run by one host thread.

use super::interpret::Pause;
use super::watcher::Watcher;
use crate::lane::LANES;
use crate::program::Program;
use crate::report::FaultKind;
use crate::warp::{BlockState, Buffer, ClusterState, Context, Trouble, Warp};

/// What shared memory holds before a kernel writes to it: a pattern, because hardware promises nothing and zeros would
/// hide mistakes.
const UNWRITTEN: u8 = 0xdb;

/// How a turn of a block ended.
#[derive(Debug)]
pub(super) enum Turn {
    /// Every thread has exited.
    Done,
    /// It continues; true if it only polled memory.
    Again {
        /// It waits for a write by another block.
        polling: bool,
    },
    /// No thread can continue before another block of the cluster does something.
    Stuck,
    /// A thread did something wrong.
    Fault(u32, Box<Trouble>),
}

/// A block and its warps.
pub(super) struct Block<'l> {
    pub(super) state: Box<BlockState>,
    pub(super) warps: Vec<Warp<'l>>,
    pub(super) linear: u64,
}

impl<'l> Block<'l> {
    /// A block with that slot and rank in its cluster, which must outlive it.
    pub(super) fn new(
        launch: &'l Context<'l>,
        (slot, rank): (u32, u32),
        cluster: *mut ClusterState,
        hints: *mut u32,
    ) -> Self {
        let warps = launch.threads().div_ceil(LANES as u32);
        let state = BlockState {
            index: [0; 3],
            linear: 0,
            slot,
            rank,
            cluster,
            live: 0,
            barriers: Default::default(),
            shared: Buffer::new(launch.shared_room() as usize),
            printed: Vec::new(),
        };
        Self {
            state: Box::new(state),
            warps: (0..warps).map(|index| Warp::new(launch, index, hints)).collect(),
            linear: 0,
        }
    }

    /// Starts the kernel in the block of that number; false if its threads need more local memory than there is.
    pub(super) fn start(&mut self, launch: &Context<'_>, linear: u64) -> bool {
        self.linear = linear;
        self.state.index = launch.block_at(linear);
        self.state.linear = linear;
        self.state.live = launch.threads();
        self.state.barriers = Default::default();
        self.state.printed.clear();
        self.state.shared.as_mut_slice().fill(UNWRITTEN);
        let state: *mut BlockState = &mut *self.state;
        self.warps.iter_mut().all(|warp| warp.start(state))
    }

    /// Runs until the block ends, only polls, or every warp has had that many turns. `alone` says that there is no
    /// other block in its cluster.
    pub(super) fn turn<O: Watcher>(&mut self, rounds: u32, alone: bool, program: &Program, observer: &mut O) -> Turn {
        let mut progress = false;
        for _ in 0..rounds {
            let mut ran = false;
            let mut polling = true;
            for warp in &mut self.warps {
                if warp.done() || !warp.ready() {
                    continue;
                }
                ran = true;
                match warp.run(program, observer) {
                    Pause::Fault => {
                        if let Some(trouble) = warp.trouble.take() {
                            return Turn::Fault(warp.index, trouble);
                        }
                    }
                    // A warp that waits or ends has made progress; one that used its turn may only have polled.
                    Pause::Waiting | Pause::Done => polling = false,
                    Pause::Turn => polling &= warp.polls > 16,
                }
            }
            if self.state.live == 0 {
                return Turn::Done;
            }
            if !(ran || alone && self.unblock()) {
                return if progress && !alone { Turn::Again { polling: false } } else { Turn::Stuck };
            }
            progress |= ran;
            if ran && polling {
                return Turn::Again { polling: true };
            }
        }
        Turn::Again { polling: false }
    }

    /// No warp can run: releases lanes that wait at joins.
    pub(super) fn unblock(&mut self) -> bool {
        self.warps.iter_mut().any(Warp::release_one)
    }

    /// The fault of a block whose threads all wait.
    pub(super) fn deadlock<O: Watcher>(&mut self, cluster: &ClusterState, observer: &mut O) -> Turn {
        let waiters: Vec<_> =
            self.warps.iter().flat_map(|w| w.waiters().map(move |(pc, mask)| (w.index, pc, mask))).collect();
        observer.deadlocks(&self.state, &waiters);
        let (warp, pc, lanes) = waiters.iter().copied().min().unwrap_or((0, 0, 1));
        let waiting: u32 = waiters.iter().map(|(.., mask)| mask.count_ones()).sum();
        let mut barriers: Vec<String> = (0..16)
            .zip(&self.state.barriers)
            .filter(|(_, b)| b.arrived > 0)
            .map(|(id, b)| match b.expected {
                Some(expected) => format!("barrier {id} has {} of {expected} threads", b.arrived),
                None => format!("barrier {id} has {} of {} threads", b.arrived, self.state.live),
            })
            .collect();
        if cluster.barrier.arrived > 0 {
            let (come, all) = (cluster.barrier.arrived, cluster.live);
            barriers.push(format!("the barrier of the cluster has {come} of {all} threads"));
        }
        let what = if barriers.is_empty() {
            "a warp-wide operation waits for lanes that never reach it".to_owned()
        } else {
            barriers.join(", ")
        };
        let message = format!("deadlock: {waiting} threads wait and nobody can run: {what}");
        let lane = lanes.trailing_zeros() as usize;
        Turn::Fault(warp, Box::new(Trouble { kind: FaultKind::Deadlock, message, lane, pc, address: None }))
    }
}
