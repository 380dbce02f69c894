//! The truth that other variants are verified against.

use super::Kind;
use crate::{Element, Error, Operator};

/// The scan from left to right, in `f64` or the integer type.
///
/// # Errors
///
/// [`Error::Length`] when the result and the input differ in length.
///
/// ```
/// use warpwise::Operator;
/// use warpwise::scan::{Kind, reference};
///
/// let mut out = [0; 4];
/// reference::scan(Operator::Sum, Kind::Exclusive, &[1, 2, 3, 4], &mut out)?;
/// assert_eq!(out, [0, 1, 3, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn scan<T: Element>(operator: Operator, kind: Kind, xs: &[T], out: &mut [T::Exact]) -> Result<(), Error> {
    Error::check_length("the result", out.len(), xs.len())?;
    let mut prefix = operator.identity();
    for (out, x) in out.iter_mut().zip(xs) {
        let next = operator.apply(prefix, x.exact());
        *out = match kind {
            Kind::Inclusive => next,
            Kind::Exclusive => prefix,
        };
        prefix = next;
    }
    Ok(())
}
