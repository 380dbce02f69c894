//! Why a device cannot do what it is asked to do.

use crate::{DevicePtr, Fault};

/// Why a device cannot do what it is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// Not enough memory.
    #[error("not enough memory: {wanted} bytes asked for, {free} free")]
    OutOfMemory {
        /// Bytes asked for.
        wanted: u64,
        /// Bytes still free.
        free: u64,
    },
    /// The module is not PTX that the device can read: one sentence, with the line if known.
    #[error("{0}")]
    Module(String),
    /// The kernel stopped.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
    /// A copy that leaves its buffer.
    #[error("address {address:#x} + {bytes} bytes is not inside one allocation")]
    BadAddress {
        /// Where it starts.
        address: u64,
        /// How long it is.
        bytes: u64,
    },
    /// The driver failed: the call, the driver's error, and what to do.
    #[error("{0}")]
    Driver(String),
    /// The driver cannot compile the PTX.
    #[error("the driver cannot compile the module: {0}")]
    Compile(String),
    /// A kernel that the module does not have.
    #[error("the module has no kernel {0}")]
    NoKernel(String),
    /// Memory that was not allocated here, or has already been freed.
    #[error("{:#x} is not allocated on this device", .0.0)]
    NotAllocated(DevicePtr),
    /// A launch that the driver is too old for.
    #[error("the driver has no cooperative launches: use one for CUDA 11.8 or newer")]
    NotCooperative,
    /// A texture or surface where there are none.
    #[error("textures and surfaces are for the emulator: use --device emulator")]
    NoTextures,
    /// The process that serves the GPU failed.
    #[error("the GPU's worker process failed: {0}")]
    Worker(String),
    /// There is no CUDA device.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    NoCuda(#[from] crate::cuda::NoCuda),
    /// A kernel has failed, and nothing more is possible here.
    #[error(
        "the driver gives this process no new context after a kernel has failed: start the program again, or let it \
         continue in a worker by calling allow_rebuild() at the start of main"
    )]
    Stopped,
    /// Something from before the context was rebuilt.
    #[error("it was lost when a kernel failed and the context was rebuilt: create it again")]
    Lost,
}
