//! Kernels: the user's own, and the rungs of the library, under the emulator's eyes.
//!
//! - [`run`] executes a kernel of the user's own, from PTX or CUDA C++, and reports what it did.
//! - [`check`] says what is wrong with a kernel: races, bad accesses, reads of nothing, barriers that not all reach.
//! - [`explain`] says why a kernel is slow: counters beside what is ideal, line by line, and what costs most.

pub mod check;
pub mod explain;
pub mod run;

pub(crate) mod checks;
pub(crate) mod counters;
pub(crate) mod finding;
pub(crate) mod rung;
pub(crate) mod source;
