//! How the API describes nodes of each kind.

use std::ffi::c_void;

use crate::error::{Error, Outcome};
use crate::launch::{Kernel, pack};
use crate::memory::Set;
use crate::state::State;
use crate::stream::{BatchOperation, batch};
use crate::work::{HostFunction, Work};

/// `CUDA_KERNEL_NODE_PARAMS` of the first version.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelParameters {
    pub(crate) function: u64,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared_bytes: u32,
    pub(crate) parameters: *const *const c_void,
    pub(super) extra: *const *const c_void,
}

/// `CUDA_KERNEL_NODE_PARAMS` of the second and third version.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelParameters2 {
    pub(crate) first: KernelParameters,
    pub(crate) kernel: u64,
    pub(crate) context: u64,
}

/// `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemsetParameters {
    pub(super) to: u64,
    pub(super) pitch: usize,
    pub(super) value: u32,
    pub(super) element: u32,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostParameters {
    pub(super) function: usize,
    pub(super) data: usize,
}

/// `CUDA_BATCH_MEM_OP_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BatchParameters {
    pub(super) context: u64,
    pub(super) count: u32,
    pub(super) operations: *const BatchOperation,
    pub(super) flags: u32,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AllocationParameters {
    pub(super) pool: [u64; 11],
    pub(super) access: u64,
    pub(super) access_count: usize,
    pub(super) bytes: usize,
    pub(super) address: u64,
}

impl KernelParameters {
    /// The launch that it describes.
    pub(crate) fn kernel(&self, state: &State) -> Outcome<Kernel> {
        let function = state.functions.get(self.function).map_err(|_| Error::INVALID_VALUE)?;
        let parameters = pack(&function.parameters, function.parameter_bytes, self.parameters, self.extra)?;
        let (function, grid, block, shared_bytes) = (self.function, self.grid, self.block, self.shared_bytes);
        let kernel =
            Kernel { function, grid, block, shared_bytes, cooperative: false, cluster: None, parameters, stream: 0 };
        kernel.check(state)?;
        Ok(kernel)
    }

    pub(super) fn of(kernel: &Kernel, addresses: &[u64]) -> Self {
        Self {
            function: kernel.function,
            grid: kernel.grid,
            block: kernel.block,
            shared_bytes: kernel.shared_bytes,
            parameters: addresses.as_ptr().cast(),
            extra: std::ptr::null(),
        }
    }
}

impl KernelParameters2 {
    /// The description with whichever of function and kernel is given.
    pub(crate) fn resolved(mut self) -> KernelParameters {
        if self.first.function == 0 {
            self.first.function = self.kernel;
        }
        self.first
    }
}

impl MemsetParameters {
    /// The fill that it describes.
    pub(crate) fn set(&self) -> Outcome<Set> {
        let (pitch, width, height) = (self.pitch as u64, self.width as u64, self.height as u64);
        let set = Set { to: self.to, pitch, value: self.value, element: self.element, width, height };
        set.check()?;
        Ok(set)
    }

    pub(super) fn of(set: &Set) -> Self {
        let (pitch, width, height) = (set.pitch as usize, set.width as usize, set.height as usize);
        Self { to: set.to, pitch, value: set.value, element: set.element, width, height }
    }
}

impl HostParameters {
    /// The work that it describes.
    pub(crate) fn work(&self) -> Outcome<Work> {
        if self.function == 0 {
            return Err(Error::INVALID_VALUE);
        }
        Ok(Work::Host(HostFunction { function: self.function, data: self.data }))
    }
}

impl BatchParameters {
    /// The work that it describes.
    pub(crate) fn work(&self, state: &State) -> Outcome<Work> {
        Ok(Work::Values(batch(state, self.operations, self.count)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_of_the_header() {
        assert_eq!((size_of::<KernelParameters>(), size_of::<KernelParameters2>()), (56, 72));
        assert_eq!((size_of::<MemsetParameters>(), size_of::<HostParameters>()), (40, 16));
        assert_eq!((size_of::<AllocationParameters>(), size_of::<BatchParameters>()), (120, 32));
    }
}
