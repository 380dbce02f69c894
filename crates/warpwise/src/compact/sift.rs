//! The inner loop: what is kept of some elements, moved together.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::Condition;
#[cfg(target_arch = "x86_64")]
use super::{permutations, registers};
use crate::Element;
use crate::simd::Level;

/// Which elements are kept.
#[derive(Clone, Copy)]
pub(super) enum Keep<'a, T> {
    Where(Condition<T>),
    /// Those with a byte that is not zero.
    Mask(&'a [u8]),
}

impl<T: Element> Keep<'_, T> {
    /// The same for some of the elements.
    pub(super) fn part(self, range: Range<usize>) -> Self {
        match self {
            Self::Where(condition) => Self::Where(condition),
            Self::Mask(mask) => Self::Mask(&mask[range]),
        }
    }
}

/// Writes what is kept to the beginning of `to`, which is as long as the input, and says how many elements that are. What
/// is behind them may be written to as well.
pub(super) fn sift<T: Element>(level: Level, xs: &[T], keep: Keep<'_, T>, to: &mut [MaybeUninit<T>]) -> usize {
    assert!(to.len() >= xs.len());
    // SAFETY: there is room for all elements.
    let (done, kept) = unsafe { in_registers::<T, true>(level, xs, keep, to.as_mut_ptr()) };
    let mut at = kept;
    each(&xs[done..], keep.part(done..xs.len()), |x, kept| {
        // Every element is written, and the next one over it unless it is kept: nothing to predict.
        to[at].write(x);
        at += usize::from(kept);
    });
    at
}

/// How many elements are kept.
pub(super) fn count<T: Element>(level: Level, xs: &[T], keep: Keep<'_, T>) -> usize {
    // SAFETY: nothing is written.
    let (done, mut kept) = unsafe { in_registers::<T, false>(level, xs, keep, std::ptr::null_mut()) };
    each(&xs[done..], keep.part(done..xs.len()), |_, is_kept| kept += usize::from(is_kept));
    kept
}

/// How many elements were sifted, or counted, in registers, and how many of them are kept.
///
/// # Safety
///
/// If they are written, `to` must have room for all elements.
unsafe fn in_registers<T: Element, const WRITE: bool>(
    level: Level,
    xs: &[T],
    keep: Keep<'_, T>,
    to: *mut MaybeUninit<T>,
) -> (usize, usize) {
    if let Keep::Mask(mask) = keep {
        assert!(mask.len() == xs.len());
    }
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the level says that the host has the instructions; the caller's promise.
        Level::Avx512(_) => unsafe { registers::sift::<T, WRITE>(xs, keep, to.cast()) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::Avx2(_) => unsafe { permutations::sift::<T, WRITE>(xs, keep, to.cast()) },
        Level::Base => {
            let _ = to;
            (0, 0)
        }
    }
}

/// Calls something with every element, and whether it is kept.
#[inline(always)]
fn each<T: Element>(xs: &[T], keep: Keep<'_, T>, mut with: impl FnMut(T, bool)) {
    match keep {
        Keep::Where(Condition::Equal(value)) => xs.iter().for_each(|&x| with(x, x == value)),
        Keep::Where(Condition::NotEqual(value)) => xs.iter().for_each(|&x| with(x, x != value)),
        Keep::Where(Condition::Less(value)) => xs.iter().for_each(|&x| with(x, x < value)),
        Keep::Where(Condition::Greater(value)) => xs.iter().for_each(|&x| with(x, x > value)),
        Keep::Mask(mask) => xs.iter().zip(mask).for_each(|(&x, &byte)| with(x, byte != 0)),
    }
}
