//! Memory that several threads write, each its own places.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// A slice that threads share. Whoever writes to a place is the only one to do so at the time.
#[derive(Clone, Copy)]
pub(super) struct Places<'a, T> {
    at: *mut T,
    length: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: places are only reached by the unsafe functions below, whose callers promise that no two threads use the same
// one at the same time.
unsafe impl<T: Send> Send for Places<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Places<'_, T> {}

impl<'a, T> Places<'a, T> {
    pub(super) fn new(slice: &'a mut [T]) -> Self {
        Self { at: slice.as_mut_ptr(), length: slice.len(), slice: PhantomData }
    }

    pub(super) fn len(self) -> usize {
        self.length
    }

    /// Where a place is.
    pub(super) fn pointer(self, i: usize) -> *mut T {
        self.at.wrapping_add(i)
    }

    /// A part of it.
    ///
    /// # Safety
    ///
    /// Nobody else may use these places as long as the slice is there, and they must have values.
    pub(super) unsafe fn part(self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.length, "{range:?} of {}", self.length);
        // SAFETY: the range lies within the slice, and the caller promises that it is used by nobody else.
        unsafe { std::slice::from_raw_parts_mut(self.at.add(range.start), range.len()) }
    }

    /// The same places, of which nothing is known.
    pub(super) fn uninitialized(self) -> Places<'a, MaybeUninit<T>> {
        Places { at: self.at.cast(), length: self.length, slice: PhantomData }
    }
}

impl<'a, T> Places<'a, MaybeUninit<T>> {
    /// A part of it that has been written.
    ///
    /// # Safety
    ///
    /// As for [`part`](Places::part).
    pub(super) unsafe fn initialized(self, range: Range<usize>) -> &'a mut [T] {
        // SAFETY: guaranteed by the caller; the two types have the same layout.
        unsafe { &mut *(std::ptr::from_mut(self.part(range)) as *mut [T]) }
    }
}
