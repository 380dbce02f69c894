//! Memory for large results.
//!
//! A large allocation is fresh from the system: it has no pages yet, and the first thread to touch one waits until the
//! system has provided a page full of zeros. With pages of 4 KiB that takes longer than most primitives do. So large
//! results ask for pages of 2 MiB if the system has them, and are first touched by the threads that write them. Two
//! threads that touch one large page at the same time both wait until it is cleared, so results are shared out [by
//! pages](pages).

use std::alloc::{Layout, alloc_zeroed};
use std::mem::MaybeUninit;
use std::ops::Range;

use crate::{Element, Error, threads};

/// Elements that one task copies.
const TASK: usize = 1 << 18;

/// Results of fewer bytes are not worth asking for: they should cover at least a few large pages.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

/// That many zeros; if they are many, they are not touched yet.
pub(crate) fn zeros<T: Element>(length: usize) -> Vec<T> {
    let zeros = vec![T::ZERO; length];
    prefer_large_pages(&zeros);
    zeros
}

/// That many zeros, or an error if the system does not have the memory.
pub(crate) fn try_zeros<T: Element>(length: usize) -> Result<Vec<T>, Error> {
    let bytes = Error::area(length, size_of::<T>())?;
    let refused = Error::OutOfMemory { wanted: bytes as u64, free: 0 };
    let Ok(layout) = Layout::array::<T>(length) else { return Err(refused) };
    if bytes == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the layout has a size above 0.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        return Err(refused);
    }
    // SAFETY: the memory was allocated with the layout of that many elements, by the allocator of vectors, and zeros are
    // elements of every type.
    let zeros = unsafe { Vec::from_raw_parts(memory.cast::<T>(), length, length) };
    prefer_large_pages(&zeros);
    Ok(zeros)
}

/// Parts of a result in fresh memory, each to be written by one thread: they end where large pages do, or at the next
/// multiple of `unit` elements. `None` for a result of so few parts that threads would have unequal work.
pub(crate) fn pages<T>(fresh: &[T], unit: usize) -> Option<Vec<Range<usize>>> {
    /// Bytes of a part. With one page, threads clear and write in step, and that takes longer.
    const PART: usize = 2 * LARGE_PAGE;
    const FEW: usize = 8;
    if size_of_val(fresh) < FEW * PART {
        return None;
    }
    let begin = fresh.as_ptr().addr();
    let mut parts = Vec::new();
    let mut start = 0;
    while start < fresh.len() {
        let page = (begin + start * size_of::<T>() + 1).next_multiple_of(PART);
        let end = (page - begin).div_ceil(size_of::<T>() * unit) * unit;
        parts.push(start..end.min(fresh.len()));
        start = end;
    }
    Some(parts)
}

/// Bytes of a large page.
pub(crate) const LARGE_PAGE: usize = 2 << 20;

/// Bytes in a line of the caches.
pub(crate) const LINE: usize = 64;

/// Zeros that begin at a cache line, so that no vector of them straddles two.
pub(crate) struct Lines<T> {
    values: Vec<T>,
    first: usize,
    length: usize,
}

impl<T: Element> Lines<T> {
    /// That many zeros.
    pub(crate) fn zeros(length: usize) -> Self {
        let values = vec![T::ZERO; length + LINE / size_of::<T>()];
        let first = values.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
        Self { values, first, length }
    }

    /// All elements.
    pub(crate) fn as_mut(&mut self) -> &mut [T] {
        &mut self.values[self.first..self.first + self.length]
    }
}

/// Uninitialised memory that begins at a cache line.
pub(crate) struct Scratch<T> {
    values: Vec<MaybeUninit<T>>,
    first: usize,
}

impl<T: Copy> Scratch<T> {
    /// Room for that many elements.
    pub(crate) fn new(length: usize) -> Self {
        let mut values: Vec<MaybeUninit<T>> = Vec::with_capacity(length + LINE / size_of::<T>());
        // SAFETY: there is room for that many, and they need no value.
        unsafe { values.set_len(length + LINE / size_of::<T>()) };
        prefer_large_pages(&values);
        let first = values.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
        Self { values, first }
    }

    /// All elements.
    pub(crate) fn as_mut(&mut self) -> &mut [MaybeUninit<T>] {
        &mut self.values[self.first..]
    }
}

/// A copy, made on all cores.
pub(crate) fn copied<T: Element>(values: &[T]) -> Vec<T> {
    let mut copy = zeros(values.len());
    copy_into(values, &mut copy);
    copy
}

/// Copies to a slice of the same length, on all cores.
pub(crate) fn copy_into<T: Element>(from: &[T], to: &mut [T]) {
    // One core copies some 8 bytes in a nanosecond.
    threads::for_each_chunk(to, TASK, size_of_val(from) / 8, |i, to| to.copy_from_slice(&from[i * TASK..][..to.len()]));
}

/// Asks the system for large pages for memory that has not been touched yet, where it has them (Linux). Little memory is
/// left as it is.
///
/// ```
/// let room = vec![0.0_f32; 10_000_000];
/// warpwise::prefer_large_pages(&room);
/// assert_eq!(room[9_999_999], 0.0);
/// ```
pub fn prefer_large_pages<T>(values: &[T]) {
    #[cfg(target_os = "linux")]
    advise(values);
    #[cfg(not(target_os = "linux"))]
    let _ = values;
}

#[cfg(target_os = "linux")]
fn advise<T>(values: &[T]) {
    const PAGE: usize = 4096;
    let bytes = size_of_val(values);
    if bytes < LARGE {
        return;
    }
    // Only whole pages within the slice: nothing else may change.
    let skipped = values.as_ptr().addr().next_multiple_of(PAGE) - values.as_ptr().addr();
    let length = (bytes - skipped) / PAGE * PAGE;
    // SAFETY: the range lies within the slice, and the advice changes only what backs it, never what it holds. A system
    // that does not know the advice refuses it, and nothing changes.
    unsafe {
        libc::madvise(values.as_ptr().byte_add(skipped).cast_mut().cast(), length, libc::MADV_HUGEPAGE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_zeros_at_any_length() {
        for length in [0, 1, 1000, (4 << 20) / 4, (9 << 20) + 1] {
            let zeros = zeros::<f32>(length);
            assert_eq!(zeros.len(), length);
            assert!(zeros.iter().all(|x| x.to_bits() == 0));
            let counted: Vec<u32> = (0..length as u32).collect();
            assert!(copied(&counted) == counted);
        }
    }

    #[test]
    fn more_than_the_machine_has_is_refused() {
        assert_eq!(try_zeros::<u8>(0).unwrap(), []);
        assert_eq!(try_zeros::<f64>(1000).unwrap(), [0.0; 1000]);
        assert!(matches!(try_zeros::<f32>(usize::MAX), Err(Error::TooLarge { .. })));
        assert!(matches!(try_zeros::<f32>(usize::MAX / 8), Err(Error::OutOfMemory { .. })));
        assert!(matches!(try_zeros::<u8>(isize::MAX as usize), Err(Error::OutOfMemory { .. })));
    }

    #[test]
    fn parts_of_fresh_memory_end_with_large_pages() {
        const PART: usize = 4 << 20;
        let memory = vec![0_u32; (40 << 20) / 4];
        assert_eq!(pages(&memory[..(8 << 20) / 4 - 1], 1), None);
        for (first, unit) in [(0, 1), (1, 1), (12_345, 1), (7, 5000), (0, 1 << 16)] {
            let fresh = &memory[first..];
            let parts = pages(fresh, unit).unwrap();
            assert_eq!(parts.iter().cloned().flatten().count(), fresh.len());
            assert!(parts.windows(2).all(|two| two[0].end == two[1].start));
            assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, fresh.len()));
            for part in &parts[..parts.len() - 1] {
                let end = fresh[part.end..].as_ptr().addr();
                assert!(part.end.is_multiple_of(unit) && end % PART < 4 * unit, "{part:?} of {unit}");
            }
        }
    }
}
