//! The machine: its GPUs, what else it offers, and where work runs.
//!
//! - [`devices`] describes the GPUs of this machine and the emulator's.
//! - [`doctor`] says what this machine offers: driver, GPUs, compiler, cores.

pub mod devices;
pub mod doctor;

pub(crate) mod cores;
pub(crate) mod memory;
pub(crate) mod place;
pub(crate) mod toolkit;

pub use place::{NotHere, Place};
