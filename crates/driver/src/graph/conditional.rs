//! Conditional nodes: parts of a graph that a value decides about.
//!
//! A kernel sets the value through its handle. The handle is the address of the value, in memory of the device's.

use crate::edge::{api, put};
use crate::error::{Error, Outcome};
use crate::graph::node::NodeParameters;
use crate::graph::{Graph, NodeKind};
use crate::memory::Kind;
use crate::state::{State, lock};

/// A value that decides.
pub(crate) struct Condition {
    address: u64,
    first: u32,
    /// Whether it gets its first value again at every launch.
    is_reset: bool,
}

impl Condition {
    /// The value now.
    pub(crate) fn value(&self) -> u32 {
        // SAFETY: memory of the device's that `cuGraphConditionalHandleCreate` allocated, aligned, for this.
        unsafe { std::ptr::read_volatile(self.address as *const u32) }
    }

    fn reset(&self) {
        // SAFETY: as above.
        unsafe { std::ptr::write_volatile(self.address as *mut u32, self.first) };
    }
}

impl State {
    /// Values get their first ones, at the launch of a graph.
    pub(crate) fn reset_conditions(&self, flow: &super::Flow) {
        for step in &flow.steps {
            match &step.action {
                super::flow::Action::Conditional { condition, bodies, .. } => {
                    if let Ok(condition) = self.conditions.get(*condition)
                        && condition.is_reset
                    {
                        condition.reset();
                    }
                    bodies.iter().for_each(|body| self.reset_conditions(body));
                }
                super::flow::Action::Child(flow) => self.reset_conditions(flow),
                super::flow::Action::Work(_) => {}
            }
        }
    }
}

/// `CUDA_CONDITIONAL_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
struct ConditionalParameters {
    condition: u64,
    kind: u32,
    count: u32,
    bodies: *mut *const u64,
    context: u64,
}

/// The node that a description asks for; the graphs of its parts are put where the description can be read again.
pub(super) fn make(state: &mut State, parameters: &NodeParameters) -> Outcome<NodeKind> {
    let wanted: ConditionalParameters = parameters.read();
    state.conditions.get(wanted.condition).map_err(|_| Error::INVALID_VALUE)?;
    let most = match wanted.kind {
        0 => 2,
        1 => 1,
        2 => 1 << 16,
        _ => return Err(Error::INVALID_VALUE),
    };
    if wanted.count == 0 || wanted.count > most {
        return Err(Error::INVALID_VALUE);
    }
    let bodies: Vec<u64> = (0..wanted.count).map(|_| state.graphs.add(Graph::default())).collect();
    Ok(NodeKind::Conditional { condition: wanted.condition, kind: wanted.kind, bodies })
}

/// Tells the caller of its graphs: the description points to them from now on.
pub(super) fn show_bodies(place: *mut NodeParameters, kind: &NodeKind) {
    let NodeKind::Conditional { bodies, .. } = kind else { return };
    // They live as long as the process: there is nobody who would say when the caller has read them.
    let shown: &'static [u64] = Vec::leak(bodies.clone());
    // SAFETY: the caller's description, which is of a conditional node.
    unsafe {
        let wanted = (&raw mut (*place).body).cast::<ConditionalParameters>();
        (&raw mut (*wanted).bodies).write_unaligned(shown.as_ptr().cast_mut().cast());
    }
}

api! {
    fn cuGraphConditionalHandleCreate(place: *mut u64, graph: u64, _context: u64, first: u32, flags: u32) {
        let mut state = lock()?;
        let context = state.context()?;
        state.graphs.get(graph).map_err(|_| Error::INVALID_VALUE)?;
        if place.is_null() || flags > 1 {
            return Err(Error::INVALID_VALUE);
        }
        let address = state.allocate(4, Kind::Array, context, 0)?;
        let condition = Condition { address, first, is_reset: flags == 1 };
        condition.reset();
        // Kernels get the handle, and write through it.
        state.conditions.insert(address, condition);
        put(place, address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_of_the_header() {
        assert_eq!(size_of::<ConditionalParameters>(), 32);
    }
}
