//! Arguments of kernels.

use super::DevicePtr;

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    Pointer(DevicePtr),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
}

impl Argument {
    /// A null pointer.
    pub(crate) const NULL: Self = Self::U64(0);

    /// A float of any type.
    pub(crate) fn float<T: crate::Float>(value: T) -> Self {
        if size_of::<T>() == 4 { Self::F32(value.to_f64() as f32) } else { Self::F64(value.to_f64()) }
    }

    /// The pointer advanced by that many bytes.
    pub(crate) fn plus(self, bytes: u64) -> Self {
        match self {
            Self::Pointer(DevicePtr(at)) => Self::Pointer(DevicePtr(at + bytes)),
            other => other,
        }
    }
}
