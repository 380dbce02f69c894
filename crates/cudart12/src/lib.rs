//! `libcudart.so.12`: the runtime API of CUDA 12. What is the same in all versions is in `warpwise_runtime`; here are
//! the names that only this version has, or has with other arguments.
#![cfg(target_os = "linux")]
#![allow(non_snake_case, reason = "names are those of the runtime API")]
#![allow(clippy::missing_safety_doc, reason = "the contract of a name is that of the runtime API")]
#![allow(clippy::too_many_arguments, reason = "signatures are those of the runtime API")]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use warpwise_runtime::types::{Handle, Location};
use warpwise_runtime::versioned::{self, Node, Version};
use warpwise_runtime::{device, event, exports, unsupported};

/// What the library says of itself: 12.9.
const VERSION: c_int = 12090;

/// A call of the shared part, as the body of a name here.
fn passed_on(code: i32) -> warpwise_runtime::status::Status {
    if code == 0 { Ok(()) } else { Err(warpwise_runtime::status::Code(code)) }
}

exports! {
    fn cudaRuntimeGetVersion(version: *mut c_int) {
        versioned::runtime_version(version, VERSION)
    }
    fn cudaGetDeviceProperties(properties: *mut c_void, device: c_int) {
        versioned::device_properties(properties, device, Version::Eleven)
    }
    fn cudaGetDeviceProperties_v2(properties: *mut c_void, device: c_int) {
        versioned::device_properties(properties, device, Version::Twelve)
    }
    fn cudaGetDriverEntryPoint(name: *const c_char, function: *mut *mut c_void, flags: u64, status: *mut c_int) {
        versioned::driver_entry_point(name, function, VERSION, flags, status)
    }
    fn cudaGetDriverEntryPoint_ptsz(name: *const c_char, function: *mut *mut c_void, flags: u64, status: *mut c_int) {
        versioned::driver_entry_point(name, function, VERSION, versioned::per_thread_flags(flags), status)
    }
    same cudaEventElapsedTime_v2
    fn cudaEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) {
        event::elapsed(milliseconds, start, end)
    }
    ptsz(stream) cudaMemPrefetchAsync_ptsz
    fn cudaMemPrefetchAsync(pointer: *const c_void, bytes: usize, device: c_int, stream: Handle) {
        versioned::prefetch(pointer, bytes, versioned::location(device), 0, stream)
    }
    ptsz(stream) cudaMemPrefetchAsync_v2_ptsz
    fn cudaMemPrefetchAsync_v2(
        pointer: *const c_void, bytes: usize, location: Location, flags: c_uint, stream: Handle,
    ) {
        versioned::prefetch(pointer, bytes, location, flags, stream)
    }
    ptsz(stream) cudaMemcpyBatchAsync_ptsz
    fn cudaMemcpyBatchAsync(
        targets: *const *mut c_void, sources: *const *const c_void, bytes: *const usize, count: usize,
        attributes: *mut c_void, which: *mut usize, number: usize, failed: *mut usize, stream: Handle,
    ) {
        let status = versioned::copy_batch(targets, sources, bytes, count, attributes, which, number, stream);
        if let (Err(_), Some(failed)) = (status, failed.as_mut()) {
            // Not one in particular.
            *failed = usize::MAX;
        }
        status
    }
    fn cudaMemAdvise(pointer: *const c_void, bytes: usize, advice: c_int, device: c_int) {
        versioned::advise(pointer, bytes, advice, versioned::location(device))
    }
    fn cudaMemAdvise_v2(pointer: *const c_void, bytes: usize, advice: c_int, location: Location) {
        versioned::advise(pointer, bytes, advice, location)
    }
    ptsz(stream) cudaStreamGetCaptureInfo_ptsz
    fn cudaStreamGetCaptureInfo(stream: Handle, status: *mut c_int, id: *mut u64) {
        versioned::capture_info_without_edges(stream, status, id, null_mut(), null_mut(), null_mut())
    }
    ptsz(stream) cudaStreamGetCaptureInfo_v2_ptsz
    fn cudaStreamGetCaptureInfo_v2(
        stream: Handle, status: *mut c_int, id: *mut u64, graph: *mut Handle, dependencies: *mut *const Handle,
        count: *mut usize,
    ) {
        versioned::capture_info_without_edges(stream, status, id, graph, dependencies, count)
    }
    ptsz(stream) cudaStreamGetCaptureInfo_v3_ptsz
    fn cudaStreamGetCaptureInfo_v3(
        stream: Handle, status: *mut c_int, id: *mut u64, graph: *mut Handle, dependencies: *mut *const Handle,
        edges: *mut *const c_void, count: *mut usize,
    ) {
        versioned::capture_info(stream, status, id, graph, dependencies, edges, count)
    }
    ptsz(stream) cudaStreamUpdateCaptureDependencies_ptsz
    fn cudaStreamUpdateCaptureDependencies(stream: Handle, dependencies: *mut Handle, count: usize, flags: c_uint) {
        versioned::update_capture(stream, dependencies, null(), count, flags)
    }
    ptsz(stream) cudaStreamUpdateCaptureDependencies_v2_ptsz
    fn cudaStreamUpdateCaptureDependencies_v2(
        stream: Handle, dependencies: *mut Handle, edges: *const c_void, count: usize, flags: c_uint,
    ) {
        versioned::update_capture(stream, dependencies, edges, count, flags)
    }
    fn cudaGraphGetEdges(graph: Handle, from: *mut Handle, to: *mut Handle, count: *mut usize) {
        versioned::edges(graph, from, to, null_mut(), count)
    }
    fn cudaGraphGetEdges_v2(
        graph: Handle, from: *mut Handle, to: *mut Handle, edges: *mut c_void, count: *mut usize,
    ) {
        versioned::edges(graph, from, to, edges, count)
    }
    fn cudaGraphNodeGetDependencies(node: Handle, nodes: *mut Handle, count: *mut usize) {
        versioned::dependencies(node, nodes, null_mut(), count)
    }
    fn cudaGraphNodeGetDependencies_v2(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize) {
        versioned::dependencies(node, nodes, edges, count)
    }
    fn cudaGraphNodeGetDependentNodes(node: Handle, nodes: *mut Handle, count: *mut usize) {
        versioned::dependents(node, nodes, null_mut(), count)
    }
    fn cudaGraphNodeGetDependentNodes_v2(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize) {
        versioned::dependents(node, nodes, edges, count)
    }
    fn cudaGraphAddDependencies(graph: Handle, from: *const Handle, to: *const Handle, count: usize) {
        versioned::add_edges(graph, from, to, null(), count)
    }
    fn cudaGraphAddDependencies_v2(
        graph: Handle, from: *const Handle, to: *const Handle, edges: *const c_void, count: usize,
    ) {
        versioned::add_edges(graph, from, to, edges, count)
    }
    fn cudaGraphRemoveDependencies(graph: Handle, from: *const Handle, to: *const Handle, count: usize) {
        versioned::remove_edges(graph, from, to, null(), count)
    }
    fn cudaGraphRemoveDependencies_v2(
        graph: Handle, from: *const Handle, to: *const Handle, edges: *const c_void, count: usize,
    ) {
        versioned::remove_edges(graph, from, to, edges, count)
    }
    fn cudaGraphAddNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, parameters: *mut Node,
    ) {
        versioned::add_node(node, graph, after, null(), count, parameters)
    }
    fn cudaGraphAddNode_v2(
        node: *mut Handle, graph: Handle, after: *const Handle, edges: *const c_void, count: usize,
        parameters: *mut Node,
    ) {
        versioned::add_node(node, graph, after, edges, count, parameters)
    }
}

// Names from the time when a thread had its own device.
exports! {
    fn cudaThreadSynchronize() {
        passed_on(device::cudaDeviceSynchronize())
    }
    fn cudaThreadExit() {
        passed_on(device::cudaDeviceReset())
    }
    fn cudaThreadSetLimit(limit: c_int, value: usize) {
        passed_on(device::cudaDeviceSetLimit(limit, value))
    }
    fn cudaThreadGetLimit(value: *mut usize, limit: c_int) {
        passed_on(device::cudaDeviceGetLimit(value, limit))
    }
    fn cudaThreadGetCacheConfig(config: *mut c_int) {
        passed_on(device::cudaDeviceGetCacheConfig(config))
    }
    fn cudaThreadSetCacheConfig(config: c_int) {
        passed_on(device::cudaDeviceSetCacheConfig(config))
    }
    // Every GPU that is left has numbers of this size.
    fn cudaSetDoubleForDevice(_number: *mut f64) {
        Ok(())
    }
    fn cudaSetDoubleForHost(_number: *mut f64) {
        Ok(())
    }
}

unsupported! {
    cudaLaunchCooperativeKernelMultiDevice
    cudaSignalExternalSemaphoresAsync_v2
    cudaSignalExternalSemaphoresAsync_v2_ptsz
    cudaWaitExternalSemaphoresAsync_v2
    cudaWaitExternalSemaphoresAsync_v2_ptsz
}
