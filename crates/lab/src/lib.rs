//! Experiments on kernels.
//!
//! - [`run`] executes a kernel of the user's own, from PTX or CUDA C++, and reports what it did.
//! - [`devices`] describes the GPUs of this machine and the emulator's.
//! - [`doctor`] says what this machine offers: driver, GPUs, compiler, cores.
//! - [`list`] says what the library offers: primitives, their types and their ladders.
//! - [`selftest`] runs the conformance suite.
//! - [`apps`] runs primitives on the files that people have ([`files`]).
//!
//! Every experiment is a request, a function, and a report that renders itself as text or JSON.

pub mod apps;
pub mod devices;
pub mod doctor;
pub mod files;
pub mod list;
pub mod run;
pub mod selftest;

mod memory;
mod place;
mod table;

pub use place::{NotHere, Place};
pub use warpwise::allow_rebuild;
