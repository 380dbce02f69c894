//! Streams.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{null_mut, without_provenance_mut};

use crate::context::ready;
use crate::driver::{self, HostFunction, StreamCallback};
use crate::exports;
use crate::types::{Address, Handle};

/// The stream of the thread where a program asks for the default one.
pub fn per_thread(stream: Handle) -> Handle {
    // The driver's name for the default stream of a thread.
    const PER_THREAD: Handle = without_provenance_mut(2);
    if stream.is_null() { PER_THREAD } else { stream }
}

exports! {
    fn cudaStreamCreate(stream: *mut Handle) {
        ready()?;
        driver::cuStreamCreate(stream, 0)
    }
    fn cudaStreamCreateWithFlags(stream: *mut Handle, flags: c_uint) {
        ready()?;
        driver::cuStreamCreate(stream, flags)
    }
    fn cudaStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, priority: c_int) {
        ready()?;
        driver::cuStreamCreateWithPriority(stream, flags, priority)
    }
    fn cudaStreamDestroy(stream: Handle) {
        ready()?;
        driver::cuStreamDestroy_v2(stream)
    }
    ptsz(stream) cudaStreamSynchronize_ptsz
    fn cudaStreamSynchronize(stream: Handle) {
        ready()?;
        driver::cuStreamSynchronize(stream)
    }
    ptsz(stream) cudaStreamQuery_ptsz
    fn cudaStreamQuery(stream: Handle) {
        ready()?;
        driver::cuStreamQuery(stream)
    }
    ptsz(stream) cudaStreamWaitEvent_ptsz
    fn cudaStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint) {
        ready()?;
        driver::cuStreamWaitEvent(stream, event, flags)
    }
    ptsz(stream) cudaStreamGetPriority_ptsz
    fn cudaStreamGetPriority(stream: Handle, priority: *mut c_int) {
        ready()?;
        driver::cuStreamGetPriority(stream, priority)
    }
    ptsz(stream) cudaStreamGetFlags_ptsz
    fn cudaStreamGetFlags(stream: Handle, flags: *mut c_uint) {
        ready()?;
        driver::cuStreamGetFlags(stream, flags)
    }
    ptsz(stream) cudaStreamGetId_ptsz
    fn cudaStreamGetId(stream: Handle, id: *mut u64) {
        ready()?;
        driver::cuStreamGetId(stream, id)
    }
    ptsz(stream) cudaStreamGetDevice_ptsz
    fn cudaStreamGetDevice(stream: Handle, device: *mut c_int) {
        ready()?;
        driver::cuStreamGetDevice(stream, device)
    }
    ptsz(stream) cudaStreamAddCallback_ptsz
    fn cudaStreamAddCallback(stream: Handle, callback: StreamCallback, data: *mut c_void, flags: c_uint) {
        ready()?;
        driver::cuStreamAddCallback(stream, callback, data, flags)
    }
    ptsz(stream) cudaLaunchHostFunc_ptsz
    fn cudaLaunchHostFunc(stream: Handle, function: HostFunction, data: *mut c_void) {
        ready()?;
        driver::cuLaunchHostFunc(stream, function, data)
    }
    ptsz(stream) cudaStreamAttachMemAsync_ptsz
    fn cudaStreamAttachMemAsync(stream: Handle, pointer: *mut c_void, bytes: usize, flags: c_uint) {
        ready()?;
        driver::cuStreamAttachMemAsync(stream, pointer as Address, bytes, flags)
    }
    ptsz(stream) cudaStreamGetAttribute_ptsz
    fn cudaStreamGetAttribute(stream: Handle, attribute: c_int, value: *mut c_void) {
        ready()?;
        driver::cuStreamGetAttribute(stream, attribute, value)
    }
    ptsz(stream) cudaStreamSetAttribute_ptsz
    fn cudaStreamSetAttribute(stream: Handle, attribute: c_int, value: *const c_void) {
        ready()?;
        driver::cuStreamSetAttribute(stream, attribute, value)
    }
    ptsz(target) cudaStreamCopyAttributes_ptsz
    fn cudaStreamCopyAttributes(target: Handle, source: Handle) {
        ready()?;
        driver::cuStreamCopyAttributes(target, source)
    }
    ptsz(stream) cudaStreamBeginCapture_ptsz
    fn cudaStreamBeginCapture(stream: Handle, mode: c_int) {
        ready()?;
        driver::cuStreamBeginCapture_v2(stream, mode)
    }
    ptsz(stream) cudaStreamBeginCaptureToGraph_ptsz
    fn cudaStreamBeginCaptureToGraph(
        stream: Handle, graph: Handle, dependencies: *const Handle, edges: *const c_void, count: usize, mode: c_int,
    ) {
        ready()?;
        driver::cuStreamBeginCaptureToGraph(stream, graph, dependencies, edges, count, mode)
    }
    ptsz(stream) cudaStreamEndCapture_ptsz
    fn cudaStreamEndCapture(stream: Handle, graph: *mut Handle) {
        ready()?;
        if !graph.is_null() {
            *graph = null_mut();
        }
        driver::cuStreamEndCapture(stream, graph)
    }
    ptsz(stream) cudaStreamIsCapturing_ptsz
    fn cudaStreamIsCapturing(stream: Handle, status: *mut c_int) {
        ready()?;
        driver::cuStreamIsCapturing(stream, status)
    }
    fn cudaThreadExchangeStreamCaptureMode(mode: *mut c_int) {
        ready()?;
        driver::cuThreadExchangeStreamCaptureMode(mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_default_stream_becomes_that_of_the_thread() {
        assert_eq!(per_thread(null_mut()).addr(), 2);
        assert_eq!(per_thread(without_provenance_mut(1)).addr(), 1);
        assert_eq!(per_thread(without_provenance_mut(4096)).addr(), 4096);
    }
}
