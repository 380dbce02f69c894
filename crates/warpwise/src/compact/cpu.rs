//! Compact on the CPU.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Condition;
use super::sift::{Keep, count, sift};
use crate::simd::Level;
use crate::simd::stream::{self, Stores};
use crate::{Element, Error, threads};

/// Elements that are sifted at a time, into the first-level cache.
const STAGE: usize = 4096;

/// Bytes of the input that a thread goes over at a time: the second pass still finds them in the second-level cache.
const WINDOW: usize = 1 << 19;

/// As [`WINDOW`], for a result in fresh memory: with fewer bytes, two threads would write to the same large page at the
/// same time, and both would wait until it is cleared.
const FRESH_WINDOW: usize = 1 << 21;

/// The elements that a condition keeps, in order: how many they are. The result is as long as the input; what is behind
/// them may change.
///
/// # Errors
///
/// [`Error::Length`] when the result has another length than the input.
///
/// ```
/// use warpwise::compact::{Condition, cpu};
///
/// let mut out = [0; 5];
/// assert_eq!(cpu::seq(&[3, 1, 4, 1, 5], Condition::Greater(2), &mut out)?, 3);
/// assert_eq!(out[..3], [3, 4, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Element>(xs: &[T], condition: Condition<T>, out: &mut [T]) -> Result<usize, Error> {
    Error::check_length("the result", out.len(), xs.len())?;
    Ok(one_by_one(xs.iter().copied().filter(|&x| condition.keeps(x)), out))
}

/// As [`seq`], with the elements whose byte in a mask is not zero.
///
/// # Errors
///
/// As for [`seq`], and [`Error::Length`] when the mask does not have a byte for each element.
///
/// ```
/// let mut out = [0.0; 3];
/// assert_eq!(warpwise::compact::cpu::seq_by_mask(&[1.0, 2.0, 3.0], &[1, 0, 1], &mut out)?, 2);
/// assert_eq!(out[..2], [1.0, 3.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq_by_mask<T: Element>(xs: &[T], mask: &[u8], out: &mut [T]) -> Result<usize, Error> {
    check(xs, mask, out)?;
    Ok(one_by_one(xs.iter().zip(mask).filter(|(_, byte)| **byte != 0).map(|(&x, _)| x), out))
}

/// As [`seq`], on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::compact::{Condition, cpu};
///
/// let xs: Vec<u32> = (0..100_000).collect();
/// let mut out = vec![0; 100_000];
/// assert_eq!(cpu::par(&xs, Condition::Less(5), &mut out)?, 5);
/// assert_eq!(out[..5], [0, 1, 2, 3, 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<T: Element>(xs: &[T], condition: Condition<T>, out: &mut [T]) -> Result<usize, Error> {
    par_at(Level::current(), Stores::of(out), xs, Keep::Where(condition), out)
}

/// As [`seq_by_mask`], on all cores.
///
/// # Errors
///
/// As for [`seq_by_mask`].
///
/// ```
/// let mut out = [0; 3];
/// assert_eq!(warpwise::compact::cpu::par_by_mask(&[1, 2, 3], &[0, 0, 9], &mut out)?, 1);
/// assert_eq!(out[0], 3);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par_by_mask<T: Element>(xs: &[T], mask: &[u8], out: &mut [T]) -> Result<usize, Error> {
    par_at(Level::current(), Stores::of(out), xs, Keep::Mask(mask), out)
}

/// As [`par`] and [`par_by_mask`], for a result in memory that is fresh from the system.
pub(super) fn par_fresh<T: Element>(xs: &[T], keep: Keep<'_, T>, out: &mut [T]) -> Result<usize, Error> {
    in_windows(Level::current(), Stores::Cached, FRESH_WINDOW, xs, keep, out)
}

pub(super) fn par_at<T: Element>(
    level: Level,
    stores: Stores,
    xs: &[T],
    keep: Keep<'_, T>,
    out: &mut [T],
) -> Result<usize, Error> {
    in_windows(level, stores, WINDOW, xs, keep, out)
}

fn check<T>(xs: &[T], mask: &[u8], out: &[T]) -> Result<(), Error> {
    Error::check_length("the mask", mask.len(), xs.len())?;
    Error::check_length("the result", out.len(), xs.len())
}

fn one_by_one<T>(kept: impl Iterator<Item = T>, out: &mut [T]) -> usize {
    let mut count = 0;
    for x in kept {
        out[count] = x;
        count += 1;
    }
    count
}

/// A thread takes a window of so many bytes, and counts what is kept of it; once it is known how many elements the windows
/// before it keep, it writes its own to where they belong. On one thread there is no need to count.
fn in_windows<T: Element>(
    level: Level,
    stores: Stores,
    window: usize,
    xs: &[T],
    keep: Keep<'_, T>,
    out: &mut [T],
) -> Result<usize, Error> {
    match keep {
        Keep::Where(_) => Error::check_length("the result", out.len(), xs.len())?,
        Keep::Mask(mask) => check(xs, mask, out)?,
    }
    let window = window / size_of::<T>();
    // One core reads and writes some 8 bytes each in a nanosecond.
    let members = if xs.len() <= window / 8 { 1 } else { threads::available(size_of_val(xs) / 8) };
    if members < 2 {
        return Ok(sift(level, xs, keep, unwritten(out)));
    }
    let windows = threads::in_chunks(xs.len(), xs.len().div_ceil(members).min(window));
    let total = AtomicUsize::new(0);
    let place = Place(out.as_mut_ptr());
    // Where the parts of the result begin is not known before: what is cut are numbers, which take no memory.
    threads::relay(
        &mut vec![(); xs.len()],
        &windows,
        members,
        0,
        |range: Range<usize>| count(level, &xs[range.clone()], keep.part(range)),
        |before, &count| {
            total.fetch_max(before + count, Ordering::Relaxed);
            before + count
        },
        |range, before, count, _| {
            // SAFETY: parts follow each other, and all of them together are no longer than the input, and so the result.
            let to = unsafe { std::slice::from_raw_parts_mut(place.at(before), count) };
            write(level, stores, &xs[range.clone()], keep.part(range), to);
        },
    );
    Ok(total.into_inner())
}

/// Writes what is kept to memory that has room for just that. To sift takes more room: what is not to be in the caches, and
/// what comes last, is sifted elsewhere.
fn write<T: Element>(level: Level, stores: Stores, xs: &[T], keep: Keep<'_, T>, to: &mut [T]) {
    let mut stage = [MaybeUninit::uninit(); STAGE];
    let mut written = 0;
    for (i, some) in xs.chunks(STAGE).enumerate() {
        let first = i * STAGE;
        let (keep, to) = (keep.part(first..first + some.len()), &mut to[written..]);
        if stores == Stores::Cached && to.len() >= some.len() {
            written += sift(level, some, keep, unwritten(to));
            continue;
        }
        let kept = sift(level, some, keep, &mut stage);
        // SAFETY: so many elements were written by `sift`.
        let from = unsafe { std::slice::from_raw_parts(stage.as_ptr().cast::<T>(), kept) };
        stream::write(level, stores, from, &mut to[..kept]);
        written += kept;
    }
    if stores == Stores::Streamed {
        stream::finish();
    }
}

/// Elements as memory that need not hold any.
fn unwritten<T>(out: &mut [T]) -> &mut [MaybeUninit<T>] {
    // SAFETY: both are of one size; only elements are written there, by `sift`.
    unsafe { std::slice::from_raw_parts_mut(out.as_mut_ptr().cast(), out.len()) }
}

/// The beginning of the result, for threads that write to different parts of it.
struct Place<T>(*mut T);

// SAFETY: threads only compute addresses with it.
unsafe impl<T: Send> Sync for Place<T> {}

impl<T> Place<T> {
    fn at(&self, element: usize) -> *mut T {
        self.0.wrapping_add(element)
    }
}
