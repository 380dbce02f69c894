//! `libcudart.so.13`: the runtime API of CUDA 13. What is the same in all versions is in `warpwise_runtime`; here are
//! the names that only this version has, or has with other arguments.
#![cfg(target_os = "linux")]
#![allow(non_snake_case, reason = "names are those of the runtime API")]
#![allow(clippy::missing_safety_doc, reason = "the contract of a name is that of the runtime API")]
#![allow(clippy::too_many_arguments, reason = "signatures are those of the runtime API")]

use std::ffi::{c_char, c_int, c_uint, c_void};

use warpwise_runtime::types::{Handle, Location};
use warpwise_runtime::versioned::{self, Node, Version};
use warpwise_runtime::{event, exports, unsupported};

/// What the library says of itself: 13.0.
const VERSION: c_int = 13000;

exports! {
    fn cudaRuntimeGetVersion(version: *mut c_int) {
        versioned::runtime_version(version, VERSION)
    }
    fn cudaGetDeviceProperties(properties: *mut c_void, device: c_int) {
        versioned::device_properties(properties, device, Version::Thirteen)
    }
    fn cudaGetDriverEntryPoint(name: *const c_char, function: *mut *mut c_void, flags: u64, status: *mut c_int) {
        versioned::driver_entry_point(name, function, VERSION, flags, status)
    }
    fn cudaGetDriverEntryPoint_ptsz(name: *const c_char, function: *mut *mut c_void, flags: u64, status: *mut c_int) {
        versioned::driver_entry_point(name, function, VERSION, versioned::per_thread_flags(flags), status)
    }
    fn cudaEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) {
        event::elapsed(milliseconds, start, end)
    }
    ptsz(stream) cudaMemPrefetchAsync_ptsz
    fn cudaMemPrefetchAsync(pointer: *const c_void, bytes: usize, location: Location, flags: c_uint, stream: Handle) {
        versioned::prefetch(pointer, bytes, location, flags, stream)
    }
    ptsz(stream) cudaMemcpyBatchAsync_ptsz
    fn cudaMemcpyBatchAsync(
        targets: *const *mut c_void, sources: *const *const c_void, bytes: *const usize, count: usize,
        attributes: *mut c_void, which: *mut usize, number: usize, stream: Handle,
    ) {
        versioned::copy_batch(targets, sources, bytes, count, attributes, which, number, stream)
    }
    fn cudaMemAdvise(pointer: *const c_void, bytes: usize, advice: c_int, location: Location) {
        versioned::advise(pointer, bytes, advice, location)
    }
    ptsz(stream) cudaStreamGetCaptureInfo_ptsz
    fn cudaStreamGetCaptureInfo(
        stream: Handle, status: *mut c_int, id: *mut u64, graph: *mut Handle, dependencies: *mut *const Handle,
        edges: *mut *const c_void, count: *mut usize,
    ) {
        versioned::capture_info(stream, status, id, graph, dependencies, edges, count)
    }
    ptsz(stream) cudaStreamUpdateCaptureDependencies_ptsz
    fn cudaStreamUpdateCaptureDependencies(
        stream: Handle, dependencies: *mut Handle, edges: *const c_void, count: usize, flags: c_uint,
    ) {
        versioned::update_capture(stream, dependencies, edges, count, flags)
    }
    fn cudaGraphGetEdges(graph: Handle, from: *mut Handle, to: *mut Handle, edges: *mut c_void, count: *mut usize) {
        versioned::edges(graph, from, to, edges, count)
    }
    fn cudaGraphNodeGetDependencies(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize) {
        versioned::dependencies(node, nodes, edges, count)
    }
    fn cudaGraphNodeGetDependentNodes(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize) {
        versioned::dependents(node, nodes, edges, count)
    }
    fn cudaGraphAddDependencies(
        graph: Handle, from: *const Handle, to: *const Handle, edges: *const c_void, count: usize,
    ) {
        versioned::add_edges(graph, from, to, edges, count)
    }
    fn cudaGraphRemoveDependencies(
        graph: Handle, from: *const Handle, to: *const Handle, edges: *const c_void, count: usize,
    ) {
        versioned::remove_edges(graph, from, to, edges, count)
    }
    fn cudaGraphAddNode(
        node: *mut Handle, graph: Handle, after: *const Handle, edges: *const c_void, count: usize,
        parameters: *mut Node,
    ) {
        versioned::add_node(node, graph, after, edges, count, parameters)
    }
    fn cudaMemGetDefaultMemPool(pool: *mut Handle, location: *const Location, _kind: c_int) {
        versioned::pool_of(pool, location, true)
    }
    fn cudaMemGetMemPool(pool: *mut Handle, location: *const Location, _kind: c_int) {
        versioned::pool_of(pool, location, false)
    }
}

unsupported! {
    __cudaGetProcAddress
    cudaDeviceGetHostAtomicCapabilities
    cudaDeviceGetP2PAtomicCapabilities
    cudaLogsCurrent
    cudaLogsDumpToFile
    cudaLogsDumpToMemory
    cudaLogsRegisterCallback
    cudaLogsUnregisterCallback
    cudaMemDiscardAndPrefetchBatchAsync
    cudaMemDiscardAndPrefetchBatchAsync_ptsz
    cudaMemDiscardBatchAsync
    cudaMemDiscardBatchAsync_ptsz
    cudaMemPrefetchBatchAsync
    cudaMemPrefetchBatchAsync_ptsz
    cudaMemSetMemPool
}
