//! Matrix multiply on the CPU.

mod block;
mod column;
pub(super) mod cut;
mod few;
mod meanwhile;
mod narrow;
mod pack;
pub(super) mod product;
mod row;
mod strips;
mod tall;
mod tile;
mod wide;

use super::{HostMatrix, HostMatrixMut, check};
use crate::simd::Level;
use crate::{Error, Float, simd, threads};

/// Smaller products are not worth packing, in terms summed.
const SMALL: usize = 1 << 12;

/// The product, each row of C a sum of rows of B.
///
/// # Errors
///
/// [`Error::Shapes`] when rows and columns do not match.
///
/// ```
/// use warpwise::matmul::{HostMatrix, HostMatrixMut, cpu};
///
/// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 0.0]);
/// let mut c = [0.0; 4];
/// cpu::seq(HostMatrix::new(&a, 2, 2)?, HostMatrix::new(&b, 2, 2)?, HostMatrixMut::new(&mut c, 2, 2)?)?;
/// assert_eq!(c, [2.0, 1.0, 4.0, 3.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Float>(a: HostMatrix<T>, b: HostMatrix<T>, mut c: HostMatrixMut<T>) -> Result<(), Error> {
    check(a, b, &c)?;
    for i in 0..c.rows() {
        let row = c.row_mut(i);
        row.fill(T::ZERO);
        for (k, &x) in a.row(i).iter().enumerate() {
            for (c, &y) in row.iter_mut().zip(b.row(k)) {
                *c = c.plus(x.times(y));
            }
        }
    }
    Ok(())
}

/// The product, on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::matmul::{HostMatrix, HostMatrixMut, cpu};
///
/// let ones = vec![1.0_f32; 300 * 300];
/// let mut c = vec![0.0; 300 * 300];
/// let (a, b) = (HostMatrix::new(&ones, 300, 300)?, HostMatrix::new(&ones, 300, 300)?);
/// cpu::par(a, b, HostMatrixMut::new(&mut c, 300, 300)?)?;
/// assert!(c.iter().all(|&x| x == 300.0));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[allow(private_bounds)]
pub fn par<T: Float + simd::Lanes>(a: HostMatrix<T>, b: HostMatrix<T>, c: HostMatrixMut<T>) -> Result<(), Error> {
    par_at(Level::current(), a, b, c)
}

pub(crate) fn par_at<T: Float + simd::Lanes>(
    level: Level,
    a: HostMatrix<T>,
    b: HostMatrix<T>,
    c: HostMatrixMut<T>,
) -> Result<(), Error> {
    check(a, b, &c)?;
    let products = a.rows().saturating_mul(b.columns()).saturating_mul(a.columns());
    if products < SMALL {
        return seq(a, b, c);
    }
    // One core does about 64 products in a nanosecond, and reads about 16 bytes.
    let computing = products / 64;
    let reading = |matrix: HostMatrix<T>| computing.max(matrix.rows() * matrix.columns() * size_of::<T>() / 16);
    match (a.rows(), b.columns()) {
        (_, 1) => column::multiply(level, threads::available(reading(a)), a, b, c),
        (1, _) => row::multiply(level, threads::available(reading(b)), a, b, c),
        _ if few::is_few(level, a) => few::multiply(level, threads::available(reading(b)), a, b, c),
        _ => product::multiply(level, threads::available(computing), a, b, c, &cut::SIZES),
    }
    Ok(())
}
