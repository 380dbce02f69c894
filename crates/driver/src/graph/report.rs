//! What can be asked about graphs as a whole: their memory, and a drawing of them.

use std::ffi::{c_char, c_void};
use std::fmt::Write;

use crate::edge::{api, get, put, text};
use crate::error::{Error, Outcome};
use crate::state::{State, lock};

/// The names of node types in a drawing, by number.
const TYPES: [&str; 14] = [
    "kernel",
    "memcpy",
    "memset",
    "host",
    "graph",
    "empty",
    "wait",
    "record",
    "signal",
    "wait",
    "alloc",
    "free",
    "values",
    "conditional",
];

impl State {
    /// A drawing of a graph, in the language of Graphviz.
    fn drawing(&self, graph: u64) -> Outcome<String> {
        let nodes = &self.graphs.get(graph).map_err(|_| Error::INVALID_VALUE)?.nodes;
        let mut dot = "digraph dot {\n".to_owned();
        for (number, node) in nodes.iter().enumerate() {
            let found = self.nodes.get(*node)?;
            let kind = TYPES.get(found.kind.number() as usize).unwrap_or(&"node");
            let _ = writeln!(dot, "  n{number} [label=\"{number}: {kind}\"];");
            for dependency in &found.dependencies {
                if let Some(from) = nodes.iter().position(|other| other == dependency) {
                    let _ = writeln!(dot, "  n{from} -> n{number};");
                }
            }
        }
        dot.push_str("}\n");
        Ok(dot)
    }
}

api! {
    fn cuGraphDebugDotPrint(graph: u64, path: *const c_char, _flags: u32) {
        let path = text(path)?;
        let drawing = lock()?.drawing(graph)?;
        std::fs::write(path, drawing).map_err(|_| Error::OPERATING_SYSTEM)
    }

    fn cuDeviceGraphMemTrim(device: i32) {
        drop(lock()?);
        if device == 0 { Ok(()) } else { Err(Error::INVALID_DEVICE) }
    }

    fn cuDeviceGetGraphMemAttribute(device: i32, which: u32, value: *mut c_void) {
        let state = lock()?;
        match (device, which) {
            // In use and reserved are the same, and so far the most there was.
            (0, 0..=3) => put(value.cast(), state.memory.graph_bytes()),
            (0, _) => Err(Error::INVALID_VALUE),
            _ => Err(Error::INVALID_DEVICE),
        }
    }

    fn cuDeviceSetGraphMemAttribute(device: i32, which: u32, value: *const c_void) {
        drop(lock()?);
        match (device, which) {
            // High marks can only be put back.
            (0, 1 | 3) if get(value.cast::<u64>())? == 0 => Ok(()),
            (0, _) => Err(Error::INVALID_VALUE),
            _ => Err(Error::INVALID_DEVICE),
        }
    }
}
