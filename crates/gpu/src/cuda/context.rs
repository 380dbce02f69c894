//! The driver's context: the GPU as one device sees it, and the streams that work goes to.
//!
//! Each device has its own context rather than the process's primary one, which other code may use, unless it is to share
//! memory with that code.

use super::api::{self, CUcontext, CUdevice, CUevent, CUstream};
use super::error::{DriverError, NoCuda, OLDEST, check, driver, status};
use crate::Fault;
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};

/// A GPU opened for use.
#[derive(Debug)]
pub(super) struct Context {
    context: CUcontext,
    /// What a kernel did, on whichever stream: the driver does nothing more in this context.
    pub(super) failed: OnceLock<Fault>,
    /// The GPU whose primary context this is.
    primary: Option<CUdevice>,
}

// SAFETY: the driver's handles may be used from any thread; `enter` makes the context that of the calling one.
unsafe impl Send for Context {}
// SAFETY: as above, and the driver locks what it must.
unsafe impl Sync for Context {}

/// Whether blocks can be launched together: every GPU of compute capability 7.0 can do it, and drivers since CUDA 11.8.
pub(super) fn cooperates() -> bool {
    api::functions().cuLaunchKernelEx.is_some()
}

/// Starts the driver: checks that it exists, is new enough, and has a GPU. Loads its library.
pub(crate) fn start() -> Result<(u32, u32), NoCuda> {
    api::load()?;
    let mut version = 0;
    driver!(cuDriverGetVersion(&raw mut version))?;
    let version = version.unsigned_abs();
    let have = (version / 1000, version % 1000 / 10);
    if have < OLDEST {
        return Err(NoCuda::TooOld { have });
    }
    let no_gpu = |error: DriverError| match error.status {
        status::NO_DEVICE => NoCuda::Gpu,
        _ => NoCuda::Call(error),
    };
    driver!(cuInit(0)).map_err(no_gpu)?;
    Ok(have)
}

/// A stream that does not wait for the default one: `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: u32 = 1;
/// An event that does not say when: `CU_EVENT_DISABLE_TIMING`.
const WITHOUT_CLOCK: u32 = 2;

/// The number of GPUs.
pub(crate) fn count() -> Result<u32, NoCuda> {
    let mut number = 0;
    driver!(cuDeviceGetCount(&raw mut number))?;
    Ok(number.unsigned_abs())
}

/// The handle of a GPU.
pub(crate) fn device(ordinal: u32) -> Result<CUdevice, NoCuda> {
    let mut device = 0;
    driver!(cuDeviceGet(&raw mut device, ordinal as i32))?;
    Ok(device)
}

impl Context {
    /// Opens a GPU.
    pub(super) fn open(device: CUdevice, shared: bool) -> Result<Self, NoCuda> {
        let mut context = null_mut();
        if shared {
            let name = "cuDevicePrimaryCtxRetain";
            let retain = api::functions().cuDevicePrimaryCtxRetain.ok_or(NoCuda::Incomplete(name))?;
            // SAFETY: as for every call of the driver.
            check(name, unsafe { retain(&raw mut context, device) })?;
            driver!(cuCtxSetCurrent(context))?;
        } else {
            driver!(cuCtxCreate_v2(&raw mut context, 0, device))?;
        }
        Ok(Self { context, failed: OnceLock::new(), primary: shared.then_some(device) })
    }

    /// Makes it current on the calling thread.
    pub(super) fn enter(&self) -> Result<(), DriverError> {
        driver!(cuCtxSetCurrent(self.context))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // This frees its memory, modules, streams and events too. A context that a kernel has ruined returns an error,
        // but is destroyed all the same.
        let _ = match (self.primary, api::functions().cuDevicePrimaryCtxRelease_v2) {
            // SAFETY: as for every call of the driver.
            (Some(device), Some(release)) => check("cuDevicePrimaryCtxRelease_v2", unsafe { release(device) }),
            (Some(_), None) => Ok(()),
            (None, _) => driver!(cuCtxDestroy_v2(self.context)),
        };
    }
}

/// A stream of work, in order.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) context: Arc<Context>,
    pub(super) handle: CUstream,
}

// SAFETY: streams may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above, and the driver locks what it must.
unsafe impl Sync for Stream {}

impl Stream {
    /// A new one in a context that the calling thread has entered.
    pub(super) fn new(context: &Arc<Context>) -> Result<Arc<Self>, DriverError> {
        Ok(Arc::new(Self { context: Arc::clone(context), handle: new_stream()? }))
    }

    /// Waits for it.
    pub(super) fn synchronize(&self) -> Result<(), DriverError> {
        driver!(cuStreamSynchronize(self.handle))
    }

    /// An event after all its work.
    pub(super) fn reached(&self) -> Result<Reached, DriverError> {
        let reached = Reached { context: Arc::clone(&self.context), event: new_event(false)? };
        driver!(cuEventRecord(reached.event, self.handle))?;
        Ok(reached)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // The driver finishes its work first, without waiting here. A failure cannot be reported from here.
        let _ = self.context.enter().and_then(|()| driver!(cuStreamDestroy_v2(self.handle)));
    }
}

/// A place in a stream of work.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) context: Arc<Context>,
    pub(super) event: CUevent,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Reached {}
// SAFETY: as above.
unsafe impl Sync for Reached {}

impl Drop for Reached {
    fn drop(&mut self) {
        // A failure to destroy an event cannot be reported from here.
        let _ = self.context.enter().and_then(|()| driver!(cuEventDestroy_v2(self.event)));
    }
}

/// A stream that ends with its context.
pub(super) fn new_stream() -> Result<CUstream, DriverError> {
    let mut stream = null_mut();
    driver!(cuStreamCreate(&raw mut stream, NON_BLOCKING))?;
    Ok(stream)
}

/// An event; without a clock it costs less.
pub(super) fn new_event(clock: bool) -> Result<CUevent, DriverError> {
    let mut event = null_mut();
    driver!(cuEventCreate(&raw mut event, if clock { 0 } else { WITHOUT_CLOCK }))?;
    Ok(event)
}
