//! The kernels of a primitive.

/// The kernels of a primitive: PTX that is part of this library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelModule {
    /// The primitive's name.
    pub(crate) name: &'static str,
    /// The text.
    pub(crate) ptx: &'static str,
}
