//! The inner loop of 2-D convolution: sums that stay in registers, of two rows or four at a time.

use super::Filter;
use crate::simd::{Kernel, Vector};

/// Convolves lines of pixels that include their border.
pub(super) struct Taps<'a> {
    pub(super) filter: &'a Filter,
    /// Lines of pixels, each `stride` long; one more than the filter needs.
    pub(super) around: &'a [f32],
    pub(super) stride: usize,
    /// Lines of sums, `apart` from each other; one more than there are rows if their number is odd.
    pub(super) sums: &'a mut [f32],
    pub(super) apart: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// Registers side by side.
const ACROSS: usize = 4;

impl Taps<'_> {
    /// Columns are computed in multiples of this at every level: lines must be long enough for that.
    pub(super) const STEP: usize = ACROSS * 16;
}

impl Kernel for Taps<'_> {
    type Element = f32;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = f32>, const ROWS: usize, const VECTORS: usize>(self) {
        let Self { filter, around, stride, sums, apart, rows, columns } = self;
        let (height, width) = (filter.rows(), filter.columns());
        let step = ACROSS * V::LANES;
        let whole = columns.next_multiple_of(step);
        assert!(rows > 0 && whole + width - 1 <= stride && whole <= apart);
        let pairs = rows.next_multiple_of(2);
        assert!(around.len() >= (pairs + height - 1) * stride && sums.len() >= (pairs - 1) * apart + whole);
        let mut i = 0;
        while i < rows {
            // Four rows of sums need the 32 registers of AVX-512.
            let four = V::LANES == 16 && i + 4 <= rows && height >= 3;
            for j in (0..columns).step_by(step) {
                let from = around[i * stride + j..].as_ptr();
                let to = sums[i * apart + j..].as_mut_ptr();
                // SAFETY: the host has the instructions. Reads end `height` lines below the last row but one and
                // `step + width - 1` columns from `from`, writes end with the last row and `step` columns from `to`:
                // within the slices, as asserted above.
                unsafe {
                    match (four, width) {
                        (true, 3) => four_rows::<V, 3>(filter, from, to, stride, apart),
                        (true, 5) => four_rows::<V, 5>(filter, from, to, stride, apart),
                        (true, _) => four_rows::<V, 0>(filter, from, to, stride, apart),
                        (false, _) => pair::<V>(filter, from, to, stride, apart),
                    }
                }
            }
            i += if four { 4 } else { 2 };
        }
    }
}

/// Four rows: a register of pixels is loaded once for all of them. A line of pixels serves each row with another row of
/// weights, and the filter has at least three. `W` is its width, or 0 if that is not known at compile time.
///
/// # Safety
///
/// As for [`pair`], over four rows.
#[inline(always)]
unsafe fn four_rows<V: Vector<Element = f32>, const W: usize>(
    filter: &Filter,
    from: *const f32,
    to: *mut f32,
    stride: usize,
    apart: usize,
) {
    let (height, width) = (filter.rows(), if W == 0 { filter.columns() } else { W });
    let weights = filter.weights().as_ptr();
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut sums = [[V::splat(0.0); ACROSS]; 4];
        let at = |y: usize| (from.add(y * stride), weights.wrapping_add(y * width));
        line::<V, 0, 1>(&mut sums, at(0), width);
        line::<V, 0, 2>(&mut sums, at(1), width);
        line::<V, 0, 3>(&mut sums, at(2), width);
        for y in 3..height {
            line::<V, 0, 4>(&mut sums, at(y), width);
        }
        line::<V, 1, 4>(&mut sums, at(height), width);
        line::<V, 2, 4>(&mut sums, at(height + 1), width);
        line::<V, 3, 4>(&mut sums, at(height + 2), width);
        for (r, sums) in sums.into_iter().enumerate() {
            for (n, sum) in sums.into_iter().enumerate() {
                sum.store(to.add(r * apart + n * V::LANES));
            }
        }
    }
}

/// A line of pixels for rows `LOW..HIGH`: each row uses the weights that the row above it used one line earlier.
///
/// # Safety
///
/// The host must have the instructions of `V`; pointers must be valid for a line, and for the weights of these rows.
#[inline(always)]
// Constant indices keep the sums in registers.
#[allow(clippy::needless_range_loop)]
unsafe fn line<V: Vector<Element = f32>, const LOW: usize, const HIGH: usize>(
    sums: &mut [[V; ACROSS]; 4],
    (line, weights): (*const f32, *const f32),
    width: usize,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        for x in 0..width {
            let mut pixels = [V::splat(0.0); ACROSS];
            for n in 0..ACROSS {
                pixels[n] = V::load(line.add(x + n * V::LANES));
            }
            for r in LOW..HIGH {
                let weight = V::splat(*weights.wrapping_sub(r * width).add(x));
                for n in 0..ACROSS {
                    sums[r][n] = weight.times_plus(pixels[n], sums[r][n]);
                }
            }
        }
    }
}

/// A pair of rows: a line of pixels serves the upper one with one row of weights and the lower one with the row before.
///
/// # Safety
///
/// The host must have the instructions of `V`. `from` must be valid for the filter's reach over two rows of `ACROSS`
/// registers, and `to` for those two rows.
#[inline(always)]
// Constant indices keep the sums in registers.
#[allow(clippy::needless_range_loop)]
unsafe fn pair<V: Vector<Element = f32>>(filter: &Filter, from: *const f32, to: *mut f32, stride: usize, apart: usize) {
    let (height, width) = (filter.rows(), filter.columns());
    let weights = filter.weights();
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut upper = [V::splat(0.0); ACROSS];
        let mut lower = [V::splat(0.0); ACROSS];
        for (x, &weight) in weights[..width].iter().enumerate() {
            let weight = V::splat(weight);
            for n in 0..ACROSS {
                upper[n] = weight.times_plus(V::load(from.add(x + n * V::LANES)), upper[n]);
            }
        }
        for y in 1..height {
            let line = from.add(y * stride);
            let (before, here) = weights[(y - 1) * width..(y + 1) * width].split_at(width);
            for (x, (&before, &here)) in before.iter().zip(here).enumerate() {
                let (before, here) = (V::splat(before), V::splat(here));
                for n in 0..ACROSS {
                    let pixels = V::load(line.add(x + n * V::LANES));
                    upper[n] = here.times_plus(pixels, upper[n]);
                    lower[n] = before.times_plus(pixels, lower[n]);
                }
            }
        }
        let line = from.add(height * stride);
        for (x, &weight) in weights[(height - 1) * width..].iter().enumerate() {
            let weight = V::splat(weight);
            for n in 0..ACROSS {
                lower[n] = weight.times_plus(V::load(line.add(x + n * V::LANES)), lower[n]);
            }
        }
        for n in 0..ACROSS {
            upper[n].store(to.add(n * V::LANES));
            lower[n].store(to.add(apart + n * V::LANES));
        }
    }
}
