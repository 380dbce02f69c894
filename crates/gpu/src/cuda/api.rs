//! The functions of the driver that are called, found in its library when the first device is opened, and what they
//! take. Names, types and numbers are those of `cuda.h`.

use super::error::NoCuda;
use crate::driver::LIBRARIES;
use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// Types that only the driver looks into.
macro_rules! handles {
    ($($handle:ident to $opaque:ident,)*) => {$(
        #[derive(Debug)]
        pub(super) enum $opaque {}
        pub(super) type $handle = *mut $opaque;
    )*};
}

handles! {
    CUcontext to Context,
    CUevent to Event,
    CUfunction to Function,
    CUmodule to Module,
    CUstream to Stream,
}

pub(super) type CUdevice = c_int;
type CUdeviceptr = u64;
type CUresult = c_uint;

/// How a kernel is launched.
#[repr(C)]
pub(super) struct CUlaunchConfig {
    pub(super) grid: [c_uint; 3],
    pub(super) block: [c_uint; 3],
    pub(super) shared_bytes: c_uint,
    pub(super) stream: CUstream,
    pub(super) attributes: *mut CUlaunchAttribute,
    pub(super) count: c_uint,
}

/// Something else about a launch: its number, and a value of up to 64 bytes.
#[repr(C, align(8))]
pub(super) struct CUlaunchAttribute {
    id: c_uint,
    padding: [u8; 4],
    value: [c_uint; 16],
}

impl CUlaunchAttribute {
    /// All blocks run at once.
    pub(super) const COOPERATIVE: Self = Self::new(2, [1, 0, 0]);

    /// Blocks run in clusters.
    pub(super) const fn cluster(size: [u32; 3]) -> Self {
        Self::new(4, size)
    }

    const fn new(id: c_uint, [a, b, c]: [c_uint; 3]) -> Self {
        Self { id, padding: [0; 4], value: [a, b, c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }
    }
}

macro_rules! functions {
    (always { $($name:ident($($argument:ty),*);)* } newer { $($newer:ident($($more:ty),*);)* }) => {
        /// The functions.
        #[expect(non_snake_case, reason = "the names are those of the driver")]
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> CUresult,)*
            $(pub(super) $newer: Option<unsafe extern "C" fn($($more),*) -> CUresult>,)*
        }

        impl Functions {
            fn find(library: &Library) -> Result<Self, NoCuda> {
                Ok(Self {
                    // SAFETY: the types are those of cuda.h, and a name never changes its type: `_v2` is a new name.
                    $($name: *unsafe { library.get(concat!(stringify!($name), "\0")) }
                        .map_err(|_| NoCuda::Incomplete(stringify!($name)))?,)*
                    // SAFETY: as above.
                    $($newer: unsafe { library.get(concat!(stringify!($newer), "\0")) }.ok().map(|found| *found),)*
                })
            }
        }
    };
}

functions! { always {
    cuInit(c_uint);
    cuDriverGetVersion(*mut c_int);
    cuGetErrorName(CUresult, *mut *const c_char);
    cuGetErrorString(CUresult, *mut *const c_char);
    cuDeviceGet(*mut CUdevice, c_int);
    cuDeviceGetCount(*mut c_int);
    cuDeviceGetName(*mut c_char, c_int, CUdevice);
    cuDeviceGetAttribute(*mut c_int, c_uint, CUdevice);
    cuDeviceTotalMem_v2(*mut usize, CUdevice);
    cuCtxCreate_v2(*mut CUcontext, c_uint, CUdevice);
    cuCtxDestroy_v2(CUcontext);
    cuCtxSetCurrent(CUcontext);
    cuStreamCreate(*mut CUstream, c_uint);
    cuStreamDestroy_v2(CUstream);
    cuStreamWaitEvent(CUstream, CUevent, c_uint);
    cuStreamSynchronize(CUstream);
    cuEventCreate(*mut CUevent, c_uint);
    cuEventRecord(CUevent, CUstream);
    cuEventDestroy_v2(CUevent);
    cuEventSynchronize(CUevent);
    cuEventElapsedTime(*mut f32, CUevent, CUevent);
    cuMemAlloc_v2(*mut CUdeviceptr, usize);
    cuMemFree_v2(CUdeviceptr);
    cuMemGetInfo_v2(*mut usize, *mut usize);
    cuMemAllocHost_v2(*mut *mut c_void, usize);
    cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
    cuMemsetD8Async(CUdeviceptr, u8, usize, CUstream);
    cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut c_uint, *mut *mut c_void);
    cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    cuModuleGetGlobal_v2(*mut CUdeviceptr, *mut usize, CUmodule, *const c_char);
    cuFuncSetAttribute(CUfunction, c_uint, c_int);
    cuFuncGetAttribute(*mut c_int, c_uint, CUfunction);
    cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void
    );
} newer {
    // Since CUDA 11.0 and 11.8; an older driver is to be told apart from one that lacks a function.
    cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    cuDevicePrimaryCtxRelease_v2(CUdevice);
    cuLaunchKernelEx(*const CUlaunchConfig, CUfunction, *mut *mut c_void, *mut *mut c_void);
} }

static LOADED: OnceLock<Functions> = OnceLock::new();

/// Loads the driver's library, if that has not been done.
pub(super) fn load() -> Result<&'static Functions, NoCuda> {
    if let Some(functions) = LOADED.get() {
        return Ok(functions);
    }
    // SAFETY: loading the driver's library has no requirements.
    let library = LIBRARIES.iter().find_map(|name| unsafe { Library::new(*name) }.ok()).ok_or(NoCuda::Driver)?;
    let functions = Functions::find(&library)?;
    // Its threads may outlive every device.
    std::mem::forget(library);
    Ok(LOADED.get_or_init(|| functions))
}

/// The functions; the driver must have been [loaded](load).
pub(super) fn functions() -> &'static Functions {
    LOADED.get().expect("the driver is loaded before anything is asked of it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{align_of, offset_of, size_of};

    #[test]
    fn what_the_driver_reads_lies_where_its_header_says() {
        assert_eq!((size_of::<CUlaunchAttribute>(), align_of::<CUlaunchAttribute>()), (72, 8));
        assert_eq!(offset_of!(CUlaunchAttribute, value), 8);
        assert_eq!((size_of::<CUlaunchConfig>(), align_of::<CUlaunchConfig>()), (56, 8));
        assert_eq!(offset_of!(CUlaunchConfig, block), 12);
        assert_eq!(offset_of!(CUlaunchConfig, shared_bytes), 24);
        assert_eq!(offset_of!(CUlaunchConfig, stream), 32);
        assert_eq!(offset_of!(CUlaunchConfig, attributes), 40);
        assert_eq!(offset_of!(CUlaunchConfig, count), 48);
    }
}
