//! The inner loop of 2-D convolution: sums that stay in registers.

use super::Filter;
use crate::simd::{Kernel, Vector};

/// Convolves lines of pixels that have their border around them.
pub(super) struct Taps<'a> {
    pub(super) filter: &'a Filter,
    /// Lines of pixels, each `stride` long; one more than the filter needs.
    pub(super) around: &'a [f32],
    pub(super) stride: usize,
    /// Lines of sums, `apart` from each other; one more than there are rows, if those are odd.
    pub(super) sums: &'a mut [f32],
    pub(super) apart: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// Registers side by side.
const ACROSS: usize = 4;

impl Taps<'_> {
    /// Columns are computed in multiples of this, whatever the level: lines must be long enough for that.
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
        for i in (0..rows).step_by(2) {
            for j in (0..columns).step_by(step) {
                let from = &around[i * stride + j..];
                let to = &mut sums[i * apart + j..];
                // SAFETY: the host has the instructions. Reads end `height` lines and `step + width - 1` columns from
                // `from`, writes end one line and `step` columns from `to`: within the slices, as asserted above.
                unsafe { pair::<V>(filter, from.as_ptr(), to.as_mut_ptr(), stride, apart) };
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
// Indices are constants here: with them the sums become registers.
#[allow(clippy::needless_range_loop)]
unsafe fn pair<V: Vector<Element = f32>>(filter: &Filter, from: *const f32, to: *mut f32, stride: usize, apart: usize) {
    let (height, width) = (filter.rows(), filter.columns());
    let weights = filter.weights();
    // SAFETY: the caller's promises.
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
