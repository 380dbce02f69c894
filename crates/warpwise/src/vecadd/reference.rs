//! The truth that other variants are verified against.

use super::check;
use crate::{Element, Error};

/// The sum of two vectors, in `f64` or the integer type.
///
/// # Errors
///
/// [`Error::Length`] when the lengths differ.
///
/// ```
/// let mut out = [0.0; 2];
/// warpwise::vecadd::reference::add(&[1.0_f32, 2.0], &[0.5, 0.25], &mut out)?;
/// assert_eq!(out, [1.5, 2.25]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn add<T: Element>(a: &[T], b: &[T], out: &mut [T::Exact]) -> Result<(), Error> {
    check(a, b, out)?;
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a.exact().plus(b.exact());
    }
    Ok(())
}
