//! Records on their way to their buckets, gathered into lines of the caches that are written as a whole.

use std::mem::MaybeUninit;

use super::places::Places;
use super::record::Record;
use super::spread::Plan;
use crate::memory::LINE;
use crate::simd::{Body, Level, stream};

/// Lines of the caches that are written together. With two of them, it is less often that a processor guesses wrong
/// whether they are full.
const TOGETHER: usize = 2;
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
    first: Vec<usize>,
    next: Vec<usize>,
}

impl<'a, R: Record> Lines<'a, R> {
    const SIZE: usize = BYTES / size_of::<R>();

    pub(super) fn new(to: Places<'a, MaybeUninit<R>>, places: &[usize]) -> Self {
        let phase = to.pointer(0).addr() % BYTES / size_of::<R>();
        let first: Vec<usize> = places.iter().map(|place| place + phase).collect();
        Self { to, phase, lines: vec![Gathered([[0; LINE]; TOGETHER]); first.len()], next: first.clone(), first }
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
            // SAFETY: there is a bucket for each value of the bits, lines and a place for each bucket, and lines have
            // that many records. The rest is guaranteed by the caller.
            unsafe {
                let bucket = usize::from(*bucket_of.get_unchecked(record.digit(R::default(), shift, mask)));
                let at = *next.add(bucket);
                *next.add(bucket) = at + 1;
                lines.add(bucket).cast::<R>().add(at % Self::SIZE).write(record);
                if at % Self::SIZE == Self::SIZE - 1 {
                    let begin = at + 1 - Self::SIZE;
                    if begin >= *self.first.get_unchecked(bucket) {
                        let to: *mut [u8; LINE] = self.to.pointer(begin - self.phase).cast();
                        for (i, line) in (*lines.add(bucket)).0.into_iter().enumerate() {
                            stream::line(level, line, to.add(i).cast());
                        }
                    } else {
                        self.write(bucket, at + 1);
                    }
                }
            }
        }
    }

    /// Writes the records of the last lines of a bucket that are its own, up to a place.
    ///
    /// # Safety
    ///
    /// As for [`push`](Lines::push).
    unsafe fn write(&mut self, bucket: usize, end: usize) {
        let lines: *const R = self.lines[bucket].0.as_ptr().cast();
        for at in ((end - 1) / Self::SIZE * Self::SIZE).max(self.first[bucket])..end {
            // SAFETY: guaranteed by the caller, and lines have that many records.
            unsafe { self.to.pointer(at - self.phase).cast::<R>().write(lines.add(at % Self::SIZE).read()) };
        }
    }

    /// Writes what is left.
    ///
    /// # Safety
    ///
    /// As for [`push`](Lines::push).
    pub(super) unsafe fn finish(mut self) {
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
        // SAFETY: the plan has counted the records of each bucket in each chunk, and gives them places that no other has;
        // the level is one of the host.
        unsafe { self.lines.push(self.level, self.records, self.plan) };
    }
}
