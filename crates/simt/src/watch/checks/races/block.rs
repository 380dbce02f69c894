//! What the warps of one block have done to memory, and when.

use super::super::runs::Run;
use super::clock::{Clock, Reach};
use super::flags::Flags;
use super::page::{Found, Page};
use super::reads::Reads;
use super::shadow::{PAGE, Shadow};
use super::stamp::{self, Layout};
use crate::image::event::{Access, Order, Scope};
use crate::lanes::{Level, lanes_of};
use crate::watch::checks::kind::Kind;

/// What the warps of one block have done to its shared memory, and when.
#[derive(Debug)]
pub(super) struct BlockRaces {
    pub(super) clock: Clock,
    page: Page,
    pub(super) reads: Reads,
    flags: Flags,
}

/// How a launch is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    pub(super) layout: Layout,
    pub(super) level: Level,
    /// Order may come from less than barriers of all threads.
    pub(super) lists: bool,
    /// Fences and flags are tracked.
    pub(super) flags: bool,
}

impl BlockRaces {
    /// Memory of deferred reads.
    pub(super) const READS: usize = Reads::BYTES;

    pub(super) fn new(mode: Mode, threads: u32, shared_bytes: u32) -> Self {
        Self {
            clock: Clock::new(mode.layout, threads),
            page: Page::new(shared_bytes as usize),
            reads: Reads::new(),
            flags: Flags::default(),
        }
    }

    /// A block starts: its shared memory is untouched.
    pub(super) fn start(&mut self, block: u64) {
        self.clock.start(block);
        self.page.clear();
        self.reads.settle();
        self.flags.clear();
    }

    /// All threads that have not exited met at a barrier.
    pub(super) fn block_meets(&mut self) {
        self.clock.block_meets();
        self.reads.settle();
    }

    /// Lanes access shared memory; `address` is the offset there. Races are added to `found`, with the offset.
    pub(super) fn shared(&mut self, mode: Mode, warp: u32, site: u32, run: Run, kind: Kind, found: &mut Vec<Found>) {
        let stamp = self.clock.stamp(warp) | u64::from(site);
        if !mode.lists {
            let first = if kind == Kind::READ {
                let span = (run.address, run.address + run.len());
                if self.reads.put_off(span, std::iter::once((stamp, run))) {
                    return;
                }
                self.reads.read(span)
            } else {
                self.reads.change(stamp, &run, !kind.strong)
            };
            if first {
                let reads = self.reads.take();
                for &(stamp, run) in &reads {
                    self.enter(mode, stamp, run, Kind::READ, found);
                }
                self.reads.reuse(reads);
            }
        }
        self.enter(mode, stamp, run, kind, found);
    }

    /// Plain reads of shared memory by a warp, all of them between two addresses: true if nothing more needs to be
    /// done.
    #[inline(always)]
    pub(super) fn put_off(
        &mut self,
        mode: Mode,
        warp: u32,
        site: u32,
        span: (u64, u64),
        runs: impl ExactSizeIterator<Item = Run>,
    ) -> bool {
        let stamp = self.clock.stamp(warp) | u64::from(site);
        !mode.lists && self.reads.put_off(span, runs.map(|run| (stamp, run)))
    }

    /// Enters an access to shared memory into the cells.
    pub(super) fn enter(&mut self, mode: Mode, stamp: u64, run: Run, kind: Kind, found: &mut Vec<Found>) {
        let judge = self.clock.judge(mode.layout.parts(stamp).thread / 32, mode.lists);
        let (start, len) = (run.address as usize, run.len() as usize);
        if run.is_shared() {
            self.page.together((start, len), stamp, run.mask, kind, &judge, found);
        } else {
            let first = stamp + stamp::thread(run.lane);
            self.page.run(mode.level, (start, start + len), run.bytes as usize, first, kind, &judge, found);
        }
    }

    /// Lanes access global memory; `offset` is that of the run in the allocation, and so are the places of races. False
    /// if it could not be tracked.
    pub(super) fn global(
        &self,
        mode: Mode,
        warp: u32,
        site: u32,
        (run, view, offset): (Run, usize, u64),
        kind: Kind,
        (shadow, found): (&Shadow, &mut Vec<Found>),
    ) -> bool {
        if !shadow.covers(view) {
            return true;
        }
        let judge = self.clock.judge(warp, mode.lists);
        let stamp = self.clock.stamp(warp) | u64::from(site);
        let (mut at, end) = (offset, offset + run.len());
        while at < end {
            let Some(mut page) = shadow.page(view, at) else { return false };
            let base = at - at % PAGE;
            let stop = end.min(base + PAGE);
            let (before, size) = (found.len(), page.footprint());
            let (from, to) = ((at - base) as usize, (stop - base) as usize);
            if run.is_shared() {
                page.together((from, to - from), stamp, run.mask, kind, &judge, found);
            } else {
                let lane = run.lane + ((at - offset) / u64::from(run.bytes)) as u32;
                let first = stamp + stamp::thread(lane);
                page.run(mode.level, (from, to), run.bytes as usize, first, kind, &judge, found);
            }
            let grown = page.footprint() - size.min(page.footprint());
            drop(page);
            if grown > 0 && !shadow.grow(grown) {
                return false;
            }
            for (place, _) in &mut found[before..] {
                *place += base as usize;
            }
            at = stop;
        }
        true
    }

    /// What strong accesses of lanes publish and learn. `others` are the flags of global memory, if that is meant.
    pub(super) fn flags(&mut self, warp: u32, access: &Access, run: Run, others: Option<&mut Flags>) -> bool {
        let reach = reach(access.order, access.scope);
        let flags = others.unwrap_or(&mut self.flags);
        let mut followed = true;
        for lane in lanes_of(run.mask) {
            let along = if run.same { 0 } else { (lane as u64 - u64::from(run.lane)) * u64::from(run.bytes) };
            for element in (0..run.bytes).step_by(access.element.max(1) as usize) {
                let address = run.address + along + u64::from(element);
                followed &= flags.access(&mut self.clock, warp * 32 + lane as u32, address, access, reach);
            }
        }
        followed
    }
}

/// How far an access or a fence reaches.
pub(super) fn reach(order: Order, scope: Scope) -> Reach {
    match scope {
        _ if matches!(order, Order::Volatile | Order::Mmio) => Reach::Grid,
        Scope::Cta => Reach::Block,
        // Other blocks of the cluster are as far as any.
        Scope::Cluster | Scope::Gpu | Scope::Sys => Reach::Grid,
    }
}
