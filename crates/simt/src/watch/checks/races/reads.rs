//! Deferred reads of shared memory.
//!
//! A tile is written, all threads meet, it is read many times, all threads meet again: the second barrier settles every
//! one of those reads before any write could race with them. So if barriers of all threads are the only order, plain
//! reads of bytes that have not been written since the last one are not entered into the cells. They are recorded here,
//! run by run, and forgotten at the barrier. If a write comes near one of them before that, they are entered first,
//! with their original stamps, and the write meets them in the cells as if they had always been there.
//!
//! Nothing is lost. Writes before the barrier are settled for all threads, so such a read cannot race with what came
//! before it; and a later access either overlaps it and has it entered, or does not concern it. Every cell sees its
//! accesses in the order in which they were made, which decides which two reads it keeps.

use crate::watch::checks::runs::Run;

/// Reads that are deferred at once; with more than that in an interval, all of it goes to the cells.
const MOST: usize = 1024;
/// Reads that a write examines one by one before it gives up and has all of them entered.
const FEW: usize = 16;

/// A range of bytes that covers everything added to it.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u64,
    end: u64,
}

impl Span {
    const EMPTY: Self = Self { start: u64::MAX, end: 0 };
    const ALL: Self = Self { start: 0, end: u64::MAX };

    #[inline(always)]
    fn overlaps(self, (start, end): (u64, u64)) -> bool {
        start < self.end && self.start < end
    }

    #[inline(always)]
    fn add(&mut self, (start, end): (u64, u64)) {
        (self.start, self.end) = (self.start.min(start), self.end.max(end));
    }
}

/// A deferred read: the stamp of its warp's lane 0, and the run.
pub(super) type Read = (u64, Run);

/// The reads of a block since its last barrier of all threads.
#[derive(Debug)]
pub(super) struct Reads {
    list: Vec<Read>,
    /// Where they lie.
    span: Span,
    /// Where anything other than plain reads happened since the barrier; everywhere, once there are too many.
    changed: Span,
}

impl Reads {
    /// Memory that it takes.
    pub(super) const BYTES: usize = MOST * size_of::<Read>();

    pub(super) fn new() -> Self {
        Self { list: Vec::new(), span: Span::EMPTY, changed: Span::EMPTY }
    }

    /// All threads have met: the reads are over.
    pub(super) fn settle(&mut self) {
        self.list.clear();
        (self.span, self.changed) = (Span::EMPTY, Span::EMPTY);
    }

    /// Defers plain reads of a warp that lie between two addresses; false, with nothing done, if they have to go to the
    /// cells.
    #[inline(always)]
    pub(super) fn put_off(&mut self, span: (u64, u64), reads: impl ExactSizeIterator<Item = Read>) -> bool {
        if self.changed.overlaps(span) {
            return false;
        }
        if self.list.len() + reads.len() > MOST {
            self.changed = Span::ALL;
            return false;
        }
        self.span.add(span);
        self.list.extend(reads);
        true
    }

    /// A plain read that could not be deferred is about to be entered. True if others must be entered before it.
    #[inline(always)]
    pub(super) fn read(&self, span: (u64, u64)) -> bool {
        self.span.overlaps(span)
    }

    /// A plain write or a strong access is about to be entered. True if deferred reads must be entered before it.
    pub(super) fn change(&mut self, stamp: u64, run: &Run, plain: bool) -> bool {
        let span = (run.address, run.address + run.len());
        self.changed.add(span);
        if !self.span.overlaps(span) {
            return false;
        }
        if !plain || self.list.len() > FEW {
            return true;
        }
        // Lanes that write what only they themselves have read end those reads.
        self.list.retain(|&(read, other)| !(same_warp(read, stamp) && other == *run && !run.is_shared()));
        let near = |other: &Run| other.address < span.1 && span.0 < other.address + other.len();
        self.list.iter().any(|(_, other)| near(other))
    }

    /// Removes the reads, to be entered.
    pub(super) fn take(&mut self) -> Vec<Read> {
        self.span = Span::EMPTY;
        std::mem::take(&mut self.list)
    }

    /// Returns the list, to reuse its memory.
    pub(super) fn reuse(&mut self, mut list: Vec<Read>) {
        list.clear();
        if self.list.is_empty() {
            self.list = list;
        }
    }
}

/// Whether two stamps of lane 0 are of the same warp; they are of one block.
fn same_warp(a: u64, b: u64) -> bool {
    (a ^ b) & super::stamp::WARP_BITS == 0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ops::Range;

    use proptest::prelude::*;

    use super::super::block::{BlockRaces, Mode};
    use super::super::page::Found;
    use super::super::stamp::Layout;
    use super::*;
    use crate::lanes::{FULL, Level, lanes_of};
    use crate::watch::checks::kind::Kind;

    const ATOMIC: Kind = Kind { write: true, atomic: true, strong: true, wide: true, size: 4 };
    const VOLATILE: Kind = Kind { write: false, atomic: false, ..ATOMIC };

    /// What a block does next.
    #[derive(Clone, Debug)]
    enum Step {
        Access(u32, Run, Kind),
        BlockMeets,
        WarpMeets(u32),
    }

    fn mode() -> Mode {
        Mode { layout: Layout::new(1), level: Level::detect(), lists: false, flags: false }
    }

    /// A block of 96 threads with 128 bytes.
    fn block() -> BlockRaces {
        let mut races = BlockRaces::new(mode(), 96, 128);
        races.start(0);
        races
    }

    fn read(address: u64) -> Run {
        Run { lane: 0, mask: FULL, address, bytes: 4, same: false }
    }

    fn access(races: &mut BlockRaces, warp: u32, run: Run, kind: Kind) -> Vec<Found> {
        let mut found = Vec::new();
        races.shared(mode(), warp, 0, run, kind, &mut found);
        found
    }

    #[test]
    fn a_write_meets_the_reads_that_were_put_off() {
        let mut races = block();
        assert_eq!(access(&mut races, 0, read(0), Kind::READ), []);
        assert_eq!(races.reads.list.len(), 1);
        assert_eq!(access(&mut races, 0, read(0), Kind::WRITE), [], "each lane its own");
        assert_eq!(races.reads.list.len(), 0, "over");
        races.block_meets();
        assert_eq!(access(&mut races, 0, read(0), Kind::READ), []);
        assert_eq!(access(&mut races, 1, Run::one(3, 8, 4), Kind::WRITE).len(), 1);
        races.block_meets();
        assert_eq!(access(&mut races, 2, read(0), Kind::READ), []);
        races.block_meets();
        assert_eq!(access(&mut races, 1, read(0), Kind::WRITE), [], "settled");
        assert_eq!(access(&mut races, 2, Run::one(0, 0, 4), Kind::READ).len(), 1, "written in this interval");
        assert_eq!(races.reads.list.len(), 0, "went to the cells");
    }

    #[test]
    fn there_is_an_end_to_putting_off() {
        let mut races = block();
        for _ in 0..2 * MOST {
            assert_eq!(access(&mut races, 0, read(0), Kind::READ), []);
        }
        assert_eq!(races.reads.list.len(), 0, "all have gone to the cells");
        assert_eq!(access(&mut races, 1, Run::one(3, 8, 4), Kind::WRITE).len(), 1);
        races.block_meets();
        assert_eq!(access(&mut races, 0, read(0), Kind::READ), []);
        assert_eq!(races.reads.list.len(), 1, "a new interval");
    }

    #[test]
    fn reads_that_are_put_off_do_not_overtake_others() {
        let mut races = block();
        let at = |lane: u32, address: u64| Run::one(lane, address, 4);
        assert_eq!(access(&mut races, 0, at(6, 64), Kind::READ), [], "put off");
        races.clock.warp_meets(0);
        // Writes on both sides: what lies between goes to the cells from here on.
        assert_eq!(access(&mut races, 0, at(0, 0), Kind::WRITE), []);
        assert_eq!(access(&mut races, 0, at(0, 120), Kind::WRITE), []);
        assert_eq!(access(&mut races, 0, at(5, 64), Kind::READ), []);
        assert_eq!(access(&mut races, 0, at(7, 64), Kind::READ), []);
        assert_eq!(access(&mut races, 0, at(7, 64), Kind::WRITE).len(), 1, "lane 5 reads it too");
    }

    /// The bytes of each thread's access.
    fn bytes(run: &Run) -> Vec<(u32, Range<u64>)> {
        let start =
            |lane: u32| if run.same { run.address } else { run.address + u64::from((lane - run.lane) * run.bytes) };
        let lane = |lane: usize| (lane as u32, start(lane as u32)..start(lane as u32) + u64::from(run.bytes));
        lanes_of(run.mask).map(lane).collect()
    }

    /// Warp, lane, the warp's barriers so far, bytes and kind of an access.
    type Open = (u32, u32, u32, Range<u64>, Kind);

    /// Whether anything races, by comparing every access with every other.
    fn any_race(steps: &[Step]) -> bool {
        let mut warp_epochs = [0u32; 3];
        let mut open: Vec<Open> = Vec::new();
        for step in steps {
            match step {
                Step::BlockMeets => open.clear(),
                Step::WarpMeets(warp) => warp_epochs[*warp as usize] += 1,
                Step::Access(warp, run, kind) => {
                    let epoch = warp_epochs[*warp as usize];
                    for (lane, at) in bytes(run) {
                        let races = |(w, l, e, other, k): &Open| {
                            let ordered = w == warp && (*l == lane || *e < epoch);
                            !ordered && other.start < at.end && at.start < other.end && kind.conflicts(*k, true)
                        };
                        if open.iter().any(races) {
                            return true;
                        }
                        open.push((*warp, lane, epoch, at, *kind));
                    }
                }
            }
        }
        false
    }

    fn run() -> impl Strategy<Value = Run> {
        let bytes = prop_oneof![Just(1u32), Just(4), Just(4), Just(8)];
        let counts = prop_oneof![Just(1u32), 1u32..8];
        let places = prop_oneof![Just(0u64), Just(4), 0u64..8];
        (bytes, 0u32..32, counts, places, any::<bool>()).prop_map(|(bytes, lane, count, at, same)| {
            let mask = (u64::from(u32::MAX) >> (32 - count) << lane) as u32;
            Run { lane, mask, address: at * 8, bytes, same }
        })
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let kinds = prop_oneof![8 => Just(Kind::READ), 2 => Just(Kind::WRITE), 1 => Just(ATOMIC), 1 => Just(VOLATILE)];
        let access = (0u32..3, run(), kinds).prop_map(|(warp, run, kind)| {
            // Strong accesses have words, as instructions do.
            let bytes = if kind.strong { 4 } else { run.bytes };
            Step::Access(warp, Run { bytes, ..run }, kind)
        });
        let step = prop_oneof![10 => access, 2 => Just(Step::BlockMeets), 2 => (0u32..3).prop_map(Step::WarpMeets)];
        prop::collection::vec(step, 1..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4096, ..ProptestConfig::default() })]
        #[test]
        fn what_is_found_does_not_depend_on_putting_off(steps in steps()) {
            let (mut lazy, mut eager) = (block(), block());
            let mut found = false;
            for step in &steps {
                match step {
                    Step::BlockMeets => [&mut lazy, &mut eager].into_iter().for_each(BlockRaces::block_meets),
                    Step::WarpMeets(warp) => [&mut lazy, &mut eager].into_iter().for_each(|b| b.clock.warp_meets(*warp)),
                    Step::Access(warp, run, kind) => {
                        let first = access(&mut lazy, *warp, *run, *kind);
                        let second = eager.eagerly(*warp, *run, *kind);
                        // Words may have become bytes earlier in one of them.
                        let words = |found: &[Found]| found.iter().map(|(at, _)| at / 4).collect::<BTreeSet<_>>();
                        prop_assert_eq!(words(&first), words(&second), "{:?}", step);
                        found |= !first.is_empty();
                    }
                }
                if found {
                    // Only the first race is promised.
                    break;
                }
            }
            // A strong read that has seen a strong write may order more than this knows about.
            let plain = steps.iter().all(|step| !matches!(step, Step::Access(_, _, kind) if kind.strong));
            prop_assert!(any_race(&steps) == found || !plain && !found);
        }
    }

    impl BlockRaces {
        /// Like [`BlockRaces::shared`], but with nothing deferred.
        fn eagerly(&mut self, warp: u32, run: Run, kind: Kind) -> Vec<Found> {
            let mut found = Vec::new();
            let stamp = self.clock.stamp(warp);
            self.enter(mode(), stamp, run, kind, &mut found);
            found
        }
    }
}
