//! Sums in a type that has room for them.

use super::{PRIMITIVE, Reduce, Reducible, gpu};
use crate::device::Staged;
use crate::simd::{Body, Level};
use crate::{Device, Element, Error, Input, threads};

/// Elements that one task adds. Sums of floats are those of tasks, added in order, so that their bits do not depend on
/// the number of threads.
const TASK: usize = 1 << 16;
/// Sums that a task has side by side: enough for any vector registers.
const LANES: usize = 32;

/// Types that sums are taken of: `u8`, `i32`, `u32`, `i64`, `u64`, `f32` and `f64`.
///
/// ```
/// use warpwise::reduce::{self, Summable};
///
/// fn mean<T: Summable>(xs: &[T]) -> Result<f64, warpwise::Error> {
///     use warpwise::Element;
///
///     Ok(reduce::wide_sum(&warpwise::Device::best(), xs)?.to_f64() / xs.len() as f64)
/// }
/// assert_eq!(mean(&[250_u8, 252])?, 251.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Summable: Element {
    /// The type of [`sum`]: 64 bits for integers, as in NumPy, and the type itself for floats.
    ///
    /// ```
    /// use warpwise::reduce::Summable;
    ///
    /// let most: <u8 as Summable>::Sum = u64::MAX;
    /// assert_eq!(most, u64::MAX);
    /// ```
    type Sum: Element;
    /// The type of [`wide_sum`]: 64 bits for everything.
    ///
    /// ```
    /// use warpwise::reduce::Summable;
    ///
    /// let third: <f32 as Summable>::Wide = 1.0 / 3.0;
    /// assert_eq!(third, 1.0_f64 / 3.0);
    /// ```
    type Wide: Element;
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn sum(device: &Device, xs: &dyn Input<Self>) -> Result<Self::Sum, Error>;
    #[doc(hidden)]
    fn wide_sum(device: &Device, xs: &dyn Input<Self>) -> Result<Self::Wide, Error>;
    #[doc(hidden)]
    fn wrapping_sum(device: &Device, xs: &dyn Input<Self>) -> Result<Self, Error>;
    #[doc(hidden)]
    fn checked_sum(device: &Device, xs: &dyn Input<Self>) -> Result<Self, Error>;
}

/// The sum of all elements; 0 for none. Integers are added in 64 bits, as in NumPy: `u8` and `u32` in `u64`, `i32` in
/// `i64`. Those of 64 bits wrap: see [`checked_sum`]. Floats are added in their own type: see [`wide_sum`].
///
/// ```
/// use warpwise::{Device, reduce};
///
/// assert_eq!(reduce::sum(&Device::cpu(), &[i32::MAX, i32::MAX])?, 2 * i64::from(i32::MAX));
/// assert_eq!(reduce::sum(&Device::emulator(), &[0.5_f32; 1000])?, 500.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn sum<T: Summable>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<T::Sum, Error> {
    T::sum(device, &xs)
}

/// The sum of all elements in 64 bits: that of [`sum`] for integers, and in `f64` for floats.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// // The second one is lost in f32.
/// assert_eq!(reduce::sum(&Device::cpu(), &[16_777_216.0_f32, 1.0])?, 16_777_216.0);
/// assert_eq!(reduce::wide_sum(&Device::cpu(), &[16_777_216.0_f32, 1.0])?, 16_777_217.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn wide_sum<T: Summable>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<T::Wide, Error> {
    T::wide_sum(device, &xs)
}

/// The sum of all elements in their own type; integers wrap.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// assert_eq!(reduce::wrapping_sum(&Device::best(), &[i32::MAX, 1])?, i32::MIN);
/// assert_eq!(reduce::wrapping_sum(&Device::best(), &[200_u8, 100])?, 44);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn wrapping_sum<T: Summable>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<T, Error> {
    T::wrapping_sum(device, &xs)
}

/// The sum of all elements in their own type, if it fits. Floats are added as by [`sum`].
///
/// # Errors
///
/// [`Error::Overflow`] when a sum of integers does not fit their type. Only the sum counts: what is added first does not
/// matter.
///
/// ```
/// use warpwise::{Device, reduce};
///
/// let device = Device::best();
/// assert_eq!(reduce::checked_sum(&device, &[i64::MAX, 1, -1])?, i64::MAX);
/// let error = reduce::checked_sum(&device, &[i64::MAX, 1]).unwrap_err();
/// assert_eq!(error.to_string(), "the sum 9223372036854775808 does not fit i64: ask for wide_sum, or for wrapping_sum");
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn checked_sum<T: Summable>(device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<T, Error> {
    T::checked_sum(device, &xs)
}

macro_rules! integers {
    ($($t:ident $sum:ident $lane:ident $wrapping:expr;)*) => {$(
        impl Summable for $t {
            type Sum = $sum;
            type Wide = $sum;

            fn sum(device: &Device, xs: &dyn Input<$t>) -> Result<$sum, Error> {
                // Those of 64 bits need no more to wrap.
                match size_of::<$t>() {
                    8 => Self::wrapping_sum(device, xs).map(|sum| sum as $sum),
                    _ => Ok(total(device, xs)? as $sum),
                }
            }

            fn wide_sum(device: &Device, xs: &dyn Input<$t>) -> Result<$sum, Error> {
                Self::sum(device, xs)
            }

            fn wrapping_sum(device: &Device, xs: &dyn Input<$t>) -> Result<$t, Error> {
                $wrapping(device, xs)
            }

            fn checked_sum(device: &Device, xs: &dyn Input<$t>) -> Result<$t, Error> {
                let sum = total(device, xs)?;
                let too_large = |_| Error::Overflow { sum, element: stringify!($t) };
                <$t>::try_from(sum).map_err(too_large)
            }
        }

        impl Terms for $t {
            type Lane = $lane;

            #[inline(always)]
            fn total(xs: &[$t]) -> $lane {
                xs.iter().map(|&x| x as $lane).sum()
            }
        }
    )*};
}
// A lane has room for the sums of a task.
integers! {
    u8 u64 u32 |device, xs: &dyn Input<u8>| total(device, xs).map(|sum| sum as u8);
    i32 i64 i64 in_own_type;
    u32 u64 u64 in_own_type;
    i64 i64 i128 in_own_type;
    u64 u64 i128 in_own_type;
}

macro_rules! floats {
    ($($t:ident $wide:expr;)*) => {$(
        impl Summable for $t {
            type Sum = $t;
            type Wide = f64;

            fn sum(device: &Device, xs: &dyn Input<$t>) -> Result<$t, Error> {
                in_own_type(device, xs)
            }

            fn wide_sum(device: &Device, xs: &dyn Input<$t>) -> Result<f64, Error> {
                $wide(device, xs)
            }

            fn wrapping_sum(device: &Device, xs: &dyn Input<$t>) -> Result<$t, Error> {
                Self::sum(device, xs)
            }

            fn checked_sum(device: &Device, xs: &dyn Input<$t>) -> Result<$t, Error> {
                Self::sum(device, xs)
            }
        }
    )*};
}
floats! {
    f32 in_f64;
    f64 in_own_type;
}

/// The sum by the best rung, in the type of the elements.
fn in_own_type<T: Reducible>(device: &Device, xs: &dyn Input<T>) -> Result<T, Error> {
    Reduce::new().run(device, &xs)
}

/// Integers whose sums are exact in a wider type.
trait Terms: Element {
    /// It has room for the sums of a task.
    type Lane: Copy + Send + Sync + Into<i128>;

    fn total(xs: &[Self]) -> Self::Lane;
}

/// The sum of the integers of a task. The order of exact sums is free, so that compilers find the registers for it.
struct Total<'a, T>(&'a [T]);

impl<T: Terms> Body for Total<'_, T> {
    type Output = T::Lane;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> T::Lane {
        T::total(self.0)
    }
}

/// The lanes of the elements of a task, whose sums show in the bits of the result.
struct InF64<'a>(&'a [f32]);

impl Body for InF64<'_> {
    type Output = [f64; LANES];

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Self::Output {
        let mut lanes = [0.0; LANES];
        let (rows, rest) = self.0.as_chunks::<LANES>();
        for row in rows {
            for (lane, &x) in lanes.iter_mut().zip(row) {
                *lane += f64::from(x);
            }
        }
        for (lane, &x) in lanes.iter_mut().zip(rest) {
            *lane += f64::from(x);
        }
        lanes
    }
}

/// What every task makes of its elements, in order.
fn tasks<T: Sync, R: Send + Sync>(xs: &[T], of: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    // One core adds some 8 bytes in a nanosecond.
    threads::map(xs.len().div_ceil(TASK), size_of_val(xs) / 8, |task| {
        let first = task * TASK;
        of(&xs[first..xs.len().min(first + TASK)])
    })
}

/// The sum of all elements, whatever it is.
fn total<T: Terms>(device: &Device, xs: &dyn Input<T>) -> Result<i128, Error> {
    xs.check(device)?;
    if let (Some(session), 1..) = (device.session(), xs.length()) {
        let input = Staged::new(session, xs)?;
        let variant = PRIMITIVE.rung("gpu-10-posted")?;
        let sum = gpu::wide_sum::<T>(session, variant, input.argument(), xs.length(), size_of::<T>() == 8)?;
        let signed = T::LOWEST < T::ZERO;
        return Ok(match (size_of::<T>(), signed) {
            (8, _) => (i128::from(sum[1] as i64) << 64) | i128::from(sum[0]),
            (_, true) => i128::from(sum[0] as i64),
            (_, false) => i128::from(sum[0]),
        });
    }
    Ok(total_at(Level::current(), &xs.on_host()?))
}

fn total_at<T: Terms>(level: Level, xs: &[T]) -> i128 {
    tasks(xs, |xs| level.run(Total(xs)).into()).into_iter().sum()
}

/// The sum of all elements in `f64`.
fn in_f64(device: &Device, xs: &dyn Input<f32>) -> Result<f64, Error> {
    xs.check(device)?;
    if let (Some(session), 1..) = (device.session(), xs.length()) {
        let input = Staged::new(session, xs)?;
        let variant = PRIMITIVE.rung("gpu-10-posted")?;
        return Ok(f64::from_bits(gpu::wide_sum::<f32>(session, variant, input.argument(), xs.length(), false)?[0]));
    }
    Ok(in_f64_at(Level::current(), &xs.on_host()?))
}

fn in_f64_at(level: Level, xs: &[f32]) -> f64 {
    tasks(xs, |xs| level.run(InF64(xs))).into_iter().flatten().fold(0.0, |sum, lane| sum + lane)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;
    use crate::agreement::{Random, Sample};

    const LENGTHS: [usize; 8] = [0, 1, 31, 33, 1000, 4099, 70_001, 200_000];

    fn agrees<T: Summable + Terms + Sample>(gpu: &Device, exact: impl Fn(T) -> i128) {
        let mut random = Random::new(71);
        for n in LENGTHS {
            let mut xs: Vec<T> = random.elements(n + 1);
            // Extremes, so that narrow sums wrap.
            for (i, x) in xs.iter_mut().enumerate().filter(|(i, _)| i % 3 > 0) {
                *x = if i % 3 == 1 { T::HIGHEST } else { T::LOWEST };
            }
            let truth = |xs: &[T]| xs.iter().map(|&x| exact(x)).sum::<i128>();
            for level in Level::available() {
                assert_eq!(total_at(level, &xs), truth(&xs), "{} {n} {}", T::NAME, level.name());
            }
            // From any address.
            let there = Buffer::from_slice(gpu, &xs).unwrap();
            let view = there.view(1..).unwrap();
            assert_eq!(total(gpu, &view).unwrap(), truth(&xs[1..]), "{} {n} on a GPU", T::NAME);
        }
    }

    #[test]
    fn integers_are_added_without_loss() {
        let gpu = Device::emulator();
        agrees::<u8>(&gpu, i128::from);
        agrees::<i32>(&gpu, i128::from);
        agrees::<u32>(&gpu, i128::from);
        agrees::<i64>(&gpu, i128::from);
        agrees::<u64>(&gpu, i128::from);
    }

    #[test]
    fn floats_are_added_in_f64() {
        let gpu = Device::emulator();
        for n in LENGTHS {
            let xs: Vec<f32> = Random::new(72).elements(n);
            let truth: f64 = xs.iter().map(|&x| f64::from(x)).sum();
            let bits = in_f64_at(Level::Base, &xs).to_bits();
            assert!(Level::available().into_iter().all(|level| in_f64_at(level, &xs).to_bits() == bits));
            for found in [in_f64_at(Level::Base, &xs), wide_sum(&gpu, &xs).unwrap()] {
                assert!((found - truth).abs() <= 1e-13 * n as f64, "{n}: {found}, not {truth}");
            }
            assert_eq!(wide_sum(&Device::cpu(), &[f64::from(n as u32); 2]).unwrap(), 2.0 * n as f64);
        }
        assert!(wide_sum(&gpu, &[1.0_f32, f32::NAN]).unwrap().is_nan());
        assert_eq!(wide_sum(&gpu, &[f32::MAX, f32::MAX]).unwrap(), 2.0 * f64::from(f32::MAX));
    }

    #[test]
    fn what_does_not_fit_is_reported_or_wraps() {
        for device in [Device::cpu(), Device::emulator()] {
            let most = vec![i32::MAX; 5000];
            assert_eq!(sum(&device, &most).unwrap(), 5000 * i64::from(i32::MAX));
            assert_eq!(wrapping_sum(&device, &most).unwrap(), (5000_i64 * i64::from(i32::MAX)) as i32);
            let error = checked_sum(&device, &most).unwrap_err();
            assert!(matches!(error, Error::Overflow { sum: 10_737_418_235_000, element: "i32" }), "{error}");
            assert_eq!(sum(&device, &[255_u8; 5000]).unwrap(), 5000 * 255);
            assert_eq!(wrapping_sum(&device, &[u64::MAX, 3]).unwrap(), 2);
            assert_eq!(sum(&device, &[u64::MAX, 3]).unwrap(), 2);
            assert_eq!(checked_sum(&device, &[u64::MAX, 0]).unwrap(), u64::MAX);
            assert!(matches!(checked_sum(&device, &[u64::MAX, 1]), Err(Error::Overflow { .. })));
            assert!(matches!(checked_sum(&device, &[i64::MIN, -1]), Err(Error::Overflow { .. })));
            assert_eq!(checked_sum(&device, &[i64::MIN, -1, 1]).unwrap(), i64::MIN);
            assert_eq!(sum::<i32>(&device, &[]).unwrap(), 0);
            assert_eq!(checked_sum(&device, &[1.5_f64, 2.0]).unwrap(), 3.5);
        }
        let elsewhere = Buffer::from_slice(&Device::emulator(), &[1_u8]).unwrap();
        assert!(matches!(sum(&Device::cpu(), &elsewhere), Err(Error::OtherDevice { .. })));
    }
}
