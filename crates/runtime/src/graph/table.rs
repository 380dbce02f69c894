//! The driver's functions for graphs.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::node::{DriverKernel, Host, Memset};
use crate::driver::{Function, HostFunction, functions};
use crate::status::{Status, check};
use crate::types::{Address, DriverCopy, Handle};

functions! {
    fn cuGraphCreate(graph: *mut Handle, flags: c_uint);
    fn cuGraphDestroy(graph: Handle);
    fn cuGraphClone(clone: *mut Handle, graph: Handle);
    fn cuGraphNodeFindInClone(node: *mut Handle, original: Handle, clone: Handle);
    fn cuGraphGetNodes(graph: Handle, nodes: *mut Handle, count: *mut usize);
    fn cuGraphGetRootNodes(graph: Handle, nodes: *mut Handle, count: *mut usize);
    fn cuGraphGetEdges_v2(
        graph: Handle, from: *mut Handle, to: *mut Handle, edges: *mut c_void, count: *mut usize,
    );
    fn cuGraphNodeGetDependencies_v2(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize);
    fn cuGraphNodeGetDependentNodes_v2(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize);
    fn cuGraphAddDependencies_v2(
        graph: Handle, from: *const Handle, to: *const Handle, edges: *const c_void, count: usize,
    );
    fn cuGraphRemoveDependencies_v2(
        graph: Handle, from: *const Handle, to: *const Handle, edges: *const c_void, count: usize,
    );
    fn cuGraphNodeGetType(node: Handle, kind: *mut c_int);
    fn cuGraphDestroyNode(node: Handle);
    fn cuGraphDebugDotPrint(graph: Handle, path: *const c_char, flags: c_uint);
    fn cuGraphConditionalHandleCreate(
        handle: *mut u64, graph: Handle, context: Handle, value: c_uint, flags: c_uint,
    );
    fn cuUserObjectCreate(
        object: *mut Handle, pointer: *mut c_void, destroy: HostFunction, count: c_uint, flags: c_uint,
    );
    fn cuUserObjectRetain(object: Handle, count: c_uint);
    fn cuUserObjectRelease(object: Handle, count: c_uint);
    fn cuGraphRetainUserObject(graph: Handle, object: Handle, count: c_uint, flags: c_uint);
    fn cuGraphReleaseUserObject(graph: Handle, object: Handle, count: c_uint);
    fn cuGraphInstantiateWithFlags(exec: *mut Handle, graph: Handle, flags: u64);
    fn cuGraphInstantiateWithParams(exec: *mut Handle, graph: Handle, parameters: *mut c_void);
    fn cuGraphUpload(exec: Handle, stream: Handle);
    fn cuGraphLaunch(exec: Handle, stream: Handle);
    fn cuGraphExecDestroy(exec: Handle);
    fn cuGraphExecGetFlags(exec: Handle, flags: *mut u64);
    fn cuGraphExecUpdate_v2(exec: Handle, graph: Handle, result: *mut c_void);
    fn cuGraphNodeSetEnabled(exec: Handle, node: Handle, enabled: c_uint);
    fn cuGraphNodeGetEnabled(exec: Handle, node: Handle, enabled: *mut c_uint);
    fn cuGraphExecChildGraphNodeSetParams(exec: Handle, node: Handle, child: Handle);
    fn cuGraphExecEventRecordNodeSetEvent(exec: Handle, node: Handle, event: Handle);
    fn cuGraphExecEventWaitNodeSetEvent(exec: Handle, node: Handle, event: Handle);
}

// Nodes.
functions! {
    fn cuGraphAddKernelNode_v2(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, kernel: *const DriverKernel,
    );
    fn cuGraphKernelNodeGetParams_v2(node: Handle, kernel: *mut DriverKernel);
    fn cuGraphKernelNodeSetParams_v2(node: Handle, kernel: *const DriverKernel);
    fn cuGraphExecKernelNodeSetParams_v2(exec: Handle, node: Handle, kernel: *const DriverKernel);
    fn cuGraphKernelNodeGetAttribute(node: Handle, attribute: c_int, value: *mut c_void);
    fn cuGraphKernelNodeSetAttribute(node: Handle, attribute: c_int, value: *const c_void);
    fn cuGraphKernelNodeCopyAttributes(target: Handle, source: Handle);
    fn cuGraphAddMemcpyNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, copy: *const DriverCopy, context: Handle,
    );
    fn cuGraphMemcpyNodeGetParams(node: Handle, copy: *mut DriverCopy);
    fn cuGraphMemcpyNodeSetParams(node: Handle, copy: *const DriverCopy);
    fn cuGraphExecMemcpyNodeSetParams(exec: Handle, node: Handle, copy: *const DriverCopy, context: Handle);
    fn cuGraphAddMemsetNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, fill: *const Memset, context: Handle,
    );
    fn cuGraphMemsetNodeGetParams(node: Handle, fill: *mut Memset);
    fn cuGraphMemsetNodeSetParams(node: Handle, fill: *const Memset);
    fn cuGraphExecMemsetNodeSetParams(exec: Handle, node: Handle, fill: *const Memset, context: Handle);
    fn cuGraphAddHostNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, host: *const Host,
    );
    fn cuGraphHostNodeGetParams(node: Handle, host: *mut Host);
    fn cuGraphHostNodeSetParams(node: Handle, host: *const Host);
    fn cuGraphExecHostNodeSetParams(exec: Handle, node: Handle, host: *const Host);
    fn cuGraphAddChildGraphNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, child: Handle,
    );
    fn cuGraphChildGraphNodeGetGraph(node: Handle, graph: *mut Handle);
    fn cuGraphAddEmptyNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize);
    fn cuGraphAddEventRecordNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, event: Handle,
    );
    fn cuGraphEventRecordNodeGetEvent(node: Handle, event: *mut Handle);
    fn cuGraphEventRecordNodeSetEvent(node: Handle, event: Handle);
    fn cuGraphAddEventWaitNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, event: Handle,
    );
    fn cuGraphEventWaitNodeGetEvent(node: Handle, event: *mut Handle);
    fn cuGraphEventWaitNodeSetEvent(node: Handle, event: Handle);
    fn cuGraphAddMemAllocNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, parameters: *mut c_void,
    );
    fn cuGraphMemAllocNodeGetParams(node: Handle, parameters: *mut c_void);
    fn cuGraphAddMemFreeNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, address: Address,
    );
    fn cuGraphMemFreeNodeGetParams(node: Handle, address: *mut Address);
    fn cuGraphAddNode_v2(
        node: *mut Handle, graph: Handle, after: *const Handle, edges: *const c_void, count: usize,
        parameters: *mut c_void,
    );
    fn cuGraphNodeSetParams(node: Handle, parameters: *mut c_void);
    fn cuGraphExecNodeSetParams(exec: Handle, node: Handle, parameters: *mut c_void);
}
