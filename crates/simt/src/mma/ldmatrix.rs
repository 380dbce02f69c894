//! The distribution of 8×8 matrices of 16-bit elements over a warp: `ldmatrix`, `stmatrix` and `movmatrix`.

use super::element::Lanes;
use crate::float::packed;

/// The lane whose address operand points to a row of a matrix: lanes 0 to 7 give the rows of matrix 0, and so on.
#[inline]
pub(crate) fn row_address_lane(matrix: usize, row: usize) -> usize {
    matrix * 8 + row
}

/// The two elements, as (row, column), that a lane holds in the register of a matrix, the lower half first. The same
/// for every matrix of an instruction, for loads and stores.
#[inline]
pub(crate) fn ldmatrix_source(lane: usize, trans: bool) -> [(usize, usize); 2] {
    let (group, pair) = (lane / 4, lane % 4 * 2);
    if trans { [(pair, group), (pair + 1, group)] } else { [(group, pair), (group, pair + 1)] }
}

/// The lane and half (0 or 1) that hold an element: the inverse of [`ldmatrix_source`].
#[inline]
pub(crate) fn ldmatrix_holder(row: usize, column: usize, trans: bool) -> (usize, usize) {
    let (row, column) = if trans { (column, row) } else { (row, column) };
    (row * 4 + column / 2, column % 2)
}

/// Distributes one matrix given by its rows, each of eight elements.
pub(crate) fn distribute(rows: &[[u16; 8]; 8], trans: bool) -> Lanes {
    std::array::from_fn(|lane| {
        let [low, high] = ldmatrix_source(lane, trans).map(|(row, column)| rows[row][column]);
        packed::pack(low, high)
    })
}

/// Collects one matrix into rows: the inverse of [`distribute`].
pub(crate) fn collect(register: &Lanes, trans: bool) -> [[u16; 8]; 8] {
    let mut rows = [[0; 8]; 8];
    for (lane, &word) in register.iter().enumerate() {
        for ((row, column), half) in ldmatrix_source(lane, trans).into_iter().zip(packed::split(word)) {
            rows[row][column] = half;
        }
    }
    rows
}

/// `movmatrix.sync.aligned.m8n8.trans.b16`: the transpose.
pub(crate) fn movmatrix(source: &Lanes) -> Lanes {
    distribute(&collect(source, false), true)
}
