//! Facts about GPUs and the host, shared by the library, the emulator and real devices.
//!
//! - [`Gpu`] is a GPU's shape and limits, with a table of known ones.
//! - [`Occupancy`] is how full a multiprocessor can be.
//! - [`Counters`] are what a profiler counts.
//! - [`Recording`] is what some blocks of a launch did, instruction by instruction.
//! - [`FaultKind`] is what stops a kernel.
//! - [`ImageShape`] and [`Sampler`] describe textures.
//! - [`SimdLevel`] is the set of vector instructions that the host has.

mod counters;
mod fault;
mod gpu;
mod occupancy;
mod recording;
mod simd;
mod texture;

pub use counters::Counters;
pub use fault::FaultKind;
pub use gpu::{Gpu, LaunchLimit};
pub use occupancy::{Occupancy, OccupancyLimit};
pub use recording::{
    AccessAction, AccessSpace, RecordedAccess, RecordedBlock, RecordedPlace, RecordedStep, RecordedWarp, Recording,
};
pub use simd::SimdLevel;
pub use texture::{Addressing, Channel, Filter, ImageKind, ImageShape, LevelSampler, Sampler};
