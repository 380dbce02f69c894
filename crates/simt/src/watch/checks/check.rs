//! A check: one kind of mistake, looked for in what warps do.
//!
//! The [`Checker`](super::checker::Checker) works out what an instruction does once, for all checks: which memory its
//! lanes touch, in which [`Run`]s, by which allocation. A check hears of the outcome and keeps what it needs to judge it.
//! The calls are compiled into one loop; see [`suite`](super::suite).

use super::arrival::Arrival;
use super::brought::Brought;
use super::kind::Kind;
use super::plan::Plan;
use super::runs::Run;
use super::scene::{At, Scene};
use crate::image::event::{Event, Order, Scope};
use crate::program::Program;
use crate::report::FindingKind;
use crate::warp::{BlockState, Warp};

/// What there is to know of a check before it is asked for: its entry in [`CHECKS`](super::CHECKS).
#[derive(Clone, Copy, Debug)]
pub struct CheckEntry {
    /// The name that `--check` takes.
    pub name: &'static str,
    /// What it looks for, in one line.
    pub about: &'static str,
    /// Whether it is one of `all`.
    pub in_all: bool,
    /// The kinds of its findings.
    pub kinds: &'static [FindingKind],
    /// Whether it follows what is written to global memory. Where nobody does, all of it counts as written.
    pub(crate) follows_writes: bool,
    /// Whether the kernel of that function must run on one host thread to be checked.
    pub(crate) is_sequential: fn(&Program, u32) -> bool,
}

impl CheckEntry {
    /// An entry that runs on any number of host threads and leaves memory alone.
    pub(super) const fn new(name: &'static str, about: &'static str, kinds: &'static [FindingKind]) -> Self {
        Self { name, about, in_all: true, kinds, follows_writes: false, is_sequential: |_, _| false }
    }
}

/// A check of one host thread. Unless it says otherwise, a call comes before the instruction has had its effect.
#[allow(unused_variables, reason = "a check takes what it needs")]
pub(super) trait Check<'p>: Sized {
    /// What it works out before the launch starts, for all host threads.
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

    /// Where the accesses of an instruction must stay, where the check knows. Lanes that do not stay there are told to
    /// [`Self::strays`], and to nobody else: what they touch by mistake is not held against anybody.
    #[inline(always)]
    fn limits(&self, warp: &Warp<'_>, pc: u32) -> Option<(u64, u64)> {
        None
    }

    /// A lane leaves the limits.
    fn strays(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, limits: (u64, u64)) {}

    /// Lanes access shared memory, at an offset that lies inside of it.
    #[inline(always)]
    fn shared(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind) {}

    /// Lanes access global memory: the allocation of that number among the launch's views, at that offset.
    #[inline(always)]
    fn global(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind, place: (usize, u64)) {}

    /// A lane accesses its local memory.
    fn local(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run) {}

    /// Whether lanes may access shared memory as they did before, between two offsets, with nothing to complain of but
    /// what [`Self::again`] will find.
    #[inline(always)]
    fn fits(&self, warp: &Warp<'_>, pc: u32, write: bool, span: (u64, u64), runs: impl Iterator<Item = Run>) -> bool {
        true
    }

    /// As [`Self::shared`] for all runs of a plain access whose lanes lie to each other as they did before.
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

    /// A copy tells of its end by an access to an object in shared memory.
    fn copy_tells(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind) {}

    /// Lanes have entered a function.
    fn called(&mut self, warp: &Warp<'_>, function: u32) {}

    /// Lanes are at a branch; those of `mask` take it, the others of the warp's do not.
    fn branches(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {}

    /// Lanes arrive at a barrier of the block.
    fn arrives(&mut self, warp: &Warp<'_>, id: u32, arrival: &Arrival) {}

    /// A barrier is complete. `whole` says that it is one of all threads of the block.
    fn meets(&mut self, scene: &mut Scene<'p>, block: &BlockState, id: u32, arrivals: &[Arrival], whole: bool) {}

    /// Lanes come to a warp-wide operation with these member masks, where it has any.
    fn lanes_come(&mut self, scene: &mut Scene<'p>, at: &At<'_>, masks: Option<&[u32; 32]>) {}

    /// Lanes have executed a warp-wide operation together; `brought` is what they came with. Told afterwards.
    fn lanes_meet(&mut self, scene: &mut Scene<'p>, at: &At<'_>, event: &Event, brought: Option<&Brought>) {}

    /// `fence`, `membar`.
    fn fence(&mut self, warp: &Warp<'_>, order: Order, scope: Scope, mask: u32) {}

    /// What it could not look at, in one sentence.
    fn note(&self) -> Option<&'static str> {
        None
    }
}
