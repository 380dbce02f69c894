//! Matrix products over dense, row-major matrices.
//!
//! Floating-point elements multiply exactly in f64. Their sum with the accumulator is formed in f64 as well and
//! rounded once, to nearest even, to the accumulator's type. Tensor cores align the products of a block to the
//! largest of them, drop bits below a few guard bits and truncate the sum, so a GPU's result can differ in the last
//! bits; this one is within that error. Integer products are exact, and so are f64 products up to the order of
//! their fused multiply-adds, which is that of increasing k.

use super::element::Shape;
use crate::float::{Rounding, double};

/// Adds `a * b` to `sums`.
pub(crate) fn float(shape: Shape, a: &[f64], b: &[f64], sums: &mut [f64]) {
    // The width as a constant keeps a row of sums in vector registers.
    match shape.n {
        8 => float_rows::<8>(shape.k, a, b, sums),
        16 => float_rows::<16>(shape.k, a, b, sums),
        _ => float_rows::<32>(shape.k, a, b, sums),
    }
}

fn float_rows<const N: usize>(k: usize, a: &[f64], b: &[f64], sums: &mut [f64]) {
    let (b, _) = b.as_chunks::<N>();
    let (sums, _) = sums.as_chunks_mut::<N>();
    for (row, sums) in a.chunks_exact(k).zip(sums) {
        let mut totals = *sums;
        for (&x, column) in row.iter().zip(b) {
            for (total, &y) in totals.iter_mut().zip(column) {
                *total += x * y;
            }
        }
        *sums = totals;
    }
}

/// Adds `a * b` to `sums` by fused multiply-adds, each rounded in the given direction.
pub(crate) fn fused(shape: Shape, a: &[f64], b: &[f64], sums: &mut [f64], rounding: Rounding) {
    let Shape { n, k, .. } = shape;
    for (row, sums) in a.chunks_exact(k).zip(sums.chunks_exact_mut(n)) {
        for (&x, column) in row.iter().zip(b.chunks_exact(n)) {
            for (sum, &y) in sums.iter_mut().zip(column) {
                *sum = double::fma_rounded(x, y, *sum, rounding);
            }
        }
    }
}

/// Adds `a * b` to `sums`. They cannot overflow: products of 8-bit integers, at most 64 of them.
pub(crate) fn integer(shape: Shape, a: &[i32], b: &[i32], sums: &mut [i64]) {
    let Shape { n, k, .. } = shape;
    for (row, sums) in a.chunks_exact(k).zip(sums.chunks_exact_mut(n)) {
        let mut products = [0i32; 32];
        for (&x, column) in row.iter().zip(b.chunks_exact(n)) {
            for (product, &y) in products.iter_mut().zip(column) {
                *product += x * y;
            }
        }
        for (sum, product) in sums.iter_mut().zip(products) {
            *sum += i64::from(product);
        }
    }
}

/// An integer sum as an accumulator: clamped with `.satfinite`, wrapped without.
pub(crate) fn finish_integer(sum: i64, satfinite: bool) -> u32 {
    if satfinite { sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32 } else { sum as u32 }
}
