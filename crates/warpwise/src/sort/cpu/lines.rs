//! Records on their way to their buckets, gathered into lines of the caches that are written as a whole.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::places::Places;
use super::record::Record;
use super::spread::Plan;
use crate::memory::LINE;
use crate::simd::{Body, Level, stream};

/// Lines of the caches that are written together. With several of them, it is less often that a processor guesses wrong
/// whether they are full.
const TOGETHER: usize = 4;
const BYTES: usize = TOGETHER * LINE;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Gathered([[u8; LINE]; TOGETHER]);

/// The next lines of each bucket, gathered before they are written as a whole: memory is not read for them first.
pub(super) struct Lines<'a, R> {
    to: Places<'a, MaybeUninit<R>>,
    /// How far the first place is from where lines begin; places are counted from there.
    phase: usize,
    lines: Vec<Gathered>,
    /// The places of each bucket, and its next one.
    rooms: Vec<Range<usize>>,
    next: Vec<usize>,
    /// Whether a bucket had more records than places. Some of them are lost then.
    full: bool,
}

impl<'a, R: Record> Lines<'a, R> {
    const SIZE: usize = BYTES / size_of::<R>();

    /// Nothing yet, for buckets with these places.
    ///
    /// # Panics
    ///
    /// When a bucket would end behind the last place.
    pub(super) fn new(to: Places<'a, MaybeUninit<R>>, rooms: impl Iterator<Item = Range<usize>>) -> Self {
        let phase = to.pointer(0).addr() % BYTES / size_of::<R>();
        let shifted = |room: Range<usize>| {
            assert!(room.start <= room.end && room.end <= to.len(), "{room:?} of {}", to.len());
            room.start + phase..room.end + phase
        };
        let rooms: Vec<Range<usize>> = rooms.map(shifted).collect();
        let (lines, next) = (vec![Gathered([[0; LINE]; TOGETHER]); rooms.len()], rooms.iter().map(|room| room.start));
        Self { to, phase, lines, next: next.collect(), rooms, full: false }
    }

    /// Adds records to their buckets.
    ///
    /// # Safety
    ///
    /// Nobody else may use the places of the buckets, and the level must be the host's.
    #[inline(always)]
    unsafe fn push(&mut self, level: Level, records: &[R], plan: &Plan) {
        let (shift, mask, bucket_of) = (plan.shift, plan.mask, &plan.bucket_of[..]);
        assert!(bucket_of.len() > mask && self.lines.len() == plan.buckets() && self.next.len() == plan.buckets());
        let (lines, next) = (self.lines.as_mut_ptr(), self.next.as_mut_ptr());
        for &record in records {
            // SAFETY: there is a bucket for each value of the bits, lines and a place for each bucket, and lines have
            // that many records. The rest is guaranteed by the caller.
            unsafe {
                let bucket = usize::from(*bucket_of.get_unchecked(record.digit(R::default(), shift, mask)));
                let at = *next.add(bucket);
                *next.add(bucket) = at + 1;
                lines.add(bucket).cast::<R>().add(at % Self::SIZE).write(record);
                if at % Self::SIZE == Self::SIZE - 1 {
                    let (begin, room) = (at + 1 - Self::SIZE, self.rooms.get_unchecked(bucket));
                    if begin >= room.start && at < room.end {
                        let to: *mut [u8; LINE] = self.to.pointer(begin - self.phase).cast();
                        for (i, line) in (*lines.add(bucket)).0.into_iter().enumerate() {
                            stream::line(level, line, to.add(i).cast());
                        }
                    } else if !self.write(bucket, at + 1) {
                        self.full = true;
                        *next.add(bucket) = begin;
                    }
                }
            }
        }
    }

    /// Writes the records of the last lines of a bucket that are its own, up to a place, if it has room for them.
    ///
    /// # Safety
    ///
    /// As for [`push`](Lines::push).
    unsafe fn write(&self, bucket: usize, end: usize) -> bool {
        let (lines, room): (*const R, _) = (self.lines[bucket].0.as_ptr().cast(), &self.rooms[bucket]);
        if end > room.end {
            return false;
        }
        for at in ((end - 1) / Self::SIZE * Self::SIZE).max(room.start)..end {
            // SAFETY: guaranteed by the caller, and lines have that many records.
            unsafe { self.to.pointer(at - self.phase).cast::<R>().write(lines.add(at % Self::SIZE).read()) };
        }
        true
    }

    /// Writes what is left, and returns the number of records in each bucket; `None` if one had more than places.
    ///
    /// # Safety
    ///
    /// As for [`push`](Lines::push).
    pub(super) unsafe fn finish(self) -> Option<Vec<usize>> {
        let mut full = self.full;
        for (bucket, &end) in self.next.iter().enumerate() {
            if end > self.rooms[bucket].start && !end.is_multiple_of(Self::SIZE) {
                // SAFETY: guaranteed by the caller.
                full |= !unsafe { self.write(bucket, end) };
            }
        }
        stream::finish();
        (!full).then(|| self.next.iter().zip(&self.rooms).map(|(next, room)| next - room.start).collect())
    }
}

/// Records on their way to their buckets.
pub(super) struct Push<'a, 'b, R> {
    pub(super) level: Level,
    pub(super) records: &'a [R],
    pub(super) plan: &'a Plan,
    pub(super) lines: &'a mut Lines<'b, R>,
}

impl<R: Record> Body for Push<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        // SAFETY: the plan gives every bucket of every chunk places that no other has; the level is one of the host.
        unsafe { self.lines.push(self.level, self.records, self.plan) };
    }
}
