//! Calls whose arguments changed from one version to the next. Each version's library gives them their names.

use std::ffi::{c_int, c_uint, c_void};

use crate::context::{self, ready};
use crate::driver;
use crate::graph::table;
use crate::status::{INVALID_VALUE, Status};
use crate::types::{Address, Handle, Location};

pub use crate::graph::node::Node;
pub use crate::graph::nodes::add as add_node;
pub use crate::library::{driver_entry_point, per_thread as per_thread_flags};
pub use crate::properties::{Version, fill as device_properties};

/// The location that a device number stands for; -1 is the host.
pub fn location(device: c_int) -> Location {
    const DEVICE: c_int = 1;
    const HOST: c_int = 2;
    if device == -1 { Location { kind: HOST, id: 0 } } else { Location { kind: DEVICE, id: device } }
}

/// Writes the version of the runtime.
///
/// # Safety
/// `place` is null or may be written.
pub unsafe fn runtime_version(place: *mut c_int, version: c_int) -> Status {
    // SAFETY: the caller's promise.
    *unsafe { place.as_mut() }.ok_or(INVALID_VALUE)? = version;
    Ok(())
}

/// Wishes managed memory to be at a place.
///
/// # Safety
/// The arguments are those of `cudaMemPrefetchAsync`.
pub unsafe fn prefetch(
    pointer: *const c_void,
    bytes: usize,
    location: Location,
    flags: c_uint,
    stream: Handle,
) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { driver::cuMemPrefetchAsync_v2(pointer as Address, bytes, location, flags, stream) }
}

/// Says how managed memory will be used.
///
/// # Safety
/// The arguments are those of `cudaMemAdvise`.
pub unsafe fn advise(pointer: *const c_void, bytes: usize, advice: c_int, location: Location) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { driver::cuMemAdvise_v2(pointer as Address, bytes, advice, location) }
}

/// What a stream is capturing, with data of edges.
///
/// # Safety
/// The arguments are those of `cudaStreamGetCaptureInfo`.
pub unsafe fn capture_info(
    stream: Handle,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut Handle,
    dependencies: *mut *const Handle,
    edges: *mut *const c_void,
    count: *mut usize,
) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { driver::cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, edges, count) }
}

/// What a stream is capturing, as programs of CUDA 12 ask.
///
/// # Safety
/// The arguments are those of `cudaStreamGetCaptureInfo`.
pub unsafe fn capture_info_without_edges(
    stream: Handle,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut Handle,
    dependencies: *mut *const Handle,
    count: *mut usize,
) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { driver::cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count) }
}

/// What the next captured node comes after.
///
/// # Safety
/// The arguments are those of `cudaStreamUpdateCaptureDependencies`.
pub unsafe fn update_capture(
    stream: Handle,
    dependencies: *mut Handle,
    edges: *const c_void,
    count: usize,
    flags: c_uint,
) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { driver::cuStreamUpdateCaptureDependencies_v2(stream, dependencies, edges, count, flags) }
}

/// The edges of a graph.
///
/// # Safety
/// The arguments are those of `cudaGraphGetEdges`.
pub unsafe fn edges(
    graph: Handle,
    from: *mut Handle,
    to: *mut Handle,
    edges: *mut c_void,
    count: *mut usize,
) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { table::cuGraphGetEdges_v2(graph, from, to, edges, count) }
}

/// The nodes that a node comes after.
///
/// # Safety
/// The arguments are those of `cudaGraphNodeGetDependencies`.
pub unsafe fn dependencies(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { table::cuGraphNodeGetDependencies_v2(node, nodes, edges, count) }
}

/// The nodes that come after a node.
///
/// # Safety
/// The arguments are those of `cudaGraphNodeGetDependentNodes`.
pub unsafe fn dependents(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { table::cuGraphNodeGetDependentNodes_v2(node, nodes, edges, count) }
}

/// Adds edges.
///
/// # Safety
/// The arguments are those of `cudaGraphAddDependencies`.
pub unsafe fn add_edges(
    graph: Handle,
    from: *const Handle,
    to: *const Handle,
    edges: *const c_void,
    count: usize,
) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { table::cuGraphAddDependencies_v2(graph, from, to, edges, count) }
}

/// Removes edges.
///
/// # Safety
/// The arguments are those of `cudaGraphRemoveDependencies`.
pub unsafe fn remove_edges(
    graph: Handle,
    from: *const Handle,
    to: *const Handle,
    edges: *const c_void,
    count: usize,
) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe { table::cuGraphRemoveDependencies_v2(graph, from, to, edges, count) }
}

/// Several copies at once.
///
/// # Safety
/// The arguments are those of `cudaMemcpyBatchAsync`.
pub unsafe fn copy_batch(
    targets: *const *mut c_void,
    sources: *const *const c_void,
    bytes: *const usize,
    count: usize,
    attributes: *mut c_void,
    which: *mut usize,
    number: usize,
    stream: Handle,
) -> Status {
    ready()?;
    // SAFETY: the caller's promise; the driver's attributes are the runtime's.
    unsafe { driver::cuMemcpyBatchAsync_v2(targets, sources, bytes, count, attributes, which, number, stream) }
}

/// The pool of a place: the device's, where the place is a device.
///
/// # Safety
/// `pool` may be written.
pub unsafe fn pool_of(pool: *mut Handle, place: *const Location, default: bool) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe {
        match place.as_ref().ok_or(INVALID_VALUE)? {
            Location { kind: 1, id } => {
                context::exists(*id)?;
                if default {
                    driver::cuDeviceGetDefaultMemPool(pool, *id)
                } else {
                    driver::cuDeviceGetMemPool(pool, *id)
                }
            }
            _ => Err(crate::status::NOT_SUPPORTED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_number_names_a_place() {
        let host = location(-1);
        let device = location(0);
        assert_eq!((host.kind, host.id), (2, 0));
        assert_eq!((device.kind, device.id), (1, 0));
    }
}
