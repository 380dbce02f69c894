//! Asking for memory ahead of its use.
//!
//! The hardware asks ahead by itself, but never beyond a page of 4 KiB: at every page, a loop over memory waits. One
//! that asks for each line a page ahead, one request beside each use, does not, and reads half as much again.

use super::prefetch_line;
use crate::memory::LINE;

/// Asks ahead within some memory, and nowhere beyond.
#[derive(Clone, Copy)]
pub(crate) struct Ahead {
    end: usize,
}

impl Ahead {
    /// How far ahead, in bytes: a page, which is well within the first-level cache.
    const DISTANCE: usize = 4096;

    /// Asks ahead within these values.
    pub(crate) fn within<T>(values: &[T]) -> Self {
        Self { end: values.as_ptr_range().end.addr() }
    }

    /// Asks for what lies as far ahead of this part, which is used now. At the end that is the last such part.
    #[inline(always)]
    pub(crate) fn of<T>(self, part: &[T]) {
        let left = self.end.wrapping_sub(part.as_ptr_range().end.addr());
        let at = part.as_ptr().wrapping_byte_add(left.min(Self::DISTANCE));
        for line in (0..size_of_val(part)).step_by(LINE) {
            prefetch_line(at.wrapping_byte_add(line));
        }
    }
}
