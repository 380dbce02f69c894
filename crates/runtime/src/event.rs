//! Events.

use std::ffi::c_uint;

use crate::context::ready;
use crate::driver;
use crate::exports;
use crate::status::Status;
use crate::types::Handle;

exports! {
    fn cudaEventCreate(event: *mut Handle) {
        ready()?;
        driver::cuEventCreate(event, 0)
    }
    fn cudaEventCreateWithFlags(event: *mut Handle, flags: c_uint) {
        ready()?;
        driver::cuEventCreate(event, flags)
    }
    ptsz(stream) cudaEventRecord_ptsz
    fn cudaEventRecord(event: Handle, stream: Handle) {
        ready()?;
        driver::cuEventRecord(event, stream)
    }
    ptsz(stream) cudaEventRecordWithFlags_ptsz
    fn cudaEventRecordWithFlags(event: Handle, stream: Handle, flags: c_uint) {
        ready()?;
        driver::cuEventRecordWithFlags(event, stream, flags)
    }
    fn cudaEventQuery(event: Handle) {
        ready()?;
        driver::cuEventQuery(event)
    }
    fn cudaEventSynchronize(event: Handle) {
        ready()?;
        driver::cuEventSynchronize(event)
    }
    fn cudaEventDestroy(event: Handle) {
        ready()?;
        driver::cuEventDestroy_v2(event)
    }
}

/// The time between two events, which CUDA 12 has two names for.
///
/// # Safety
/// The arguments are those of `cudaEventElapsedTime`.
pub unsafe fn elapsed(milliseconds: *mut f32, start: Handle, end: Handle) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { driver::cuEventElapsedTime(milliseconds, start, end) }
}
