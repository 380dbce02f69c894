//! Transpose: `out[c][r] = in[r][c]`.
//!
//! Matrices have any shape, and rows any distance from each other. Elements are moved as they are: every bit of a NaN
//! stays.

mod blocks;
mod builder;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
pub(crate) mod gpu;
pub mod reference;
#[cfg(target_arch = "x86_64")]
mod registers;
mod run;
#[cfg(test)]
mod tests;
mod workload;

pub use builder::{Transpose, matrix, transpose, transpose_buffer, transpose_into};
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use run::Transposable;
pub(crate) use run::download;

use crate::matmul::{HostMatrix, HostMatrixMut};
use crate::{Element, Error};

/// Checks that the result has as many rows as the matrix has columns, and the other way round.
pub(crate) fn check<T: Element>(from: HostMatrix<'_, T>, to: &HostMatrixMut<'_, T>) -> Result<(), Error> {
    check_shapes((from.rows(), from.columns()), (to.rows(), to.columns()))
}

fn check_shapes(from: (usize, usize), to: (usize, usize)) -> Result<(), Error> {
    Error::check_length("a column of the result", to.0, from.1)?;
    Error::check_length("a row of the result", to.1, from.0)
}
