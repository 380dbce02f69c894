//! The truth that other variants are verified against.

use super::check;
use crate::matmul::{HostMatrix, HostMatrixMut};
use crate::{Element, Error};

/// The transposed matrix, element by element.
///
/// # Errors
///
/// [`Error::Length`] when rows and columns do not match.
///
/// ```
/// use warpwise::matmul::{HostMatrix, HostMatrixMut};
///
/// let mut out = [0; 6];
/// let from = HostMatrix::new(&[1, 2, 3, 4, 5, 6], 2, 3)?;
/// warpwise::transpose::reference::transpose(from, HostMatrixMut::new(&mut out, 3, 2)?)?;
/// assert_eq!(out, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn transpose<T: Element>(from: HostMatrix<'_, T>, mut to: HostMatrixMut<'_, T>) -> Result<(), Error> {
    check(from, &to)?;
    for c in 0..from.columns() {
        for r in 0..from.rows() {
            to.row_mut(c)[r] = from.row(r)[c];
        }
    }
    Ok(())
}
