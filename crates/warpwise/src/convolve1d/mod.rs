//! 1-D convolution: `out[i]` is the sum of `mask[j] * x[i + j - r]`, with r half the width of the mask.
//!
//! The mask is not flipped: its first weight meets the leftmost element, as in image processing and deep learning
//! (mathematics calls this a correlation). Integers wrap. With a [`Zero`](crate::Border::Zero) border the zeros are
//! multiplied like any other element.

mod builder;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
pub(crate) mod gpu;
pub mod reference;
mod run;
#[cfg(test)]
mod tests;
mod workload;

pub use builder::{Convolve1d, filter, filter_buffer, filter_into};
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use run::Signal;

use crate::Error;

/// The widest mask.
///
/// ```
/// use warpwise::{Border, Device, convolve1d};
///
/// let mask = [1; convolve1d::MAX_WIDTH + 2];
/// assert!(convolve1d::filter(&Device::best(), &mask[2..], Border::Zero, &[1, 2, 3]).is_ok());
/// assert!(convolve1d::filter(&Device::best(), &mask, Border::Zero, &[1, 2, 3]).is_err());
/// ```
pub const MAX_WIDTH: usize = 129;

/// Checks the mask and the length of the result.
pub(crate) fn check<T, R>(mask: &[T], xs: &[T], out: &[R]) -> Result<(), Error> {
    Error::check_odd("mask width", mask.len(), MAX_WIDTH)?;
    Error::check_length("the result", out.len(), xs.len())
}
