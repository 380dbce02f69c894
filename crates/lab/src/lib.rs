//! Experiments on kernels.
//!
//! - [`run`] executes a kernel of the user's own, from PTX or CUDA C++, and reports what it did.
//! - [`doctor`] says what this machine offers: driver, GPUs, compiler, cores.
//!
//! Every experiment is a request, a function, and a report that renders itself as text or JSON.

pub mod doctor;
pub mod run;
