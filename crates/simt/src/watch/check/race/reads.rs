//! Reads of shared memory that are put off.
//!
//! A tile is written, all threads meet, it is read many times, all threads meet again: the second barrier settles every
//! one of those reads before any write could race with them. So where barriers of all threads are the only order, plain
//! reads of bytes that nobody has written since the last one are not entered into the cells. They are noted here, run by
//! run, and forgotten at the barrier. A write that comes near one of them before that has them entered first, with the
//! stamps they had, and meets them in the cells as if they had always been there.
//!
//! Nothing is lost by that. What was written before the barrier is settled for all threads, so such a read cannot race
//! with what came before it; and what comes after it either overlaps it and has it entered, or does not concern it.

use crate::watch::check::runs::Run;

/// Reads that are put off at once; further ones of the same interval go to the cells.
const MOST: usize = 1024;
/// Reads that a write looks at one by one before it gives up and has all of them entered.
const FEW: usize = 16;

/// A range of bytes that holds all that was added to it.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u64,
    end: u64,
}

impl Span {
    const EMPTY: Self = Self { start: u64::MAX, end: 0 };

    #[inline(always)]
    fn overlaps(self, (start, end): (u64, u64)) -> bool {
        start < self.end && self.start < end
    }

    #[inline(always)]
    fn add(&mut self, (start, end): (u64, u64)) {
        (self.start, self.end) = (self.start.min(start), self.end.max(end));
    }
}

/// A read that is put off: the stamp of its warp's lane 0, and the run.
pub(super) type Read = (u64, Run);

/// The reads of a block since its last barrier of all threads.
#[derive(Debug)]
pub(super) struct Reads {
    list: Vec<Read>,
    /// Where they lie.
    span: Span,
    /// Where something else than plain reads was done since the barrier.
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

    /// Puts off plain reads of a warp that lie between two addresses; false, with nothing done, where they have to go to
    /// the cells.
    #[inline(always)]
    pub(super) fn put_off(&mut self, span: (u64, u64), reads: impl ExactSizeIterator<Item = Read>) -> bool {
        if self.changed.overlaps(span) || self.list.len() + reads.len() > MOST {
            return false;
        }
        self.span.add(span);
        self.list.extend(reads);
        true
    }

    /// A plain write or anything strong is about to be entered. True where reads that were put off must be entered
    /// before it.
    pub(super) fn change(&mut self, stamp: u64, run: &Run, plain: bool) -> bool {
        let span = (run.address, run.address + run.len());
        self.changed.add(span);
        if !self.span.overlaps(span) {
            return false;
        }
        if !plain || self.list.len() > FEW {
            return true;
        }
        // Lanes that write what they themselves have read, each its own, end those reads.
        self.list.retain(|&(read, other)| !(same_warp(read, stamp) && other == *run && !run.is_shared()));
        let near = |other: &Run| other.address < span.1 && span.0 < other.address + other.len();
        self.list.iter().any(|(_, other)| near(other))
    }

    /// Takes the reads out, to be entered.
    pub(super) fn take(&mut self) -> Vec<Read> {
        self.span = Span::EMPTY;
        std::mem::take(&mut self.list)
    }

    /// Gives the list back, for its memory.
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
