//! 1-D convolution on the CPU.

use super::check;
use crate::simd::ahead::Ahead;
use crate::simd::{Kernel, Lanes, Level, Vector};
use crate::{Border, Element, Error, memory, threads};

/// Elements that one task computes.
const TASK: usize = 1 << 14;

/// The convolution, each element a sum from left to right.
///
/// # Errors
///
/// [`Error::Odd`] for a mask of even width or wider than [`MAX_WIDTH`](super::MAX_WIDTH), [`Error::Length`] when the
/// result and the input differ in length.
///
/// ```
/// use warpwise::{Border, convolve1d::cpu};
///
/// let mut out = [0; 4];
/// cpu::seq(&[1, 1, 1], Border::Replicate, &[1, 2, 4, 8], &mut out)?;
/// assert_eq!(out, [4, 7, 14, 20]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Element>(mask: &[T], border: Border, xs: &[T], out: &mut [T]) -> Result<(), Error> {
    check(mask, xs, out)?;
    let radius = mask.len() / 2;
    for (i, out) in out.iter_mut().enumerate() {
        *out = T::ZERO;
        for (j, weight) in mask.iter().enumerate() {
            let place = border.place((i + j) as isize - radius as isize, xs.len());
            *out = out.plus(weight.times(place.map_or(T::ZERO, |place| xs[place])));
        }
    }
    Ok(())
}

/// The convolution, on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::{Border, convolve1d::cpu};
///
/// let mut out = [0.0; 4];
/// cpu::par(&[0.25, 0.5, 0.25], Border::Wrap, &[4.0, 0.0, 0.0, 0.0], &mut out)?;
/// assert_eq!(out, [2.0, 1.0, 0.0, 1.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[allow(private_bounds)]
pub fn par<T: Lanes>(mask: &[T], border: Border, xs: &[T], out: &mut [T]) -> Result<(), Error> {
    par_at(Level::current(), mask, border, xs, out)
}

/// Like [`par`], but for a result in memory fresh from the system.
pub(crate) fn par_fresh<T: Lanes>(mask: &[T], border: Border, xs: &[T], out: &mut [T]) -> Result<(), Error> {
    let level = Level::current();
    let Some(parts) = memory::pages(out, 1) else { return par_at(level, mask, border, xs, out) };
    check(mask, xs, out)?;
    threads::for_each_part(out, &parts, nanoseconds(mask, xs), |range, out| {
        for (i, out) in out.chunks_mut(TASK).enumerate() {
            task(level, mask, border, xs, range.start + i * TASK, out);
        }
    });
    Ok(())
}

pub(crate) fn par_at<T: Lanes>(level: Level, mask: &[T], border: Border, xs: &[T], out: &mut [T]) -> Result<(), Error> {
    check(mask, xs, out)?;
    threads::for_each_chunk(out, TASK, nanoseconds(mask, xs), |i, out| task(level, mask, border, xs, i * TASK, out));
    Ok(())
}

/// One core does about 16 products in a nanosecond.
fn nanoseconds<T>(mask: &[T], xs: &[T]) -> usize {
    xs.len() * mask.len() / 16
}

/// The part of the result that begins at `first`.
fn task<T: Lanes>(level: Level, mask: &[T], border: Border, xs: &[T], first: usize, out: &mut [T]) {
    let radius = mask.len() / 2;
    let end = first + out.len();
    let ahead = Ahead::within(xs);
    if first >= radius && end + radius <= xs.len() {
        let xs = &xs[first - radius..end + radius];
        return level.run_kernel(Convolve { mask, xs, ahead, out });
    }
    // At the ends, convolve a copy with the border around it.
    let outside = |i: isize| border.place(i, xs.len()).map_or(T::ZERO, |place| xs[place]);
    let (begin, stop) = (first as isize - radius as isize, (end + radius) as isize);
    let mut around: Vec<T> = Vec::with_capacity(out.len() + 2 * radius);
    around.extend((begin..0).map(outside));
    around.extend_from_slice(&xs[begin.max(0) as usize..xs.len().min(end + radius)]);
    around.extend((xs.len() as isize..stop).map(outside));
    let ahead = Ahead::within(&around);
    level.run_kernel(Convolve { mask, xs: &around, ahead, out });
}

/// A convolution that stays within its input, which is longer than the result by the width of the mask minus one.
struct Convolve<'a, T> {
    mask: &'a [T],
    xs: &'a [T],
    ahead: Ahead,
    out: &'a mut [T],
}

/// Registers of sums: each weight is loaded once for all of them.
const SUMS: usize = 8;

impl<T: Lanes> Kernel for Convolve<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let Self { mask, xs, ahead, out } = self;
        assert_eq!(xs.len(), out.len() + mask.len() - 1);
        let mut i = 0;
        while i + SUMS * V::LANES <= out.len() {
            ahead.of(&xs[i..i + SUMS * V::LANES]);
            // SAFETY: the host has the instructions; all sums are within `out`, and `xs` is longer by the mask.
            unsafe { sums::<V, SUMS>(mask, xs.as_ptr().add(i), out.as_mut_ptr().add(i)) };
            i += SUMS * V::LANES;
        }
        while i + V::LANES <= out.len() {
            // SAFETY: as above, for one register.
            unsafe { sums::<V, 1>(mask, xs.as_ptr().add(i), out.as_mut_ptr().add(i)) };
            i += V::LANES;
        }
        for i in i..out.len() {
            out[i] = mask.iter().zip(&xs[i..]).fold(T::ZERO, |sum, (&weight, &x)| V::scalar_times_plus(weight, x, sum));
        }
    }
}

/// `N` registers of results.
///
/// # Safety
///
/// The host must have the instructions of `V`. `out` must be valid for `N` registers, and `xs` for that plus the width
/// of the mask minus one.
#[inline(always)]
// Constant indices keep the sums in registers.
#[allow(clippy::needless_range_loop)]
unsafe fn sums<V: Vector, const N: usize>(mask: &[V::Element], xs: *const V::Element, out: *mut V::Element) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut sums = [V::splat(V::Element::ZERO); N];
        for (j, &weight) in mask.iter().enumerate() {
            let weight = V::splat(weight);
            for n in 0..N {
                sums[n] = weight.times_plus(V::load(xs.add(j + n * V::LANES)), sums[n]);
            }
        }
        for n in 0..N {
            sums[n].store(out.add(n * V::LANES));
        }
    }
}
