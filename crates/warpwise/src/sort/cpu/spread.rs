//! Records spread over buckets by their uppermost bits, on all cores: those of a bucket come before those of the next, and
//! stay in order. Buckets fit the caches and are sorted by themselves.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::digits;
use super::places::Places;
use super::record::Record;
use crate::memory::{LINE, Scratch};
use crate::simd::{Body, Level, stream};
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
const BLOCK: usize = 1024;
/// The most records of a chunk: their counts fit 32 bits.
const MOST_CHUNK: usize = 1 << 31;
/// How long a record takes on one thread, all in all, in nanoseconds.
const NANOSECONDS: usize = 10;

/// Makes the records of a range.
pub(super) type Make<'a, R> = &'a (dyn Fn(Range<usize>, &mut [R]) + Sync);
/// Takes sorted records, with the number of the first one.
pub(super) type Take<'a, R> = &'a (dyn Fn(usize, &mut [R]) + Sync);

/// Sorts `n` records by the bits from `low` to before `high`, and hands them over: in parallel, in many pieces. With room
/// for all of them, that is where they are then.
pub(super) fn sort<R: Record>(
    n: usize,
    (low, high): (u32, u32),
    in_parallel: bool,
    make: Make<'_, R>,
    room: Option<&mut [R]>,
    take: Take<'_, R>,
) {
    if n < FEW || !in_parallel {
        let (mut own, mut spare) = (Vec::new(), vec![R::default(); n]);
        let records = room.unwrap_or_else(|| {
            own.resize(n, R::default());
            &mut own
        });
        make(0..n, records);
        let sort = if in_parallel { digits::sort } else { digits::by_digits };
        if sort(records, &mut spare, R::default(), (low, high), &mut Vec::new()) {
            records.copy_from_slice(&spare);
        }
        return take(0, records);
    }
    let members = threads::available(n * NANOSECONDS);
    let Some(plan) = Plan::new(n, low, high, members, make) else {
        // All records have the same upper bits.
        return match high - upper_bits(n, low, high) {
            shift if shift > low => sort(n, (low, shift), true, make, room, take),
            _ => unchanged(n, make, room, take),
        };
    };
    let mut memory = if room.is_none() { Some(Scratch::<R>::new(n)) } else { None };
    let spread = match (room, &mut memory) {
        (Some(room), _) => Places::new(room).uninitialized(),
        (None, Some(memory)) => Places::new(&mut memory.as_mut()[..n]),
        (None, None) => unreachable!("there is memory where there is no room"),
    };
    plan.spread(members, make, spread);
    let large = |bucket: usize| plan.ends[bucket + 1] - plan.ends[bucket] > (n / LARGE_SHARE).max(2 * BUCKET);
    for bucket in (0..plan.buckets()).filter(|&bucket| large(bucket)) {
        let range = plan.ends[bucket]..plan.ends[bucket + 1];
        // SAFETY: all records have been written, and this is the only use of the bucket.
        let records = unsafe { spread.initialized(range.clone()) };
        let copy = records.to_vec();
        let again = |part: Range<usize>, into: &mut [R]| into.copy_from_slice(&copy[part]);
        let take = |first: usize, sorted: &mut [R]| take(range.start + first, sorted);
        // What is large has one value of the bits that chose it, unless there are hardly any buckets.
        let alone = plan.bins[bucket + 1] - plan.bins[bucket] == 1;
        sort(records.len(), (low, if alone { plan.shift } else { high }), alone, &again, Some(records), &take);
    }
    let rooms: Vec<Mutex<(Vec<R>, Vec<usize>)>> = (0..members).map(|_| Mutex::default()).collect();
    threads::in_phases(members, &[plan.buckets()], |member, _, bucket| {
        if large(bucket) {
            return;
        }
        let (spare, counts) = &mut *rooms[member].lock().unwrap_or_else(PoisonError::into_inner);
        let range = plan.ends[bucket]..plan.ends[bucket + 1];
        if spare.len() < range.len() {
            spare.resize(range.len(), R::default());
        }
        // SAFETY: all records have been written, and no other task uses the bucket.
        let records = unsafe { spread.initialized(range.clone()) };
        let (spare, (base, top)) = (&mut spare[..range.len()], plan.bits(bucket));
        if digits::sort(records, spare, base, (low, top), counts) {
            records.copy_from_slice(spare);
        }
        take(range.start, records);
    });
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
fn upper_bits(n: usize, low: u32, high: u32) -> u32 {
    (n.ilog2() - 6).min(14).min(high - low)
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
                    // SAFETY: a masked digit is no more than the mask, and there is a count for each.
                    unsafe { *counts.get_unchecked_mut(record.digit(R::default(), shift, mask)) += 1 };
                }
            });
            counts
        });
        let total = |bin: usize| counts.iter().map(|counts| counts[bin] as usize).sum::<usize>();
        let most = (n / FULL_BUCKET).clamp(FEW_BUCKETS, MOST_BUCKETS);
        let full = n.div_ceil((n / BUCKET).clamp(2, most) - 1);
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
    fn spread<R: Record>(&self, members: usize, make: Make<'_, R>, to: Places<'_, MaybeUninit<R>>) {
        threads::in_phases(members, &[self.chunks.len()], |_, _, chunk| {
            let (range, places) = &self.chunks[chunk];
            let mut block = vec![R::default(); BLOCK];
            let (level, mut lines) = (Level::current(), Lines::new(to, places));
            in_blocks(range.clone(), make, &mut block, |records| {
                level.run(Push { level, records, plan: self, lines: &mut lines });
            });
            // SAFETY: as for `Push`.
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
    to: Places<'a, MaybeUninit<R>>,
    /// How far the first place is from the beginning of a line; places are counted from there.
    phase: usize,
    lines: Vec<Line>,
    first: Vec<usize>,
    next: Vec<usize>,
}

impl<'a, R: Record> Lines<'a, R> {
    const SIZE: usize = LINE / size_of::<R>();

    fn new(to: Places<'a, MaybeUninit<R>>, places: &[usize]) -> Self {
        let phase = to.pointer(0).addr() % LINE / size_of::<R>();
        let first: Vec<usize> = places.iter().map(|place| place + phase).collect();
        Self { to, phase, lines: vec![Line([0; LINE]); first.len()], next: first.clone(), first }
    }

    /// Adds records to their buckets.
    ///
    /// # Safety
    ///
    /// The places of the records must be some of `to`, and nobody else's, and the level the host's.
    #[inline(always)]
    unsafe fn push(&mut self, level: Level, records: &[R], plan: &Plan) {
        let (shift, mask, bucket_of) = (plan.shift, plan.mask, &plan.bucket_of[..]);
        assert!(bucket_of.len() > mask && self.lines.len() == plan.buckets() && self.next.len() == plan.buckets());
        let (lines, next) = (self.lines.as_mut_ptr(), self.next.as_mut_ptr());
        for &record in records {
            // SAFETY: there is a bucket for each value of the bits, a line and a place for each bucket, and a line has
            // that many records. The rest is guaranteed by the caller.
            unsafe {
                let bucket = usize::from(*bucket_of.get_unchecked(record.digit(R::default(), shift, mask)));
                let at = *next.add(bucket);
                *next.add(bucket) = at + 1;
                lines.add(bucket).cast::<R>().add(at % Self::SIZE).write(record);
                if at % Self::SIZE == Self::SIZE - 1 {
                    let begin = at + 1 - Self::SIZE;
                    if begin >= *self.first.get_unchecked(bucket) {
                        stream::line(level, (*lines.add(bucket)).0, self.to.pointer(begin - self.phase).cast());
                    } else {
                        self.write(bucket, at + 1);
                    }
                }
            }
        }
    }

    /// Writes the records of the last line of a bucket that are its own, up to a place.
    ///
    /// # Safety
    ///
    /// As for [`push`](Lines::push).
    unsafe fn write(&mut self, bucket: usize, end: usize) {
        let line: *const R = self.lines[bucket].0.as_ptr().cast();
        for at in ((end - 1) / Self::SIZE * Self::SIZE).max(self.first[bucket])..end {
            // SAFETY: guaranteed by the caller, and a line has that many records.
            unsafe { self.to.pointer(at - self.phase).cast::<R>().write(line.add(at % Self::SIZE).read()) };
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
                unsafe { self.write(bucket, end) };
            }
        }
        stream::finish();
    }
}

/// Records on their way to their buckets.
struct Push<'a, 'b, R> {
    level: Level,
    records: &'a [R],
    plan: &'a Plan,
    lines: &'a mut Lines<'b, R>,
}

impl<R: Record> Body for Push<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        // SAFETY: the plan has counted the records of each bucket in each chunk, and gives them places that no other has;
        // the level is one of the host.
        unsafe { self.lines.push(self.level, self.records, self.plan) };
    }
}
