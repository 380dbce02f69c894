//! Matrix multiply on the CPU.

use std::marker::PhantomData;
use std::ops::Range;

use super::pack::{Columns, Rows, Shape};
use super::tile::Block;
use super::{Matrix, MatrixMut, check};
use crate::simd::Level;
use crate::{Error, Float, memory, simd, threads};

/// Terms that are summed at a time: a strip of B is so deep, and stays in the first-level cache. It fixes the order of
/// the sums, so it depends on nothing else.
const DEPTH: usize = 192;

/// Strips of B that are packed at a time.
const STRIPS: usize = 8;

/// Strips of A that meet those: both stay in the second-level cache.
const HEIGHT: usize = 20;

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
    let shape = level.run_kernel(Shape(PhantomData::<T>));
    // One core does some 64 products in a nanosecond.
    let nanoseconds = products / 64;
    let (rows, columns) = cut((m, n), shape, threads::available(nanoseconds));
    let (c, stride) = c.as_strided();
    let c = Shared(c.as_mut_ptr());
    let across = n.div_ceil(columns);
    threads::map(m.div_ceil(rows) * across, nanoseconds, |task| {
        let (i, j) = (task / across * rows, task % across * columns);
        // SAFETY: `c` has m rows of n columns, `stride` apart, and no two tasks have an element in common.
        let part = Part { level, a, b, c: unsafe { c.at(i * stride + j) }, stride, shape };
        part.multiply(i..m.min(i + rows), j..n.min(j + columns));
    });
    Ok(())
}

/// Rows and columns of the parts of C that tasks compute: a few for each thread if they are large, as square as
/// possible, because every part packs its rows of A and its columns of B. How C is cut does not show in it.
fn cut((m, n): (usize, usize), (height, width): (usize, usize), threads: usize) -> (usize, usize) {
    if threads < 2 {
        return (m, n);
    }
    let tasks = if m * n >= threads << 21 { 2 * threads } else { threads };
    let sizes = (1..=tasks).map(|down| {
        let across = tasks.div_ceil(down);
        (m.div_ceil(down).next_multiple_of(height), n.div_ceil(across).next_multiple_of(width))
    });
    // The longest task first; of those that take as long, the one with the least to pack. Packing a row of A takes
    // longer than a column of B, since its elements come from far apart.
    sizes.min_by_key(|&(rows, columns)| (rows * columns, 2 * rows + columns)).unwrap_or((m, n))
}

/// C, of which every task has a part for itself.
struct Shared<T>(*mut T);

// SAFETY: tasks only use the parts that they were given, and no two have an element in common.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// # Safety
    ///
    /// C must have so many elements.
    unsafe fn at(&self, offset: usize) -> *mut T {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(offset) }
    }
}

/// A part of C.
struct Part<'a, T> {
    level: Level,
    a: Matrix<'a, T>,
    b: Matrix<'a, T>,
    /// Its first element.
    c: *mut T,
    stride: usize,
    shape: (usize, usize),
}

impl<T: Float + simd::Lanes> Part<'_, T> {
    /// Computes the part, which is these rows and columns of C.
    fn multiply(&self, rows: Range<usize>, columns: Range<usize>) {
        let Self { level, a, b, c, stride, shape: (height, width) } = *self;
        let terms = a.columns();
        let deepest = terms.min(DEPTH);
        let mut a_strips = memory::Lines::zeros(rows.len().next_multiple_of(height) * deepest);
        let mut b_strips = memory::Lines::zeros(columns.len().next_multiple_of(width).min(STRIPS * width) * deepest);
        let (a_strips, b_strips) = (a_strips.as_mut(), b_strips.as_mut());
        for start in (0..terms).step_by(DEPTH) {
            let depth = start..terms.min(start + DEPTH);
            let deep = depth.len();
            level.run_kernel(Rows {
                a,
                first: rows.start,
                count: rows.len(),
                depth: depth.clone(),
                to: &mut a_strips[..rows.len().next_multiple_of(height) * deep],
            });
            for left in columns.clone().step_by(STRIPS * width) {
                let across = (columns.end - left).min(STRIPS * width);
                let b_strips = &mut b_strips[..across.next_multiple_of(width) * deep];
                level.run_kernel(Columns { b, first: left, count: across, depth: depth.clone(), to: b_strips });
                for (i, a_strips) in
                    a_strips[..rows.len().next_multiple_of(height) * deep].chunks(HEIGHT * height * deep).enumerate()
                {
                    let top = i * HEIGHT * height;
                    level.run_kernel(Block {
                        a: a_strips,
                        b: b_strips,
                        depth: deep,
                        // SAFETY: within the part, whose first element is at `c`.
                        c: unsafe { c.add(top * stride + left - columns.start) },
                        stride,
                        rows: (rows.len() - top).min(HEIGHT * height),
                        columns: across,
                        add: start > 0,
                    });
                }
            }
        }
    }
}
