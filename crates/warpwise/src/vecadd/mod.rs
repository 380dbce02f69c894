//! Vector add: `out[i] = a[i] + b[i]`; integers wrap.

mod builder;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
pub(crate) mod gpu;
pub mod reference;
mod run;
#[cfg(test)]
mod tests;
mod workload;

pub use builder::{VecAdd, add, add_buffer, add_into};
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use run::Summand;

use crate::Error;

/// Checks that the three vectors have the same length.
pub(crate) fn check<T, R>(a: &[T], b: &[T], out: &[R]) -> Result<(), Error> {
    Error::check_length("the second vector", b.len(), a.len())?;
    Error::check_length("the result", out.len(), a.len())
}
