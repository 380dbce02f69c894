//! The clock of a block: which thread is ordered after which.
//!
//! Time is one number for the whole block; it moves on whenever threads synchronise, and accesses are stamped with it.
//! A barrier of all threads settles everything before it with one number for the block, a `bar.warp.sync` of all lanes
//! with one for the warp. Everything else (barriers of some threads, release and acquire) is kept for each thread as
//! [`Knowledge`], which costs nothing until the first such event.

use super::knowledge::{Knowledge, View};
use super::stamp::{Horizon, Layout, Parts};
use crate::lanes::lanes_of;

/// How far a fence or an atomic reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// The block.
    Block,
    /// Every block.
    Grid,
}

/// What a thread had done when it executed its last fence of a reach.
#[derive(Clone, Debug)]
struct Fence {
    time: u64,
    block_time: u64,
    warp_time: u64,
    known: Knowledge,
}

/// What a thread knows and has yet to pass on.
#[derive(Clone, Debug, Default)]
struct Thread {
    known: Knowledge,
    /// By reach.
    fences: [Option<Fence>; 2],
    /// Seen by strong reads, to be learnt at the next fence of that reach.
    seen: [Knowledge; 2],
    /// What fences before a barrier have prepared for threads that write a flag after it.
    handed: [Knowledge; 2],
}

impl Thread {
    fn learn(&mut self, other: &Self) {
        self.known.learn(&other.known);
        for (mine, theirs) in self.seen.iter_mut().zip(&other.seen) {
            mine.learn(theirs);
        }
        for (mine, theirs) in self.handed.iter_mut().zip(&other.handed) {
            mine.learn(theirs);
        }
    }
}

/// The clock of one block.
#[derive(Debug)]
pub(crate) struct Clock {
    layout: Layout,
    block: u64,
    time: u64,
    block_time: u64,
    warp_times: Vec<u64>,
    /// Empty until a thread knows more than barriers of the whole block or warp imply.
    threads: Vec<Thread>,
    count: usize,
}

impl Clock {
    pub(crate) fn new(layout: Layout, threads: u32) -> Self {
        let warps = threads.div_ceil(32) as usize;
        Self {
            layout,
            block: 0,
            time: 1,
            block_time: 0,
            warp_times: vec![0; warps],
            threads: Vec::new(),
            count: threads as usize,
        }
    }

    /// A block starts.
    pub(crate) fn start(&mut self, block: u64) {
        self.block = self.layout.parts(self.layout.block(block)).block;
        (self.time, self.block_time) = (1, 0);
        self.warp_times.fill(0);
        self.threads.clear();
    }

    /// The stamp of a warp's first thread now.
    pub(crate) fn stamp(&self, warp: u32) -> u64 {
        self.layout.block(self.block) | self.layout.time(self.time) | super::stamp::thread(warp * 32)
    }

    /// Whether time has run out: later accesses can no longer be distinguished.
    pub(crate) fn is_spent(&self) -> bool {
        self.time >= self.layout.last_time()
    }

    /// What a warp uses to judge order.
    pub(crate) fn judge(&self, warp: u32, lists: bool) -> Judge<'_> {
        let horizon = Horizon::new(self.layout, self.block_time, self.warp_times[warp as usize]);
        Judge { horizon, layout: self.layout, clock: self, lists, crowded: false }
    }

    fn thread(&mut self, thread: u32) -> Option<&mut Thread> {
        if self.threads.is_empty() {
            self.threads.resize(self.count, Thread::default());
        }
        self.threads.get_mut(thread as usize)
    }

    /// What is known when a thread has passed a point: its own past, its warp's and its block's.
    fn past(&self, thread: u32, time: u64, block_time: u64, warp_time: u64, known: &Knowledge) -> Knowledge {
        let view = View::all(block_time).and_warp(thread / 32, warp_time).and_thread(thread, time);
        let mut past = Knowledge::of(self.block, view);
        past.learn(known);
        past
    }

    fn now(&self, thread: u32) -> Knowledge {
        let warp_time = self.warp_times[thread as usize / 32];
        let nothing = Knowledge::default();
        let known = self.threads.get(thread as usize).map_or(&nothing, |t| &t.known);
        self.past(thread, self.time, self.block_time, warp_time, known)
    }

    /// All lanes of a warp that have not exited met at `bar.warp.sync`.
    pub(crate) fn warp_meets(&mut self, warp: u32) {
        if !self.threads.is_empty() {
            let lanes = warp * 32..(warp * 32 + 32).min(self.count as u32);
            self.share(lanes.clone(), lanes, Knowledge::default());
        }
        self.warp_times[warp as usize] = self.time;
        self.time += 1;
    }

    /// All threads that have not exited met at a barrier.
    pub(crate) fn block_meets(&mut self) {
        if !self.threads.is_empty() {
            self.share(0..self.count as u32, 0..self.count as u32, Knowledge::default());
        }
        self.block_time = self.time;
        self.time += 1;
    }

    /// All that the block's threads have done and know.
    pub(super) fn everything(&self) -> Knowledge {
        let mut all = Knowledge::of(self.block, View::all(self.time));
        for thread in &self.threads {
            all.learn(&thread.known);
        }
        all
    }

    /// Every thread of the block learns something.
    pub(super) fn learn(&mut self, known: &Knowledge) {
        for thread in (0..self.count as u32).filter(|_| !known.is_empty()) {
            if let Some(thread) = self.thread(thread) {
                thread.known.learn(known);
            }
        }
    }

    /// Returns the current time and advances it.
    pub(crate) fn tick(&mut self) -> u64 {
        self.time += 1;
        self.time - 1
    }

    /// Some threads met: those that `come` are ordered before those that `go`. Given as lanes of warps, and the time
    /// when they came.
    pub(crate) fn some_meet(&mut self, come: &[(u32, u32, u64)], go: &[(u32, u32)]) {
        let threads = |warp: u32, lanes: u32| lanes_of(lanes).map(move |lane| warp * 32 + lane as u32);
        let mut view = View::all(self.block_time);
        for &(warp, lanes, time) in come {
            view = view.and_warp(warp, self.warp_times[warp as usize].min(time));
            view = threads(warp, lanes).fold(view, |view, t| view.and_thread(t, time));
        }
        let came: Vec<u32> = come.iter().flat_map(|&(warp, lanes, _)| threads(warp, lanes)).collect();
        let went: Vec<u32> = go.iter().flat_map(|&(warp, lanes)| threads(warp, lanes)).collect();
        self.share(came.into_iter(), went.into_iter(), Knowledge::of(self.block, view));
        self.time += 1;
    }

    /// Gives the threads that go what any of those that come knows, and `more`.
    ///
    /// A fence before a barrier counts for any thread that writes a flag after it: hardware has made the writes before
    /// the fence visible by then, whichever thread publishes them.
    fn share(&mut self, come: impl Iterator<Item = u32>, go: impl Iterator<Item = u32>, more: Knowledge) {
        let mut all = Thread { known: more, ..Thread::default() };
        for t in come {
            let Some(thread) = self.thread(t) else { continue };
            let fences = std::mem::take(&mut thread.fences);
            for (reach, f) in fences.into_iter().enumerate().filter_map(|(reach, fence)| Some((reach, fence?))) {
                let past = self.past(t, f.time, f.block_time, f.warp_time, &f.known);
                self.threads[t as usize].handed[reach].learn(&past);
            }
            all.learn(&self.threads[t as usize]);
        }
        for t in go {
            if let Some(thread) = self.thread(t) {
                thread.learn(&all);
            }
        }
    }

    /// Threads execute a fence.
    pub(crate) fn fence(&mut self, warp: u32, lanes: u32, reach: Reach) {
        let (time, block_time, warp_time) = (self.time, self.block_time, self.warp_times[warp as usize]);
        for lane in lanes_of(lanes) {
            let Some(thread) = self.thread(warp * 32 + lane as u32) else { continue };
            for seen in &mut thread.seen[..=reach as usize] {
                thread.known.learn(&std::mem::take(seen));
            }
            let fence = Fence { time, block_time, warp_time, known: thread.known.clone() };
            for place in &mut thread.fences[..=reach as usize] {
                *place = Some(fence.clone());
            }
        }
        self.time += 1;
    }

    /// What a strong write of a thread publishes to those in reach: everything before its last fence, or, if the write
    /// is a release, everything it has done.
    pub(super) fn release(&mut self, thread: u32, reach: Reach, releases: bool) -> Knowledge {
        let mut told = Knowledge::default();
        if releases {
            told = self.now(thread);
            self.time += 1;
        }
        if let Some(t) = self.threads.get(thread as usize) {
            told.learn(&t.handed[reach as usize]);
            if let Some(f) = &t.fences[reach as usize] {
                told.learn(&self.past(thread, f.time, f.block_time, f.warp_time, &f.known));
            }
        }
        told
    }

    /// A strong read of a thread has seen what was published; it is learnt now if the read is an acquire, else at the
    /// next fence.
    pub(super) fn acquire(&mut self, thread: u32, reach: Reach, acquires: bool, told: &Knowledge) {
        if told.is_empty() {
            return;
        }
        if let Some(thread) = self.thread(thread) {
            if acquires {
                thread.known.learn(told);
            } else {
                thread.seen[reach as usize].learn(told);
            }
        }
    }

    /// The number of the block, as stamps have it.
    pub(crate) fn block(&self) -> u64 {
        self.block
    }
}

/// What a warp uses to judge the order of accesses.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'c> {
    pub(super) horizon: Horizon,
    layout: Layout,
    clock: &'c Clock,
    /// Whether order may come from less than full barriers, so that all open accesses have to be kept.
    pub(super) lists: bool,
    /// Whether there are so many records that they must be short.
    pub(super) crowded: bool,
}

impl Judge<'_> {
    /// Whether the access with the stamp `old` comes before the thread of `mine` continues.
    pub(super) fn ordered(&self, old: u64, mine: u64) -> bool {
        if self.horizon.settled(old, mine) {
            return true;
        }
        if self.clock.threads.is_empty() {
            return false;
        }
        let Parts { block, time, thread, .. } = self.layout.parts(old);
        let me = self.layout.parts(mine).thread;
        self.clock.threads.get(me as usize).is_some_and(|t| t.known.covers(block, thread, time))
    }

    pub(super) fn same_block(&self, a: u64, b: u64) -> bool {
        !self.horizon.other_block(a, b)
    }

    /// How far two threads are apart: more for two blocks than for two warps, more for two warps than for two lanes.
    pub(super) fn distance(&self, a: u64, b: u64) -> u32 {
        u32::from(self.horizon.other_warp(a, b)) + u32::from(self.horizon.other_block(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(clock: &Clock, old: u64, warp: u32, lane: u64) -> bool {
        let mine = clock.stamp(warp) + lane * super::super::stamp::NEXT_LANE;
        clock.judge(warp, true).ordered(old, mine)
    }

    #[test]
    fn barriers_order_those_who_were_there() {
        let mut clock = Clock::new(Layout::new(8), 128);
        clock.start(5);
        let first = clock.stamp(0);
        assert!(!ordered(&clock, first, 0, 1) && !ordered(&clock, first, 1, 0));
        clock.warp_meets(0);
        assert!(ordered(&clock, first, 0, 1) && !ordered(&clock, first, 1, 0));
        let second = clock.stamp(0);
        let time = clock.tick();
        clock.some_meet(&[(0, 1, time)], &[(2, 1 << 7)]);
        assert!(ordered(&clock, second, 2, 7) && !ordered(&clock, second, 2, 6) && !ordered(&clock, second, 1, 7));
        assert!(ordered(&clock, first, 2, 7), "what the warp had shared before");
        clock.warp_meets(2);
        assert!(ordered(&clock, second, 2, 6), "handed on");
        clock.block_meets();
        assert!(ordered(&clock, second, 1, 7) && ordered(&clock, first, 3, 31));
    }

    #[test]
    fn a_flag_orders_through_fences() {
        let mut clock = Clock::new(Layout::new(8), 64);
        clock.start(0);
        let data = clock.stamp(0);
        let early = clock.release(0, Reach::Grid, false);
        assert!(early.is_empty(), "no fence yet");
        clock.fence(0, 1, Reach::Grid);
        let later = clock.stamp(0);
        let told = clock.release(0, Reach::Grid, false);
        clock.acquire(40, Reach::Grid, false, &told);
        assert!(!ordered(&clock, data, 1, 8), "seen, but no fence yet");
        clock.fence(1, 1 << 8, Reach::Grid);
        assert!(ordered(&clock, data, 1, 8) && !ordered(&clock, data, 1, 9));
        assert!(!ordered(&clock, later, 1, 8), "after the fence");
        clock.acquire(41, Reach::Grid, true, &told);
        assert!(ordered(&clock, data, 1, 9), "an acquire needs no fence");
    }

    #[test]
    fn a_fence_of_the_block_does_not_reach_the_grid() {
        let mut clock = Clock::new(Layout::new(8), 64);
        clock.start(0);
        clock.fence(0, 1, Reach::Block);
        assert!(clock.release(0, Reach::Grid, false).is_empty());
        assert!(!clock.release(0, Reach::Block, false).is_empty());
    }

    #[test]
    fn fences_before_a_barrier_count_after_it() {
        let mut clock = Clock::new(Layout::new(8), 64);
        clock.start(0);
        let data = clock.stamp(1) + 3 * super::super::stamp::NEXT_LANE;
        clock.fence(1, u32::MAX, Reach::Grid);
        clock.block_meets();
        let told = clock.release(0, Reach::Grid, false);
        let parts = Layout::new(8).parts(data);
        assert!(told.covers(0, parts.thread, parts.time));
    }
}
