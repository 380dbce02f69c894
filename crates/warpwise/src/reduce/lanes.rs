//! The vector loops of reduce.

use std::ops::BitOr;

use bytemuck::Pod;

use crate::operator::Combine;
use crate::{Element, Operator};

/// Elements that are reduced to one value at once; a tree combines the blocks.
pub(crate) const BLOCK: usize = 1024;

/// A block of at most [`BLOCK`] elements, reduced.
///
/// Lane `i` takes every N-th element starting with the i-th, and a tree combines the lanes. The number of lanes affects
/// the result's bits, so it is the same at every SIMD level: 256 bytes, four of the widest registers, which is enough
/// independent additions to hide their latency.
#[inline(always)]
pub(crate) fn block<T: Element, O: Combine>(xs: &[T]) -> T {
    if !T::IS_FLOAT {
        // The order of integers never shows, so the compiler is free to choose the lanes.
        return xs.iter().fold(O::identity(), |so_far, &x| O::combine(so_far, x));
    }
    let extreme = match (O::OPERATOR, size_of::<T>()) {
        (Operator::Min | Operator::Max, 4) => {
            extreme_in_lanes::<T, O, i32, 64, 32>(xs).or_else(|| extreme_of_keys::<T, O, i32>(xs))
        }
        (Operator::Min | Operator::Max, _) => {
            extreme_in_lanes::<T, O, i64, 32, 16>(xs).or_else(|| extreme_of_keys::<T, O, i64>(xs))
        }
        _ => None,
    };
    match (extreme, size_of::<T>()) {
        (Some(extreme), _) => extreme,
        (None, 4) => in_lanes::<T, O, 64>(xs),
        (None, _) => in_lanes::<T, O, 32>(xs),
    }
}

/// The extreme of floats, unless there is a NaN or it is a zero, whose sign would matter. A comparison that ignores
/// both is one instruction, and another one looks for NaN in two registers. `H` is half of `N`.
#[inline(always)]
fn extreme_in_lanes<T: Element, O: Combine, K: Key, const N: usize, const H: usize>(xs: &[T]) -> Option<T> {
    let better = |x: T, so_far: T| {
        let is_better = if matches!(O::OPERATOR, Operator::Min) { x < so_far } else { x > so_far };
        if is_better { x } else { so_far }
    };
    let (rows, rest) = xs.as_chunks::<N>();
    let mut lanes = [O::identity(); N];
    let mut has_nan = [K::mask(false); H];
    for row in rows {
        for i in 0..N {
            lanes[i] = better(row[i], lanes[i]);
        }
        for i in 0..H {
            has_nan[i] = has_nan[i] | K::mask(row[i].is_nan() | row[i + H].is_nan());
        }
    }
    let mut rest_has_nan = false;
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = better(x, *lane);
        rest_has_nan |= x.is_nan();
    }
    let has_nan = has_nan.into_iter().fold(K::mask(rest_has_nan), |so_far, mask| so_far | mask);
    let mut width = N;
    while width > 1 {
        width /= 2;
        for i in 0..width {
            lanes[i] = better(lanes[i + width], lanes[i]);
        }
    }
    (has_nan == K::mask(false) && lanes[0] != T::ZERO).then_some(lanes[0])
}

/// An integer key for a float's bits that sorts as the floats do: -0 below +0, NaN beyond infinity.
trait Key: Pod + Ord + BitOr<Output = Self> {
    /// The keys of minus infinity and of infinity.
    const INFINITE: (Self, Self);
    /// The key of a float with these bits, and the bits of the float with this key.
    fn turn(self) -> Self;
    /// All bits set, or none.
    fn mask(set: bool) -> Self;
}

impl Key for i32 {
    const INFINITE: (Self, Self) = (f32::NEG_INFINITY.to_bits() as i32 ^ Self::MAX, f32::INFINITY.to_bits() as i32);
    #[inline(always)]
    fn turn(self) -> Self {
        // Among negative numbers, larger bits are a smaller number: all bits but the sign are flipped.
        self ^ ((self >> 31) & Self::MAX)
    }
    #[inline(always)]
    fn mask(set: bool) -> Self {
        -Self::from(set)
    }
}

impl Key for i64 {
    const INFINITE: (Self, Self) = (f64::NEG_INFINITY.to_bits() as i64 ^ Self::MAX, f64::INFINITY.to_bits() as i64);
    #[inline(always)]
    fn turn(self) -> Self {
        self ^ ((self >> 63) & Self::MAX)
    }
    #[inline(always)]
    fn mask(set: bool) -> Self {
        -Self::from(set)
    }
}

/// The extreme of floats, unless there is a NaN. As integers they need none of the tests for zeros and NaN in
/// [`combine`](Combine::combine), and the compiler may take them in any order.
#[inline(always)]
fn extreme_of_keys<T: Element, O: Combine, K: Key>(xs: &[T]) -> Option<T> {
    let keys: &[K] = bytemuck::cast_slice(xs);
    let first = keys.first()?.turn();
    let (low, high) = keys.iter().fold((first, first), |(low, high), key| {
        let key = key.turn();
        (low.min(key), high.max(key))
    });
    if low < K::INFINITE.0 || high > K::INFINITE.1 {
        return None;
    }
    let extreme = if matches!(O::OPERATOR, Operator::Min) { low } else { high };
    Some(bytemuck::cast(extreme.turn()))
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
    finish::<T, O, N>(lanes, rest)
}

/// The remainder of a block goes to the first lanes, and a tree combines all lanes.
#[inline(always)]
pub(super) fn finish<T: Element, O: Combine, const N: usize>(mut lanes: [T; N], rest: &[T]) -> T {
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
    // Whole strips are tested without branches, to become vector code; only the strip that has it is searched.
    const STRIP: usize = 128;
    let is_it = |x: T| (x == value) | (x.is_nan() & value.is_nan());
    let strip = xs.chunks(STRIP).position(|strip| strip.iter().fold(false, |any, &x| any | is_it(x)))? * STRIP;
    xs[strip..].iter().position(|&x| is_it(x)).map(|i| strip + i)
}
