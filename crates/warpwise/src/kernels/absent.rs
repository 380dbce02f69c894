//! Kernels of a build without GPUs to run them.

/// A module of kernels, without its text.
#[derive(Debug)]
pub(crate) struct KernelModule;
