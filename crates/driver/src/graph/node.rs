//! Nodes: what kinds there are, how they are described, and the calls that add them.

use crate::edge::{api, get, list, put};
use crate::error::{Error, Outcome};
use crate::memory::Memcpy3d;
use crate::state::{State, lock};
use crate::work::{HostFunction, Work};

use super::parameters::{
    AllocationParameters, BatchParameters, HostParameters, KernelParameters, KernelParameters2, MemsetParameters,
};

/// A node of a graph.
pub(crate) struct Node {
    pub(crate) graph: u64,
    pub(crate) dependencies: Vec<u64>,
    pub(crate) kind: NodeKind,
    /// The node that it is a copy of, or 0.
    pub(crate) original: u64,
    /// Addresses of a kernel's parameters, for callers that ask.
    pub(crate) addresses: Vec<u64>,
}

impl Node {
    /// A node that is a copy of none.
    pub(crate) fn new(graph: u64, dependencies: Vec<u64>, kind: NodeKind) -> Self {
        Self { graph, dependencies, kind, original: 0, addresses: Vec::new() }
    }
}

/// What a node does.
#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    Work(Work),
    /// A graph of its own.
    Child(u64),
    /// Graphs of its own, of which a value chooses.
    Conditional {
        condition: u64,
        kind: u32,
        bodies: Vec<u64>,
    },
}

impl NodeKind {
    /// Its number in `CUgraphNodeType`.
    pub(crate) fn number(&self) -> u32 {
        match self {
            Self::Work(work) => match work {
                Work::Launch(_) => 0,
                Work::Copy(_) => 1,
                Work::Set(_) => 2,
                Work::Host(_) | Work::Callback(_) => 3,
                Work::Flow(_) => 4,
                Work::Nothing => 5,
                Work::WaitEvent(_) => 6,
                Work::Record(_) => 7,
                Work::Allocated { .. } => 10,
                Work::Free(_) => 11,
                Work::Values(_) => 12,
            },
            Self::Child(_) => 4,
            Self::Conditional { .. } => 13,
        }
    }
}

impl State {
    /// The work of a node, for a call that asks about nodes of one kind.
    pub(crate) fn node_work(&self, node: u64) -> Outcome<&Work> {
        match &self.nodes.get(node).map_err(|_| Error::INVALID_VALUE)?.kind {
            NodeKind::Work(work) => Ok(work),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    /// Allocates memory for a node; it stays until the process ends or frees it.
    fn allocation_node(&mut self, parameters: &mut AllocationParameters) -> Outcome<Work> {
        let context = self.context()?;
        if parameters.bytes == 0 {
            return Err(Error::INVALID_VALUE);
        }
        let pool = self.the_current_pool();
        let address = self.allocate_from(pool, parameters.bytes as u64, context)?;
        self.keep_for_graphs(address);
        parameters.address = address;
        Ok(Work::Allocated { address, bytes: parameters.bytes as u64 })
    }
}

fn add(
    place: *mut u64,
    graph: u64,
    dependencies: *const u64,
    count: usize,
    make: impl FnOnce(&mut State) -> Outcome<NodeKind>,
) -> Outcome {
    let mut state = lock()?;
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let dependencies = list(dependencies, count)?;
    let kind = make(&mut state)?;
    let node = state.add_node(graph, dependencies, kind)?;
    put(place, node)
}

/// `CUgraphNodeParams`: the type, then what describes a node of it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NodeParameters {
    pub(crate) kind: u32,
    reserved: [u32; 3],
    pub(crate) body: [u64; 29],
    reserved2: u64,
}

impl NodeParameters {
    /// Its body as what describes a node of some type.
    pub(crate) fn read<T: Copy>(&self) -> T {
        const { assert!(size_of::<T>() <= size_of::<[u64; 29]>()) };
        // SAFETY: the body is as large and holds plain data, of which `T`, a struct of the header, is made.
        unsafe { self.body.as_ptr().cast::<T>().read() }
    }

    fn make(place: *mut Self, state: &mut State) -> Outcome<NodeKind> {
        let parameters = get(place)?;
        Ok(NodeKind::Work(match parameters.kind {
            4 => return Ok(NodeKind::Child(state.clone_graph(parameters.body[0])?)),
            13 => {
                let kind = super::conditional::make(state, &parameters)?;
                super::conditional::show_bodies(place, &kind);
                return Ok(kind);
            }
            10 => {
                let mut wanted: AllocationParameters = parameters.read();
                let work = state.allocation_node(&mut wanted)?;
                // SAFETY: the caller's description, whose type says that it has this body.
                unsafe { (&raw mut (*place).body).cast::<AllocationParameters>().write_unaligned(wanted) };
                work
            }
            _ => parameters.work(state)?,
        }))
    }

    /// The work that it describes, for types that are plain work.
    pub(crate) fn work(&self, state: &State) -> Outcome<Work> {
        Ok(match self.kind {
            0 => Work::Launch(self.read::<KernelParameters2>().resolved().kernel(state)?),
            1 => Work::Copy(self.read::<CopyParameters>().copy.copy()?),
            2 => Work::Set(self.read::<MemsetParameters>().set()?),
            3 => self.read::<HostParameters>().work()?,
            5 => Work::Nothing,
            6 => Work::WaitEvent(event(state, self.body[0])?),
            7 => Work::Record(event(state, self.body[0])?),
            11 => Work::Free(self.body[0]),
            12 => self.read::<BatchParameters>().work(state)?,
            _ => return Err(Error::INVALID_VALUE),
        })
    }
}

/// `CUDA_MEMCPY_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
struct CopyParameters {
    flags: [u32; 2],
    context: u64,
    copy: Memcpy3d,
}

fn event(state: &State, event: u64) -> Outcome<u64> {
    state.events.get(event).map(|_| event).map_err(|_| Error::INVALID_VALUE)
}

fn kernel_parameters(node: u64) -> Outcome<KernelParameters> {
    let mut state = lock()?;
    let Work::Launch(kernel) = state.node_work(node)? else { return Err(Error::INVALID_VALUE) };
    let kernel = kernel.clone();
    let base = match state.node_work(node)? {
        Work::Launch(kernel) => kernel.parameters.as_ptr() as u64,
        _ => return Err(Error::INVALID_VALUE),
    };
    let layout = state.functions.get(kernel.function)?.parameters.clone();
    let node = state.nodes.get_mut(node)?;
    node.addresses = layout.iter().map(|&(offset, _)| base + offset as u64).collect();
    Ok(KernelParameters::of(&kernel, &node.addresses))
}

api! {
    fn cuGraphAddEmptyNode(node: *mut u64, graph: u64, dependencies: *const u64, count: usize) {
        add(node, graph, dependencies, count, |_| Ok(NodeKind::Work(Work::Nothing)))
    }

    fn cuGraphAddKernelNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        parameters: *const KernelParameters,
    ) {
        let parameters = get(parameters)?;
        add(node, graph, dependencies, count, |state| Ok(NodeKind::Work(Work::Launch(parameters.kernel(state)?))))
    }

    fn cuGraphAddKernelNode_v2(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        parameters: *const KernelParameters2,
    ) {
        let parameters = get(parameters)?.resolved();
        add(node, graph, dependencies, count, |state| Ok(NodeKind::Work(Work::Launch(parameters.kernel(state)?))))
    }

    fn cuGraphAddMemcpyNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        copy: *const Memcpy3d,
        _context: u64,
    ) {
        let copy = get(copy)?.copy()?;
        add(node, graph, dependencies, count, |_| Ok(NodeKind::Work(Work::Copy(copy))))
    }

    fn cuGraphAddMemsetNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        set: *const MemsetParameters,
        _context: u64,
    ) {
        let set = get(set)?.set()?;
        add(node, graph, dependencies, count, |_| Ok(NodeKind::Work(Work::Set(set))))
    }

    fn cuGraphAddHostNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        host: *const HostParameters,
    ) {
        let work = get(host)?.work()?;
        add(node, graph, dependencies, count, |_| Ok(NodeKind::Work(work)))
    }

    fn cuGraphAddChildGraphNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        child: u64,
    ) {
        add(node, graph, dependencies, count, |state| Ok(NodeKind::Child(state.clone_graph(child)?)))
    }

    fn cuGraphAddEventRecordNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        recorded: u64,
    ) {
        add(node, graph, dependencies, count, |state| Ok(NodeKind::Work(Work::Record(event(state, recorded)?))))
    }

    fn cuGraphAddEventWaitNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        awaited: u64,
    ) {
        add(node, graph, dependencies, count, |state| Ok(NodeKind::Work(Work::WaitEvent(event(state, awaited)?))))
    }

    fn cuGraphAddMemAllocNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        parameters: *mut AllocationParameters,
    ) {
        let mut wanted = get(parameters)?;
        add(node, graph, dependencies, count, |state| Ok(NodeKind::Work(state.allocation_node(&mut wanted)?)))?;
        put(parameters, wanted)
    }

    fn cuGraphAddMemFreeNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        address: u64,
    ) {
        add(node, graph, dependencies, count, |_| Ok(NodeKind::Work(Work::Free(address))))
    }

    fn cuGraphAddBatchMemOpNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        parameters: *const BatchParameters,
    ) {
        let parameters = get(parameters)?;
        add(node, graph, dependencies, count, |state| Ok(NodeKind::Work(parameters.work(state)?)))
    }

    fn cuGraphAddNode(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        count: usize,
        parameters: *mut NodeParameters,
    ) {
        add(node, graph, dependencies, count, |state| NodeParameters::make(parameters, state))
    }

    fn cuGraphAddNode_v2(
        node: *mut u64,
        graph: u64,
        dependencies: *const u64,
        _data: *const u64,
        count: usize,
        parameters: *mut NodeParameters,
    ) {
        add(node, graph, dependencies, count, |state| NodeParameters::make(parameters, state))
    }

    fn cuGraphKernelNodeGetParams(node: u64, parameters: *mut KernelParameters) {
        put(parameters, kernel_parameters(node)?)
    }

    fn cuGraphKernelNodeGetParams_v2(node: u64, parameters: *mut KernelParameters2) {
        put(parameters, KernelParameters2 { first: kernel_parameters(node)?, kernel: 0, context: 0 })
    }

    fn cuGraphMemcpyNodeGetParams(node: u64, parameters: *mut Memcpy3d) {
        let state = lock()?;
        let Work::Copy(copy) = state.node_work(node)? else { return Err(Error::INVALID_VALUE) };
        put(parameters, Memcpy3d::of(copy))
    }

    fn cuGraphMemsetNodeGetParams(node: u64, parameters: *mut MemsetParameters) {
        let state = lock()?;
        let Work::Set(set) = state.node_work(node)? else { return Err(Error::INVALID_VALUE) };
        put(parameters, MemsetParameters::of(set))
    }

    fn cuGraphHostNodeGetParams(node: u64, parameters: *mut HostParameters) {
        let state = lock()?;
        let Work::Host(HostFunction { function, data }) = *state.node_work(node)? else {
            return Err(Error::INVALID_VALUE);
        };
        put(parameters, HostParameters { function, data })
    }

    fn cuGraphChildGraphNodeGetGraph(node: u64, graph: *mut u64) {
        let state = lock()?;
        match state.nodes.get(node).map_err(|_| Error::INVALID_VALUE)?.kind {
            NodeKind::Child(child) => put(graph, child),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    fn cuGraphEventRecordNodeGetEvent(node: u64, recorded: *mut u64) {
        let state = lock()?;
        let Work::Record(event) = *state.node_work(node)? else { return Err(Error::INVALID_VALUE) };
        put(recorded, event)
    }

    fn cuGraphEventWaitNodeGetEvent(node: u64, awaited: *mut u64) {
        let state = lock()?;
        let Work::WaitEvent(event) = *state.node_work(node)? else { return Err(Error::INVALID_VALUE) };
        put(awaited, event)
    }

    fn cuGraphMemAllocNodeGetParams(node: u64, parameters: *mut AllocationParameters) {
        let state = lock()?;
        let Work::Allocated { address, bytes } = *state.node_work(node)? else { return Err(Error::INVALID_VALUE) };
        let mut pool = [0; 11];
        // Pinned memory on the device.
        (pool[0], pool[1]) = (1, 1);
        put(parameters, AllocationParameters { pool, access: 0, access_count: 0, bytes: bytes as usize, address })
    }

    fn cuGraphMemFreeNodeGetParams(node: u64, address: *mut u64) {
        let state = lock()?;
        let Work::Free(freed) = *state.node_work(node)? else { return Err(Error::INVALID_VALUE) };
        put(address, freed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_of_the_header() {
        assert_eq!((size_of::<CopyParameters>(), size_of::<NodeParameters>()), (216, 256));
    }
}
