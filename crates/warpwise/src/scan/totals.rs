//! The totals of blocks, which the first pass of a scan computes.

use std::marker::PhantomData;

use super::cpu::BLOCK;
use crate::Element;
use crate::element::same_type;
use crate::operator::Combine;
use crate::reduce;
use crate::simd::ahead::Ahead;
use crate::simd::{Body, Kernel, Lanes, Level, Vector};

/// The total of every block; in registers if the type has them.
pub(super) fn of_blocks<T: Element, O: Combine>(level: Level, ahead: Ahead, xs: &[T]) -> Vec<T> {
    let mut totals = vec![T::ZERO; xs.len().div_ceil(BLOCK)];
    let into = &mut totals[..];
    if const { same_type::<T, f32>() && O::IGNORES_SIGNS } {
        in_registers::<T, f32, O>(level, ahead, xs, into);
    } else if const { same_type::<T, f64>() && O::IGNORES_SIGNS } {
        in_registers::<T, f64, O>(level, ahead, xs, into);
    } else if const { same_type::<T, i32>() || same_type::<T, u32>() && O::IGNORES_SIGNS } {
        in_registers::<T, i32, O>(level, ahead, xs, into);
    } else {
        level.run(Totals::<T, O> { xs, into, ahead, operator: PhantomData });
    }
    totals
}

fn in_registers<T: Element, L: Lanes, O: Combine>(level: Level, ahead: Ahead, xs: &[T], into: &mut [T]) {
    let (xs, into) = (bytemuck::cast_slice(xs), bytemuck::cast_slice_mut(into));
    level.run_kernel(Totals::<L, O> { xs, into, ahead, operator: PhantomData });
}

/// The totals of some blocks.
struct Totals<'a, T, O> {
    xs: &'a [T],
    into: &'a mut [T],
    ahead: Ahead,
    operator: PhantomData<O>,
}

impl<T: Element, O: Combine> Body for Totals<'_, T, O> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (xs, into) in self.xs.chunks(BLOCK).zip(self.into) {
            *into = reduce::block::<T, O>(xs);
        }
    }
}

impl<T: Lanes, O: Combine> Kernel for Totals<'_, T, O> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        for (xs, into) in self.xs.chunks(BLOCK).zip(self.into) {
            // SAFETY: the host has the instructions.
            *into = unsafe { reduce::block_in_registers::<V, O>(xs, self.ahead) };
        }
    }
}
