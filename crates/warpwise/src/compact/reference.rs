//! The truth that other variants are verified against.

use super::Condition;
use crate::{Element, Error};

/// The elements that a condition keeps.
///
/// ```
/// use warpwise::compact::{Condition, reference};
///
/// assert_eq!(reference::compact(&[3, 1, 4, 1, 5], Condition::Less(4)), [3, 1, 1]);
/// ```
pub fn compact<T: Element>(xs: &[T], condition: Condition<T>) -> Vec<T> {
    xs.iter().copied().filter(|&x| condition.keeps(x)).collect()
}

/// The elements whose byte in the mask is not zero.
///
/// # Errors
///
/// [`Error::Length`] when the mask does not have a byte for each element.
///
/// ```
/// use warpwise::compact::reference;
///
/// assert_eq!(reference::by_mask(&[1.0, 2.0, 3.0], &[0, 1, 255])?, [2.0, 3.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn by_mask<T: Element>(xs: &[T], mask: &[u8]) -> Result<Vec<T>, Error> {
    Error::check_length("the mask", mask.len(), xs.len())?;
    Ok(xs.iter().zip(mask).filter(|(_, byte)| **byte != 0).map(|(&x, _)| x).collect())
}
