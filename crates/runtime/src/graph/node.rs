//! What nodes of graphs do, in the runtime's form and in the driver's.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use crate::array;
use crate::context::ready;
use crate::copy3d;
use crate::driver::{self, HostFunction};
use crate::registry;
use crate::status::{Code, INVALID_VALUE, Status};
use crate::types::{Address, Copy3D, Dim3, DriverCopy, DriverOperand, Extent, Handle, PitchedPointer, Position};

/// `cudaKernelNodeParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Kernel {
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    shared: u32,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
}

/// `CUDA_KERNEL_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DriverKernel {
    function: Handle,
    grid: Dim3,
    block: Dim3,
    shared: u32,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
    kernel: Handle,
    context: Handle,
}

/// `cudaMemsetParams`, which is the driver's too.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Memset {
    target: Address,
    pitch: usize,
    value: u32,
    element_bytes: u32,
    width: usize,
    height: usize,
}

/// `cudaHostNodeParams`, which is the driver's too.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Host {
    function: HostFunction,
    data: *mut c_void,
}

/// `cudaGraphNodeParams`: a kind, and a union of what the kinds of nodes have.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Node {
    kind: c_int,
    reserved: [c_int; 3],
    of_kind: [u64; 29],
    reserved_after: u64,
}

/// `cudaMemcpyNodeParams`
#[repr(C)]
#[derive(Clone, Copy)]
struct CopyNode {
    flags: c_int,
    reserved: [c_int; 3],
    copy: Copy3D,
}

/// `CUDA_MEMCPY_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
struct DriverCopyNode {
    flags: c_int,
    reserved: c_int,
    context: Handle,
    copy: DriverCopy,
}

const KERNEL: c_int = 0;
const COPY: c_int = 1;
const MEMSET: c_int = 2;
const CONDITIONAL: c_int = 13;

/// The thread's context.
pub(crate) fn context() -> Result<Handle, Code> {
    ready()?;
    let mut context = null_mut();
    // SAFETY: the driver writes one handle.
    unsafe { driver::cuCtxGetCurrent(&mut context)? };
    Ok(context)
}

impl Kernel {
    /// The driver's form.
    pub(crate) fn to_driver(self) -> Result<DriverKernel, Code> {
        let context = context()?;
        crate::launch::check_geometry(self.grid, self.block)?;
        Ok(DriverKernel {
            function: null_mut(),
            grid: self.grid,
            block: self.block,
            shared: self.shared,
            arguments: self.arguments,
            extra: self.extra,
            kernel: registry::kernel(self.function)?,
            context,
        })
    }

    /// The runtime's form.
    pub(crate) fn from_driver(kernel: &DriverKernel) -> Self {
        let function = if kernel.kernel.is_null() { kernel.function } else { kernel.kernel };
        registry::add_handle(function);
        Self {
            function,
            grid: kernel.grid,
            block: kernel.block,
            shared: kernel.shared,
            arguments: kernel.arguments,
            extra: kernel.extra,
        }
    }
}

impl DriverKernel {
    /// A place for the driver to write to.
    pub(crate) fn empty() -> Self {
        let none = Dim3 { x: 0, y: 0, z: 0 };
        Self {
            function: null_mut(),
            grid: none,
            block: none,
            shared: 0,
            arguments: null_mut(),
            extra: null_mut(),
            kernel: null_mut(),
            context: null_mut(),
        }
    }
}

/// The runtime's form of a copy that the driver tells of.
pub(crate) fn copy_from_driver(copy: &DriverCopy) -> Result<Copy3D, Code> {
    const HOST: u32 = 1;
    const ARRAY: u32 = 3;
    let mut element = 1;
    let mut side = |side: &DriverOperand| {
        let mut position = Position { x: side.x_bytes, y: side.y, z: side.z };
        if side.memory == ARRAY {
            element = array::element_bytes(&array::description(side.array)?).max(1);
            position.x /= element;
            let nowhere = PitchedPointer { pointer: null_mut(), pitch: 0, width: 0, height: 0 };
            return Ok((side.array, position, nowhere));
        }
        let pointer = if side.memory == HOST { side.host.cast_mut() } else { side.device as *mut c_void };
        Ok((
            null_mut(),
            position,
            PitchedPointer { pointer, pitch: side.pitch, width: side.pitch, height: side.height },
        ))
    };
    let (source_array, source_position, source) = side(&copy.source)?;
    let (target_array, target_position, target) = side(&copy.target)?;
    let kind = match (copy.source.memory, copy.target.memory) {
        (HOST, HOST) => 0,
        (HOST, _) => 1,
        (_, HOST) => 2,
        (2 | ARRAY, 2 | ARRAY) => 3,
        _ => 4,
    };
    let extent = Extent { width: copy.width_bytes / element, height: copy.height, depth: copy.depth };
    Ok(Copy3D { source_array, source_position, source, target_array, target_position, target, extent, kind })
}

impl Node {
    /// Has the driver work on its form of this node, and takes over what it writes there.
    ///
    /// # Safety
    /// The union holds what the kind says.
    pub(crate) unsafe fn with_driver(&mut self, work: impl FnOnce(*mut c_void) -> Status) -> Status {
        let mut driver = *self;
        let place = (&raw mut driver.of_kind).cast::<c_void>();
        // SAFETY: the caller's promise; both forms of each kind fit the union and its alignment.
        unsafe {
            match self.kind {
                KERNEL => place.cast::<DriverKernel>().write(self.read::<Kernel>().to_driver()?),
                COPY => {
                    let node = self.read::<CopyNode>();
                    let copy = copy3d::general(&node.copy)?;
                    let context = context()?;
                    place.cast::<DriverCopyNode>().write(DriverCopyNode { flags: 0, reserved: 0, context, copy });
                }
                // What these have is followed by a context.
                MEMSET => *place.cast::<u64>().add(5) = context()? as u64,
                CONDITIONAL => *place.cast::<u64>().add(3) = context()? as u64,
                _ => {}
            }
        }
        work((&raw mut driver).cast())?;
        if !matches!(self.kind, KERNEL | COPY) {
            self.of_kind = driver.of_kind;
        }
        Ok(())
    }

    /// # Safety
    /// The union holds a `T`.
    unsafe fn read<T: Copy>(&self) -> T {
        // SAFETY: the caller's promise, and the union is aligned for all that it holds.
        unsafe { (&raw const self.of_kind).cast::<T>().read() }
    }
}

/// # Safety
/// `pointer` is null or a `T`.
pub(crate) unsafe fn given<'a, T>(pointer: *const T) -> Result<&'a T, Code> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or(INVALID_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_of_the_headers() {
        assert_eq!(size_of::<Node>(), 256);
        assert_eq!(size_of::<Kernel>(), 56);
        assert_eq!(size_of::<DriverKernel>(), 72);
        assert_eq!(size_of::<Memset>(), 40);
        assert_eq!(size_of::<CopyNode>(), 176);
        assert_eq!(size_of::<DriverCopyNode>(), 216);
    }

    #[test]
    fn a_copy_comes_back_as_it_was() {
        let (target, source) =
            (std::ptr::without_provenance_mut(4096), std::ptr::without_provenance_mut::<c_void>(8192));
        let made = copy3d::plain((target, 64), (source, 32), (16, 2), 1).unwrap();
        let copy = copy_from_driver(&made).unwrap();
        assert_eq!((copy.source.pointer.addr(), copy.source.pitch), (8192, 32));
        assert_eq!((copy.target.pointer.addr(), copy.target.pitch), (4096, 64));
        assert_eq!((copy.extent, copy.kind), (Extent { width: 16, height: 2, depth: 1 }, 1));
    }
}
