//! Matrix multiply on the CPU.

use std::marker::PhantomData;

use super::tile::{Block, Shape};
use super::{Matrix, MatrixMut, check, pack};
use crate::simd::Level;
use crate::{Error, Float, simd, threads};

/// Bytes of a row of B's strips, times the rows: how deep a panel is. It fixes the order of the sums, so it depends on
/// nothing else.
const DEPTH: usize = 256;

/// Columns of B that are packed at a time: the panel stays in the last-level cache.
const PANEL: usize = 4096;

/// The most rows of A that are packed at a time: they stay in the second-level cache.
const ROWS: usize = 192;

/// The product, each row of C a sum of rows of B.
///
/// # Errors
///
/// [`Error::Shapes`] when rows and columns do not match.
///
/// ```
/// use warpwise::matmul::{Matrix, MatrixMut, cpu};
///
/// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 0.0]);
/// let mut c = [0.0; 4];
/// cpu::seq(Matrix::new(&a, 2, 2)?, Matrix::new(&b, 2, 2)?, MatrixMut::new(&mut c, 2, 2)?)?;
/// assert_eq!(c, [2.0, 1.0, 4.0, 3.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Float>(a: Matrix<T>, b: Matrix<T>, mut c: MatrixMut<T>) -> Result<(), Error> {
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
/// use warpwise::matmul::{Matrix, MatrixMut, cpu};
///
/// let ones = vec![1.0_f32; 300 * 300];
/// let mut c = vec![0.0; 300 * 300];
/// let (a, b) = (Matrix::new(&ones, 300, 300)?, Matrix::new(&ones, 300, 300)?);
/// cpu::par(a, b, MatrixMut::new(&mut c, 300, 300)?)?;
/// assert!(c.iter().all(|&x| x == 300.0));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[allow(private_bounds)]
pub fn par<T: Float + simd::Lanes>(a: Matrix<T>, b: Matrix<T>, c: MatrixMut<T>) -> Result<(), Error> {
    par_at(Level::current(), a, b, c)
}

pub(crate) fn par_at<T: Float + simd::Lanes>(
    level: Level,
    a: Matrix<T>,
    b: Matrix<T>,
    mut c: MatrixMut<T>,
) -> Result<(), Error> {
    check(a, b, &c)?;
    let (m, n, k) = (a.rows(), b.columns(), a.columns());
    let products = m.saturating_mul(n).saturating_mul(k);
    if k == 0 || products < 1 << 12 {
        return seq(a, b, c);
    }
    let (height, width) = level.run_kernel(Shape(PhantomData::<T>));
    // One core does some 32 products in a nanosecond.
    let nanoseconds = products / 32;
    // Several blocks of rows for each thread, to share them out evenly; how the rows are cut does not show in C.
    let shared = m.div_ceil(4 * threads::available(nanoseconds)).next_multiple_of(height);
    let rows = shared.min(ROWS);
    let (c, stride) = c.as_strided();
    let mut strips = Vec::new();
    for first in (0..n).step_by(PANEL - PANEL % width) {
        let columns = (n - first).min(PANEL - PANEL % width);
        for start in (0..k).step_by(DEPTH) {
            let depth = start..k.min(start + DEPTH);
            let strip = width * depth.len();
            strips.resize(columns.div_ceil(width) * strip, T::ZERO);
            threads::for_each_chunk(&mut strips, strip, columns * depth.len() / 4, |j, strip| {
                pack::columns(b, first + j * width, depth.clone(), width, strip);
            });
            threads::for_each_chunk(c, rows * stride, nanoseconds, |i, c| {
                let mut a_strips = Vec::new();
                let some = i * rows..m.min((i + 1) * rows);
                pack::rows(a, some.clone(), depth.clone(), height, &mut a_strips);
                level.run_kernel(Block {
                    a: &a_strips,
                    b: &strips,
                    depth: depth.len(),
                    c: &mut c[first..],
                    stride,
                    rows: some.len(),
                    columns,
                    add: start > 0,
                });
            });
        }
    }
    Ok(())
}
