//! Records spread over buckets by their uppermost bits, on all cores: those of a bucket come before those of the next, and
//! stay in order. Buckets fit the caches and are sorted by themselves.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::digits;
use super::lines::{Lines, Push};
use super::places::Places;
use super::record::Record;
use crate::memory::{self, Scratch};
use crate::simd::{Body, Level};
use crate::threads;

/// Fewer records are sorted at once, on the calling thread.
const FEW: usize = 1 << 14;
/// Records that a bucket has at least, if they are spread evenly; and the most that it should have.
const BUCKET: usize = 1 << 13;
const FULL_BUCKET: usize = 1 << 17;
/// Buckets whose next lines fit the first cache; and the most where buckets would be too large for the second one.
const FEW_BUCKETS: usize = 256;
const MOST_BUCKETS: usize = 1024;
/// A bucket with more than this share of all records is spread again.
const LARGE_SHARE: usize = 8;
/// Records that are made at once, in the first cache.
const BLOCK: usize = 512;
/// The most records of a chunk: their counts fit 32 bits.
const MOST_CHUNK: usize = 1 << 31;
/// How long a record takes on one thread, all in all, in nanoseconds.
pub(super) const NANOSECONDS: usize = 10;

/// The bits that records are sorted by.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    /// The lowest of them, and the one above the highest.
    pub(super) low: u32,
    pub(super) high: u32,
    /// Whether the order by all bits of the records is the same.
    pub(super) whole: bool,
}

/// Makes the records of a range.
pub(super) type Make<'a, R> = &'a (dyn Fn(Range<usize>, &mut [R]) + Sync);
/// Takes sorted records, with the number of the first one.
pub(super) type Take<'a, R> = &'a (dyn Fn(usize, &mut [R]) + Sync);

/// Sorts `n` records, and hands them over: in parallel, in many pieces. With room for all of them, that is where they are
/// then.
pub(super) fn sort<R: Record>(
    n: usize,
    bits: Bits,
    in_parallel: bool,
    make: Make<'_, R>,
    room: Option<&mut [R]>,
    take: Take<'_, R>,
) {
    if n < FEW || !in_parallel {
        let (mut own, mut beside) = (Vec::new(), vec![R::default(); if in_parallel { digits::ROOM * n } else { n }]);
        let records = room.unwrap_or_else(|| {
            own.resize(n, R::default());
            &mut own
        });
        make(0..n, records);
        let sort = if in_parallel { digits::sort } else { digits::by_digits };
        if sort(records, &mut beside, R::default(), bits, &mut Vec::new()) {
            records.copy_from_slice(&beside[..n]);
        }
        return take(0, records);
    }
    let members = threads::available(n * NANOSECONDS);
    let counts = Counts::of(n, bits.high, upper_bits(n, bits), members, make).coarse(full_bucket(n) / 8);
    let Some(bins) = counts.cut(n) else {
        // All records have the same upper bits.
        return match counts.shift {
            shift if shift > bits.low => sort(n, Bits { high: shift, ..bits }, true, make, room, take),
            _ => unchanged(n, make, room, take),
        };
    };
    let plan = Plan::new(counts, bins);
    let mut memory = if room.is_none() { Some(Scratch::<R>::new(n)) } else { None };
    let spread = match (room, &mut memory) {
        (Some(room), _) => Places::new(room).uninitialized(),
        (None, Some(memory)) => Places::new(&mut memory.as_mut()[..n]),
        (None, None) => unreachable!("there is memory where there is no room"),
    };
    let ends = ends(&plan.lengths());
    touch(members, spread);
    plan.spread(members, make, &ends, spread);
    let buckets = Buckets { plan: &plan, first: 0, ends: &ends, bits };
    // SAFETY: all records have been written, and nobody else uses them.
    unsafe { buckets.sort(members, spread, &|_, _| false, take) };
}

/// Has the system provide all pages of memory to be written, each for one thread. Records go to all of them from the first
/// moment on, and two threads that wait for the same page both clear one.
fn touch<R: Record>(members: usize, room: Places<'_, MaybeUninit<R>>) {
    let each = memory::LARGE_PAGE / size_of::<R>();
    threads::in_phases(members, &[room.len().div_ceil(each)], |_, _, page| {
        // SAFETY: the place is in the room, which nobody uses yet.
        unsafe { room.pointer(page * each).cast::<R>().write(R::default()) };
    });
}

/// Where parts of those lengths begin, one after the other, and where the last one ends.
pub(super) fn ends(lengths: &[usize]) -> Vec<usize> {
    let mut ends = vec![0];
    ends.extend(lengths.iter().scan(0, |end, length| {
        *end += length;
        Some(*end)
    }));
    ends
}

/// Buckets whose records have been spread.
pub(super) struct Buckets<'a> {
    pub(super) plan: &'a Plan,
    /// The first of them in the plan.
    pub(super) first: usize,
    /// Where each of them begins, and the end of the last.
    pub(super) ends: &'a [usize],
    pub(super) bits: Bits,
}

/// Completes a bucket before it is sorted, by its number: where it is, or elsewhere if it gives back that it does so. Then
/// whoever takes the sorted records puts them where they belong.
pub(super) type Fill<'a, R> = &'a (dyn Fn(usize, &mut Vec<R>) -> bool + Sync);

/// What a thread sorts buckets in: records that are completed elsewhere, the room beside those of a bucket, and counts.
type Room<R> = (Vec<R>, Vec<R>, Vec<usize>);

impl Buckets<'_> {
    /// Sorts all buckets, each once it has been completed, and hands them over. One thread takes them from the last to the
    /// first.
    ///
    /// # Safety
    ///
    /// All records must have been written when they have been completed, and nobody else may use them.
    pub(super) unsafe fn sort<R: Record>(
        &self,
        members: usize,
        spread: Places<'_, MaybeUninit<R>>,
        fill: Fill<'_, R>,
        take: Take<'_, R>,
    ) {
        let (bits, n) = (self.bits, self.ends[self.ends.len() - 1]);
        let range = |bucket: usize| self.ends[bucket]..self.ends[bucket + 1];
        let large = |bucket: usize| range(bucket).len() > (n / LARGE_SHARE).max(2 * BUCKET);
        let buckets = self.ends.len() - 1;
        let in_parts = |bucket: usize| {
            let mut elsewhere = Vec::new();
            let records = match fill(bucket, &mut elsewhere) {
                true => &mut elsewhere[..],
                // SAFETY: guaranteed by the caller, and this is the only use of the bucket.
                false => unsafe { spread.initialized(range(bucket)) },
            };
            let copy = records.to_vec();
            let again = |part: Range<usize>, into: &mut [R]| into.copy_from_slice(&copy[part]);
            let take = |first: usize, sorted: &mut [R]| take(range(bucket).start + first, sorted);
            // What is large has one value of the bits that chose it, unless there are hardly any buckets.
            let alone = self.plan.is_one_bin(self.first + bucket);
            let bits = if alone { Bits { high: self.plan.shift, ..bits } } else { bits };
            sort(records.len(), bits, alone, &again, Some(records), &take);
        };
        let at_once = |bucket: usize, (elsewhere, beside, counts): &mut Room<R>| {
            let range = range(bucket);
            if beside.len() < digits::ROOM * range.len() {
                // Most of it is never touched.
                *beside = vec![R::default(); digits::ROOM * range.len()];
            }
            let records = match fill(bucket, elsewhere) {
                true => &mut elsewhere[..],
                // SAFETY: guaranteed by the caller, and no other task uses the bucket.
                false => unsafe { spread.initialized(range.clone()) },
            };
            let (base, high) = self.plan.bits(self.first + bucket);
            if digits::sort(records, beside, base, Bits { high, ..bits }, counts) {
                records.copy_from_slice(&beside[..range.len()]);
            }
            take(range.start, records);
        };
        if members == 1 {
            let mut room = Room::default();
            for bucket in (0..buckets).rev() {
                if large(bucket) { in_parts(bucket) } else { at_once(bucket, &mut room) }
            }
            return;
        }
        (0..buckets).filter(|&bucket| large(bucket)).for_each(in_parts);
        let rooms: Vec<Mutex<Room<R>>> = (0..members).map(|_| Mutex::default()).collect();
        threads::in_phases(members, &[buckets], |member, _, bucket| {
            if !large(bucket) {
                at_once(bucket, &mut rooms[member].lock().unwrap_or_else(PoisonError::into_inner));
            }
        });
    }
}

/// Hands over records that are in order.
fn unchanged<R: Record>(n: usize, make: Make<'_, R>, room: Option<&mut [R]>, take: Take<'_, R>) {
    if let Some(room) = room {
        make(0..n, room);
        return take(0, room);
    }
    let mut block = [R::default(); BLOCK];
    for first in (0..n).step_by(BLOCK) {
        let part = &mut block[..BLOCK.min(n - first)];
        make(first..first + part.len(), part);
        take(first, part);
    }
}

/// How many of the uppermost bits choose the bucket.
fn upper_bits(n: usize, bits: Bits) -> u32 {
    (n.ilog2() - 6).min(14).min(bits.high - bits.low)
}

/// Records counted by their uppermost bits, in chunks.
pub(super) struct Counts {
    /// The lowest of these bits, and a mask of as many.
    pub(super) shift: u32,
    mask: usize,
    /// Every chunk, with the number of its records for each value of the bits.
    chunks: Vec<(Range<usize>, Vec<u32>)>,
}

impl Counts {
    /// Counts records by that many bits below `high`.
    pub(super) fn of<R: Record>(n: usize, high: u32, upper: u32, members: usize, make: Make<'_, R>) -> Self {
        let (shift, mask) = (high - upper, (1 << upper) - 1);
        // Several chunks a thread, in case one is held up; few, because each has its own counts.
        let ranges =
            threads::in_chunks(n, n.div_ceil(if members > 1 { 8 * members } else { 1 }).clamp(FEW / 4, MOST_CHUNK));
        let level = Level::current();
        let counts = threads::map(ranges.len(), n * NANOSECONDS, |chunk| {
            let (mut counts, mut block) = (vec![0_u32; mask + 1], vec![R::default(); BLOCK]);
            // Counts of 16 bits fit the first cache; before one could overflow, all are added to the others.
            let (mut few, mut counted) = (vec![0_u16; mask + 1], 0);
            let add = |few: &mut [u16], counts: &mut [u32]| {
                counts.iter_mut().zip(few).for_each(|(count, few)| *count += u32::from(std::mem::take(few)));
            };
            in_blocks(ranges[chunk].clone(), make, &mut block, |records| {
                if counted + records.len() > usize::from(u16::MAX) {
                    add(&mut few, &mut counts);
                    counted = 0;
                }
                counted += records.len();
                level.run(Count { records, shift, mask, counts: &mut few });
            });
            add(&mut few, &mut counts);
            counts
        });
        Self { shift, mask, chunks: ranges.into_iter().zip(counts).collect() }
    }

    /// The records with each value of the bits.
    pub(super) fn totals(&self) -> Vec<usize> {
        let mut totals = vec![0; self.mask + 1];
        for (_, counts) in &self.chunks {
            totals.iter_mut().zip(counts).for_each(|(total, &count)| *total += count as usize);
        }
        totals
    }

    /// Counts by fewer of the bits, as long as no value has more than that many records: where values are spread evenly, the
    /// table of their buckets leaves more of the first cache to other things.
    fn coarse(mut self, most: usize) -> Self {
        let mut totals = self.totals();
        loop {
            let fewer: Vec<usize> = totals.chunks(2).map(|pair| pair.iter().sum()).collect();
            if totals.len() < 2 || fewer.iter().any(|&records| records > most) {
                return self;
            }
            totals = fewer;
            (self.shift, self.mask) = (self.shift + 1, self.mask >> 1);
            for (_, counts) in &mut self.chunks {
                *counts = counts.chunks(2).map(|pair| pair.iter().sum()).collect();
            }
        }
    }

    /// The first value of each bucket, and the number of values, for buckets that suit that many records; `None` if all
    /// have the same value.
    fn cut(&self, n: usize) -> Option<Vec<usize>> {
        let full = full_bucket(n);
        let (mut bins, mut next) = (vec![0], 0);
        for (bin, records) in self.totals().into_iter().enumerate() {
            if records == n {
                return None;
            }
            // What fills a bucket by itself gets one to itself: it may be large, or all equal.
            if (next >= full || (records >= full && next > 0)) && bins.len() < MOST_BUCKETS {
                bins.push(bin);
                next = 0;
            }
            next += records;
        }
        bins.push(self.mask + 1);
        Some(bins)
    }
}

/// The records of a bucket of that many, once it is full.
pub(super) fn full_bucket(n: usize) -> usize {
    let most = (n / FULL_BUCKET).clamp(FEW_BUCKETS, MOST_BUCKETS);
    n.div_ceil((n / BUCKET).clamp(2, most) - 1)
}

/// Which bucket a record goes to.
pub(super) struct Plan {
    /// The lowest of the bits that choose, and a mask of as many.
    pub(super) shift: u32,
    pub(super) mask: usize,
    /// The bucket for each value of these bits.
    pub(super) bucket_of: Vec<u16>,
    /// The first value of each bucket, and their number.
    bins: Vec<usize>,
    /// Every chunk, with the number of its records in each bucket.
    chunks: Vec<(Range<usize>, Vec<usize>)>,
}

impl Plan {
    /// A plan with buckets from the first value of each to that of the next; the last one is the number of values.
    pub(super) fn new(counts: Counts, bins: Vec<usize>) -> Self {
        let buckets = bins.windows(2).enumerate();
        let bucket_of: Vec<u16> =
            buckets.flat_map(|(bucket, pair)| std::iter::repeat_n(bucket as u16, pair[1] - pair[0])).collect();
        let in_buckets = |(range, counts): (Range<usize>, Vec<u32>)| {
            let length = |pair: &[usize]| counts[pair[0]..pair[1]].iter().map(|&count| count as usize).sum();
            (range, bins.windows(2).map(length).collect())
        };
        let chunks = counts.chunks.into_iter().map(in_buckets).collect();
        Self { shift: counts.shift, mask: counts.mask, bucket_of, bins, chunks }
    }

    pub(super) fn buckets(&self) -> usize {
        self.bins.len() - 1
    }

    /// The records of each bucket.
    pub(super) fn lengths(&self) -> Vec<usize> {
        let of = |bucket: usize| self.chunks.iter().map(|(_, lengths)| lengths[bucket]).sum();
        (0..self.buckets()).map(of).collect()
    }

    /// Whether all records of a bucket have the same upper bits.
    fn is_one_bin(&self, bucket: usize) -> bool {
        self.bins[bucket + 1] - self.bins[bucket] == 1
    }

    /// What the records of a bucket are at least, and the number of bits that they are above that.
    fn bits<R: Record>(&self, bucket: usize) -> (R, u32) {
        let (first, end) = (self.bins[bucket], self.bins[bucket + 1]);
        (R::with_upper(first, self.shift), self.shift + (usize::BITS - (end - first - 1).leading_zeros()))
    }

    /// Every record to the next place of its bucket, of those that each bucket begins with.
    ///
    /// # Panics
    ///
    /// When a bucket would begin before the end of another one, or end behind the last place.
    pub(super) fn spread<R: Record>(
        &self,
        members: usize,
        make: Make<'_, R>,
        begins: &[usize],
        to: Places<'_, MaybeUninit<R>>,
    ) {
        let mut next = begins[..self.buckets()].to_vec();
        let in_order = |chunk: &(Range<usize>, Vec<usize>)| {
            let places = next.clone();
            next.iter_mut().zip(&chunk.1).for_each(|(next, length)| *next += length);
            places
        };
        let places: Vec<Vec<usize>> = self.chunks.iter().map(in_order).collect();
        let mut used: Vec<(usize, usize)> =
            begins.iter().copied().zip(next).filter(|(begin, end)| begin < end).collect();
        used.sort_unstable();
        let apart = used.windows(2).all(|pair| pair[0].1 <= pair[1].0);
        assert!(apart && used.last().is_none_or(|&(_, end)| end <= to.len()), "buckets have places of their own");
        threads::in_phases(members, &[self.chunks.len()], |_, _, chunk| {
            let (range, lengths) = &self.chunks[chunk];
            let rooms = places[chunk].iter().zip(lengths).map(|(&begin, length)| begin..begin + length);
            // SAFETY: chunks have places of their own.
            let fits = unsafe { self.spread_within(range.clone(), make, rooms, to) }.is_some();
            assert!(fits, "there are as many records as were counted");
        });
    }

    /// Every record of a range to the next place of its bucket; returns how many each bucket has then, or `None` if one
    /// would need more places.
    ///
    /// # Panics
    ///
    /// When a bucket would end behind the last place, or there are not as many as in the plan.
    ///
    /// # Safety
    ///
    /// Buckets must have places of their own, which nobody else uses.
    pub(super) unsafe fn spread_within<R: Record>(
        &self,
        range: Range<usize>,
        make: Make<'_, R>,
        rooms: impl Iterator<Item = Range<usize>>,
        to: Places<'_, MaybeUninit<R>>,
    ) -> Option<Vec<usize>> {
        let mut block = vec![R::default(); BLOCK];
        let (level, mut lines) = (Level::current(), Lines::new(to, rooms));
        in_blocks(range, make, &mut block, |records| {
            level.run(Push { level, records, plan: self, lines: &mut lines });
        });
        // SAFETY: guaranteed by the caller.
        unsafe { lines.finish() }
    }
}

/// Records to be counted by some bits.
struct Count<'a, R> {
    records: &'a [R],
    shift: u32,
    mask: usize,
    counts: &'a mut [u16],
}

impl<R: Record> Body for Count<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self { records, shift, mask, counts } = self;
        assert!(counts.len() > mask);
        for record in records {
            // SAFETY: a masked digit is no more than the mask, and there is a count for each.
            unsafe { *counts.get_unchecked_mut(record.digit(R::default(), shift, mask)) += 1 };
        }
    }
}

/// Makes the records of a range, block by block.
fn in_blocks<R: Record>(range: Range<usize>, make: Make<'_, R>, block: &mut [R], mut each: impl FnMut(&[R])) {
    for first in range.clone().step_by(block.len()) {
        let records = &mut block[..(range.end - first).min(BLOCK)];
        make(first..first + records.len(), records);
        each(records);
    }
}
