//! Copying parts of a matrix into the order in which the tiles read them.
//!
//! A strip is as wide as a tile, and its elements are stored in the order of use: one column of A (one row of B) after
//! the other. The remainder at an edge has its own strip, padded with zeros.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use super::tile::padded;
use crate::Element;
use crate::matmul::HostMatrix;
use crate::memory::LINE;
use crate::simd::{Kernel, Lanes, Vector, prefetch_line};

/// How many rows of B ahead to prefetch.
const AHEAD: usize = 8;

/// Rows of A as strips of as many rows as a tile has.
pub(super) struct Rows<'a, T> {
    pub(super) a: HostMatrix<'a, T>,
    pub(super) rows: Range<usize>,
    pub(super) depth: Range<usize>,
    pub(super) to: &'a mut [MaybeUninit<T>],
}

impl<T: Lanes> Kernel for Rows<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let Self { a, rows, depth, to } = self;
        let mut to = to;
        for first in rows.clone().step_by(ROWS) {
            let height = (rows.end - first).min(ROWS);
            let (strip, rest) = to.split_at_mut(padded(height, ROWS) * depth.len());
            to = rest;
            let at = a.row(first)[depth.clone()].as_ptr();
            // SAFETY: the host has the instructions; A has these rows, and the strip is as long as they are.
            unsafe { strip_of_rows::<V, ROWS>(at, a.stride(), height, depth.len(), strip.as_mut_ptr().cast()) };
        }
    }
}

/// Packs some rows, `stride` elements apart, as one strip: no more of them than a tile has.
///
/// # Safety
///
/// The host must have the instructions of `V`; there must be that many rows of that length, and room for a strip padded
/// to [`padded`] rows.
#[inline(always)]
pub(super) unsafe fn strip_of_rows<V: Vector, const ROWS: usize>(
    from: *const V::Element,
    stride: usize,
    height: usize,
    depth: usize,
    to: *mut V::Element,
) {
    const { assert!(ROWS.is_multiple_of(4)) };
    let apart = padded(height, ROWS);
    let whole = depth - depth % V::LANES;
    for i in (0..apart).step_by(4) {
        // SAFETY: guaranteed by the caller; rows from `height` on are not read, and are zeros.
        unsafe {
            let rows: [*const V::Element; 4] = std::array::from_fn(|k| from.wrapping_add((i + k) * stride));
            let mut first = 0;
            if i + 4 <= height {
                for j in (0..whole).step_by(V::LANES) {
                    for row in rows {
                        prefetch_line(row.wrapping_add(4 * stride + j));
                    }
                    V::transpose(rows.map(|row| row.add(j)), to.add(j * apart + i), apart);
                }
                first = whole;
            }
            for j in first..depth {
                for (k, row) in rows.into_iter().enumerate() {
                    *to.add(j * apart + i + k) = if i + k < height { *row.add(j) } else { V::Element::ZERO };
                }
            }
        }
    }
}

/// Columns of B, as strips of as many columns as a tile has.
pub(super) struct Columns<'a, T> {
    pub(super) b: HostMatrix<'a, T>,
    pub(super) columns: Range<usize>,
    pub(super) depth: Range<usize>,
    pub(super) to: &'a mut [MaybeUninit<T>],
}

impl<T: Lanes> Kernel for Columns<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let Self { b, columns, depth, to } = self;
        let (width, deep) = (VECTORS * V::LANES, depth.len());
        for (i, k) in depth.enumerate() {
            let row = &b.row(k)[columns.clone()];
            for j in (0..row.len()).step_by(LINE / size_of::<T>()) {
                prefetch_line(row.as_ptr().wrapping_add(AHEAD * b.stride() + j));
            }
            let (whole, rest) = row.split_at(row.len() - row.len() % width);
            // All strips together read one whole row of B.
            for (from, strip) in whole.chunks_exact(width).zip(to.chunks_exact_mut(width * deep)) {
                strip[i * width..][..width].copy_from_slice(written(from));
            }
            if !rest.is_empty() {
                let narrow = rest.len().next_multiple_of(V::LANES);
                let to = &mut to[whole.len() * deep + i * narrow..][..narrow];
                to[..rest.len()].copy_from_slice(written(rest));
                to[rest.len()..].fill(MaybeUninit::new(T::ZERO));
            }
        }
    }
}

/// Views elements as memory that may be uninitialised, for writing.
fn written<T>(values: &[T]) -> &[MaybeUninit<T>] {
    // SAFETY: initialised memory may always be viewed as possibly uninitialised.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
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
