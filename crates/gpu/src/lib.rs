//! The device interface and the run-time compiler.
//!
//! - [`Device`] is what a program needs from a GPU: buffers, modules, launches. [`cuda::CudaDevice`] is a real one,
//!   [`emulated::EmulatedDevice`] the SIMT emulator, so everything also runs without a GPU. The interface has no types
//!   of either: its inputs and outputs are defined here.
//! - [`ModuleSource`] is the PTX of a module, kernel by kernel.
//! - [`compiler`] turns CUDA C++ into PTX with NVRTC, whole student programs included.
//! - [`symbol`] reads the mangled names that compilers give to kernels.
//! - [`driver`] says what the NVIDIA driver of this machine offers, if there is one.
//!
//! Nothing here needs CUDA to be installed: libraries are loaded when they are used. The features `cuda`, `emulator`
//! and `compiler`, all on by default, choose what is built.

mod address;
#[cfg(feature = "compiler")]
pub mod compiler;
mod copier;
#[cfg(feature = "cuda")]
pub mod cuda;
mod device;
#[cfg(feature = "cuda")]
pub mod driver;
#[cfg(feature = "emulator")]
pub mod emulated;
mod error;
mod fault;
mod finding;
mod launch;
pub mod paired;
mod point;
mod profile;
mod report;
mod source;
pub mod symbol;

pub use address::DevicePtr;
pub use copier::{Copier, Fence};
pub use device::{Device, Mark, Module};
pub use error::DeviceError;
pub use fault::{Fault, Place};
pub use finding::{Finding, MemorySpace, Severity};
pub use launch::Launch;
pub use point::Point;
pub use profile::{InstructionProfile, Profile};
pub use report::{Report, Watched};
pub use source::{ModuleSource, PtxText};
pub use warpwise_arch::{Addressing, Channel, Counters, FaultKind, Filter, Gpu, ImageKind, ImageShape, Sampler};
