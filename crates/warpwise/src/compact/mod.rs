//! Compact: the elements for which a condition holds, one after the other.
//!
//! - **What is kept.** Elements that compare with a value in one of the ways of [`Condition`], or whose byte in a mask is
//!   not zero. Floats compare as IEEE 754 says: NaN is not equal to anything.
//! - **Order.** That of the input, with one exception: `gpu-2-warp-atomic` keeps no order.
//! - Elements are moved as they are: every bit of a NaN stays.

mod builder;
mod condition;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
pub(crate) mod gpu;
#[cfg(target_arch = "x86_64")]
mod permutations;
pub mod reference;
#[cfg(target_arch = "x86_64")]
mod registers;
mod run;
mod sift;
#[cfg(test)]
mod tests;
mod workload;

use builder::Which;
pub use builder::{Compact, by_mask, compact, compact_buffer, compact_into};
pub use condition::Condition;
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use run::Compactable;
