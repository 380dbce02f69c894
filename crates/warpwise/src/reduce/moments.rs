//! Mean and variance.
//!
//! On the CPU, memory is read once: pieces that stay in the cache are summed, then the squared distances from their own
//! mean, and the results of pieces are merged as Chan, Golub and LeVeque do it. On a GPU there are two passes: a sum, and
//! the sum of squared distances from the mean.

use super::fixed::{tile_of, tile_value};
use super::{Reduce, Reducible};
use crate::expression::x;
use crate::operator::Sum;
use crate::simd::{Body, Level};
use crate::{Device, Error, Float, Input, threads};

/// How many elements there are, their mean, and how far they are from it.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// let moments = reduce::moments(&Device::best(), &[1.0_f32, 2.0, 3.0, 6.0])?;
/// assert_eq!((moments.count, moments.mean, moments.variance()), (4, 3.0, 3.5));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Number of elements.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The sum of their squared distances from it.
    pub squares: f64,
}

impl Moments {
    const NONE: Self = Self { count: 0, mean: 0.0, squares: 0.0 };

    /// The mean of the squared distances, as `numpy.var` gives it; NaN for no elements.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    ///
    /// assert_eq!(reduce::moments(&Device::best(), &[1.0, 5.0])?.variance(), 4.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn variance(&self) -> f64 {
        self.squares / self.count as f64
    }

    /// Of both together.
    ///
    /// ```
    /// use warpwise::{Device, reduce::moments};
    ///
    /// let part = |xs: &[f64]| moments(&Device::best(), xs);
    /// let all = part(&[1.0, 2.0])?.merged(&part(&[3.0, 6.0])?);
    /// assert_eq!((all.mean, all.variance()), (3.0, 3.5));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        if self.count == 0 {
            return *other;
        }
        let count = self.count + other.count;
        let (apart, share) = (other.mean - self.mean, other.count as f64 / count as f64);
        Self {
            count,
            mean: self.mean + apart * share,
            squares: self.squares + other.squares + apart * apart * (self.count as f64 * share),
        }
    }
}

/// Mean and variance. The CPU gives the same bits with any number of threads.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// let xs: Vec<f32> = (0..10_000).map(|i| (i % 2) as f32).collect();
/// let moments = reduce::moments(&Device::emulator(), &xs)?;
/// assert_eq!((moments.mean, moments.variance()), (0.5, 0.25));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn moments<T: Reducible + Float>(device: &Device, xs: &(impl Input<T> + Sync + ?Sized)) -> Result<Moments, Error> {
    let input: &dyn Input<T> = &xs;
    let count = input.length();
    if count == 0 {
        return Ok(Moments::NONE);
    }
    if device.is_cpu() {
        return Ok(on_host(&input.for_cpu()?));
    }
    let mean = Reduce::new().run(device, xs)?.to_f64() / count as f64;
    let squares = (x() - mean).power(2).of::<T, T, _>(xs)?;
    Ok(Moments { count, mean, squares: Reduce::new().run(device, &squares)?.to_f64() })
}

/// Of `f32` or `f64`: functions without a type parameter, so that they are compiled here, once.
fn on_host<T: Float>(xs: &[T]) -> Moments {
    fn singles(xs: &[f32]) -> Moments {
        moments_at(Level::current(), xs)
    }
    fn doubles(xs: &[f64]) -> Moments {
        moments_at(Level::current(), xs)
    }
    if size_of::<T>() == 4 { singles(bytemuck::cast_slice(xs)) } else { doubles(bytemuck::cast_slice(xs)) }
}

pub(crate) fn moments_at<T: Float>(level: Level, xs: &[T]) -> Moments {
    /// Pieces that one task takes.
    const TASK: usize = 8;
    let pieces = threads::in_chunks(xs.len(), tile_of::<T>());
    // One core reads about 32 bytes in a nanosecond.
    let parts = threads::map(pieces.len().div_ceil(TASK), size_of_val(xs) / 32, |task| {
        let own = &pieces[task * TASK..pieces.len().min((task + 1) * TASK)];
        own.iter().fold(Moments::NONE, |so_far, piece| so_far.merged(&of_piece(level, &xs[piece.clone()])))
    });
    parts.iter().fold(Moments::NONE, |so_far, part| so_far.merged(part))
}

fn of_piece<T: Float>(level: Level, xs: &[T]) -> Moments {
    let count = xs.len();
    let mean = T::from_f64(tile_value::<T, Sum>(level, xs).to_f64() / count as f64);
    let [apart, squares] = level.run(Distances { xs, mean });
    // The mean was rounded to the type of the elements: what is left of their distances from it says by how much.
    let (apart, n) = (apart.to_f64(), count as f64);
    Moments { count, mean: mean.to_f64() + apart / n, squares: squares.to_f64() - apart * apart / n }
}

/// The distances of elements from a number: their sum, and that of their squares.
struct Distances<'a, T> {
    xs: &'a [T],
    mean: T,
}

impl<T: Float> Body for Distances<'_, T> {
    type Output = [T; 2];

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> [T; 2] {
        // As many as four of the widest registers hold, at every level, because that shows in the bits.
        const LANES: usize = 64;
        let (mut sums, mut squares) = ([T::ZERO; LANES], [T::ZERO; LANES]);
        let (rows, rest) = self.xs.as_chunks::<LANES>();
        for row in rows {
            for i in 0..LANES {
                let apart = row[i].minus(self.mean);
                sums[i] = sums[i].plus(apart);
                squares[i] = squares[i].plus(apart.times(apart));
            }
        }
        for (i, x) in rest.iter().enumerate() {
            let apart = x.minus(self.mean);
            sums[i] = sums[i].plus(apart);
            squares[i] = squares[i].plus(apart.times(apart));
        }
        let mut width = LANES;
        while width > 1 {
            width /= 2;
            for i in 0..width {
                sums[i] = sums[i].plus(sums[i + width]);
                squares[i] = squares[i].plus(squares[i + width]);
            }
        }
        [sums[0], squares[0]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::SIZES;
    use crate::random::Random;

    fn agrees<T: Reducible + Float>(tolerance: f64) {
        let emulator = Device::emulator();
        let mut random = Random::new(9);
        for n in SIZES.into_iter().filter(|&n| n > 0).chain([100_000]) {
            // Far from zero: the squares of the elements would lose everything.
            let xs: Vec<T> = random.elements::<T>(n).iter().map(|x| x.plus(T::from_f64(1000.0))).collect();
            let mean = xs.iter().map(|x| x.to_f64()).sum::<f64>() / n as f64;
            let variance = xs.iter().map(|x| (x.to_f64() - mean).powi(2)).sum::<f64>() / n as f64;
            let first = moments_at(Level::available()[0], &xs);
            for level in Level::available() {
                assert_eq!(moments_at(level, &xs), first, "{n} at {}", level.name());
            }
            for device in [&Device::cpu(), &emulator] {
                let found = moments(device, &xs).unwrap();
                assert_eq!(found.count, n);
                assert!((found.mean - mean).abs() <= tolerance * mean, "{n}: {} {mean}", found.mean);
                // On a GPU the mean is a sum of elements that was rounded.
                let room = tolerance.max(if device.is_cpu() { 0.0 } else { 1e3 * tolerance * tolerance });
                let room = room * variance.max(if n == 1 { 1.0 } else { 0.0 }) * 100.0;
                assert!((found.variance() - variance).abs() <= room, "{n}: {} {variance}", found.variance());
            }
        }
    }

    #[test]
    fn moments_agree_with_two_passes_in_double_precision() {
        agrees::<f32>(1e-5);
        agrees::<f64>(1e-12);
    }

    #[test]
    fn of_nothing_and_of_what_is_no_number() {
        let nothing = moments::<f32>(&Device::cpu(), &[]).unwrap();
        assert!(nothing.count == 0 && nothing.variance().is_nan());
        for device in [Device::cpu(), Device::emulator()] {
            let found = moments(&device, &[1.0_f32, f32::NAN, 2.0]).unwrap();
            assert!(found.mean.is_nan() && found.variance().is_nan());
        }
    }
}
