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
    if let Keep::Mask(mask) = keep {
        assert!(mask.len() == xs.len());
    }
    #[cfg(target_arch = "x86_64")]
    let (done, kept) = match level {
        // SAFETY: the level says that the host has the instructions; the lengths were compared.
        Level::Avx512(_) => unsafe { registers::sift(xs, keep, to.as_mut_ptr().cast()) },
        // SAFETY: as above.
        Level::Avx2(_) => unsafe { permutations::sift(xs, keep, to.as_mut_ptr().cast()) },
        Level::Base => (0, 0),
    };
    #[cfg(not(target_arch = "x86_64"))]
    let (done, kept) = {
        let _ = level;
        (0, 0)
    };
    let rest = (&xs[done..], keep.part(done..xs.len()));
    kept + match rest {
        (xs, Keep::Where(Condition::Equal(value))) => one_by_one(xs, &mut to[kept..], |_, x| x == value),
        (xs, Keep::Where(Condition::NotEqual(value))) => one_by_one(xs, &mut to[kept..], |_, x| x != value),
        (xs, Keep::Where(Condition::Less(value))) => one_by_one(xs, &mut to[kept..], |_, x| x < value),
        (xs, Keep::Where(Condition::Greater(value))) => one_by_one(xs, &mut to[kept..], |_, x| x > value),
        (xs, Keep::Mask(mask)) => one_by_one(xs, &mut to[kept..], |i, _| mask[i] != 0),
    }
}

/// Every element is written, and the next one over it unless it is kept: nothing to predict.
fn one_by_one<T: Element>(xs: &[T], to: &mut [MaybeUninit<T>], keeps: impl Fn(usize, T) -> bool) -> usize {
    let mut kept = 0;
    for (i, &x) in xs.iter().enumerate() {
        to[kept].write(x);
        kept += usize::from(keeps(i, x));
    }
    kept
}
