//! Races, found by happens-before.
//!
//! Two accesses race when they touch a common byte, at least one writes, they are not both atomic (or volatile,
//! relaxed, ...) at a scope that holds both threads, and nothing orders them. Order is defined by the PTX memory model:
//! program order; a barrier that both threads took part in; `bar.warp.sync`; and a chain of release and acquire, by
//! fences around strong accesses or by accesses that release and acquire themselves. Lanes of a warp are threads like
//! any others: that they happen to run in step orders nothing, and neither do `shfl`, `vote` or `match`, which promise
//! to exchange values and say nothing of memory.
//!
//! Values do not matter. Whether two accesses are ordered does not depend on which came first this time, so one run is
//! enough to find a race that shows up once in a million; code that is never executed is never checked.
//!
//! # Clocks
//!
//! In theory every thread has a clock with an entry for every other thread, merged whenever two of them synchronise. In
//! practice nearly all order comes from `__syncthreads()`. So a block has one [`Clock`]: a time that moves on at every
//! synchronisation, the time of its last barrier of all threads, and for each warp the time of its last `bar.warp.sync`
//! of all lanes. An access is *stamped* with block, time and thread; whether it is over is one comparison for all
//! accesses of the block before the barrier ([`stamp::Horizon`]). Everything else (named barriers of some warps,
//! `__syncwarp` of some lanes, flags and fences, other blocks) adds [`knowledge`] to single threads: a sparse vector
//! clock that does not exist until the first such event, and is consulted only when the quick test fails.
//!
//! # Cells
//!
//! Every word of memory that is touched has a cell with the last write and two reads ([`cells`]). That is the idea of
//! FastTrack (Flanagan and Freund, 2009): the first race on each location is found, with a constant amount of memory
//! for it. Two reads are enough if barriers of all threads are the only order, which is known when a kernel is
//! launched; otherwise, and if atomics meet plain accesses, a cell grows into a [`record`] that lists all open
//! accesses. Cells are for words until a part of a word is touched, then for bytes ([`page`]).
//!
//! A warp that reads or writes neighbouring words, the common case, is handled by one loop over neighbouring cells that
//! becomes vector code. Reads of shared memory that no write can race with before the next barrier never reach the
//! cells at all ([`reads`]).
//!
//! # Order of host threads
//!
//! Blocks run on several host threads; pages of global memory are locked one at a time. Which of two blocks comes first
//! does not matter for whether they race, but for which accesses are found to do so: a launch whose blocks race is
//! repeated on one host thread, where the order is always the same. Kernels that synchronise blocks (they use fences,
//! acquire or release) run on one host thread when races are checked, so that it is always clear who published what to
//! whom.
//!
//! # What is taken to be fine
//!
//! - A fence before a barrier counts for a flag written after it, by whichever thread, and a flag read before a barrier
//!   for a fence after it. Strictly, the model wants fence and flag in one thread; hardware does not, and
//!   `__threadfence(); __syncthreads(); if (t == 0) atomicAdd(...)` is the usual idiom.
//! - Threads that have exited count as having arrived at every later barrier of their block.
//!
//! What is no race but warned of, lanes of a warp that count on running in step, is in [`lockstep`]. Advice comes from
//! the code: [`updates`] finds values that are changed in place, [`rounds`] the loops that a barrier is missing from,
//! [`signals`] the flags and locks that fences are missing from. Races that lie in a library are told from the
//! program's in [`library`].

mod block;
mod cells;
mod clock;
mod flags;
mod knowledge;
mod library;
mod lockstep;
mod page;
mod plan;
mod reads;
mod record;
mod report;
mod retries;
mod rounds;
mod shadow;
mod signals;
mod stamp;
mod updates;
mod words;

use super::arrival::Arrival;
use super::brought::Brought;
use super::check::{Check, CheckEntry};
use super::kind::Kind;
use super::plan::Plan;
use super::runs::Run;
use super::scene::{At, Scene};
use crate::image::event::{Event, Order, Scope};
use crate::lanes::lanes_of;
use crate::report::{FindingKind, MemorySpace, Severity};
use crate::warp::{BlockState, ClusterState, Warp};
use block::{BlockRaces, reach};
use flags::Flags;
use knowledge::Knowledge;
use page::Found;
use plan::Prepared;

/// Two accesses to the same bytes with no order between them, at least one a write.
const RACE: FindingKind = FindingKind::new("race", Severity::Error);

pub(super) const ENTRY: CheckEntry = CheckEntry {
    is_sequential: plan::is_sequential,
    ..CheckEntry::new("races", "accesses to the same bytes with no order between them", &[RACE])
};

/// Reported if races could not be tracked to the end.
const LOST: &str = "races were not followed to the end of this launch: it touches more memory, or uses more flags, than \
                    the check has room for; try fewer elements";

/// The check.
pub(super) struct Races<'p> {
    prepared: &'p Prepared,
    threads: u32,
    shared_bytes: u32,
    /// By slot.
    blocks: Vec<Block>,
    /// Races of the current access.
    found: Vec<Found>,
    /// What strong writes to global memory published; used only with one host thread.
    flags: Flags,
    /// Memory for checking races ran out.
    lost: bool,
}

/// A running block.
struct Block {
    races: BlockRaces,
    /// By barrier: when lanes arrived there, in the block's time.
    arrived: [Vec<u64>; 16],
}

impl Races<'_> {
    fn block(&mut self, warp: &Warp<'_>) -> &mut Block {
        &mut self.blocks[warp.block().slot as usize]
    }
}

impl<'p> Check<'p> for Races<'p> {
    type Prepared = Prepared;

    fn prepare(plan: &Plan<'p>) -> Prepared {
        Prepared::new(plan)
    }

    fn new(plan: &'p Plan<'p>, prepared: &'p Prepared) -> Self {
        Self {
            prepared,
            threads: plan.launch.threads(),
            shared_bytes: plan.launch.shared_bytes,
            blocks: Vec::new(),
            found: Vec::new(),
            flags: Flags::default(),
            lost: false,
        }
    }

    fn wants(_: &Prepared, _: u32, event: &Event) -> bool {
        match event {
            Event::Barrier(_) | Event::ClusterArrive | Event::WarpBarrier => true,
            Event::Exit | Event::Return | Event::Fence(..) => true,
            event => event.touches_memory(),
        }
    }

    /// Cells for every byte of shared memory, clocks for every thread, deferred reads.
    fn footprint(&self, _: &Plan<'_>) -> usize {
        self.shared_bytes as usize * 24 + self.threads as usize * 256 + BlockRaces::READS
    }

    fn block_starts(&mut self, block: &BlockState) {
        let slot = block.slot as usize;
        while self.blocks.len() <= slot {
            let races = BlockRaces::new(self.prepared.mode, self.threads, self.shared_bytes);
            self.blocks.push(Block { races, arrived: Default::default() });
        }
        let Block { races, arrived } = &mut self.blocks[slot];
        races.start(block.linear);
        arrived.iter_mut().for_each(Vec::clear);
    }

    #[inline(always)]
    fn shared(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind) {
        let (prepared, slot) = (self.prepared, at.slot());
        let races = &mut self.blocks[slot].races;
        if races.clock.is_spent() {
            self.lost = true;
            return;
        }
        races.shared(prepared.mode, at.warp.index, prepared.site(at.pc), run, kind, &mut self.found);
        if !self.found.is_empty() {
            self.report(scene, at, MemorySpace::Shared, None);
        }
        if prepared.mode.flags
            && kind.is_strong()
            && let Some(access) = at.access
        {
            self.lost |= !self.blocks[slot].races.flags(at.warp.index, access, run, None);
        }
    }

    #[inline(always)]
    fn global(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind, (view, offset): (usize, u64)) {
        let (prepared, slot) = (self.prepared, at.slot());
        let races = &self.blocks[slot].races;
        if self.lost || races.clock.is_spent() {
            self.lost = true;
            return;
        }
        let (site, place) = (prepared.site(at.pc), (run, view, offset));
        let cells = (&prepared.shadow, &mut self.found);
        self.lost |= !races.global(prepared.mode, at.warp.index, site, place, kind, cells);
        if !self.found.is_empty() {
            self.report(scene, at, MemorySpace::Global, Some(view));
        }
        if prepared.mode.flags
            && kind.is_strong()
            && let Some(access) = at.access
        {
            self.lost |= !self.blocks[slot].races.flags(at.warp.index, access, run, Some(&mut self.flags));
        }
    }

    #[inline(always)]
    fn again(
        &mut self,
        scene: &mut Scene<'p>,
        at: &At<'_>,
        kind: Kind,
        span: (u64, u64),
        runs: impl ExactSizeIterator<Item = Run> + Clone,
    ) {
        let prepared = self.prepared;
        let races = &mut self.blocks[at.slot()].races;
        if races.clock.is_spent() {
            self.lost = true;
            return;
        }
        let site = prepared.site(at.pc);
        if kind == Kind::READ && races.put_off(prepared.mode, at.warp.index, site, span, runs.clone()) {
            return;
        }
        for run in runs {
            races.shared(prepared.mode, at.warp.index, site, run, kind, &mut self.found);
        }
        if !self.found.is_empty() {
            self.report(scene, at, MemorySpace::Shared, None);
        }
    }

    /// It may overwrite what others still read.
    fn copy_starts(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run) {
        self.shared(scene, at, run, Kind::WRITE);
    }

    /// Nothing may read it earlier.
    fn copy_lands(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run) {
        self.shared(scene, at, run, Kind::WRITE);
    }

    fn copy_tells(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind) {
        self.shared(scene, at, run, kind);
    }

    /// Threads that arrive and continue do so at a later time; the others stand still until all have arrived.
    fn arrives(&mut self, warp: &Warp<'_>, id: u32, arrival: &Arrival) {
        let Block { races, arrived } = self.block(warp);
        let goes_on = arrival.barrier.arrive || arrival.barrier.counted;
        let time = if goes_on { races.clock.tick() } else { 0 };
        if let Some(times) = arrived.get_mut(id as usize) {
            times.push(time);
        }
    }

    fn meets(&mut self, _: &mut Scene<'p>, state: &BlockState, id: u32, arrivals: &[Arrival], whole: bool) {
        let Block { races, arrived } = &mut self.blocks[state.slot as usize];
        let times = &mut arrived[id as usize];
        let threads: u32 = arrivals.iter().map(|a| a.mask.count_ones()).sum();
        let arrive_only = arrivals.iter().any(|a| a.barrier.arrive);
        if whole || threads >= state.live && !arrive_only {
            races.block_meets();
        } else {
            let come: Vec<(u32, u32, u64)> = arrivals.iter().zip(&*times).map(|(a, &t)| (a.warp, a.mask, t)).collect();
            let waited = arrivals.iter().filter(|a| !a.barrier.arrive);
            let go: Vec<(u32, u32)> = waited.map(|a| (a.warp, a.mask)).collect();
            races.clock.some_meet(&come, &go);
        }
        times.clear();
    }

    /// All threads of the cluster met: each is ordered after what any did before.
    fn cluster_meets(&mut self, cluster: &ClusterState) {
        let mut all = Knowledge::default();
        if cluster.blocks.len() > 1 {
            for member in &cluster.blocks {
                all.learn(&self.blocks[member.slot as usize].races.clock.everything());
            }
        }
        for member in &cluster.blocks {
            let races = &mut self.blocks[member.slot as usize].races;
            races.clock.learn(&all);
            races.block_meets();
        }
    }

    fn lanes_meet(&mut self, _: &mut Scene<'p>, at: &At<'_>, event: &Event, brought: Option<&Brought>) {
        if !matches!(event, Event::WarpBarrier) {
            return;
        }
        let (index, live, lanes) = (at.warp.index, at.warp.live(), at.mask);
        let clock = &mut self.block(at.warp).races.clock;
        let named = |lane: usize| brought.map_or(lanes, |brought| brought.masks[lane] & lanes);
        let mut left = lanes;
        while left != 0 {
            // Tiles of a warp execute one instruction with masks of their own: each waits for its lanes only.
            let mask = named(left.trailing_zeros() as usize);
            let group = lanes_of(left).filter(|&lane| named(lane) == mask).fold(0, |group, lane| group | 1 << lane);
            left &= !group;
            if group & live == live {
                clock.warp_meets(index);
            } else {
                let time = clock.tick();
                clock.some_meet(&[(index, group, time)], &[(index, group)]);
            }
        }
    }

    fn fence(&mut self, warp: &Warp<'_>, order: Order, scope: Scope, mask: u32) {
        self.block(warp).races.clock.fence(warp.index, mask, reach(order, scope));
    }

    fn note(&self) -> Option<&'static str> {
        self.lost.then_some(LOST)
    }
}
