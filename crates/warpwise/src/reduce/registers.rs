//! Reductions in registers.
//!
//! If the order does not matter, four registers go over all elements. Minima and maxima of floats are then plain
//! comparisons, one instruction per register. Two more look for NaN and collect the signs of two registers, which give
//! the sign if the extreme is a zero.

use std::marker::PhantomData;

use super::lanes;
use crate::operator::Combine;
use crate::simd::ahead::Ahead;
use crate::simd::{Kernel, Lanes, Vector};
use crate::{Element, Operator};

/// Registers that are combined at the same time: enough to hide the latency.
pub(super) const WIDE: usize = 4;

/// Lanes of the widest register.
const MOST: usize = 16;

/// Elements reduced in any order. Not for sums and products of floats.
pub(super) struct AnyOrder<'a, T, O> {
    pub(super) xs: &'a [T],
    pub(super) ahead: Ahead,
    pub(super) operator: PhantomData<O>,
}

impl<T: Lanes, O: Combine> Kernel for AnyOrder<'_, T, O> {
    type Element = T;
    type Output = T;

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) -> T {
        // SAFETY: the host has the instructions.
        unsafe { any_order::<V, O>(self.xs, self.ahead) }
    }
}

/// Two registers combined. For floats, minimum and maximum ignore NaN and the sign of zeros.
///
/// # Safety
///
/// The host must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn combine<V: Vector, O: Combine>(so_far: V, x: V) -> V {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match O::OPERATOR {
            Operator::Sum => so_far.plus(x),
            Operator::Product => so_far.times(x),
            Operator::Min => x.smaller(so_far),
            Operator::Max => x.larger(so_far),
        }
    }
}

/// # Safety
///
/// The host must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn any_order<V: Vector, O: Combine>(xs: &[V::Element], ahead: Ahead) -> V::Element {
    // SAFETY: guaranteed by the caller; rows have `WIDE` registers, and `last` has one.
    unsafe {
        let identity: V::Element = O::identity();
        let mut so_far = [Seen::<V>::nothing(identity); WIDE / 2];
        let rows = xs.chunks_exact(WIDE * V::LANES);
        let rest = rows.remainder();
        for row in rows {
            ahead.of(row);
            for (i, so_far) in so_far.iter_mut().enumerate() {
                let at = row.as_ptr().add(2 * i * V::LANES);
                so_far.see::<O>([V::load(at), V::load(at.add(V::LANES))]);
            }
        }
        let registers = rest.chunks_exact(V::LANES);
        // Identities pad the last register: they change nothing.
        let mut last = [identity; MOST];
        last[..registers.remainder().len()].copy_from_slice(registers.remainder());
        for x in registers.map(|x| V::load(x.as_ptr())).chain([V::load(last.as_ptr())]) {
            so_far[0].see::<O>([x, V::splat(identity)]);
        }
        so_far[0].with::<O>(so_far[1]).result::<O>(xs)
    }
}

/// The results so far, two registers at a time.
#[derive(Clone, Copy)]
struct Seen<V> {
    extremes: [V; 2],
    nans: V,
    signs: V,
}

impl<V: Vector> Seen<V> {
    /// # Safety
    ///
    /// The host must have the instructions of `V`, as for all functions below.
    #[inline(always)]
    unsafe fn nothing(identity: V::Element) -> Self {
        // SAFETY: guaranteed by the caller. The identity of a minimum has no minus, that of a maximum has one.
        unsafe {
            Self { extremes: [V::splat(identity); 2], nans: V::splat(V::Element::ZERO), signs: V::splat(identity) }
        }
    }

    #[inline(always)]
    unsafe fn see<O: Combine>(&mut self, xs: [V; 2]) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            for (so_far, x) in self.extremes.iter_mut().zip(xs) {
                *so_far = combine::<V, O>(*so_far, x);
            }
            if V::Element::IS_FLOAT {
                self.nans = self.nans.or(xs[0].unordered(xs[1]));
                self.signs = gathered::<V, O>(self.signs, gathered::<V, O>(xs[0], xs[1]));
            }
        }
    }

    #[inline(always)]
    unsafe fn with<O: Combine>(self, other: Self) -> Self {
        let [a, b] = self.extremes;
        let [c, d] = other.extremes;
        // SAFETY: guaranteed by the caller.
        unsafe {
            Self {
                extremes: [combine::<V, O>(a, c), combine::<V, O>(b, d)],
                nans: self.nans.or(other.nans),
                signs: gathered::<V, O>(self.signs, other.signs),
            }
        }
    }

    /// The result of all elements, which are passed in.
    #[inline(always)]
    unsafe fn result<O: Combine>(self, xs: &[V::Element]) -> V::Element {
        let lanes = |register: V| {
            let mut lanes = [O::identity(); MOST];
            // SAFETY: guaranteed by the caller; there is room for any register.
            unsafe { register.store(lanes.as_mut_ptr()) };
            lanes
        };
        // SAFETY: guaranteed by the caller.
        let both = unsafe { combine::<V, O>(self.extremes[0], self.extremes[1]) };
        let mut result = O::identity();
        for x in lanes(both) {
            result = O::combine(result, x);
        }
        if !V::Element::IS_FLOAT {
            return result;
        }
        if lanes(self.nans)[..V::LANES].iter().any(|&x| x != V::Element::ZERO) {
            return xs.iter().copied().find(|x| x.is_nan()).unwrap_or(result);
        }
        if result != V::Element::ZERO {
            return result;
        }
        // If a minimum is a zero, nothing else is negative: any minus sign belongs to a zero. For maxima it is the
        // other way round.
        let signs = lanes(self.signs);
        let mut minus = signs[..V::LANES].iter().map(|&x| has_minus(x));
        let is_minus = if is_min::<O>() { minus.any(|minus| minus) } else { minus.all(|minus| minus) };
        if is_minus { minus_zero() } else { V::Element::ZERO }
    }
}

#[inline(always)]
fn is_min<O: Combine>() -> bool {
    matches!(O::OPERATOR, Operator::Min)
}

/// # Safety
///
/// The host must have the instructions of `V`.
#[inline(always)]
unsafe fn gathered<V: Vector, O: Combine>(a: V, b: V) -> V {
    // SAFETY: guaranteed by the caller.
    unsafe { if is_min::<O>() { a.or(b) } else { a.and(b) } }
}

fn has_minus<T: Element>(x: T) -> bool {
    if size_of::<T>() == 4 { bytemuck::cast::<T, i32>(x) < 0 } else { bytemuck::cast::<T, i64>(x) < 0 }
}

fn minus_zero<T: Element>() -> T {
    if size_of::<T>() == 4 { bytemuck::cast(-0.0_f32) } else { bytemuck::cast(-0.0_f64) }
}

/// Like [`block`](super::block), with the same bits. Minima and maxima of floats ignore NaN and the sign of zeros.
///
/// # Safety
///
/// The host must have the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn block<V: Vector, O: Combine>(xs: &[V::Element], ahead: Ahead) -> V::Element {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if const { !V::Element::IS_FLOAT } {
            any_order::<V, O>(xs, ahead)
        } else if const { size_of::<V::Element>() == 4 } {
            in_lanes::<V, O, 64>(xs, ahead)
        } else {
            in_lanes::<V, O, 32>(xs, ahead)
        }
    }
}

/// Rows of `N` lanes; a strip of one fits into registers at every level.
///
/// # Safety
///
/// The host must have the instructions of `V`.
#[inline(always)]
unsafe fn in_lanes<V: Vector, O: Combine, const N: usize>(xs: &[V::Element], ahead: Ahead) -> V::Element {
    let (rows, rest) = xs.as_chunks::<N>();
    if rows.is_empty() {
        return super::block::<V::Element, O>(rest);
    }
    let width = WIDE * V::LANES;
    assert!(N.is_multiple_of(width));
    let mut lanes = [O::identity::<V::Element>(); N];
    for (s, lanes) in lanes.chunks_exact_mut(width).enumerate() {
        // SAFETY: guaranteed by the caller; a strip ends where its row does, or before.
        unsafe {
            let mut so_far = [V::splat(O::identity()); WIDE];
            for row in rows {
                let row = &row[s * width..(s + 1) * width];
                ahead.of(row);
                for (i, so_far) in so_far.iter_mut().enumerate() {
                    *so_far = combine::<V, O>(*so_far, V::load(row.as_ptr().add(i * V::LANES)));
                }
            }
            for (i, so_far) in so_far.into_iter().enumerate() {
                so_far.store(lanes.as_mut_ptr().add(i * V::LANES));
            }
        }
    }
    lanes::finish::<V::Element, O, N>(lanes, rest)
}
