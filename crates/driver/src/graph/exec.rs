//! Graphs that can be launched.

use std::ffi::c_char;
use std::sync::Arc;

use crate::edge::{api, get, put, put_if};
use crate::error::{Error, Outcome};
use crate::graph::Flow;
use crate::graph::flow::{Action, Step};
use crate::queue;
use crate::state::{State, lock};
use crate::work::Work;

/// A graph that can be launched.
pub(crate) struct Exec {
    pub(crate) flow: Arc<Flow>,
    flags: u64,
}

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InstantiateParameters {
    flags: u64,
    upload: u64,
    failed: u64,
    result: u32,
}

/// `CUgraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UpdateResult {
    result: u32,
    node: u64,
    from: u64,
}

/// Results of an update, as far as they are told apart.
const TOPOLOGY_CHANGED: u32 = 2;
const TYPE_CHANGED: u32 = 3;
const FUNCTION_CHANGED: u32 = 4;
const PARAMETERS_CHANGED: u32 = 5;

fn instantiate(place: *mut u64, graph: u64, flags: u64) -> Outcome {
    let mut state = lock()?;
    // What is freed at the next launch cannot be launched by kernels.
    if place.is_null() || flags & !0xf != 0 || flags & 5 == 5 {
        return Err(Error::INVALID_VALUE);
    }
    let flow = Arc::new(Flow::of(&state, graph)?);
    let exec = state.execs.add(Exec { flow, flags });
    put(place, exec)
}

/// What keeps a step of a launchable graph from becoming that of another graph.
fn difference(old: &Step, new: &Step) -> u32 {
    match (&old.action, &new.action) {
        (Action::Work(old), Action::Work(new)) => match (old, new) {
            (Work::Launch(_), Work::Launch(_))
            | (Work::Host(_), Work::Host(_))
            | (Work::Nothing, Work::Nothing)
            | (Work::Values(_), Work::Values(_))
            | (Work::Record(_), Work::Record(_))
            | (Work::WaitEvent(_), Work::WaitEvent(_))
            | (Work::Flow(_), Work::Flow(_)) => 0,
            (Work::Copy(old), Work::Copy(new)) if old.size != new.size && old.size[1..] != new.size[1..] => {
                PARAMETERS_CHANGED
            }
            (Work::Copy(_), Work::Copy(_)) => 0,
            (Work::Set(old), Work::Set(new)) if old.height != new.height => PARAMETERS_CHANGED,
            (Work::Set(_), Work::Set(_)) => 0,
            (Work::Allocated { address: old, .. }, Work::Allocated { address: new, .. })
            | (Work::Free(old), Work::Free(new)) => {
                if old == new {
                    0
                } else {
                    PARAMETERS_CHANGED
                }
            }
            _ => TYPE_CHANGED,
        },
        (Action::Child(old), Action::Child(new)) => compare(old, new).map_or_else(|(result, _)| result, |()| 0),
        (Action::Conditional { .. }, Action::Conditional { .. }) => 0,
        _ => TYPE_CHANGED,
    }
}

/// Whether a launchable graph can become another graph; if not, why and at which node of the other.
fn compare(old: &Flow, new: &Flow) -> Result<(), (u32, u64)> {
    if old.steps.len() != new.steps.len() {
        return Err((TOPOLOGY_CHANGED, 0));
    }
    for (old, new) in old.steps.iter().zip(&new.steps) {
        if old.after.len() != new.after.len() {
            return Err((TOPOLOGY_CHANGED, new.node));
        }
        match difference(old, new) {
            0 => {}
            why => return Err((why, new.node)),
        }
    }
    Ok(())
}

fn update(exec: u64, graph: u64) -> Outcome<UpdateResult> {
    let mut state = lock()?;
    let new = Flow::of(&state, graph)?;
    let exec = state.execs.get_mut(exec).map_err(|_| Error::INVALID_VALUE)?;
    match compare(&exec.flow, &new) {
        Ok(()) => {
            let flow = Arc::make_mut(&mut exec.flow);
            for (old, new) in flow.steps.iter_mut().zip(new.steps) {
                // Nodes keep the names that they were instantiated under.
                old.action = new.action;
            }
            Ok(UpdateResult { result: 0, node: 0, from: 0 })
        }
        Err((result, node)) => Ok(UpdateResult { result, node, from: 0 }),
    }
}

/// The code of an update's result.
fn verdict(result: u32) -> Outcome {
    if result == 0 { Ok(()) } else { Err(Error::GRAPH_EXEC_UPDATE_FAILURE) }
}

impl State {
    /// Changes what a node of a launchable graph does.
    pub(crate) fn change_step(&mut self, exec: u64, node: u64, work: Work) -> Outcome {
        let exec = self.execs.get_mut(exec).map_err(|_| Error::INVALID_VALUE)?;
        let step = Arc::make_mut(&mut exec.flow).step_mut(node).ok_or(Error::INVALID_VALUE)?;
        let new = Step { node, is_on: step.is_on, action: Action::Work(work), after: step.after.clone() };
        if matches!(difference(step, &new), TYPE_CHANGED | FUNCTION_CHANGED) {
            return Err(Error::INVALID_VALUE);
        }
        step.action = new.action;
        Ok(())
    }
}

api! {
    fn cuGraphInstantiate(exec: *mut u64, graph: u64, failed: *mut u64, _log: *mut c_char, _room: usize) {
        put_if(failed, 0);
        instantiate(exec, graph, 0)
    }

    fn cuGraphInstantiate_v2(exec: *mut u64, graph: u64, failed: *mut u64, _log: *mut c_char, _room: usize) {
        put_if(failed, 0);
        instantiate(exec, graph, 0)
    }

    fn cuGraphInstantiateWithFlags(exec: *mut u64, graph: u64, flags: u64) {
        instantiate(exec, graph, flags)
    }

    fn cuGraphInstantiateWithParams(exec: *mut u64, graph: u64, parameters: *mut InstantiateParameters) {
        let mut wanted = get(parameters)?;
        let made = instantiate(exec, graph, wanted.flags);
        (wanted.failed, wanted.result) = (0, u32::from(made.is_err()));
        put(parameters, wanted)?;
        made
    }

    fn cuGraphExecDestroy(exec: u64) {
        queue::finish();
        lock()?.execs.remove(exec).map(|_| ()).map_err(|_| Error::INVALID_VALUE)
    }

    fn cuGraphExecGetFlags(exec: u64, flags: *mut u64) {
        let state = lock()?;
        put(flags, state.execs.get(exec).map_err(|_| Error::INVALID_VALUE)?.flags)
    }

    fn cuGraphUpload(exec: u64, stream: u64) {
        let state = lock()?;
        state.context()?;
        state.stream(stream)?;
        state.execs.get(exec).map(|_| ()).map_err(|_| Error::INVALID_VALUE)
    }

    fn cuGraphLaunch(exec: u64, stream: u64) {
        let mut state = lock()?;
        state.context()?;
        let stream = state.stream_or_own(stream)?;
        let flow = Arc::clone(&state.execs.get(exec).map_err(|_| Error::INVALID_VALUE)?.flow);
        state.reset_conditions(&flow);
        queue::submit(state, stream, Work::Flow(flow))
    }

    fn cuGraphExecUpdate(exec: u64, graph: u64, failed: *mut u64, result: *mut u32) {
        let updated = update(exec, graph)?;
        put_if(failed, updated.node);
        put_if(result, updated.result);
        verdict(updated.result)
    }

    fn cuGraphExecUpdate_v2(exec: u64, graph: u64, info: *mut UpdateResult) {
        let updated = update(exec, graph)?;
        put_if(info, updated);
        verdict(updated.result)
    }

    fn cuGraphNodeSetEnabled(exec: u64, node: u64, enabled: u32) {
        let mut state = lock()?;
        let exec = state.execs.get_mut(exec).map_err(|_| Error::INVALID_VALUE)?;
        let step = Arc::make_mut(&mut exec.flow).step_mut(node).ok_or(Error::INVALID_VALUE)?;
        // Only launches, copies and fills can be left out.
        if !matches!(step.action, Action::Work(Work::Launch(_) | Work::Copy(_) | Work::Set(_))) {
            return Err(Error::INVALID_VALUE);
        }
        step.is_on = enabled != 0;
        Ok(())
    }

    fn cuGraphNodeGetEnabled(exec: u64, node: u64, enabled: *mut u32) {
        let mut state = lock()?;
        let exec = state.execs.get_mut(exec).map_err(|_| Error::INVALID_VALUE)?;
        let is_on = Arc::make_mut(&mut exec.flow).step_mut(node).ok_or(Error::INVALID_VALUE)?.is_on;
        put(enabled, is_on.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_of_the_header() {
        assert_eq!((size_of::<InstantiateParameters>(), size_of::<UpdateResult>()), (32, 24));
    }
}
