//! Records spread over buckets by their uppermost bits, on all cores: those of a bucket come before those of the next, and
//! stay in order. Buckets fit the caches and are sorted by themselves.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::digits;
use super::places::Places;
use super::record::Record;
use crate::memory::{LINE, Scratch};
use crate::simd::{Level, stream};
use crate::threads;

/// Fewer records are sorted at once, on the calling thread.
const FEW: usize = 1 << 14;
/// Records that a bucket should have, and the most buckets.
const BUCKET: usize = 1 << 13;
const MOST_BUCKETS: usize = 1024;
/// A bucket with more than this share of all records is spread again.
const LARGE_SHARE: usize = 8;
/// Records that are made at once, in the first cache.
const BLOCK: usize = 1024;
/// The most records of a chunk: their counts fit 32 bits.
const MOST_CHUNK: usize = 1 << 31;
/// How long a record takes on one thread, all in all, in nanoseconds.
const NANOSECONDS: usize = 10;

/// Makes the records of a range.
pub(super) type Make<'a, R> = &'a (dyn Fn(Range<usize>, &mut [R]) + Sync);
/// Takes sorted records, with the number of the first one.
pub(super) type Take<'a, R> = &'a (dyn Fn(usize, &[R]) + Sync);

/// Sorts `n` records by the bits from `low` to before `high`, and hands them over: in parallel, in many pieces.
pub(super) fn sort<R: Record>(
    n: usize,
    (low, high): (u32, u32),
    in_parallel: bool,
    make: Make<'_, R>,
    take: Take<'_, R>,
) {
    if n < FEW || !in_parallel {
        let mut memory = vec![R::default(); 2 * n];
        let (records, spare) = memory.split_at_mut(n);
        make(0..n, records);
        let sort = if in_parallel { digits::sort } else { digits::by_digits };
        return take(0, sort(records, spare, R::default(), (low, high), &mut Vec::new()));
    }
    let members = threads::available(n * NANOSECONDS);
    let plan = Plan::new(n, low, high, members, make);
    let Some(plan) = plan else {
        // All records have the same upper bits.
        let shift = high - upper_bits(n, low, high);
        if shift == low {
            let mut block = vec![R::default(); BLOCK];
            for first in (0..n).step_by(BLOCK) {
                let part = &mut block[..BLOCK.min(n - first)];
                make(first..first + part.len(), part);
                take(first, part);
            }
            return;
        }
        return sort(n, (low, shift), true, make, take);
    };
    let mut memory = Scratch::<R>::new(n);
    let spread = Places::new(&mut memory.as_mut()[..n]);
    plan.spread(members, make, spread);
    let large = |bucket: usize| plan.ends[bucket + 1] - plan.ends[bucket] > (n / LARGE_SHARE).max(BUCKET);
    for bucket in (0..plan.buckets()).filter(|&bucket| large(bucket)) {
        let range = plan.ends[bucket]..plan.ends[bucket + 1];
        // SAFETY: all records have been written, and this is the only use of the bucket.
        let records = unsafe { initialized(spread, range.clone()) };
        let again = |part: Range<usize>, into: &mut [R]| into.copy_from_slice(&records[part]);
        let (base, top) = plan.bits(bucket);
        if plan.bins[bucket + 1] - plan.bins[bucket] == 1 {
            sort(records.len(), (low, plan.shift), true, &again, &|first, sorted| take(range.start + first, sorted));
        } else {
            let mut spare = vec![R::default(); records.len()];
            let mut copy = records.to_vec();
            take(range.start, digits::sort(&mut copy, &mut spare, base, (low, top), &mut Vec::new()));
        }
    }
    let room: Vec<Mutex<(Vec<R>, Vec<usize>)>> = (0..members).map(|_| Mutex::default()).collect();
    threads::in_phases(members, &[plan.buckets()], |member, _, bucket| {
        if large(bucket) {
            return;
        }
        let (spare, counts) = &mut *room[member].lock().unwrap_or_else(PoisonError::into_inner);
        let range = plan.ends[bucket]..plan.ends[bucket + 1];
        if spare.len() < range.len() {
            spare.resize(range.len(), R::default());
        }
        // SAFETY: all records have been written, and no other task uses the bucket.
        let records = unsafe { initialized(spread, range.clone()) };
        let (base, top) = plan.bits(bucket);
        take(range.start, digits::sort(records, &mut spare[..range.len()], base, (low, top), counts));
    });
}

/// Records that have been written.
///
/// # Safety
///
/// They must have been, and nobody else may use them.
unsafe fn initialized<'a, R: Record>(places: Places<'a, std::mem::MaybeUninit<R>>, range: Range<usize>) -> &'a mut [R] {
    // SAFETY: guaranteed by the caller; the two types have the same layout.
    unsafe { &mut *(std::ptr::from_mut(places.part(range)) as *mut [R]) }
}

/// How many of the uppermost bits choose the bucket.
fn upper_bits(n: usize, low: u32, high: u32) -> u32 {
    (n.ilog2() - 6).min(16).min(high - low)
}

/// Which bucket a record goes to, and where buckets begin.
struct Plan {
    /// The lowest of the bits that choose, and a mask of as many.
    shift: u32,
    mask: usize,
    /// The bucket for each value of these bits.
    bucket_of: Vec<u16>,
    /// The first value of each bucket, and their number.
    bins: Vec<usize>,
    /// Where buckets begin, and the end.
    ends: Vec<usize>,
    /// Every chunk, with the places of its first records of each bucket.
    chunks: Vec<(Range<usize>, Vec<usize>)>,
}

impl Plan {
    /// Counts records by their uppermost bits; `None` if these are the same in all of them.
    fn new<R: Record>(n: usize, low: u32, high: u32, members: usize, make: Make<'_, R>) -> Option<Self> {
        let upper = upper_bits(n, low, high);
        let (shift, mask) = (high - upper, (1 << upper) - 1);
        // Several chunks a thread, in case one is held up; few, because each has its own counts.
        let ranges =
            threads::in_chunks(n, n.div_ceil(if members > 1 { 4 * members } else { 1 }).clamp(FEW / 4, MOST_CHUNK));
        let counts = threads::map(ranges.len(), n * NANOSECONDS, |chunk| {
            let (mut counts, mut block) = (vec![0_u32; mask + 1], vec![R::default(); BLOCK]);
            in_blocks(ranges[chunk].clone(), make, &mut block, |records| {
                for record in records {
                    counts[record.digit(R::default(), shift, mask)] += 1;
                }
            });
            counts
        });
        let total = |bin: usize| counts.iter().map(|counts| counts[bin] as usize).sum::<usize>();
        let full = n.div_ceil((n / BUCKET).clamp(2, MOST_BUCKETS) - 1);
        let (mut bucket_of, mut bins, mut ends) = (Vec::with_capacity(mask + 1), vec![0], vec![0]);
        let (mut all, mut next) = (0, 0);
        for bin in 0..=mask {
            let records = total(bin);
            // What fills a bucket by itself gets one to itself: it may be large, or all equal.
            if (next >= full || (records >= full && next > 0)) && bins.len() < MOST_BUCKETS {
                bins.push(bin);
                ends.push(all);
                next = 0;
            }
            if records == n {
                return None;
            }
            bucket_of.push((bins.len() - 1) as u16);
            next += records;
            all += records;
        }
        bins.push(mask + 1);
        ends.push(n);
        let mut chunks: Vec<_> = ranges.into_iter().map(|range| (range, vec![0; bins.len() - 1])).collect();
        for ((_, places), counts) in chunks.iter_mut().zip(&counts) {
            for (bin, &count) in counts.iter().enumerate() {
                places[usize::from(bucket_of[bin])] += count as usize;
            }
        }
        for bucket in 0..bins.len() - 1 {
            let mut at = ends[bucket];
            for (_, places) in &mut chunks {
                at += std::mem::replace(&mut places[bucket], at);
            }
        }
        Some(Self { shift, mask, bucket_of, bins, ends, chunks })
    }

    fn buckets(&self) -> usize {
        self.bins.len() - 1
    }

    /// What the records of a bucket are at least, and the number of bits that they are above that.
    fn bits<R: Record>(&self, bucket: usize) -> (R, u32) {
        let (first, end) = (self.bins[bucket], self.bins[bucket + 1]);
        (R::with_upper(first, self.shift), self.shift + (usize::BITS - (end - first - 1).leading_zeros()))
    }

    /// Every record to the next place of its bucket.
    fn spread<R: Record>(&self, members: usize, make: Make<'_, R>, to: Places<'_, std::mem::MaybeUninit<R>>) {
        threads::in_phases(members, &[self.chunks.len()], |_, _, chunk| {
            let (range, places) = &self.chunks[chunk];
            let mut block = vec![R::default(); BLOCK];
            let mut lines = Lines::new(to, places);
            in_blocks(range.clone(), make, &mut block, |records| {
                for &record in records {
                    let bucket = self.bucket_of[record.digit(R::default(), self.shift, self.mask)];
                    // SAFETY: the plan has counted the records of each bucket in each chunk, and gives them places that
                    // no other has.
                    unsafe { lines.push(usize::from(bucket), record) };
                }
            });
            // SAFETY: as above.
            unsafe { lines.finish() };
        });
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

/// A line of the caches.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u8; LINE]);

/// The next line of each bucket, gathered before it is written as a whole: memory is not read for it first.
struct Lines<'a, R> {
    level: Level,
    to: Places<'a, std::mem::MaybeUninit<R>>,
    lines: Vec<Line>,
    first: &'a [usize],
    next: Vec<usize>,
}

impl<'a, R: Record> Lines<'a, R> {
    const SIZE: usize = LINE / size_of::<R>();

    fn new(to: Places<'a, std::mem::MaybeUninit<R>>, first: &'a [usize]) -> Self {
        let lines = vec![Line([0; LINE]); first.len()];
        Self { level: Level::current(), to, lines, first, next: first.to_vec() }
    }

    fn line(&mut self, bucket: usize) -> *mut R {
        self.lines[bucket].0.as_mut_ptr().cast()
    }

    /// Adds a record to a bucket.
    ///
    /// # Safety
    ///
    /// The place of the record must be one of `to`, and nobody else's. `to` must begin at a line.
    #[inline(always)]
    unsafe fn push(&mut self, bucket: usize, record: R) {
        let at = self.next[bucket];
        self.next[bucket] = at + 1;
        let line = self.line(bucket);
        // SAFETY: a line has that many records.
        unsafe { line.add(at % Self::SIZE).write(record) };
        if at % Self::SIZE == Self::SIZE - 1 {
            // SAFETY: guaranteed by the caller.
            unsafe { self.flush(bucket, at + 1) };
        }
    }

    /// Writes the records of the last line of a bucket, up to a place.
    ///
    /// # Safety
    ///
    /// As for [`push`](Lines::push).
    #[inline]
    unsafe fn flush(&mut self, bucket: usize, end: usize) {
        let begin = (end - 1) / Self::SIZE * Self::SIZE;
        let line = self.line(bucket);
        if begin >= self.first[bucket] && end - begin == Self::SIZE {
            // SAFETY: the line is one of `to`, which begins at a line, and the level is the host's.
            unsafe { stream::line(self.level, self.lines[bucket].0, self.to.pointer(begin).cast()) };
        } else {
            for at in begin.max(self.first[bucket])..end {
                // SAFETY: guaranteed by the caller, and a line has that many records.
                unsafe { self.to.pointer(at).cast::<R>().write(line.add(at % Self::SIZE).read()) };
            }
        }
    }

    /// Writes what is left.
    ///
    /// # Safety
    ///
    /// As for [`push`](Lines::push).
    unsafe fn finish(mut self) {
        for bucket in 0..self.next.len() {
            let end = self.next[bucket];
            if end > self.first[bucket] && !end.is_multiple_of(Self::SIZE) {
                // SAFETY: guaranteed by the caller.
                unsafe { self.flush(bucket, end) };
            }
        }
        stream::finish();
    }
}
