//! Nodes that copy, fill, allocate and free memory.

use std::ffi::{c_int, c_void};

use super::node::{Memset, context, copy_from_driver, given};
use super::table as driver;
use crate::context::ready;
use crate::copy::{from_symbol, part_of, to_symbol};
use crate::copy3d::{general, plain};
use crate::exports;
use crate::status::{Code, INVALID_VALUE};
use crate::types::{Address, Copy3D, DriverCopy, Handle};

/// A copy in one dimension.
fn line(target: *mut c_void, source: *const c_void, bytes: usize, kind: c_int) -> Result<DriverCopy, Code> {
    ready()?;
    plain((target, bytes), (source, bytes), (bytes, 1), kind)
}

/// A copy to a variable.
fn line_to(
    symbol: *const c_void,
    source: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> Result<DriverCopy, Code> {
    to_symbol(kind)?;
    line(part_of(symbol, bytes, offset)? as *mut c_void, source, bytes, kind)
}

/// A copy from a variable.
fn line_from(
    target: *mut c_void,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> Result<DriverCopy, Code> {
    from_symbol(kind)?;
    line(target, part_of(symbol, bytes, offset)? as *const c_void, bytes, kind)
}

exports! {
    fn cudaGraphAddMemcpyNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, copy: *const Copy3D,
    ) {
        ready()?;
        driver::cuGraphAddMemcpyNode(node, graph, after, count, &general(given(copy)?)?, context()?)
    }
    fn cudaGraphAddMemcpyNode1D(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, target: *mut c_void,
        source: *const c_void, bytes: usize, kind: c_int,
    ) {
        let copy = line(target, source, bytes, kind)?;
        driver::cuGraphAddMemcpyNode(node, graph, after, count, &copy, context()?)
    }
    fn cudaGraphAddMemcpyNodeToSymbol(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, symbol: *const c_void,
        source: *const c_void, bytes: usize, offset: usize, kind: c_int,
    ) {
        let copy = line_to(symbol, source, bytes, offset, kind)?;
        driver::cuGraphAddMemcpyNode(node, graph, after, count, &copy, context()?)
    }
    fn cudaGraphAddMemcpyNodeFromSymbol(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, target: *mut c_void,
        symbol: *const c_void, bytes: usize, offset: usize, kind: c_int,
    ) {
        let copy = line_from(target, symbol, bytes, offset, kind)?;
        driver::cuGraphAddMemcpyNode(node, graph, after, count, &copy, context()?)
    }
    fn cudaGraphMemcpyNodeGetParams(node: Handle, copy: *mut Copy3D) {
        ready()?;
        let target = copy.as_mut().ok_or(INVALID_VALUE)?;
        let mut found = std::mem::zeroed::<DriverCopy>();
        driver::cuGraphMemcpyNodeGetParams(node, &mut found)?;
        *target = copy_from_driver(&found)?;
        Ok(())
    }
    fn cudaGraphMemcpyNodeSetParams(node: Handle, copy: *const Copy3D) {
        ready()?;
        driver::cuGraphMemcpyNodeSetParams(node, &general(given(copy)?)?)
    }
    fn cudaGraphMemcpyNodeSetParams1D(
        node: Handle, target: *mut c_void, source: *const c_void, bytes: usize, kind: c_int,
    ) {
        driver::cuGraphMemcpyNodeSetParams(node, &line(target, source, bytes, kind)?)
    }
    fn cudaGraphMemcpyNodeSetParamsToSymbol(
        node: Handle, symbol: *const c_void, source: *const c_void, bytes: usize, offset: usize, kind: c_int,
    ) {
        driver::cuGraphMemcpyNodeSetParams(node, &line_to(symbol, source, bytes, offset, kind)?)
    }
    fn cudaGraphMemcpyNodeSetParamsFromSymbol(
        node: Handle, target: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int,
    ) {
        driver::cuGraphMemcpyNodeSetParams(node, &line_from(target, symbol, bytes, offset, kind)?)
    }
    fn cudaGraphExecMemcpyNodeSetParams(exec: Handle, node: Handle, copy: *const Copy3D) {
        ready()?;
        driver::cuGraphExecMemcpyNodeSetParams(exec, node, &general(given(copy)?)?, context()?)
    }
    fn cudaGraphExecMemcpyNodeSetParams1D(
        exec: Handle, node: Handle, target: *mut c_void, source: *const c_void, bytes: usize, kind: c_int,
    ) {
        driver::cuGraphExecMemcpyNodeSetParams(exec, node, &line(target, source, bytes, kind)?, context()?)
    }
    fn cudaGraphExecMemcpyNodeSetParamsToSymbol(
        exec: Handle, node: Handle, symbol: *const c_void, source: *const c_void, bytes: usize, offset: usize,
        kind: c_int,
    ) {
        let copy = line_to(symbol, source, bytes, offset, kind)?;
        driver::cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context()?)
    }
    fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        exec: Handle, node: Handle, target: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize,
        kind: c_int,
    ) {
        let copy = line_from(target, symbol, bytes, offset, kind)?;
        driver::cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context()?)
    }
    fn cudaGraphAddMemsetNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, fill: *const Memset,
    ) {
        driver::cuGraphAddMemsetNode(node, graph, after, count, given(fill)?, context()?)
    }
    fn cudaGraphMemsetNodeGetParams(node: Handle, fill: *mut Memset) {
        ready()?;
        driver::cuGraphMemsetNodeGetParams(node, fill)
    }
    fn cudaGraphMemsetNodeSetParams(node: Handle, fill: *const Memset) {
        ready()?;
        driver::cuGraphMemsetNodeSetParams(node, given(fill)?)
    }
    fn cudaGraphExecMemsetNodeSetParams(exec: Handle, node: Handle, fill: *const Memset) {
        driver::cuGraphExecMemsetNodeSetParams(exec, node, given(fill)?, context()?)
    }
    fn cudaGraphAddMemAllocNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, parameters: *mut c_void,
    ) {
        ready()?;
        driver::cuGraphAddMemAllocNode(node, graph, after, count, parameters)
    }
    fn cudaGraphMemAllocNodeGetParams(node: Handle, parameters: *mut c_void) {
        ready()?;
        driver::cuGraphMemAllocNodeGetParams(node, parameters)
    }
    fn cudaGraphAddMemFreeNode(
        node: *mut Handle, graph: Handle, after: *const Handle, count: usize, pointer: *mut c_void,
    ) {
        ready()?;
        driver::cuGraphAddMemFreeNode(node, graph, after, count, pointer as Address)
    }
    fn cudaGraphMemFreeNodeGetParams(node: Handle, pointer: *mut Address) {
        ready()?;
        driver::cuGraphMemFreeNodeGetParams(node, pointer)
    }
}
