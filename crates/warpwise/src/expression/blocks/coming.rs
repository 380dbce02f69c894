//! Prefetching what later parts need, a few lines with every operation: many at once would wait for one another.

use super::PART;
use crate::memory::LINE;
use crate::simd::prefetch_line;

/// How far ahead, in bytes: half a page, since what operations give each other is in the first-level cache as well.
const DISTANCE: usize = 2048;

/// The lines of an input that are prefetched with an action.
#[derive(Clone, Copy)]
pub(super) struct Coming {
    /// Where they begin for the first part.
    at: *const u8,
    /// Bytes of an element.
    bytes: usize,
    count: usize,
}

impl Coming {
    pub(super) const NOTHING: Self = Self { at: std::ptr::null(), bytes: 0, count: 0 };

    /// The share of one of that many actions in the lines of an input. The last one may take a few of the next part.
    pub(super) fn new(input: *const u8, bytes: usize, action: usize, actions: usize) -> Self {
        let lines = PART * bytes / LINE;
        let each = lines.div_ceil(actions);
        let first = action * each;
        let count = if first < lines { each } else { 0 };
        Self { at: input.wrapping_add(DISTANCE + first * LINE), bytes, count }
    }

    /// Prefetches them for the part that begins with that element.
    #[inline(always)]
    pub(super) fn prefetch(&self, start: usize) {
        let at = self.at.wrapping_add(start * self.bytes);
        for line in 0..self.count {
            prefetch_line(at.wrapping_add(line * LINE));
        }
    }
}
