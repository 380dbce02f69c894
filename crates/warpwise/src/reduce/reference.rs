//! The truth that other variants are verified against.

use super::Extreme;
use crate::{Element, Error, Operator};

/// All elements combined from left to right, in `f64` or the integer type.
///
/// # Errors
///
/// [`Error::Empty`] for a minimum or maximum of nothing.
///
/// ```
/// use warpwise::{Operator, reduce::reference};
///
/// assert_eq!(reference::reduce(Operator::Sum, &[0.5_f32, 0.25])?, 0.75_f64);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn reduce<T: Element>(operator: Operator, xs: &[T]) -> Result<T::Exact, Error> {
    if xs.is_empty() && matches!(operator, Operator::Min | Operator::Max) {
        return Err(Error::Empty { operator: operator.name() });
    }
    Ok(xs.iter().fold(operator.identity(), |so_far, x| operator.apply(so_far, x.exact())))
}

/// The index of the first smallest or largest element, or of the first NaN.
///
/// # Errors
///
/// [`Error::Empty`] when there are no elements.
///
/// ```
/// use warpwise::reduce::{Extreme, reference};
///
/// assert_eq!(reference::place(Extreme::Max, &[3, 7, 7])?, 1);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn place<T: Element>(extreme: Extreme, xs: &[T]) -> Result<usize, Error> {
    if xs.is_empty() {
        return Err(Error::Empty { operator: extreme.name() });
    }
    Ok((1..xs.len()).fold(0, |best, i| if extreme.beats(xs[i], xs[best]) { i } else { best }))
}
