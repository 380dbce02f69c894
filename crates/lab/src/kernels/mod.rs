//! Kernels: the user's own, and the rungs of the library, run on the emulator.
//!
//! - [`run`] executes the user's own kernel, from PTX or CUDA C++, and reports what it did.
//! - [`inspect`] lists the kernels of a file, what they take, and their variables.
//! - [`check`] says what is wrong with a kernel: races, bad accesses, uninitialized reads, divergent barriers.
//! - [`launches`] runs launch files: many kernels, each with what is expected of it.
//! - [`watch`] records what every lane of chosen warps does, as a page that one steps through.
//! - [`explain`] says why a kernel is slow: counters beside the ideal, line by line, and what costs most.

pub mod check;
pub mod explain;
pub mod inspect;
pub mod launches;
pub mod run;
pub mod watch;

pub(crate) mod assembler;
pub(crate) mod baseline;
pub(crate) mod checks;
pub(crate) mod counters;
pub(crate) mod fail_on;
pub(crate) mod finding;
pub(crate) mod rung;
pub(crate) mod source;
