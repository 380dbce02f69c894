//! Graphs: work with dependencies, made node by node or by capturing streams, and launched as a whole.

mod capture;
mod change;
mod conditional;
mod edges;
mod exec;
mod flow;
mod node;
mod parameters;
mod report;
mod user;

use crate::edge::{api, put, put_list};
use crate::error::{Error, Outcome};
use crate::state::{State, lock};

pub(crate) use capture::{Capture, Captured};
pub(crate) use conditional::Condition;
pub(crate) use exec::Exec;
pub(crate) use flow::Flow;
pub(crate) use node::{Node, NodeKind};
pub(crate) use user::UserObject;

/// The functions of the API.
pub(crate) mod api {
    pub use super::capture::*;
    pub use super::change::*;
    pub use super::conditional::*;
    pub use super::edges::*;
    pub use super::exec::*;
    pub use super::node::*;
    pub use super::parameters::*;
    pub use super::report::*;
    pub use super::user::*;
    pub use super::{
        cuGraphClone, cuGraphCreate, cuGraphDestroy, cuGraphDestroyNode, cuGraphGetNodes, cuGraphGetRootNodes,
        cuGraphNodeFindInClone, cuGraphNodeGetType,
    };
}

/// A graph.
#[derive(Default)]
pub(crate) struct Graph {
    /// Its nodes, in the order in which they were added.
    pub(crate) nodes: Vec<u64>,
    /// Things of the program's that live as long as it does.
    pub(crate) user_objects: Vec<u64>,
}

impl State {
    /// Adds a node to a graph.
    pub(crate) fn add_node(&mut self, graph: u64, dependencies: Vec<u64>, kind: NodeKind) -> Outcome<u64> {
        let known = &self.graphs.get(graph).map_err(|_| Error::INVALID_VALUE)?.nodes;
        let mut unique = dependencies.clone();
        unique.sort_unstable();
        unique.dedup();
        if unique.len() != dependencies.len() || dependencies.iter().any(|node| !known.contains(node)) {
            return Err(Error::INVALID_VALUE);
        }
        let node = self.nodes.add(Node::new(graph, dependencies, kind));
        self.graphs.get_mut(graph)?.nodes.push(node);
        Ok(node)
    }

    /// Copies a graph with everything in it.
    pub(crate) fn clone_graph(&mut self, graph: u64) -> Outcome<u64> {
        let nodes = self.graphs.get(graph).map_err(|_| Error::INVALID_VALUE)?.nodes.clone();
        let copy = self.graphs.add(Graph::default());
        let mut twins = Vec::with_capacity(nodes.len());
        for &node in &nodes {
            let kind = self.nodes.get(node)?.kind.clone();
            let kind = match kind {
                NodeKind::Child(child) => NodeKind::Child(self.clone_graph(child)?),
                other => other,
            };
            let twin = self.nodes.add(Node { original: node, ..Node::new(copy, Vec::new(), kind) });
            twins.push((node, twin));
        }
        let twin_of = |node: u64| twins.iter().find(|(original, _)| *original == node).map(|(_, twin)| *twin);
        for &(node, twin) in &twins {
            let dependencies = self.nodes.get(node)?.dependencies.iter().filter_map(|&d| twin_of(d)).collect();
            self.nodes.get_mut(twin)?.dependencies = dependencies;
        }
        self.graphs.get_mut(copy)?.nodes = twins.iter().map(|(_, twin)| *twin).collect();
        Ok(copy)
    }

    /// Ends a graph with everything in it.
    fn destroy_graph(&mut self, graph: u64) -> Outcome {
        let graph = self.graphs.remove(graph).map_err(|_| Error::INVALID_VALUE)?;
        for node in graph.nodes {
            self.destroy_node(node);
        }
        for object in graph.user_objects {
            self.release_user_object(object, 1)?;
        }
        Ok(())
    }

    fn destroy_node(&mut self, node: u64) {
        if let Ok(node) = self.nodes.remove(node) {
            match node.kind {
                NodeKind::Child(child) => {
                    let _ = self.destroy_graph(child);
                }
                NodeKind::Conditional { bodies, .. } => {
                    for body in bodies {
                        let _ = self.destroy_graph(body);
                    }
                }
                NodeKind::Work(_) => {}
            }
        }
    }
}

/// Answers a call that asks for a list: its length if there is no room for it, else as much as fits.
pub(crate) fn answer_list(place: *mut u64, count: *mut usize, list: &[u64]) -> Outcome {
    if count.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    if place.is_null() {
        return put(count, list.len());
    }
    let room = crate::edge::get(count)?;
    put_list(place, &list[..list.len().min(room)]);
    // What is left of the room is null.
    for at in list.len()..room {
        put(place.wrapping_add(at), 0)?;
    }
    put(count, list.len().min(room))
}

api! {
    fn cuGraphCreate(graph: *mut u64, flags: u32) {
        let mut state = lock()?;
        if graph.is_null() || flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let made = state.graphs.add(Graph::default());
        put(graph, made)
    }

    fn cuGraphDestroy(graph: u64) {
        lock()?.destroy_graph(graph)
    }

    fn cuGraphClone(copy: *mut u64, graph: u64) {
        let mut state = lock()?;
        if copy.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let made = state.clone_graph(graph)?;
        put(copy, made)
    }

    fn cuGraphNodeFindInClone(place: *mut u64, original: u64, copy: u64) {
        let state = lock()?;
        let nodes = &state.graphs.get(copy).map_err(|_| Error::INVALID_VALUE)?.nodes;
        let found = nodes.iter().find(|&&node| state.nodes.get(node).is_ok_and(|node| node.original == original));
        put(place, *found.ok_or(Error::INVALID_VALUE)?)
    }

    fn cuGraphDestroyNode(node: u64) {
        let mut state = lock()?;
        let graph = state.nodes.get(node).map_err(|_| Error::INVALID_VALUE)?.graph;
        let rest = {
            let graph = state.graphs.get_mut(graph)?;
            graph.nodes.retain(|&other| other != node);
            graph.nodes.clone()
        };
        for other in rest {
            state.nodes.get_mut(other)?.dependencies.retain(|&dependency| dependency != node);
        }
        state.destroy_node(node);
        Ok(())
    }

    fn cuGraphGetNodes(graph: u64, nodes: *mut u64, count: *mut usize) {
        let state = lock()?;
        answer_list(nodes, count, &state.graphs.get(graph).map_err(|_| Error::INVALID_VALUE)?.nodes)
    }

    fn cuGraphGetRootNodes(graph: u64, nodes: *mut u64, count: *mut usize) {
        let state = lock()?;
        let all = &state.graphs.get(graph).map_err(|_| Error::INVALID_VALUE)?.nodes;
        let is_root = |node: &&u64| state.nodes.get(**node).is_ok_and(|node| node.dependencies.is_empty());
        answer_list(nodes, count, &all.iter().filter(is_root).copied().collect::<Vec<_>>())
    }

    fn cuGraphNodeGetType(node: u64, kind: *mut u32) {
        let state = lock()?;
        put(kind, state.nodes.get(node).map_err(|_| Error::INVALID_VALUE)?.kind.number())
    }
}
