//! Work for the device: what streams order, graphs are made of, and the queue holds.

use std::sync::Arc;

use crate::error::Outcome;
use crate::graph::Flow;
use crate::launch::Kernel;
use crate::memory::{Copy, Set};
use crate::state::{Locked, as_callback};
use crate::stream::Value;

/// A function of the host's and what it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HostFunction {
    pub(crate) function: usize,
    pub(crate) data: usize,
}

/// A function that is told of a stream and its status (`cuStreamAddCallback`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StreamCallback {
    pub(crate) function: usize,
    pub(crate) data: usize,
    pub(crate) stream: u64,
}

/// A piece of work.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Nothing, in its place in the order.
    Nothing,
    Launch(Kernel),
    Copy(Copy),
    Set(Set),
    Host(HostFunction),
    Callback(StreamCallback),
    /// An event happens.
    Record(u64),
    /// An event is waited for, which has happened by then.
    WaitEvent(u64),
    /// Memory that a graph allocates; it has its address from the beginning.
    Allocated {
        address: u64,
        bytes: u64,
    },
    /// Memory is freed.
    Free(u64),
    /// Values are written and waited for.
    Values(Vec<Value>),
    /// Everything of a graph, or of a part of one.
    Flow(Arc<Flow>),
}

impl Work {
    /// Whether it must wait for something that the caller may do later, and so needs a thread of the driver's own.
    pub(crate) fn may_wait(&self) -> bool {
        match self {
            Self::Host(_) | Self::Callback(_) => true,
            Self::Values(values) => values.iter().any(Value::waits),
            Self::Flow(flow) => flow.may_wait(),
            _ => false,
        }
    }

    /// Does it, in a context.
    pub(crate) fn perform(&self, state: &mut Locked, context: u64) -> Outcome {
        match self {
            Self::Nothing | Self::WaitEvent(_) | Self::Allocated { .. } => Ok(()),
            Self::Launch(kernel) => kernel.perform(state, context),
            Self::Copy(copy) => copy.perform(state),
            Self::Set(set) => set.perform(state),
            Self::Host(HostFunction { function, data }) => {
                let data = *data as *mut libc::c_void;
                // SAFETY: the address of a function of this type, by the contract of `cuLaunchHostFunc`.
                let function =
                    unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(*mut libc::c_void)>(*function) };
                state.output.flush();
                // SAFETY: the caller of the API gave both, to be called once the work before is done.
                state.unlocked(|| as_callback(|| unsafe { function(data) }));
                Ok(())
            }
            Self::Callback(StreamCallback { function, data, stream }) => {
                type Function = unsafe extern "C" fn(u64, u32, *mut libc::c_void);
                let data = *data as *mut libc::c_void;
                let status = state.contexts.get(context).ok().and_then(|c| c.error).map_or(0, |error| error.0);
                // SAFETY: the address of a function of this type, by the contract of `cuStreamAddCallback`.
                let function = unsafe { std::mem::transmute::<usize, Function>(*function) };
                state.output.flush();
                let stream = *stream;
                // SAFETY: the caller of the API gave both, to be called once the work before is done.
                state.unlocked(|| as_callback(|| unsafe { function(stream, status, data) }));
                Ok(())
            }
            Self::Record(event) => {
                let now = state.clock.now();
                if let Ok(event) = state.events.get_mut(*event) {
                    event.happen(now);
                }
                Ok(())
            }
            Self::Free(address) => state.free_pooled(*address),
            Self::Values(values) => values.iter().try_for_each(|value| value.perform(state)),
            Self::Flow(flow) => flow.perform(state, context),
        }
    }
}
