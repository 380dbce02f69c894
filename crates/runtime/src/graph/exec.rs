//! Graphs that are ready to run.

use std::ffi::{c_uint, c_void};

use super::table as driver;
use crate::context::ready;
use crate::exports;
use crate::status::INVALID_VALUE;
use crate::types::Handle;

/// `cudaGraphInstantiateParams`, of which only the stream is of interest here.
#[repr(C)]
pub struct InstantiateParameters {
    flags: u64,
    upload_stream: Handle,
    error_node: Handle,
    result: i32,
}

exports! {
    fn cudaGraphInstantiate(exec: *mut Handle, graph: Handle, flags: u64) {
        ready()?;
        driver::cuGraphInstantiateWithFlags(exec, graph, flags)
    }
    fn cudaGraphInstantiateWithFlags(exec: *mut Handle, graph: Handle, flags: u64) {
        ready()?;
        driver::cuGraphInstantiateWithFlags(exec, graph, flags)
    }
    fn cudaGraphInstantiateWithParams(exec: *mut Handle, graph: Handle, parameters: *mut InstantiateParameters) {
        ready()?;
        driver::cuGraphInstantiateWithParams(exec, graph, parameters.cast())
    }
    fn cudaGraphInstantiateWithParams_ptsz(
        exec: *mut Handle, graph: Handle, parameters: *mut InstantiateParameters,
    ) {
        ready()?;
        let parameters = parameters.as_mut().ok_or(INVALID_VALUE)?;
        parameters.upload_stream = crate::stream::per_thread(parameters.upload_stream);
        driver::cuGraphInstantiateWithParams(exec, graph, (&raw mut *parameters).cast())
    }
    ptsz(stream) cudaGraphUpload_ptsz
    fn cudaGraphUpload(exec: Handle, stream: Handle) {
        ready()?;
        driver::cuGraphUpload(exec, stream)
    }
    ptsz(stream) cudaGraphLaunch_ptsz
    fn cudaGraphLaunch(exec: Handle, stream: Handle) {
        ready()?;
        driver::cuGraphLaunch(exec, stream)
    }
    fn cudaGraphExecDestroy(exec: Handle) {
        ready()?;
        driver::cuGraphExecDestroy(exec)
    }
    fn cudaGraphExecGetFlags(exec: Handle, flags: *mut u64) {
        ready()?;
        driver::cuGraphExecGetFlags(exec, flags)
    }
    fn cudaGraphExecUpdate(exec: Handle, graph: Handle, result: *mut c_void) {
        ready()?;
        driver::cuGraphExecUpdate_v2(exec, graph, result)
    }
    fn cudaGraphNodeSetEnabled(exec: Handle, node: Handle, enabled: c_uint) {
        ready()?;
        driver::cuGraphNodeSetEnabled(exec, node, enabled)
    }
    fn cudaGraphNodeGetEnabled(exec: Handle, node: Handle, enabled: *mut c_uint) {
        ready()?;
        driver::cuGraphNodeGetEnabled(exec, node, enabled)
    }
    fn cudaGraphExecChildGraphNodeSetParams(exec: Handle, node: Handle, child: Handle) {
        ready()?;
        driver::cuGraphExecChildGraphNodeSetParams(exec, node, child)
    }
    fn cudaGraphExecEventRecordNodeSetEvent(exec: Handle, node: Handle, event: Handle) {
        ready()?;
        driver::cuGraphExecEventRecordNodeSetEvent(exec, node, event)
    }
    fn cudaGraphExecEventWaitNodeSetEvent(exec: Handle, node: Handle, event: Handle) {
        ready()?;
        driver::cuGraphExecEventWaitNodeSetEvent(exec, node, event)
    }
}
