//! Copying parts of a matrix into the order in which the tiles read them.
//!
//! A strip is as wide as a tile, and its elements lie in memory as they are used: one column of A (one row of B) after
//! the other. Strips at the edge are filled up with zeros, so that every tile is a whole one.

use std::ops::Range;

use super::Matrix;
use crate::Element;

/// Rows of A as strips of `height` rows.
pub(super) fn rows<T: Element>(a: Matrix<T>, rows: Range<usize>, depth: Range<usize>, height: usize, to: &mut Vec<T>) {
    to.clear();
    to.resize(rows.len().div_ceil(height) * height * depth.len(), T::ZERO);
    for (strip, first) in to.chunks_mut(height * depth.len()).zip(rows.clone().step_by(height)) {
        for i in first..rows.end.min(first + height) {
            for (column, &x) in strip.chunks_mut(height).zip(&a.row(i)[depth.clone()]) {
                column[i - first] = x;
            }
        }
    }
}

/// One strip of columns of B, from the first column on.
pub(super) fn columns<T: Element>(b: Matrix<T>, first: usize, depth: Range<usize>, width: usize, strip: &mut [T]) {
    let end = b.columns().min(first + width);
    for (row, k) in strip.chunks_mut(width).zip(depth) {
        let (copied, rest) = row.split_at_mut(end - first);
        copied.copy_from_slice(&b.row(k)[first..end]);
        rest.fill(T::ZERO);
    }
}
