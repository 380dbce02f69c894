//! Copying parts of a matrix into the order in which the tiles read them.
//!
//! A strip is as wide as a tile, and its elements lie in memory as they are used: one column of A (one row of B) after
//! the other. Strips at the edge are filled up with zeros, so that every tile is a whole one.

use std::marker::PhantomData;
use std::ops::Range;

use super::Matrix;
use crate::simd::{Kernel, Lanes, Vector};

/// Columns of A that are copied together: what is read of a row is then next to each other.
const TOGETHER: usize = 8;

/// Rows of A, from `first` on, as strips of as many rows as a tile has.
pub(super) struct Rows<'a, T> {
    pub(super) a: Matrix<'a, T>,
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) depth: Range<usize>,
    pub(super) to: &'a mut [T],
}

impl<T: Lanes> Kernel for Rows<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    // Rows by number: a strip that is not whole has fewer than a tile.
    #[allow(clippy::needless_range_loop)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let Self { a, first, count, depth, to } = self;
        for (strip, i) in to.chunks_exact_mut(ROWS * depth.len()).zip((0..count).step_by(ROWS)) {
            let height = (count - i).min(ROWS);
            // Rows that are not there are zeros, in what the last strip was left with too.
            if height < ROWS {
                strip.fill(T::ZERO);
            }
            let row = |k: usize| &a.row(first + i + k.min(height - 1))[depth.clone()];
            let rows: [&[T]; ROWS] = std::array::from_fn(row);
            let (columns, _) = strip.as_chunks_mut::<ROWS>();
            let (blocks, last) = columns.as_chunks_mut::<TOGETHER>();
            for (k, block) in blocks.iter_mut().enumerate() {
                for i in 0..height {
                    let (row, _) = rows[i].as_chunks::<TOGETHER>();
                    let row = row[k];
                    for (column, x) in block.iter_mut().zip(row) {
                        column[i] = x;
                    }
                }
            }
            for (i, row) in rows[..height].iter().enumerate() {
                for (column, &x) in last.iter_mut().zip(&row[depth.len() - depth.len() % TOGETHER..]) {
                    column[i] = x;
                }
            }
        }
    }
}

/// Columns of B, from `first` on, as strips of as many columns as a tile has.
pub(super) struct Columns<'a, T> {
    pub(super) b: Matrix<'a, T>,
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) depth: Range<usize>,
    pub(super) to: &'a mut [T],
}

impl<T: Lanes> Kernel for Columns<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let Self { b, first, count, depth, to } = self;
        let width = VECTORS * V::LANES;
        let strip = width * depth.len();
        for (i, k) in depth.enumerate() {
            let row = &b.row(k)[first..first + count];
            // What is read of a row of B is all strips' part of it.
            for (from, j) in row.chunks(width).zip((i * width..).step_by(strip)) {
                let to = &mut to[j..j + width];
                to[..from.len()].copy_from_slice(from);
                to[from.len()..].fill(T::ZERO);
            }
        }
    }
}

/// How many rows and columns a tile has.
pub(super) struct Shape<T>(pub(super) PhantomData<T>);

impl<T: Lanes> Kernel for Shape<T> {
    type Element = T;
    type Output = (usize, usize);

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) -> (usize, usize) {
        (ROWS, VECTORS * V::LANES)
    }
}
