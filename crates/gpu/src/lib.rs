//! The device interface and the run-time compiler.
//!
//! - [`Device`] is what a program needs of a GPU: buffers, modules, launches. [`cuda::CudaDevice`] is a real one behind
//!   it, [`emulated::EmulatedDevice`] the SIMT emulator, so everything runs where there is no GPU.
//! - [`compiler`] turns CUDA C++ into PTX with NVRTC, whole student programs included.
//! - [`symbol`] reads the mangled names that compilers give to kernels.
//! - [`driver`] says what the NVIDIA driver of this machine offers, if there is one.
//!
//! Nothing here needs CUDA to be installed: libraries are looked for when they are used.

pub mod compiler;
pub mod cuda;
mod device;
pub mod driver;
pub mod emulated;
pub mod paired;
pub mod symbol;

pub use device::{Copier, Device, DeviceError, Fence, Mark, Module};
pub use warpwise_simt::{
    Checks, Counters, DevicePtr, Fault, FaultKind, Finding, Gpu, Launch, LoadError, Profile, Program, Report, Watch,
};
