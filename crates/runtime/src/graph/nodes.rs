//! Nodes of kernels, host functions, events and other graphs.

use std::ffi::{c_int, c_void};

use super::node::{DriverKernel, Host, Kernel, Node, given};
use super::table as driver;
use crate::context::ready;
use crate::exports;
use crate::status::{INVALID_VALUE, Status};
use crate::types::Handle;

exports! {
    fn cudaGraphAddKernelNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, kernel: *const Kernel,
    ) {
        let kernel = given(kernel)?.to_driver()?;
        driver::cuGraphAddKernelNode_v2(node, graph, after, count, &kernel)
    }
    fn cudaGraphKernelNodeGetParams(node: Handle, kernel: *mut Kernel) {
        ready()?;
        let mut found = DriverKernel::empty();
        driver::cuGraphKernelNodeGetParams_v2(node, &mut found)?;
        *kernel.as_mut().ok_or(INVALID_VALUE)? = Kernel::from_driver(&found);
        Ok(())
    }
    fn cudaGraphKernelNodeSetParams(node: Handle, kernel: *const Kernel) {
        let kernel = given(kernel)?.to_driver()?;
        driver::cuGraphKernelNodeSetParams_v2(node, &kernel)
    }
    fn cudaGraphExecKernelNodeSetParams(exec: Handle, node: Handle, kernel: *const Kernel) {
        let kernel = given(kernel)?.to_driver()?;
        driver::cuGraphExecKernelNodeSetParams_v2(exec, node, &kernel)
    }
    fn cudaGraphKernelNodeGetAttribute(node: Handle, attribute: c_int, value: *mut c_void) {
        ready()?;
        driver::cuGraphKernelNodeGetAttribute(node, attribute, value)
    }
    fn cudaGraphKernelNodeSetAttribute(node: Handle, attribute: c_int, value: *const c_void) {
        ready()?;
        driver::cuGraphKernelNodeSetAttribute(node, attribute, value)
    }
    fn cudaGraphKernelNodeCopyAttributes(target: Handle, source: Handle) {
        ready()?;
        driver::cuGraphKernelNodeCopyAttributes(target, source)
    }
    fn cudaGraphAddHostNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, host: *const Host,
    ) {
        ready()?;
        driver::cuGraphAddHostNode(node, graph, after, count, host)
    }
    fn cudaGraphHostNodeGetParams(node: Handle, host: *mut Host) {
        ready()?;
        driver::cuGraphHostNodeGetParams(node, host)
    }
    fn cudaGraphHostNodeSetParams(node: Handle, host: *const Host) {
        ready()?;
        driver::cuGraphHostNodeSetParams(node, host)
    }
    fn cudaGraphExecHostNodeSetParams(exec: Handle, node: Handle, host: *const Host) {
        ready()?;
        driver::cuGraphExecHostNodeSetParams(exec, node, host)
    }
    fn cudaGraphAddChildGraphNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, child: Handle,
    ) {
        ready()?;
        driver::cuGraphAddChildGraphNode(node, graph, after, count, child)
    }
    fn cudaGraphChildGraphNodeGetGraph(node: Handle, graph: *mut Handle) {
        ready()?;
        driver::cuGraphChildGraphNodeGetGraph(node, graph)
    }
    fn cudaGraphAddEmptyNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize) {
        ready()?;
        driver::cuGraphAddEmptyNode(node, graph, after, count)
    }
    fn cudaGraphAddEventRecordNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, event: Handle,
    ) {
        ready()?;
        driver::cuGraphAddEventRecordNode(node, graph, after, count, event)
    }
    fn cudaGraphEventRecordNodeGetEvent(node: Handle, event: *mut Handle) {
        ready()?;
        driver::cuGraphEventRecordNodeGetEvent(node, event)
    }
    fn cudaGraphEventRecordNodeSetEvent(node: Handle, event: Handle) {
        ready()?;
        driver::cuGraphEventRecordNodeSetEvent(node, event)
    }
    fn cudaGraphAddEventWaitNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, event: Handle,
    ) {
        ready()?;
        driver::cuGraphAddEventWaitNode(node, graph, after, count, event)
    }
    fn cudaGraphEventWaitNodeGetEvent(node: Handle, event: *mut Handle) {
        ready()?;
        driver::cuGraphEventWaitNodeGetEvent(node, event)
    }
    fn cudaGraphEventWaitNodeSetEvent(node: Handle, event: Handle) {
        ready()?;
        driver::cuGraphEventWaitNodeSetEvent(node, event)
    }
    fn cudaGraphNodeSetParams(node: Handle, parameters: *mut Node) {
        ready()?;
        let parameters = parameters.as_mut().ok_or(INVALID_VALUE)?;
        parameters.with_driver(|parameters| driver::cuGraphNodeSetParams(node, parameters))
    }
    fn cudaGraphExecNodeSetParams(exec: Handle, node: Handle, parameters: *mut Node) {
        ready()?;
        let parameters = parameters.as_mut().ok_or(INVALID_VALUE)?;
        parameters.with_driver(|parameters| driver::cuGraphExecNodeSetParams(exec, node, parameters))
    }
}

/// Adds a node of any kind. Versions differ in whether the edges have data.
///
/// # Safety
/// The arguments are those of `cudaGraphAddNode`.
pub unsafe fn add(
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    edges: *const c_void,
    count: usize,
    parameters: *mut Node,
) -> Status {
    ready()?;
    // SAFETY: the caller's promise.
    unsafe {
        let parameters = parameters.as_mut().ok_or(INVALID_VALUE)?;
        parameters.with_driver(|parameters| driver::cuGraphAddNode_v2(node, graph, after, edges, count, parameters))
    }
}
