//! Graphs: making, changing and asking about them.

pub mod exec;
pub mod memory;
pub mod node;
pub mod nodes;
pub mod table;

use std::ffi::{c_char, c_int, c_uint, c_void};

use table as driver;

use crate::context::ready;
use crate::driver::HostFunction;
use crate::exports;
use crate::types::Handle;

exports! {
    fn cudaGraphCreate(graph: *mut Handle, flags: c_uint) {
        ready()?;
        driver::cuGraphCreate(graph, flags)
    }
    fn cudaGraphDestroy(graph: Handle) {
        ready()?;
        driver::cuGraphDestroy(graph)
    }
    fn cudaGraphClone(clone: *mut Handle, graph: Handle) {
        ready()?;
        driver::cuGraphClone(clone, graph)
    }
    fn cudaGraphNodeFindInClone(node: *mut Handle, original: Handle, clone: Handle) {
        ready()?;
        driver::cuGraphNodeFindInClone(node, original, clone)
    }
    fn cudaGraphGetNodes(graph: Handle, nodes: *mut Handle, count: *mut usize) {
        ready()?;
        driver::cuGraphGetNodes(graph, nodes, count)
    }
    fn cudaGraphGetRootNodes(graph: Handle, nodes: *mut Handle, count: *mut usize) {
        ready()?;
        driver::cuGraphGetRootNodes(graph, nodes, count)
    }
    fn cudaGraphNodeGetType(node: Handle, kind: *mut c_int) {
        ready()?;
        driver::cuGraphNodeGetType(node, kind)
    }
    fn cudaGraphDestroyNode(node: Handle) {
        ready()?;
        driver::cuGraphDestroyNode(node)
    }
    fn cudaGraphDebugDotPrint(graph: Handle, path: *const c_char, flags: c_uint) {
        ready()?;
        driver::cuGraphDebugDotPrint(graph, path, flags)
    }
    fn cudaGraphConditionalHandleCreate(handle: *mut u64, graph: Handle, value: c_uint, flags: c_uint) {
        driver::cuGraphConditionalHandleCreate(handle, graph, node::context()?, value, flags)
    }
    fn cudaUserObjectCreate(
        object: *mut Handle, pointer: *mut c_void, destroy: HostFunction, count: c_uint, flags: c_uint,
    ) {
        ready()?;
        driver::cuUserObjectCreate(object, pointer, destroy, count, flags)
    }
    fn cudaUserObjectRetain(object: Handle, count: c_uint) {
        ready()?;
        driver::cuUserObjectRetain(object, count)
    }
    fn cudaUserObjectRelease(object: Handle, count: c_uint) {
        ready()?;
        driver::cuUserObjectRelease(object, count)
    }
    fn cudaGraphRetainUserObject(graph: Handle, object: Handle, count: c_uint, flags: c_uint) {
        ready()?;
        driver::cuGraphRetainUserObject(graph, object, count, flags)
    }
    fn cudaGraphReleaseUserObject(graph: Handle, object: Handle, count: c_uint) {
        ready()?;
        driver::cuGraphReleaseUserObject(graph, object, count)
    }
}
