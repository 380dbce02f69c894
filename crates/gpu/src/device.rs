//! What a program needs of a GPU.

use crate::cuda::DriverError;
use std::sync::Arc;
use warpwise_simt::{DevicePtr, Fault, Gpu, Launch, LoadError, MachineError, Program, Report};

/// Why a device cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The memory is not there.
    #[error("not enough memory: {wanted} bytes asked for, {free} free")]
    OutOfMemory {
        /// Bytes asked for.
        wanted: u64,
        /// Bytes that are left.
        free: u64,
    },
    /// The module is not readable PTX.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The kernel stopped.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
    /// A wrong address or name.
    #[error("{0}")]
    Machine(MachineError),
    /// The driver failed.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The driver cannot compile the PTX.
    #[error("the driver cannot compile the module: {0}")]
    Compile(String),
    /// A kernel that the module does not have.
    #[error("the module has no kernel {0}")]
    NoKernel(String),
    /// Memory that was not allocated here, or was freed before.
    #[error("{:#x} is not allocated on this device", .0.0)]
    NotAllocated(DevicePtr),
    /// A launch that the driver is too old for.
    #[error("the driver has no cooperative launches: use one for CUDA 11.8 or newer")]
    NotCooperative,
    /// The process that serves the GPU fails.
    #[error("the GPU's worker process failed: {0}")]
    Worker(String),
    /// A kernel has failed, and nothing more is possible here.
    #[error(
        "the driver gives this process no new context after a kernel has failed: start the program again, or let it go \
         on in a worker by calling allow_rebuild() first thing in main"
    )]
    Stopped,
    /// Something from before the context was rebuilt.
    #[error("it was lost when a kernel failed and the context was rebuilt: make it again")]
    Lost,
}

impl From<MachineError> for DeviceError {
    fn from(error: MachineError) -> Self {
        match error {
            MachineError::OutOfMemory { wanted, free } => Self::OutOfMemory { wanted, free },
            other => Self::Machine(other),
        }
    }
}

/// A module on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Module(pub(crate) u32);

/// A moment on a device's own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark(pub(crate) u32);

/// Copies between host and device beside the device's other work, from any thread. Where that work touches the same
/// memory, it is for the caller to wait.
pub trait Copier: Send + Sync {
    /// Copies pieces to the device, one after another; `arrived` hears of each when it is there. Done when it returns.
    fn upload(&self, pieces: &[(DevicePtr, &[u8])], arrived: &(dyn Fn(usize) + Sync)) -> Result<(), DeviceError>;

    /// Copies pieces from the device, one after another; `computed` returns when a piece may be copied, or ends the
    /// copying with `false`. Done when it returns.
    fn download(
        &self,
        pieces: Vec<(DevicePtr, &mut [u8])>,
        computed: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<(), DeviceError>;

    /// A fence behind all work that the device was given up to now.
    fn fence(&self) -> Result<Box<dyn Fence>, DeviceError>;
}

/// A place in a device's work.
pub trait Fence: Send + Sync {
    /// Waits until the device has got there.
    fn wait(&self) -> Result<(), DeviceError>;
}

/// A GPU, real or emulated: memory, modules, launches. Addresses are plain numbers, as the driver's are.
pub trait Device: Send {
    /// What reports call it: `emulator`, `cuda`, `both`.
    fn name(&self) -> String;

    /// Allocates memory. Its contents are not defined.
    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError>;

    /// As [`Device::allocate`], for a few bytes that a kernel writes and the host reads next: where there is memory that
    /// both can reach, [`Device::download`] has nothing to copy.
    fn allocate_result(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        self.allocate(bytes)
    }

    /// Gives memory back.
    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError>;

    /// Copies to the device; the address may be inside a buffer.
    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies from the device; the address may be inside a buffer.
    fn download(&mut self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// What copies while kernels run, where the device can do both at once.
    fn copier(&mut self) -> Option<Arc<dyn Copier>> {
        None
    }

    /// Sets bytes on the device.
    fn fill(&mut self, to: DevicePtr, byte: u8, bytes: u64) -> Result<(), DeviceError>;

    /// Copies from one buffer to another.
    fn copy(&mut self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), DeviceError>;

    /// Loads a module.
    fn load(&mut self, program: &Arc<Program>) -> Result<Module, DeviceError>;

    /// Whether a kernel can be launched at once.
    fn is_ready(&self, module: Module, kernel: &str) -> bool;

    /// Makes a kernel ready, so that its first launch takes no longer than others: a driver compiles it now.
    fn prepare(&mut self, module: Module, kernel: &str) -> Result<(), DeviceError>;

    /// Runs a kernel. A real GPU may still be at it when this comes back: what goes wrong with it later is reported by
    /// the next call that waits, [`Device::synchronize`] at the latest.
    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError>;

    /// As [`Device::mark`] and [`Device::launch`], with as little between the two as there can be.
    fn mark_and_launch(
        &mut self,
        module: Module,
        kernel: &str,
        launch: &Launch,
    ) -> Result<(Mark, Report), DeviceError> {
        Ok((self.mark()?, self.launch(module, kernel, launch)?))
    }

    /// Address and size of a module's global or constant variable.
    fn variable(&mut self, module: Module, name: &str) -> Option<(DevicePtr, u64)>;

    /// Waits until everything that was asked for is done.
    fn synchronize(&mut self) -> Result<(), DeviceError>;

    /// Notes the moment at which the device gets here, on its own clock.
    fn mark(&mut self) -> Result<Mark, DeviceError>;

    /// Milliseconds between two moments; waits for both.
    fn elapsed_ms(&mut self, from: Mark, to: Mark) -> Result<f64, DeviceError>;

    /// Forgets all marks.
    fn clear_marks(&mut self);

    /// Whether it is of no more use: a kernel has failed, and the device could not be had again.
    fn stopped(&self) -> bool {
        false
    }

    /// Bytes of memory that are in use or kept for later.
    fn memory_held(&mut self) -> u64;

    /// How often everything on the device was lost: buffers of an earlier generation are gone, and their addresses may
    /// belong to others.
    fn generation(&self) -> u32;

    /// Whether launches may be cooperative: all blocks run at once, or none.
    fn cooperates(&self) -> bool {
        true
    }

    /// The facts and limits of the GPU.
    fn gpu(&self) -> &Gpu;
}
