//! Kernels of a build that has no GPU to run them.

/// A module of kernels, whose text is left out.
#[derive(Debug)]
pub(crate) struct KernelModule;
