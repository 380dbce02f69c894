//! The truth that other variants are verified against.

use super::check;
use crate::{Border, Element, Error};

/// The convolution, each element a sum from left to right in `f64` or the integer type.
///
/// # Errors
///
/// [`Error::Odd`] for a mask of even width or wider than [`MAX_WIDTH`](super::MAX_WIDTH), [`Error::Length`] when the
/// result and the input differ in length.
///
/// ```
/// use warpwise::{Border, convolve1d::reference};
///
/// let mut out = [0; 4];
/// reference::convolve(&[1, 0, -1], Border::Zero, &[1, 2, 4, 8], &mut out)?;
/// assert_eq!(out, [-2, -3, -6, 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn convolve<T: Element>(mask: &[T], border: Border, xs: &[T], out: &mut [T::Exact]) -> Result<(), Error> {
    check(mask, xs, out)?;
    let radius = mask.len() / 2;
    for (i, out) in out.iter_mut().enumerate() {
        *out = T::Exact::ZERO;
        for (j, weight) in mask.iter().enumerate() {
            let place = border.place((i + j) as isize - radius as isize, xs.len());
            let x = place.map_or(T::Exact::ZERO, |place| xs[place].exact());
            *out = out.plus(weight.exact().times(x));
        }
    }
    Ok(())
}
