//! Histogram: how many elements fall into each bin.
//!
//! Counts are `u64`. Elements that belong to no bin are not counted, so the counts may add up to less than the length.

mod builder;
mod classify;
mod conformance;
mod count;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
pub(crate) mod gpu;
mod pairs;
pub mod reference;
mod run;
#[cfg(test)]
mod tests;
mod workload;

pub use builder::{Histogram, by_letter, by_modulo, by_range, by_value, count_into};
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use run::Countable;

use crate::{Element, Error};

/// The largest number of bins.
///
/// ```
/// use warpwise::histogram::{Binning, MAX_BINS};
///
/// assert!(Binning::Modulo { bins: MAX_BINS }.check::<u32>().is_ok());
/// assert!(Binning::Modulo { bins: MAX_BINS + 1 }.check::<u32>().is_err());
/// ```
pub const MAX_BINS: usize = 1 << 20;

/// Which bin an element belongs to.
///
/// ```
/// use warpwise::histogram::Binning;
///
/// assert_eq!(Binning::Modulo { bins: 10 }.bin_of(-3), Some(7));
/// assert_eq!(Binning::Letter.bin_of(b'e'), Some(1));
/// assert_eq!(Binning::Letter.bin_of(b'E'), None);
/// assert_eq!(Binning::Even { bins: 4, lo: 0.0, hi: 1.0 }.bin_of(0.3_f32), Some(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binning {
    /// The value modulo the number of bins, for integers. Negative values count from the end: -1 is in the last bin.
    Modulo {
        /// How many bins.
        bins: usize,
    },
    /// One bin for each of the 256 values, for `u8`.
    Value,
    /// Letters in groups of four, for text as `u8`: a-d, e-h, ..., u-x, y-z. Only the 26 lower-case letters are
    /// counted; all other bytes, capitals included, are ignored.
    Letter,
    /// Equal parts of the range from `lo` (inclusive) to `hi` (exclusive); values outside it and NaN are ignored.
    ///
    /// The bin is the whole part of `(value - lo) * (bins / (hi - lo))`, computed in `f64`.
    Even {
        /// How many bins.
        bins: usize,
        /// Where the first bin begins.
        lo: f64,
        /// Where the last bin ends.
        hi: f64,
    },
}

impl Binning {
    /// The number of bins.
    ///
    /// ```
    /// use warpwise::histogram::Binning;
    ///
    /// assert_eq!(Binning::Letter.bins(), 7);
    /// assert_eq!(Binning::Value.bins(), 256);
    /// ```
    pub fn bins(self) -> usize {
        match self {
            Self::Modulo { bins } | Self::Even { bins, .. } => bins,
            Self::Value => 256,
            Self::Letter => 7,
        }
    }

    /// The binning's name, as the command line spells it.
    ///
    /// ```
    /// use warpwise::histogram::Binning;
    ///
    /// assert_eq!(Binning::Modulo { bins: 10 }.name(), "modulo");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Modulo { .. } => "modulo",
            Self::Value => "value",
            Self::Letter => "letter",
            Self::Even { .. } => "even",
        }
    }

    /// The bin of one element, if it has one. A binning that [`check`](Binning::check) refuses has none for any.
    ///
    /// ```
    /// use warpwise::histogram::Binning;
    ///
    /// let quarters = Binning::Even { bins: 4, lo: 0.0, hi: 1.0 };
    /// assert_eq!(quarters.bin_of(0.5), Some(2));
    /// assert_eq!(quarters.bin_of(1.0), None);
    /// ```
    pub fn bin_of<T: Element>(self, x: T) -> Option<usize> {
        self.check::<T>().ok()?;
        let bin = classify::Rule::of(self).bin(x) as usize;
        (bin < self.bins()).then_some(bin)
    }

    /// Whether the binning works on a type.
    ///
    /// # Errors
    ///
    /// [`Error::Bins`] for no bins or more than [`MAX_BINS`], [`Error::Binning`] for a type that it does not work on,
    /// [`Error::Range`] for an empty range or one that is not finite.
    ///
    /// ```
    /// use warpwise::histogram::Binning;
    ///
    /// assert!(Binning::Letter.check::<u8>().is_ok());
    /// assert!(Binning::Letter.check::<f32>().is_err());
    /// ```
    pub fn check<T: Element>(self) -> Result<(), Error> {
        let bins = self.bins();
        if bins == 0 || bins > MAX_BINS {
            return Err(Error::Bins { bins });
        }
        let refuse = |instead| Err(Error::Binning { binning: self.name(), element: T::NAME, instead });
        match self {
            Self::Modulo { .. } if T::IS_FLOAT => refuse("even bins"),
            Self::Value | Self::Letter if size_of::<T>() != 1 => refuse("modulo or even bins, or give bytes"),
            // Not `hi <= lo`, which would let NaN pass.
            Self::Even { lo, hi, .. } if !(lo < hi && (hi - lo).is_finite()) => Err(Error::Range { lo, hi }),
            _ => Ok(()),
        }
    }
}
