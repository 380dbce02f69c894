//! The truth that other variants are verified against.

use super::check;
use crate::matmul::{Matrix, MatrixMut};
use crate::{Element, Error};

/// The transposed matrix, element by element.
///
/// # Errors
///
/// [`Error::Length`] when rows and columns do not match.
///
/// ```
/// use warpwise::matmul::{Matrix, MatrixMut};
///
/// let mut out = [0; 6];
/// let from = Matrix::new(&[1, 2, 3, 4, 5, 6], 2, 3)?;
/// warpwise::transpose::reference::transpose(from, MatrixMut::new(&mut out, 3, 2)?)?;
/// assert_eq!(out, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn transpose<T: Element>(from: Matrix<'_, T>, mut to: MatrixMut<'_, T>) -> Result<(), Error> {
    check(from, &to)?;
    for c in 0..from.columns() {
        for r in 0..from.rows() {
            to.row_mut(c)[r] = from.row(r)[c];
        }
    }
    Ok(())
}
