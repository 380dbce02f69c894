//! The dependencies between nodes of a graph.

use crate::edge::{api, list, put};
use crate::error::{Error, Outcome};
use crate::graph::answer_list;
use crate::state::{State, lock};

/// `CUgraphEdgeData`: nothing but plain dependencies is known.
pub type EdgeData = u64;

impl State {
    fn edges(&self, graph: u64) -> Outcome<Vec<(u64, u64)>> {
        let nodes = &self.graphs.get(graph).map_err(|_| Error::INVALID_VALUE)?.nodes;
        let mut edges = Vec::new();
        for &node in nodes {
            edges.extend(self.nodes.get(node)?.dependencies.iter().map(|&dependency| (dependency, node)));
        }
        Ok(edges)
    }

    /// Whether one node is, or depends on, another.
    fn depends(&self, node: u64, on: u64) -> bool {
        node == on || self.nodes.get(node).is_ok_and(|node| node.dependencies.iter().any(|&d| self.depends(d, on)))
    }
}

fn change(graph: u64, from: *const u64, to: *const u64, count: usize, add: bool) -> Outcome {
    let mut state = lock()?;
    let nodes = state.graphs.get(graph).map_err(|_| Error::INVALID_VALUE)?.nodes.clone();
    let pairs: Vec<(u64, u64)> = list(from, count)?.into_iter().zip(list(to, count)?).collect();
    if pairs.iter().any(|(from, to)| !nodes.contains(from) || !nodes.contains(to)) {
        return Err(Error::INVALID_VALUE);
    }
    for (from, to) in pairs {
        let known = state.nodes.get(to)?.dependencies.contains(&from);
        if known == add || add && state.depends(from, to) {
            return Err(Error::INVALID_VALUE);
        }
        let dependencies = &mut state.nodes.get_mut(to)?.dependencies;
        if add {
            dependencies.push(from);
        } else {
            dependencies.retain(|&dependency| dependency != from);
        }
    }
    Ok(())
}

fn answer_edges(graph: u64, from: *mut u64, to: *mut u64, data: *mut EdgeData, count: *mut usize) -> Outcome {
    let state = lock()?;
    let edges = state.edges(graph)?;
    if from.is_null() != to.is_null() || count.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let (starts, ends): (Vec<u64>, Vec<u64>) = edges.into_iter().unzip();
    let room = crate::edge::get(count)?;
    answer_list(from, count, &starts)?;
    if !from.is_null() {
        put(count, room)?;
    }
    answer_list(to, count, &ends)?;
    if !data.is_null() {
        crate::edge::put_list(data, &vec![0; starts.len().min(room)]);
    }
    Ok(())
}

fn dependencies(node: u64, nodes: *mut u64, count: *mut usize) -> Outcome {
    let state = lock()?;
    answer_list(nodes, count, &state.nodes.get(node).map_err(|_| Error::INVALID_VALUE)?.dependencies)
}

fn dependents(node: u64, nodes: *mut u64, count: *mut usize) -> Outcome {
    let state = lock()?;
    let graph = state.nodes.get(node).map_err(|_| Error::INVALID_VALUE)?.graph;
    let edges = state.edges(graph)?;
    let after: Vec<u64> = edges.into_iter().filter(|&(from, _)| from == node).map(|(_, to)| to).collect();
    answer_list(nodes, count, &after)
}

api! {
    fn cuGraphAddDependencies(graph: u64, from: *const u64, to: *const u64, count: usize) {
        change(graph, from, to, count, true)
    }

    fn cuGraphAddDependencies_v2(graph: u64, from: *const u64, to: *const u64, _data: *const EdgeData, count: usize) {
        change(graph, from, to, count, true)
    }

    fn cuGraphRemoveDependencies(graph: u64, from: *const u64, to: *const u64, count: usize) {
        change(graph, from, to, count, false)
    }

    fn cuGraphRemoveDependencies_v2(
        graph: u64,
        from: *const u64,
        to: *const u64,
        _data: *const EdgeData,
        count: usize,
    ) {
        change(graph, from, to, count, false)
    }

    fn cuGraphGetEdges(graph: u64, from: *mut u64, to: *mut u64, count: *mut usize) {
        answer_edges(graph, from, to, std::ptr::null_mut(), count)
    }

    fn cuGraphGetEdges_v2(graph: u64, from: *mut u64, to: *mut u64, data: *mut EdgeData, count: *mut usize) {
        answer_edges(graph, from, to, data, count)
    }

    fn cuGraphNodeGetDependencies(node: u64, nodes: *mut u64, count: *mut usize) {
        dependencies(node, nodes, count)
    }

    fn cuGraphNodeGetDependencies_v2(node: u64, nodes: *mut u64, _data: *mut EdgeData, count: *mut usize) {
        dependencies(node, nodes, count)
    }

    fn cuGraphNodeGetDependentNodes(node: u64, nodes: *mut u64, count: *mut usize) {
        dependents(node, nodes, count)
    }

    fn cuGraphNodeGetDependentNodes_v2(node: u64, nodes: *mut u64, _data: *mut EdgeData, count: *mut usize) {
        dependents(node, nodes, count)
    }
}
