//! A graph in the order in which it is done.

use std::sync::Arc;

use crate::error::{Error, Outcome};
use crate::graph::{Condition, NodeKind};
use crate::state::{Locked, State};
use crate::work::Work;

/// The steps of a graph, each after those that it depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) steps: Vec<Step>,
}

/// One node.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) node: u64,
    pub(crate) is_on: bool,
    pub(crate) action: Action,
    /// Positions of the steps that it depends on, to compare graphs by.
    pub(crate) after: Vec<usize>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Work(Work),
    Child(Arc<Flow>),
    /// A value chooses: 0 one of two or nothing, 1 again and again, 2 one of many.
    Conditional {
        condition: u64,
        kind: u32,
        bodies: Vec<Arc<Flow>>,
    },
}

/// A loop may not go on for ever.
const TURNS: u64 = 1 << 32;

impl Flow {
    /// The steps of a graph.
    pub(crate) fn of(state: &State, graph: u64) -> Outcome<Self> {
        let nodes = &state.graphs.get(graph).map_err(|_| Error::INVALID_VALUE)?.nodes;
        let mut flow = Self::default();
        let mut placed: Vec<u64> = Vec::with_capacity(nodes.len());
        while placed.len() < nodes.len() {
            let before = placed.len();
            for &node in nodes {
                let found = state.nodes.get(node)?;
                if placed.contains(&node) || !found.dependencies.iter().all(|d| placed.contains(d)) {
                    continue;
                }
                let position = |d: &u64| placed.iter().position(|p| p == d);
                let after = found.dependencies.iter().filter_map(position).collect();
                flow.steps.push(Step { node, is_on: true, action: Action::of(state, &found.kind)?, after });
                placed.push(node);
            }
            if placed.len() == before {
                return Err(Error::INVALID_VALUE);
            }
        }
        Ok(flow)
    }

    /// Whether anything in it needs the driver's own thread.
    pub(crate) fn may_wait(&self) -> bool {
        self.steps.iter().any(|step| match &step.action {
            Action::Work(work) => work.may_wait(),
            Action::Child(flow) => flow.may_wait(),
            Action::Conditional { bodies, .. } => bodies.iter().any(|body| body.may_wait()),
        })
    }

    /// Does all of it.
    pub(crate) fn perform(&self, state: &mut Locked, context: u64) -> Outcome {
        self.steps.iter().filter(|step| step.is_on).try_for_each(|step| match &step.action {
            Action::Work(work) => work.perform(state, context),
            Action::Child(flow) => flow.perform(state, context),
            Action::Conditional { condition, kind, bodies } => choose(state, context, *condition, *kind, bodies),
        })
    }

    /// The step of a node, here or in a part.
    pub(crate) fn step_mut(&mut self, node: u64) -> Option<&mut Step> {
        let at = self.steps.iter().position(|step| step.node == node);
        match at {
            Some(at) => self.steps.get_mut(at),
            None => self.steps.iter_mut().find_map(|step| match &mut step.action {
                Action::Child(flow) => Arc::make_mut(flow).step_mut(node),
                _ => None,
            }),
        }
    }
}

impl Action {
    fn of(state: &State, kind: &NodeKind) -> Outcome<Self> {
        Ok(match kind {
            NodeKind::Work(work) => Self::Work(work.clone()),
            NodeKind::Child(graph) => Self::Child(Arc::new(Flow::of(state, *graph)?)),
            NodeKind::Conditional { condition, kind, bodies } => Self::Conditional {
                condition: *condition,
                kind: *kind,
                bodies: bodies.iter().map(|&body| Flow::of(state, body).map(Arc::new)).collect::<Outcome<_>>()?,
            },
        })
    }
}

fn choose(state: &mut Locked, context: u64, condition: u64, kind: u32, bodies: &[Arc<Flow>]) -> Outcome {
    let value = |state: &State| state.conditions.get(condition).map_or(0, Condition::value);
    match kind {
        0 => match (value(state), bodies) {
            (1.., [then, ..]) => then.perform(state, context),
            (0, [_, other, ..]) => other.perform(state, context),
            _ => Ok(()),
        },
        1 => {
            let mut turns = 0;
            while value(state) != 0 && turns < TURNS {
                turns += 1;
                for body in bodies {
                    body.perform(state, context)?;
                }
                if state.contexts.get(context).is_ok_and(|context| context.error.is_some()) {
                    break;
                }
            }
            Ok(())
        }
        _ => match bodies.get(value(state) as usize) {
            Some(body) => body.perform(state, context),
            None => Ok(()),
        },
    }
}
