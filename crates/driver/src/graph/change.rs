//! Changing what nodes do, in graphs and in launchable graphs.

use crate::edge::{api, get, put};
use crate::error::{Error, Outcome};
use crate::graph::NodeKind;
use crate::graph::flow::{Action, Flow};
use crate::graph::node::NodeParameters;
use crate::graph::parameters::{
    BatchParameters, HostParameters, KernelParameters, KernelParameters2, MemsetParameters,
};
use crate::memory::Memcpy3d;
use crate::state::{State, lock};
use crate::work::Work;
use std::sync::Arc;

/// Changes a node of a graph to other work of its kind.
fn change(node: u64, make: impl FnOnce(&State) -> Outcome<Work>) -> Outcome {
    let mut state = lock()?;
    let work = NodeKind::Work(make(&state)?);
    let node = state.nodes.get_mut(node).map_err(|_| Error::INVALID_VALUE)?;
    if node.kind.number() != work.number() {
        return Err(Error::INVALID_VALUE);
    }
    node.kind = work;
    Ok(())
}

/// Changes a node of a launchable graph.
fn change_in(exec: u64, node: u64, make: impl FnOnce(&State) -> Outcome<Work>) -> Outcome {
    let mut state = lock()?;
    let work = make(&state)?;
    state.change_step(exec, node, work)
}

fn kernel(parameters: KernelParameters) -> impl FnOnce(&State) -> Outcome<Work> {
    move |state| Ok(Work::Launch(parameters.kernel(state)?))
}

fn event(event: u64, make: fn(u64) -> Work) -> impl FnOnce(&State) -> Outcome<Work> {
    move |state| state.events.get(event).map(|_| make(event)).map_err(|_| Error::INVALID_VALUE)
}

api! {
    fn cuGraphKernelNodeSetParams(node: u64, parameters: *const KernelParameters) {
        change(node, kernel(get(parameters)?))
    }

    fn cuGraphKernelNodeSetParams_v2(node: u64, parameters: *const KernelParameters2) {
        change(node, kernel(get(parameters)?.resolved()))
    }

    fn cuGraphMemcpyNodeSetParams(node: u64, copy: *const Memcpy3d) {
        let copy = get(copy)?.copy()?;
        change(node, |_| Ok(Work::Copy(copy)))
    }

    fn cuGraphMemsetNodeSetParams(node: u64, set: *const MemsetParameters) {
        let set = get(set)?.set()?;
        change(node, |_| Ok(Work::Set(set)))
    }

    fn cuGraphHostNodeSetParams(node: u64, host: *const HostParameters) {
        let host = get(host)?;
        change(node, |_| host.work())
    }

    fn cuGraphEventRecordNodeSetEvent(node: u64, recorded: u64) {
        change(node, event(recorded, Work::Record))
    }

    fn cuGraphEventWaitNodeSetEvent(node: u64, awaited: u64) {
        change(node, event(awaited, Work::WaitEvent))
    }

    fn cuGraphBatchMemOpNodeSetParams(node: u64, parameters: *const BatchParameters) {
        let parameters = get(parameters)?;
        change(node, |state| parameters.work(state))
    }

    fn cuGraphNodeSetParams(node: u64, parameters: *const NodeParameters) {
        let parameters = get(parameters)?;
        change(node, |state| parameters.work(state))
    }

    fn cuGraphExecKernelNodeSetParams(exec: u64, node: u64, parameters: *const KernelParameters) {
        change_in(exec, node, kernel(get(parameters)?))
    }

    fn cuGraphExecKernelNodeSetParams_v2(exec: u64, node: u64, parameters: *const KernelParameters2) {
        change_in(exec, node, kernel(get(parameters)?.resolved()))
    }

    fn cuGraphExecMemcpyNodeSetParams(exec: u64, node: u64, copy: *const Memcpy3d, _context: u64) {
        let copy = get(copy)?.copy()?;
        change_in(exec, node, |_| Ok(Work::Copy(copy)))
    }

    fn cuGraphExecMemsetNodeSetParams(exec: u64, node: u64, set: *const MemsetParameters, _context: u64) {
        let set = get(set)?.set()?;
        change_in(exec, node, |_| Ok(Work::Set(set)))
    }

    fn cuGraphExecHostNodeSetParams(exec: u64, node: u64, host: *const HostParameters) {
        let host = get(host)?;
        change_in(exec, node, |_| host.work())
    }

    fn cuGraphExecEventRecordNodeSetEvent(exec: u64, node: u64, recorded: u64) {
        change_in(exec, node, event(recorded, Work::Record))
    }

    fn cuGraphExecEventWaitNodeSetEvent(exec: u64, node: u64, awaited: u64) {
        change_in(exec, node, event(awaited, Work::WaitEvent))
    }

    fn cuGraphExecBatchMemOpNodeSetParams(exec: u64, node: u64, parameters: *const BatchParameters) {
        let parameters = get(parameters)?;
        change_in(exec, node, |state| parameters.work(state))
    }

    fn cuGraphExecNodeSetParams(exec: u64, node: u64, parameters: *const NodeParameters) {
        let parameters = get(parameters)?;
        change_in(exec, node, |state| parameters.work(state))
    }

    fn cuGraphExecChildGraphNodeSetParams(exec: u64, node: u64, child: u64) {
        let mut state = lock()?;
        let flow = Flow::of(&state, child)?;
        let exec = state.execs.get_mut(exec).map_err(|_| Error::INVALID_VALUE)?;
        let step = Arc::make_mut(&mut exec.flow).step_mut(node).ok_or(Error::INVALID_VALUE)?;
        match &mut step.action {
            Action::Child(old) if old.steps.len() == flow.steps.len() => {
                let names = old.steps.iter().map(|step| step.node).collect::<Vec<_>>();
                let mut flow = flow;
                flow.steps.iter_mut().zip(names).for_each(|(step, name)| step.node = name);
                *old = Arc::new(flow);
                Ok(())
            }
            _ => Err(Error::INVALID_VALUE),
        }
    }

    fn cuGraphKernelNodeGetAttribute(node: u64, which: u32, value: *mut [u64; 8]) {
        let state = lock()?;
        let Work::Launch(kernel) = state.node_work(node)? else { return Err(Error::INVALID_VALUE) };
        let mut found = [0; 8];
        match which {
            2 => found[0] = kernel.cooperative.into(),
            4 => {
                let [x, y, z] = kernel.cluster.unwrap_or([0; 3]).map(u64::from);
                (found[0], found[1]) = (x | y << 32, z);
            }
            0..=16 => {}
            _ => return Err(Error::INVALID_VALUE),
        }
        put(value, found)
    }

    fn cuGraphKernelNodeSetAttribute(node: u64, which: u32, value: *const [u64; 8]) {
        let [first, second, ..] = get(value)?;
        let mut state = lock()?;
        let node = state.nodes.get_mut(node).map_err(|_| Error::INVALID_VALUE)?;
        let NodeKind::Work(Work::Launch(kernel)) = &mut node.kind else { return Err(Error::INVALID_VALUE) };
        match which {
            2 => kernel.cooperative = first as u32 != 0,
            4 => {
                let cluster = [first as u32, (first >> 32) as u32, second as u32];
                kernel.cluster = (cluster != [0; 3]).then_some(cluster);
            }
            0..=16 => {}
            _ => return Err(Error::INVALID_VALUE),
        }
        Ok(())
    }

    fn cuGraphKernelNodeCopyAttributes(to: u64, from: u64) {
        let mut state = lock()?;
        let Work::Launch(kernel) = state.node_work(from)? else { return Err(Error::INVALID_VALUE) };
        let (cooperative, cluster) = (kernel.cooperative, kernel.cluster);
        let node = state.nodes.get_mut(to).map_err(|_| Error::INVALID_VALUE)?;
        let NodeKind::Work(Work::Launch(kernel)) = &mut node.kind else { return Err(Error::INVALID_VALUE) };
        (kernel.cooperative, kernel.cluster) = (cooperative, cluster);
        Ok(())
    }
}
