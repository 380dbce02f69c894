//! Why a kernel cannot be run: what is wrong with the request.

use super::argument::ArgumentError;
use crate::Place;
use std::path::PathBuf;
use warpwise_gpu::DeviceError;
use warpwise_gpu::compiler::CompileError;

/// Bad input to `run`.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The file cannot be read.
    #[error("cannot read {}: {problem}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// Neither PTX nor CUDA C++.
    #[error("{}: give a .ptx file (PTX) or a .cu file (CUDA C++)", .path.display())]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// The program does not compile, or there is no compiler.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The PTX is wrong.
    #[error("{}: {problem}", .path.display())]
    Module {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// There is no such kernel, or several.
    #[error("{problem}{list}")]
    Entry {
        /// What is wrong.
        problem: String,
        /// The available kernels, one per line.
        list: String,
    },
    /// An argument cannot be read.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// The arguments do not fit the kernel.
    #[error("{problem}.\nThe kernel is {signature}{suggestion}")]
    Arguments {
        /// What does not fit.
        problem: String,
        /// The kernel's signature.
        signature: String,
        /// What to write.
        suggestion: String,
    },
    /// A variable cannot be set.
    #[error("{problem}")]
    Symbol {
        /// What is wrong.
        problem: String,
    },
    /// An unknown `--gpu`.
    #[error("`{name}` is not a known GPU: use one of {known}")]
    Gpu {
        /// As requested.
        name: String,
        /// The known names.
        known: String,
    },
    /// A device that is not available.
    #[error("--device: {0}; use --device emulator")]
    NoDevice(String),
    /// A place that runs no kernels.
    #[error("--device {0}: kernels run on the emulator or on a GPU; use --device emulator")]
    NoKernels(Place),
    /// A buffer does not fit.
    #[error("argument {index}: a buffer of {wanted} bytes does not fit, {free} bytes are free")]
    Memory {
        /// Its index in kernel order.
        index: usize,
        /// Its size.
        wanted: u64,
        /// The free memory.
        free: u64,
    },
    /// The device refuses something else.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A file for a buffer cannot be read or written.
    #[error("{}: {problem}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        problem: std::io::Error,
    },
}
