//! Matrix multiply: C = alpha A B + beta C, row by row, with strides; A and B may be transposed.
//!
//! All sizes work, including zero: with nothing to sum, the product is zero. With beta = 0, C is never read.

mod builder;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
pub(crate) mod gpu;
mod host;
mod layout;
mod matrix;
pub mod reference;
mod run;
#[cfg(test)]
mod tensor_tests;
#[cfg(test)]
mod tests;
mod workload;

pub use builder::{Matmul, multiply, multiply_buffer, multiply_into};
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use host::{HostMatrix, HostMatrixMut};
pub(crate) use layout::Layout;
pub use matrix::{Matrix, MatrixMut};
pub use run::Scalar;
pub(crate) use run::packed;

use crate::{Device, Element, Error, Float};
use gpu::{double, few, hopper};

/// Whether a device has a variant for matrices of that type: not every device has tensor cores.
pub(crate) fn is_offered<T: Float>(device: &Device, variant: &str) -> bool {
    match (variant, device.session()) {
        (hopper::TF32, Some(session)) => hopper::check::<T>(session, hopper::TF32).is_ok(),
        (hopper::SPLIT, Some(session)) => hopper::check::<T>(session, hopper::SPLIT).is_ok(),
        (double::DOUBLE, Some(session)) => double::check::<T>(session).is_ok(),
        (few::SHARED_SUMS, Some(session)) => hopper::check::<T>(session, few::SHARED_SUMS).is_ok(),
        _ => true,
    }
}

/// Checks that the shapes fit.
pub(crate) fn check<T: Element, R: Element>(
    a: HostMatrix<T>,
    b: HostMatrix<T>,
    c: &HostMatrixMut<R>,
) -> Result<(), Error> {
    if a.columns() == b.rows() && a.rows() == c.rows() && b.columns() == c.columns() {
        return Ok(());
    }
    Err(Error::Shapes {
        a_rows: a.rows(),
        a_columns: a.columns(),
        b_rows: b.rows(),
        b_columns: b.columns(),
        c_rows: c.rows(),
        c_columns: c.columns(),
    })
}
