//! Matrix multiply: C = A B, row by row, with strides.
//!
//! All sizes work, including zero: with nothing to sum, C is zero. C is never read.

mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
pub(crate) mod gpu;
pub mod reference;
mod run;
#[cfg(test)]
mod tensor_tests;
#[cfg(test)]
mod tests;
mod view;
mod workload;

pub use description::{PRIMITIVE, Rung, VARIANTS};
pub(crate) use run::packed;
pub use run::{Layout, Options, Scalar, multiply, run, run_buffer};
pub use view::{Matrix, MatrixMut};

use crate::{Device, Element, Error, Float};
use gpu::{double, hopper};

/// Whether a device has a variant for matrices of that type: not every device has tensor cores.
pub(crate) fn is_offered<T: Float>(device: &Device, variant: &str) -> bool {
    match (variant, device.session()) {
        (hopper::TF32, Some(session)) => hopper::check::<T>(session, hopper::TF32).is_ok(),
        (hopper::SPLIT, Some(session)) => hopper::check::<T>(session, hopper::SPLIT).is_ok(),
        (double::DOUBLE, Some(session)) => double::check::<T>(session).is_ok(),
        _ => true,
    }
}

/// Checks that the shapes fit.
pub(crate) fn check<T: Element, R: Element>(a: Matrix<T>, b: Matrix<T>, c: &MatrixMut<R>) -> Result<(), Error> {
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
