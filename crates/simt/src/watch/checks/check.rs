//! A check: one kind of mistake, looked for in what warps do.
//!
//! The [`Checker`](super::checker::Checker) analyses an instruction once for all checks: which memory its lanes touch,
//! in which [`Run`]s, by which allocation. A check hears of the outcome and keeps what it needs to judge it. The calls
//! are compiled into one loop; see [`suite`](super::suite).

use super::arrival::Arrival;
use super::brought::Brought;
use super::kind::Kind;
use super::plan::Plan;
use super::runs::Run;
use super::scene::{At, Scene};
use crate::image::event::{Event, Order, Scope};
use crate::program::Program;
use crate::report::FindingKind;
use crate::warp::{BlockState, ClusterState, Warp};

/// What is known about a check before it runs: its entry in [`CHECKS`](super::CHECKS).
#[derive(Clone, Copy, Debug)]
pub struct CheckEntry {
    /// The name that `--check` takes.
    pub name: &'static str,
    /// What it looks for, in one line.
    pub about: &'static str,
    /// Whether it is part of `all`.
    pub in_all: bool,
    /// The kinds of its findings.
    pub kinds: &'static [FindingKind],
    /// Whether it tracks writes to global memory. If no check does, all of it counts as written.
    pub(crate) follows_writes: bool,
    /// Whether the kernel of that function must run on one host thread to be checked.
    pub(crate) is_sequential: fn(&Program, u32) -> bool,
}

impl CheckEntry {
    /// An entry that runs on any number of host threads and does not track memory.
    pub(super) const fn new(name: &'static str, about: &'static str, kinds: &'static [FindingKind]) -> Self {
        Self { name, about, in_all: true, kinds, follows_writes: false, is_sequential: |_, _| false }
    }
}

/// A check on one host thread. Unless stated otherwise, a call comes before the instruction has taken effect.
#[allow(unused_variables, reason = "a check takes what it needs")]
pub(super) trait Check<'p>: Sized {
    /// What it computes before the launch starts, for all host threads.
    type Prepared: Sync;

    /// Looks at the launch before it starts.
    fn prepare(plan: &Plan<'p>) -> Self::Prepared;

    /// The check of a host thread.
    fn new(plan: &'p Plan<'p>, prepared: &'p Self::Prepared) -> Self;

    /// Whether it wants to hear of an instruction.
    fn wants(prepared: &Self::Prepared, pc: u32, event: &Event) -> bool;

    /// Memory that it takes for a block that has not ended, in bytes.
    fn footprint(&self, plan: &Plan<'_>) -> usize {
        0
    }

    /// A block is about to start.
    fn block_starts(&mut self, block: &BlockState) {}

    /// The bounds that the accesses of an instruction must stay within, if the check knows them. Lanes that leave them
    /// are reported to [`Self::strays`], and nowhere else: memory that is touched by mistake is not reported again.
    #[inline(always)]
    fn limits(&self, warp: &Warp<'_>, pc: u32) -> Option<(u64, u64)> {
        None
    }

    /// A lane leaves the bounds.
    fn strays(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, limits: (u64, u64)) {}

    /// Lanes access shared memory, at an offset inside it.
    #[inline(always)]
    fn shared(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind) {}

    /// A lane accesses the shared memory of another block of its cluster, which has that slot, at an offset inside it.
    fn distant(&mut self, scene: &mut Scene<'p>, at: &At<'_>, slot: usize, run: Run, kind: Kind) {}

    /// Lanes access global memory: the allocation of that number among the launch's views, at that offset.
    #[inline(always)]
    fn global(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind, place: (usize, u64)) {}

    /// A lane accesses its local memory.
    fn local(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run) {}

    /// Whether lanes may access shared memory as they did before, between two offsets, with no findings except those of
    /// [`Self::again`].
    #[inline(always)]
    fn fits(&self, warp: &Warp<'_>, pc: u32, write: bool, span: (u64, u64), runs: impl Iterator<Item = Run>) -> bool {
        true
    }

    /// Like [`Self::shared`], for all runs of a plain access whose lanes have the same relative addresses as before.
    #[inline(always)]
    fn again(
        &mut self,
        scene: &mut Scene<'p>,
        at: &At<'_>,
        kind: Kind,
        span: (u64, u64),
        runs: impl ExactSizeIterator<Item = Run> + Clone,
    ) {
        for run in runs {
            self.shared(scene, at, run, kind);
        }
    }

    /// A copy to shared memory starts: from now on it may write there.
    fn copy_starts(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run) {}

    /// A copy to shared memory has been waited for.
    fn copy_lands(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run) {}

    /// A copy signals its end by an access to an object in shared memory.
    fn copy_tells(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind) {}

    /// Lanes have entered a function.
    fn called(&mut self, warp: &Warp<'_>, function: u32) {}

    /// Lanes are at a branch; those of `mask` take it, the warp's others do not.
    fn branches(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {}

    /// Lanes arrive at a barrier of the block.
    fn arrives(&mut self, warp: &Warp<'_>, id: u32, arrival: &Arrival) {}

    /// A barrier is complete. `whole` says that it is for all threads of the block.
    fn meets(&mut self, scene: &mut Scene<'p>, block: &BlockState, id: u32, arrivals: &[Arrival], whole: bool) {}

    /// The barrier of a cluster is complete.
    fn cluster_meets(&mut self, cluster: &ClusterState) {}

    /// Lanes arrive at a warp-wide operation with these member masks, if it has any.
    fn lanes_come(&mut self, scene: &mut Scene<'p>, at: &At<'_>, masks: Option<&[u32; 32]>) {}

    /// Lanes have executed a warp-wide operation together; `brought` is what they brought to it. Reported afterwards.
    fn lanes_meet(&mut self, scene: &mut Scene<'p>, at: &At<'_>, event: &Event, brought: Option<&Brought>) {}

    /// `fence`, `membar`.
    fn fence(&mut self, warp: &Warp<'_>, order: Order, scope: Scope, mask: u32) {}

    /// Lanes divide integers by zero.
    fn divides_by_zero(&mut self, scene: &mut Scene<'p>, at: &At<'_>) {}

    /// Whether it wants to hear of every instruction just now.
    #[inline(always)]
    fn follows(&self) -> bool {
        false
    }

    /// Lanes execute an instruction. Only heard if [`Self::follows`].
    fn executes(&mut self, scene: &mut Scene<'p>, warp: &Warp<'_>, pc: u32, mask: u32) {}

    /// Lanes store, at these addresses; after [`Self::shared`] and the like. Only heard if [`Self::follows`].
    fn stores(&mut self, scene: &mut Scene<'p>, at: &At<'_>, addresses: &[u64; 32]) {}

    /// What it could not examine, in one sentence.
    fn note(&self) -> Option<&'static str> {
        None
    }
}
