//! Stores that bypass the caches.
//!
//! An ordinary store first reads the line that it writes to. A streaming one does not, if it writes all of it: that
//! saves a quarter of the memory traffic of a vector addition. But streamed data is not in the caches afterwards, so it
//! is only for results that would not stay there anyway, in memory that was not just cleared.

use super::{Body, Level};
use crate::Element;
use crate::memory::LINE;

/// Results of at least that many bytes are streamed.
const LARGE: usize = 32 << 20;

/// How to write a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stores {
    /// Through the caches.
    Cached,
    /// Bypassing the caches.
    Streamed,
}

impl Stores {
    /// The stores for a result in memory that was used before.
    pub(crate) fn of<T>(result: &[T]) -> Self {
        if size_of_val(result) >= LARGE { Self::Streamed } else { Self::Cached }
    }
}

/// Copies to a slice of the same length. What is streamed needs a [`finish`].
pub(crate) fn write<T: Element>(level: Level, stores: Stores, from: &[T], to: &mut [T]) {
    match stores {
        Stores::Cached => to.copy_from_slice(from),
        Stores::Streamed => level.run(Streamed { level, from, to }),
    }
}

/// A copy past the caches.
struct Streamed<'a, T> {
    level: Level,
    from: &'a [T],
    to: &'a mut [T],
}

impl<T: Element> Body for Streamed<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        // SAFETY: the level says that the host has the instructions.
        unsafe { copy(self.level, self.from, self.to) };
    }
}

/// Writes a line of the cache.
///
/// # Safety
///
/// The host must have the instructions of the level, and `to` must be valid for a line, and begin one.
#[inline(always)]
pub(crate) unsafe fn line<T: Element, const N: usize>(level: Level, line: [T; N], to: *mut T) {
    assert!(N * size_of::<T>() == LINE);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: guaranteed by the caller; a line is as long as the registers together.
    unsafe {
        use std::arch::x86_64::*;
        let from = (&raw const line).cast::<u8>();
        let to = to.cast::<u8>();
        match level {
            Level::Avx512(_) => _mm512_stream_si512(to.cast(), _mm512_loadu_si512(from.cast())),
            Level::Avx2(_) => {
                for i in [0, 32] {
                    _mm256_stream_si256(to.add(i).cast(), _mm256_loadu_si256(from.add(i).cast()));
                }
            }
            Level::Base => {
                for i in [0, 16, 32, 48] {
                    _mm_stream_si128(to.add(i).cast(), _mm_loadu_si128(from.add(i).cast()));
                }
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: guaranteed by the caller.
    unsafe {
        let _ = level;
        to.cast::<[T; N]>().write(line);
    }
}

/// Copies to a slice of the same length; whole lines bypass the caches.
///
/// # Safety
///
/// The host must have the instructions of the level.
#[inline(always)]
pub(crate) unsafe fn copy<T: Element>(level: Level, from: &[T], to: &mut [T]) {
    assert_eq!(from.len(), to.len());
    // SAFETY: guaranteed by the caller.
    unsafe {
        if const { size_of::<T>() == 1 } {
            copy_lines::<T, LINE>(level, from, to);
        } else if const { size_of::<T>() == 2 } {
            copy_lines::<T, { LINE / 2 }>(level, from, to);
        } else if const { size_of::<T>() == 4 } {
            copy_lines::<T, { LINE / 4 }>(level, from, to);
        } else {
            copy_lines::<T, { LINE / 8 }>(level, from, to);
        }
    }
}

/// # Safety
///
/// As for [`copy`].
#[inline(always)]
unsafe fn copy_lines<T: Element, const N: usize>(level: Level, from: &[T], to: &mut [T]) {
    let first = to.as_ptr().align_offset(LINE).min(to.len());
    let (begin, to) = to.split_at_mut(first);
    begin.copy_from_slice(&from[..first]);
    let (lines, end) = to.as_chunks_mut::<N>();
    let (from, last) = from[first..].as_chunks::<N>();
    for (from, to) in from.iter().zip(lines) {
        // SAFETY: guaranteed by the caller; lines begin where the first one does.
        unsafe { line(level, *from, to.as_mut_ptr()) };
    }
    end.copy_from_slice(last);
}

/// Makes streamed data visible to other threads before anything that is written later.
#[inline(always)]
pub(crate) fn finish() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every host has the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
