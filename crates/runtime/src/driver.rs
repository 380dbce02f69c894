//! The driver library, by its C names: `libcuda.so.1`, opened when a program first needs it.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::ipc::Shared;
use crate::status::{Code, NO_DRIVER, NOT_SUPPORTED, Status, check};
use crate::types::{Address, DriverArray, DriverCopy, DriverLaunchConfig, Handle, Location};

/// The library, or null.
fn library() -> *mut c_void {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    let open = || {
        // SAFETY: the name is a text that ends in zero; what the library runs when it is opened is its own concern.
        unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) as usize }
    };
    *LIBRARY.get_or_init(open) as *mut c_void
}

/// A function that not every driver has.
pub(crate) fn optional(name: &CStr) -> Option<*mut c_void> {
    let library = library();
    // SAFETY: the library is open and stays so; the name ends in zero.
    let found = (!library.is_null()).then(|| unsafe { libc::dlsym(library, name.as_ptr()) });
    found.filter(|found| !found.is_null())
}

/// The address of a function of the library, once it has been looked up.
pub(crate) struct Function {
    /// With a zero at its end.
    name: &'static str,
    address: AtomicPtr<c_void>,
}

impl Function {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, address: AtomicPtr::new(null_mut()) }
    }

    #[inline]
    pub(crate) fn get(&self) -> Result<*mut c_void, Code> {
        let known = self.address.load(Ordering::Relaxed);
        if known.is_null() { self.find() } else { Ok(known) }
    }

    #[cold]
    fn find(&self) -> Result<*mut c_void, Code> {
        let library = library();
        if library.is_null() {
            return Err(NO_DRIVER);
        }
        // SAFETY: the library is open and stays so; the name ends in zero.
        let found = unsafe { libc::dlsym(library, self.name.as_ptr().cast()) };
        if found.is_null() {
            if crate::settings::verbose() {
                eprintln!("warpwise: the driver has no {}", self.name.trim_end_matches('\0'));
            }
            return Err(NOT_SUPPORTED);
        }
        self.address.store(found, Ordering::Relaxed);
        Ok(found)
    }
}

/// Declares functions of the driver, which are looked up when they are first called.
macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $kind:ty),* $(,)?);)*) => { $(
        /// The driver's function of this name.
        #[allow(clippy::too_many_arguments, reason = "the signature is the driver's")]
        #[inline]
        pub(crate) unsafe fn $name($($argument: $kind),*) -> Status {
            static FUNCTION: Function = Function::new(concat!(stringify!($name), "\0"));
            type Signature = unsafe extern "C" fn($($kind),*) -> c_int;
            let address = FUNCTION.get()?;
            // SAFETY: the function of this name has this signature.
            let function = unsafe { std::mem::transmute::<*mut c_void, Signature>(address) };
            // SAFETY: the caller keeps to the function's contract.
            check(unsafe { function($($argument),*) })
        }
    )* };
}

pub(crate) use functions;

/// What a stream runs on the host.
pub type HostFunction = Option<unsafe extern "C" fn(*mut c_void)>;
/// What a stream tells of its end.
pub type StreamCallback = Option<unsafe extern "C" fn(Handle, c_int, *mut c_void)>;

// Start and devices.
functions! {
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuGetErrorString(code: c_int, text: *mut *const c_char);
    fn cuGetProcAddress_v2(
        name: *const c_char, function: *mut *mut c_void, version: c_int, flags: u64, found: *mut c_int,
    );
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGetName(name: *mut c_char, bytes: c_int, device: c_int);
    fn cuDeviceGetUuid_v2(uuid: *mut u8, device: c_int);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
    fn cuDeviceGetPCIBusId(text: *mut c_char, bytes: c_int, device: c_int);
    fn cuDeviceGetByPCIBusId(device: *mut c_int, text: *const c_char);
    fn cuDeviceCanAccessPeer(answer: *mut c_int, device: c_int, peer: c_int);
    fn cuDeviceGetP2PAttribute(value: *mut c_int, attribute: c_int, source: c_int, target: c_int);
    fn cuDeviceGetTexture1DLinearMaxWidth(width: *mut usize, format: c_uint, channels: c_uint, device: c_int);
    fn cuDeviceGetDefaultMemPool(pool: *mut Handle, device: c_int);
    fn cuDeviceGetMemPool(pool: *mut Handle, device: c_int);
    fn cuDeviceSetMemPool(device: c_int, pool: Handle);
    fn cuDeviceGetGraphMemAttribute(device: c_int, attribute: c_int, value: *mut c_void);
    fn cuDeviceSetGraphMemAttribute(device: c_int, attribute: c_int, value: *mut c_void);
    fn cuDeviceGraphMemTrim(device: c_int);
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int);
    fn cuDevicePrimaryCtxReset_v2(device: c_int);
    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint);
    fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int);
    fn cuCtxGetCurrent(context: *mut Handle);
    fn cuCtxSetCurrent(context: Handle);
    fn cuCtxGetDevice(device: *mut c_int);
    fn cuCtxSynchronize();
    fn cuCtxGetLimit(value: *mut usize, limit: c_int);
    fn cuCtxSetLimit(limit: c_int, value: usize);
    fn cuCtxGetCacheConfig(config: *mut c_int);
    fn cuCtxSetCacheConfig(config: c_int);
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
    fn cuCtxResetPersistingL2Cache();
    fn cuCtxEnablePeerAccess(context: Handle, flags: c_uint);
    fn cuCtxDisablePeerAccess(context: Handle);
    fn cuProfilerStart();
    fn cuProfilerStop();
}

// Code.
functions! {
    fn cuLibraryLoadData(
        library: *mut Handle, code: *const c_void, options: *mut c_int, values: *mut *mut c_void, count: c_uint,
        library_options: *mut c_int, library_values: *mut *mut c_void, library_count: c_uint,
    );
    fn cuLibraryLoadFromFile(
        library: *mut Handle, path: *const c_char, options: *mut c_int, values: *mut *mut c_void, count: c_uint,
        library_options: *mut c_int, library_values: *mut *mut c_void, library_count: c_uint,
    );
    fn cuLibraryUnload(library: Handle);
    fn cuLibraryGetKernel(kernel: *mut Handle, library: Handle, name: *const c_char);
    fn cuLibraryGetKernelCount(count: *mut c_uint, library: Handle);
    fn cuLibraryEnumerateKernels(kernels: *mut Handle, count: c_uint, library: Handle);
    fn cuLibraryGetGlobal(address: *mut Address, bytes: *mut usize, library: Handle, name: *const c_char);
    fn cuLibraryGetManaged(address: *mut Address, bytes: *mut usize, library: Handle, name: *const c_char);
    fn cuLibraryGetUnifiedFunction(function: *mut *mut c_void, library: Handle, name: *const c_char);
    fn cuKernelGetFunction(function: *mut Handle, kernel: Handle);
    fn cuKernelGetParamInfo(kernel: Handle, index: usize, offset: *mut usize, bytes: *mut usize);
    fn cuKernelSetAttribute(attribute: c_int, value: c_int, kernel: Handle, device: c_int);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: Handle);
    fn cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int);
    fn cuFuncSetCacheConfig(function: Handle, config: c_int);
    fn cuLinkCreate_v2(count: c_uint, options: *mut c_int, values: *mut *mut c_void, state: *mut Handle);
    fn cuLinkAddData_v2(
        state: Handle, kind: c_int, data: *const c_void, bytes: usize, name: *const c_char, count: c_uint,
        options: *mut c_int, values: *mut *mut c_void,
    );
    fn cuLinkComplete(state: Handle, image: *mut *mut c_void, bytes: *mut usize);
    fn cuLinkDestroy(state: Handle);
    fn cuLaunchKernel(
        function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: Handle, arguments: *mut *mut c_void, extra: *mut *mut c_void,
    );
    fn cuLaunchCooperativeKernel(
        function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: Handle, arguments: *mut *mut c_void,
    );
    fn cuLaunchKernelEx(
        config: *const DriverLaunchConfig, function: Handle, arguments: *mut *mut c_void, extra: *mut *mut c_void,
    );
    fn cuLaunchHostFunc(stream: Handle, function: HostFunction, data: *mut c_void);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut c_int, function: Handle, threads: c_int, shared: usize, flags: c_uint,
    );
    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: Handle, blocks: c_int, threads: c_int);
    fn cuOccupancyMaxPotentialClusterSize(size: *mut c_int, function: Handle, config: *const DriverLaunchConfig);
    fn cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: Handle, config: *const DriverLaunchConfig);
}

// Memory.
functions! {
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(address: *mut Address, bytes: usize);
    fn cuMemAllocPitch_v2(address: *mut Address, pitch: *mut usize, width: usize, height: usize, element: c_uint);
    fn cuMemAllocManaged(address: *mut Address, bytes: usize, flags: c_uint);
    fn cuMemFree_v2(address: Address);
    fn cuMemHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint);
    fn cuMemFreeHost(pointer: *mut c_void);
    fn cuMemHostRegister_v2(pointer: *mut c_void, bytes: usize, flags: c_uint);
    fn cuMemHostUnregister(pointer: *mut c_void);
    fn cuMemHostGetDevicePointer_v2(address: *mut Address, pointer: *mut c_void, flags: c_uint);
    fn cuMemHostGetFlags(flags: *mut c_uint, pointer: *mut c_void);
    fn cuPointerGetAttributes(count: c_uint, attributes: *mut c_int, values: *mut *mut c_void, address: Address);
    fn cuMemcpy(target: Address, source: Address, bytes: usize);
    fn cuMemcpyAsync(target: Address, source: Address, bytes: usize, stream: Handle);
    fn cuMemcpyHtoD_v2(target: Address, source: *const c_void, bytes: usize);
    fn cuMemcpyDtoH_v2(target: *mut c_void, source: Address, bytes: usize);
    fn cuMemcpyDtoD_v2(target: Address, source: Address, bytes: usize);
    fn cuMemcpyHtoDAsync_v2(target: Address, source: *const c_void, bytes: usize, stream: Handle);
    fn cuMemcpyDtoHAsync_v2(target: *mut c_void, source: Address, bytes: usize, stream: Handle);
    fn cuMemcpyDtoDAsync_v2(target: Address, source: Address, bytes: usize, stream: Handle);
    fn cuMemcpyPeer(target: Address, target_context: Handle, source: Address, source_context: Handle, bytes: usize);
    fn cuMemcpyPeerAsync(
        target: Address, target_context: Handle, source: Address, source_context: Handle, bytes: usize, stream: Handle,
    );
    fn cuMemcpy3D_v2(copy: *const DriverCopy);
    fn cuMemcpy3DAsync_v2(copy: *const DriverCopy, stream: Handle);
    fn cuMemcpyBatchAsync_v2(
        targets: *const *mut c_void, sources: *const *const c_void, bytes: *const usize, count: usize,
        attributes: *mut c_void, which: *mut usize, number: usize, stream: Handle,
    );
    fn cuMemsetD8_v2(target: Address, value: u8, bytes: usize);
    fn cuMemsetD8Async(target: Address, value: u8, bytes: usize, stream: Handle);
    fn cuMemsetD2D8_v2(target: Address, pitch: usize, value: u8, width: usize, height: usize);
    fn cuMemsetD2D8Async(target: Address, pitch: usize, value: u8, width: usize, height: usize, stream: Handle);
    fn cuMemPrefetchAsync_v2(address: Address, bytes: usize, location: Location, flags: c_uint, stream: Handle);
    fn cuMemAdvise_v2(address: Address, bytes: usize, advice: c_int, location: Location);
    fn cuMemRangeGetAttribute(data: *mut c_void, bytes: usize, attribute: c_int, address: Address, count: usize);
    fn cuMemRangeGetAttributes(
        data: *mut *mut c_void, bytes: *mut usize, attributes: *mut c_int, number: usize, address: Address,
        count: usize,
    );
    fn cuMemAllocAsync(address: *mut Address, bytes: usize, stream: Handle);
    fn cuMemAllocFromPoolAsync(address: *mut Address, bytes: usize, pool: Handle, stream: Handle);
    fn cuMemFreeAsync(address: Address, stream: Handle);
    fn cuMemPoolCreate(pool: *mut Handle, properties: *const c_void);
    fn cuMemPoolDestroy(pool: Handle);
    fn cuMemPoolTrimTo(pool: Handle, bytes: usize);
    fn cuMemPoolGetAttribute(pool: Handle, attribute: c_int, value: *mut c_void);
    fn cuMemPoolSetAttribute(pool: Handle, attribute: c_int, value: *mut c_void);
    fn cuMemPoolGetAccess(flags: *mut c_int, pool: Handle, location: *mut Location);
    fn cuMemPoolSetAccess(pool: Handle, access: *const c_void, count: usize);
    fn cuArray3DCreate_v2(array: *mut Handle, description: *const DriverArray);
    fn cuArray3DGetDescriptor_v2(description: *mut DriverArray, array: Handle);
    fn cuArrayDestroy(array: Handle);
    fn cuArrayGetPlane(plane: *mut Handle, array: Handle, index: c_uint);
    fn cuMipmappedArrayCreate(array: *mut Handle, description: *const DriverArray, levels: c_uint);
    fn cuMipmappedArrayGetLevel(level: *mut Handle, array: Handle, index: c_uint);
    fn cuMipmappedArrayDestroy(array: Handle);
    fn cuTexObjectCreate(object: *mut u64, resource: *const c_void, texture: *const c_void, view: *const c_void);
    fn cuTexObjectDestroy(object: u64);
    fn cuSurfObjectCreate(object: *mut u64, resource: *const c_void);
    fn cuSurfObjectDestroy(object: u64);
}

// Streams and events.
functions! {
    fn cuStreamCreate(stream: *mut Handle, flags: c_uint);
    fn cuStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, priority: c_int);
    fn cuStreamDestroy_v2(stream: Handle);
    fn cuStreamSynchronize(stream: Handle);
    fn cuStreamQuery(stream: Handle);
    fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint);
    fn cuStreamGetPriority(stream: Handle, priority: *mut c_int);
    fn cuStreamGetFlags(stream: Handle, flags: *mut c_uint);
    fn cuStreamGetId(stream: Handle, id: *mut u64);
    fn cuStreamGetDevice(stream: Handle, device: *mut c_int);
    fn cuStreamAddCallback(stream: Handle, callback: StreamCallback, data: *mut c_void, flags: c_uint);
    fn cuStreamAttachMemAsync(stream: Handle, address: Address, bytes: usize, flags: c_uint);
    fn cuStreamCopyAttributes(target: Handle, source: Handle);
    fn cuStreamGetAttribute(stream: Handle, attribute: c_int, value: *mut c_void);
    fn cuStreamSetAttribute(stream: Handle, attribute: c_int, value: *const c_void);
    fn cuStreamBeginCapture_v2(stream: Handle, mode: c_int);
    fn cuStreamBeginCaptureToGraph(
        stream: Handle, graph: Handle, dependencies: *const Handle, edges: *const c_void, count: usize, mode: c_int,
    );
    fn cuStreamEndCapture(stream: Handle, graph: *mut Handle);
    fn cuStreamIsCapturing(stream: Handle, status: *mut c_int);
    fn cuStreamGetCaptureInfo_v2(
        stream: Handle, status: *mut c_int, id: *mut u64, graph: *mut Handle, dependencies: *mut *const Handle,
        count: *mut usize,
    );
    fn cuStreamGetCaptureInfo_v3(
        stream: Handle, status: *mut c_int, id: *mut u64, graph: *mut Handle, dependencies: *mut *const Handle,
        edges: *mut *const c_void, count: *mut usize,
    );
    fn cuStreamUpdateCaptureDependencies_v2(
        stream: Handle, dependencies: *mut Handle, edges: *const c_void, count: usize, flags: c_uint,
    );
    fn cuThreadExchangeStreamCaptureMode(mode: *mut c_int);
    fn cuEventCreate(event: *mut Handle, flags: c_uint);
    fn cuEventRecord(event: Handle, stream: Handle);
    fn cuEventRecordWithFlags(event: Handle, stream: Handle, flags: c_uint);
    fn cuEventQuery(event: Handle);
    fn cuEventSynchronize(event: Handle);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle);
    fn cuEventDestroy_v2(event: Handle);
    fn cuIpcGetMemHandle(shared: *mut Shared, address: Address);
    fn cuIpcOpenMemHandle_v2(address: *mut Address, shared: Shared, flags: c_uint);
    fn cuIpcCloseMemHandle(address: Address);
    fn cuIpcGetEventHandle(shared: *mut Shared, event: Handle);
    fn cuIpcOpenEventHandle(event: *mut Handle, shared: Shared);
}
