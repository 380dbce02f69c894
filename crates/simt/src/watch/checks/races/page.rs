//! Pages: the cells of a stretch of memory.
//!
//! A page has a cell for each word until part of a word is touched; from then on it has one for each byte. So
//! neighbours that write neighbouring bytes never look like a race, and most memory needs cells only for words.

use std::collections::HashMap;

use super::cells::{Lanes, Run, keep, read_run, write_run};
use super::clock::Judge;
use super::record::{Entry, Race, Record};
use super::stamp::{EXPANDED, NEXT_LANE};
use crate::lanes::Level;
use crate::watch::checks::kind::Kind;

/// The number of records of a page beyond which they are kept short.
const CROWD: usize = 4096;
/// Cells between the arrays of a page: arrays a multiple of 4 KiB apart conflict in the host's caches, because a load
/// there waits for a store that has the same low bits.
const GAP: usize = 40;
/// Cells of a cache line.
const LINE: usize = 8;
/// Approximate memory of a record.
const RECORD_BYTES: usize = 160;

/// Write, read and other read of each granule: three arrays, each on a cache line.
#[derive(Debug)]
struct Cells {
    words: Vec<u64>,
    /// Where the first starts.
    origin: usize,
    /// From one to the next.
    stride: usize,
}

impl Cells {
    fn new(granules: usize) -> Self {
        let stride = granules.next_multiple_of(LINE) + GAP;
        let words = vec![0; 3 * stride + LINE];
        let origin = words.as_ptr().align_offset(LINE * 8).min(LINE);
        Self { words, origin, stride }
    }

    #[inline(always)]
    fn arrays(&mut self) -> [&mut [u64]; 3] {
        let (writes, rest) = self.words[self.origin..].split_at_mut(self.stride);
        let (reads, others) = rest.split_at_mut(self.stride);
        [writes, reads, others]
    }

    fn get(&self, granule: usize) -> [u64; 3] {
        [0, 1, 2].map(|array| self.words[self.origin + array * self.stride + granule])
    }

    fn put(&mut self, granule: usize, cell: [u64; 3]) {
        for (array, value) in cell.into_iter().enumerate() {
            self.words[self.origin + array * self.stride + granule] = value;
        }
    }
}

/// The cells of some bytes of memory.
#[derive(Debug)]
pub(crate) struct Page {
    /// A granule is one byte (0) or four (2).
    shift: u32,
    granules: usize,
    cells: Cells,
    records: HashMap<u32, Record>,
}

/// Where a race is: the byte in the page.
pub(crate) type Found = (usize, Race);

impl Page {
    /// For that many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let granules = bytes.div_ceil(4);
        Self { shift: 2, granules, cells: Cells::new(granules), records: HashMap::new() }
    }

    /// Forgets everything; granules stay as fine as they are.
    pub(crate) fn clear(&mut self) {
        self.cells.words.fill(0);
        self.records.clear();
    }

    /// Approximate memory that it takes.
    pub(crate) fn footprint(&self) -> usize {
        self.cells.words.len() * 8 + self.records.len() * RECORD_BYTES
    }

    /// Lanes with the stamps `first`, `first` plus one lane and so on access `bytes` bytes each, one after the other
    /// from `offset` to `end`.
    #[expect(clippy::too_many_arguments, reason = "who, where and what of an access, and whom to tell")]
    pub(crate) fn run(
        &mut self,
        level: Level,
        (offset, end): (usize, usize),
        bytes: usize,
        first: u64,
        kind: Kind,
        judge: &Judge<'_>,
        found: &mut Vec<Found>,
    ) {
        if self.shift != 0 && (offset | bytes) & 3 != 0 {
            self.refine();
        }
        let granules = offset >> self.shift..end.div_ceil(1 << self.shift).min(self.granules);
        if granules.is_empty() {
            return;
        }
        let lanes = Lanes { first, shift: (bytes >> self.shift).trailing_zeros() };
        if !kind.strong {
            let [writes, reads, others] = self.cells.arrays();
            let mut run = Run {
                writes: &mut writes[granules.clone()],
                reads: &mut reads[granules.clone()],
                others: &mut others[granules.clone()],
            };
            let fine = if kind.write {
                write_run(level, &mut run, lanes, &judge.horizon)
            } else {
                read_run(level, &mut run, lanes, &judge.horizon, judge.lists)
            };
            if fine {
                return;
            }
        }
        for (n, granule) in granules.enumerate() {
            if let Some(race) = self.one(granule, Entry::one(lanes.stamp(n), kind), judge) {
                found.push((granule << self.shift, race));
            }
        }
    }

    /// The lanes of a mask access the same `bytes` bytes; `first` is the stamp of lane 0.
    pub(crate) fn together(
        &mut self,
        (offset, bytes): (usize, usize),
        first: u64,
        lanes: u32,
        kind: Kind,
        judge: &Judge<'_>,
        found: &mut Vec<Found>,
    ) {
        if self.shift != 0 && (offset | bytes) & 3 != 0 {
            self.refine();
        }
        if !judge.lists && !kind.strong && !kind.write && self.read_together((offset, bytes), first, lanes, judge) {
            return;
        }
        let lowest = Entry::of(first, lanes & lanes.wrapping_neg(), kind);
        let highest = Entry { lanes: 1 << (31 - lanes.leading_zeros()), ..lowest };
        for granule in offset >> self.shift..(offset + bytes).div_ceil(1 << self.shift).min(self.granules) {
            let race = if judge.lists && lanes.count_ones() > 2 {
                self.record(granule, Entry::of(first, lanes, kind), judge)
            } else {
                // If only full barriers order, two lanes represent all.
                self.one(granule, lowest, judge).or_else(|| self.one(granule, highest, judge))
            };
            if let Some(race) = race {
                found.push((granule << self.shift, race));
            }
        }
    }

    /// Several lanes read the same bytes: the lowest and the highest represent all. False, with nothing changed, if a
    /// cell needs a closer look.
    #[inline(always)]
    fn read_together(&mut self, (offset, bytes): (usize, usize), first: u64, lanes: u32, judge: &Judge<'_>) -> bool {
        let low = first + u64::from(lanes.trailing_zeros()) * NEXT_LANE;
        let high = first + u64::from(31 - lanes.leading_zeros()) * NEXT_LANE;
        let granules = offset >> self.shift..(offset + bytes).div_ceil(1 << self.shift).min(self.granules);
        let horizon = &judge.horizon;
        let fine = |w: u64| w & EXPANDED == 0 && horizon.settled(w, low) && horizon.settled(w, high);
        let [writes, reads, others] = self.cells.arrays();
        if !writes[granules.clone()].iter().all(|&w| fine(w)) {
            return false;
        }
        for (a, b) in reads[granules.clone()].iter_mut().zip(&mut others[granules]) {
            let (first, second) = keep(horizon, *a, *b, low);
            (*a, *b) = keep(horizon, first, second, high);
        }
        true
    }

    /// One access to one granule.
    fn one(&mut self, granule: usize, new: Entry, judge: &Judge<'_>) -> Option<Race> {
        let [w, a, b] = self.cells.get(granule);
        let mine = new.stamp + u64::from(new.lanes.trailing_zeros()) * NEXT_LANE;
        if new.kind.strong || w & EXPANDED != 0 {
            return self.record(granule, new, judge);
        }
        let race = |old: u64, kind: Kind| Some(Race { old: (old, kind), new: (mine, new.kind) });
        let mut found = None;
        if !judge.ordered(w, mine) {
            found = race(w, Kind::WRITE);
        }
        if new.kind.write {
            if found.is_none() {
                // Of two reads, the one further away says more about what is missing.
                let open = [a, b].into_iter().filter(|&read| !judge.ordered(read, mine));
                found = open.max_by_key(|&read| judge.distance(read, mine)).and_then(|read| race(read, Kind::READ));
            }
            self.cells.put(granule, [mine, 0, 0]);
            return found;
        }
        if judge.lists && self.records.len() <= CROWD && !judge.ordered(a, mine) && !judge.ordered(b, mine) {
            // A third open read: from here on all are kept. The race with the write is found there.
            return self.record(granule, new, judge);
        }
        let (first, second) = if judge.lists && (judge.ordered(a, mine) || judge.ordered(b, mine)) {
            let open = |s: u64| if judge.ordered(s, mine) { 0 } else { s };
            (mine, open(a) | open(b))
        } else {
            keep(&judge.horizon, a, b, mine)
        };
        self.cells.put(granule, [w, first, second]);
        found
    }

    fn record(&mut self, granule: usize, new: Entry, judge: &Judge<'_>) -> Option<Race> {
        let mut judge = *judge;
        judge.crowded = self.records.len() > CROWD;
        let record = self.expanded(granule);
        let race = record.access(new, &judge);
        // Back to a cell if that is enough.
        if let Some((write, [a, b])) = record.cell() {
            self.records.remove(&(granule as u32));
            self.cells.put(granule, [write, a, b]);
        }
        race
    }

    fn expanded(&mut self, granule: usize) -> &mut Record {
        let [w, a, b] = self.cells.get(granule);
        self.cells.put(granule, [EXPANDED, 0, 0]);
        let fresh = || if w & EXPANDED == 0 { Record::of(w, [a, b]) } else { Record::default() };
        self.records.entry(granule as u32).or_insert_with(fresh)
    }

    /// From words to bytes.
    fn refine(&mut self) {
        let granules = 4 * self.granules;
        let mut cells = Cells::new(granules);
        for granule in 0..granules {
            cells.put(granule, self.cells.get(granule / 4));
        }
        self.cells = cells;
        let words = std::mem::take(&mut self.records);
        for (granule, record) in words {
            for byte in 0..4 {
                self.records.insert(4 * granule + byte, record.clone());
            }
        }
        (self.shift, self.granules) = (0, granules);
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::Clock;
    use super::super::stamp::Layout;
    use super::*;

    /// A block of 128 threads and the page of its memory.
    struct Scene {
        clock: Clock,
        page: Page,
        lists: bool,
    }

    impl Scene {
        fn new(lists: bool) -> Self {
            let mut clock = Clock::new(Layout::new(4), 128);
            clock.start(1);
            Self { clock, page: Page::new(1024), lists }
        }

        /// A thread accesses some bytes; returns the number of granules that race.
        fn touch(&mut self, thread: u32, offset: usize, bytes: usize, kind: Kind) -> usize {
            let mut found = Vec::new();
            let stamp = self.clock.stamp(thread / 32) + u64::from(thread % 32) * NEXT_LANE;
            let judge = self.clock.judge(thread / 32, self.lists);
            self.page.run(Level::detect(), (offset, offset + bytes), bytes, stamp, kind, &judge, &mut found);
            found.len()
        }

        /// A whole warp accesses neighbouring words.
        fn sweep(&mut self, warp: u32, offset: usize, kind: Kind) -> usize {
            let mut found = Vec::new();
            let (stamp, judge) = (self.clock.stamp(warp), self.clock.judge(warp, self.lists));
            self.page.run(Level::detect(), (offset, offset + 128), 4, stamp, kind, &judge, &mut found);
            found.len()
        }

        /// A whole warp accesses one word.
        fn broadcast(&mut self, warp: u32, offset: usize, kind: Kind) -> usize {
            let mut found = Vec::new();
            let (stamp, judge) = (self.clock.stamp(warp), self.clock.judge(warp, self.lists));
            self.page.together((offset, 4), stamp, u32::MAX, kind, &judge, &mut found);
            found.len()
        }
    }

    const ATOMIC: Kind = Kind { write: true, atomic: true, strong: true, wide: true, size: 4 };

    #[test]
    fn a_barrier_between_write_and_read() {
        for lists in [false, true] {
            let mut s = Scene::new(lists);
            assert_eq!(s.sweep(0, 0, Kind::WRITE), 0);
            assert_eq!(s.sweep(0, 0, Kind::READ), 0, "each lane its own");
            assert_eq!(s.sweep(1, 0, Kind::READ), 32);
            s.clock.block_meets();
            assert_eq!(s.sweep(2, 0, Kind::READ), 0);
            assert_eq!(s.sweep(3, 0, Kind::WRITE), 32, "read by another warp");
        }
    }

    #[test]
    fn neighbours_in_a_word_do_not_race() {
        let mut s = Scene::new(false);
        for thread in 0..4 {
            assert_eq!(s.touch(thread, thread as usize, 1, Kind::WRITE), 0);
        }
        assert_eq!(s.touch(9, 0, 4, Kind::READ), 4);
        assert_eq!(s.touch(2, 2, 1, Kind::READ), 0);
    }

    #[test]
    fn lanes_need_a_warp_barrier() {
        for lists in [false, true] {
            let mut s = Scene::new(lists);
            assert_eq!(s.touch(0, 0, 4, Kind::WRITE), 0);
            s.clock.warp_meets(0);
            assert_eq!(s.touch(1, 0, 4, Kind::READ), 0);
            assert_eq!(s.touch(0, 0, 4, Kind::WRITE), 1, "no barrier since");
        }
    }

    #[test]
    fn all_readers_count() {
        for lists in [false, true] {
            for writer in [0, 5, 31, 32, 77, 127] {
                let mut s = Scene::new(lists);
                for warp in 0..4 {
                    assert_eq!(s.broadcast(warp, 8, Kind::READ), 0);
                }
                assert_eq!(s.touch(writer, 8, 4, Kind::WRITE), 1, "{writer}");
            }
        }
    }

    #[test]
    fn a_reader_left_out_of_a_partial_barrier_is_found() {
        let mut s = Scene::new(true);
        for thread in [3, 40, 70, 100] {
            assert_eq!(s.touch(thread, 0, 4, Kind::READ), 0);
        }
        let time = s.clock.tick();
        s.clock.some_meet(&[(0, 1 << 3, time), (1, 1 << 8, time), (3, 1 << 4, time)], &[(0, 1)]);
        assert_eq!(s.touch(0, 0, 4, Kind::WRITE), 1, "thread 70 was not there");
        let mut s = Scene::new(true);
        for thread in [3, 40, 70, 100] {
            assert_eq!(s.touch(thread, 0, 4, Kind::READ), 0);
        }
        let time = s.clock.tick();
        let come = [(0, 1 << 3, time), (1, 1 << 8, time), (2, 1 << 6, time), (3, 1 << 4, time)];
        s.clock.some_meet(&come, &[(0, 1)]);
        assert_eq!(s.touch(0, 0, 4, Kind::WRITE), 0);
    }

    #[test]
    fn atomics_race_with_plain_accesses_only() {
        for lists in [false, true] {
            let mut s = Scene::new(lists);
            assert_eq!(s.touch(5, 0, 4, Kind::WRITE), 0);
            assert_eq!(s.touch(5, 0, 4, ATOMIC), 0);
            assert_eq!(s.touch(9, 0, 4, ATOMIC), 1, "not zeroed before, for thread 9");
            s.clock.block_meets();
            for thread in 0..128 {
                assert_eq!(s.touch(thread, 0, 4, ATOMIC), 0, "{thread}");
            }
            assert_eq!(s.broadcast(2, 0, ATOMIC), 0);
            assert_eq!(s.touch(127, 0, 4, Kind::READ), 1, "others may still add");
            s.clock.block_meets();
            assert_eq!(s.touch(0, 0, 4, Kind::READ), 0);
        }
    }

    #[test]
    fn one_word_written_by_a_warp() {
        for lists in [false, true] {
            let mut s = Scene::new(lists);
            assert_eq!(s.broadcast(0, 16, Kind::WRITE), 1);
        }
    }
}
