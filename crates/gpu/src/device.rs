//! What a program needs of a GPU.

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

/// A GPU, real or emulated: memory, modules, launches. Addresses are plain numbers, as the driver's are.
pub trait Device: Send {
    /// What reports call it: `emulator`, or the GPU's name.
    fn name(&self) -> String;

    /// Allocates memory. Its contents are not defined.
    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError>;

    /// Gives memory back.
    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError>;

    /// Copies to the device; the address may be inside a buffer.
    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies from the device; the address may be inside a buffer.
    fn download(&self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Loads a module.
    fn load(&mut self, program: &Arc<Program>) -> Result<Module, DeviceError>;

    /// Runs a kernel. A real GPU may still be at it when this comes back: what goes wrong with it later is reported by
    /// the next call that waits, [`Device::synchronize`] at the latest.
    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError>;

    /// Address and size of a module's global or constant variable.
    fn variable(&self, module: Module, name: &str) -> Option<(DevicePtr, u64)>;

    /// Waits until everything that was asked for is done.
    fn synchronize(&mut self) -> Result<(), DeviceError>;

    /// Notes the moment at which the device gets here, on its own clock.
    fn mark(&mut self) -> Result<Mark, DeviceError>;

    /// Milliseconds between two moments; waits for both.
    fn elapsed_ms(&mut self, from: Mark, to: Mark) -> Result<f64, DeviceError>;

    /// Forgets all marks.
    fn clear_marks(&mut self);

    /// The facts and limits of the GPU.
    fn gpu(&self) -> &Gpu;
}
