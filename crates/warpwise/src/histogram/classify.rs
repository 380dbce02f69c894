//! From elements to bins, as vector code.

use super::Binning;
use crate::Element;

/// A [`Binning`] with everything precomputed that is the same for all elements.
///
/// An element without a bin gets the number of bins: one more counter to ignore is cheaper than a branch.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// Modulo a power of two.
    Mask { mask: u64 },
    /// Modulo anything else.
    Modulo { bins: u64 },
    /// The value itself.
    Value,
    /// Letters in groups of four.
    Letter,
    /// Equal parts of a range.
    Even { bins: u32, lo: f64, hi: f64, scale: f64 },
}

impl Rule {
    pub(super) fn of(binning: Binning) -> Self {
        match binning {
            Binning::Modulo { bins } if bins.is_power_of_two() => Self::Mask { mask: bins as u64 - 1 },
            Binning::Modulo { bins } => Self::Modulo { bins: bins as u64 },
            Binning::Value => Self::Value,
            Binning::Letter => Self::Letter,
            Binning::Even { bins, lo, hi } => Self::Even { bins: bins as u32, lo, hi, scale: bins as f64 / (hi - lo) },
        }
    }

    /// The bin of one element.
    #[inline(always)]
    pub(super) fn bin<T: Element>(self, x: T) -> u32 {
        match self {
            Self::Mask { mask } => x.low_bits() & mask as u32,
            Self::Modulo { bins } => x.modulo(bins) as u32,
            Self::Value => x.low_bits(),
            Self::Letter => letter(x.low_bits() as u8),
            Self::Even { bins, lo, hi, scale } => even(x.to_f64(), bins, lo, hi, scale),
        }
    }

    /// The bins of as many elements as there are places.
    #[inline(always)]
    pub(super) fn classify<T: Element>(self, xs: &[T], bins: &mut [u32]) {
        match self {
            Self::Mask { mask } => {
                for (bin, x) in bins.iter_mut().zip(xs) {
                    *bin = x.low_bits() & mask as u32;
                }
            }
            Self::Modulo { bins: divisor } if size_of::<T>() == 4 => {
                // The quotient in f64 is off by at most one, and two selects correct the remainder.
                let (divisor, inverse) = (divisor as f64, 1.0 / divisor as f64);
                for (bin, x) in bins.iter_mut().zip(xs) {
                    let x = x.to_f64();
                    let rest = x - (x * inverse).floor() * divisor;
                    let rest = if rest < 0.0 { rest + divisor } else { rest };
                    let rest = if rest >= divisor { rest - divisor } else { rest };
                    // SAFETY: `rest` is finite and in 0..2^20, since an integer is never NaN.
                    *bin = unsafe { rest.to_int_unchecked::<i32>() } as u32;
                }
            }
            Self::Even { bins: count, lo, hi, scale } => {
                for (bin, x) in bins.iter_mut().zip(xs) {
                    *bin = even(x.to_f64(), count, lo, hi, scale);
                }
            }
            Self::Modulo { .. } | Self::Value | Self::Letter => {
                for (bin, &x) in bins.iter_mut().zip(xs) {
                    *bin = self.bin(x);
                }
            }
        }
    }
}

#[inline(always)]
fn letter(byte: u8) -> u32 {
    let place = byte.wrapping_sub(b'a');
    if place < 26 { u32::from(place / 4) } else { 7 }
}

#[inline(always)]
fn even(x: f64, bins: u32, lo: f64, hi: f64, scale: f64) -> u32 {
    let inside = (x >= lo) & (x < hi);
    let place = if inside { (x - lo) * scale } else { 0.0 };
    // SAFETY: `x` is in [lo, hi), so `place` is in 0..=bins: not NaN, and within `i32`.
    let bin = unsafe { place.to_int_unchecked::<i32>() } as u32;
    // Rounding can lift the last values of the range to `bins` itself.
    if inside { bin.min(bins - 1) } else { bins }
}
