//! Facts about GPUs, shared by the emulator and real devices.
//!
//! - [`Gpu`] is a GPU's shape and limits, with a table of known ones.
//! - [`Occupancy`] is how full a multiprocessor can be.
//! - [`Counters`] are what a profiler counts.
//! - [`FaultKind`] is what stops a kernel.

mod counters;
mod fault;
mod gpu;
mod occupancy;

pub use counters::Counters;
pub use fault::FaultKind;
pub use gpu::{Gpu, LaunchLimit};
pub use occupancy::{Occupancy, OccupancyLimit};
