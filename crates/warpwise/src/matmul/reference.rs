//! The truth that other variants are verified against.

use super::{HostMatrix, HostMatrixMut, check};
use crate::{Element, Error};

/// The product, each element a sum from left to right in `f64`.
///
/// # Errors
///
/// [`Error::Shapes`] when rows and columns do not match.
///
/// ```
/// use warpwise::matmul::{HostMatrix, HostMatrixMut, reference};
///
/// let (a, b) = ([1.0_f32, 2.0], [3.0, 4.0]);
/// let mut c = [0.0];
/// let dot = HostMatrixMut::new(&mut c, 1, 1)?;
/// reference::multiply(HostMatrix::new(&a, 1, 2)?, HostMatrix::new(&b, 2, 1)?, dot)?;
/// assert_eq!(c, [11.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn multiply<T: Element>(a: HostMatrix<T>, b: HostMatrix<T>, mut c: HostMatrixMut<T::Exact>) -> Result<(), Error> {
    check(a, b, &c)?;
    for i in 0..c.rows() {
        for j in 0..c.columns() {
            let terms = a.row(i).iter().enumerate().map(|(k, x)| x.exact().times(b.row(k)[j].exact()));
            c.row_mut(i)[j] = terms.fold(T::Exact::ZERO, Element::plus);
        }
    }
    Ok(())
}
