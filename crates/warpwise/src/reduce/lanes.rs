//! The vector loops of reduce.

use crate::Element;
use crate::operator::Combine;

/// Elements that are reduced to one value in one go; a tree goes over the blocks.
pub(crate) const BLOCK: usize = 1024;

/// A block of at most [`BLOCK`] elements, reduced.
///
/// Lane `i` takes every N-th element from the i-th on, and a tree goes over the lanes. The number of lanes is part of
/// the result's bits and so the same at every SIMD level: 256 bytes, four of the widest registers, which is enough
/// independent additions to hide their latency.
#[inline(always)]
pub(crate) fn block<T: Element, O: Combine>(xs: &[T]) -> T {
    if !T::IS_FLOAT {
        // The order of integers never shows, so the compiler is free to choose the lanes itself.
        return xs.iter().fold(O::identity(), |so_far, &x| O::combine(so_far, x));
    }
    match size_of::<T>() {
        4 => in_lanes::<T, O, 64>(xs),
        _ => in_lanes::<T, O, 32>(xs),
    }
}

#[inline(always)]
fn in_lanes<T: Element, O: Combine, const N: usize>(xs: &[T]) -> T {
    if xs.len() < N / 2 {
        return xs.iter().fold(O::identity(), |so_far, &x| O::combine(so_far, x));
    }
    let (rows, rest) = xs.as_chunks::<N>();
    let mut lanes = [O::identity(); N];
    for row in rows {
        for i in 0..N {
            lanes[i] = O::combine(lanes[i], row[i]);
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = O::combine(*lane, x);
    }
    let mut width = N;
    while width > 1 {
        width /= 2;
        for i in 0..width {
            lanes[i] = O::combine(lanes[i], lanes[i + width]);
        }
    }
    lanes[0]
}

/// Combines neighbours until one value is left; an odd one at the end waits for the next round.
#[inline(always)]
pub(crate) fn tree<T: Element, O: Combine>(values: &mut [T]) -> T {
    let mut count = values.len();
    while count > 1 {
        for i in 0..count / 2 {
            values[i] = O::combine(values[2 * i], values[2 * i + 1]);
        }
        if count % 2 == 1 {
            values[count / 2] = values[count - 1];
        }
        count = count.div_ceil(2);
    }
    values.first().copied().unwrap_or(O::identity())
}

/// The first index whose element equals the value (or is NaN, if the value is).
#[inline(always)]
pub(crate) fn find<T: Element>(xs: &[T], value: T) -> Option<usize> {
    // Whole strips are tested without branches, so that it is vector code; only the strip that has it is searched.
    const STRIP: usize = 128;
    let is_it = |x: T| (x == value) | (x.is_nan() & value.is_nan());
    let strip = xs.chunks(STRIP).position(|strip| strip.iter().fold(false, |any, &x| any | is_it(x)))? * STRIP;
    xs[strip..].iter().position(|&x| is_it(x)).map(|i| strip + i)
}
