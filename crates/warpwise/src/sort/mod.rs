//! Sort: keys in order, with or without values that go along with them.
//!
//! - **Keys** are `u8`, `u16`, `u32`, `i32`, `u64`, `i64`, `f32` or `f64`; values have four or eight bytes.
//! - **Order.** Ascending, unless the other way is asked for. Floats have a total order: from minus infinity to infinity,
//!   -0 before +0, and then every NaN, whatever its sign, first those without one, each by their bits. Descending is the
//!   exact opposite, so that NaNs come first.
//! - **Stable.** Values of equal keys stay in the order of the input.
//! - Keys and values are moved as they are: every bit of a NaN stays.

mod builder;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
mod functions;
pub(crate) mod gpu;
mod order;
pub mod reference;
mod run;
#[cfg(test)]
mod tests;
mod top;
pub(crate) mod top_conformance;
mod workload;

pub use builder::Sort;
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use functions::{argsort, argsort_into, pairs, pairs_into, sort, sort_buffer, sort_into};
pub use order::{Key, Value};
pub use top::{top_k, top_k_buffer};

pub(crate) use conformance::made;
pub(crate) use order::in_place;
pub(crate) use workload::bits;
