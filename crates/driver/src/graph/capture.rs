//! Capturing: what is asked of a stream becomes nodes of a graph instead of being done.

use std::cell::Cell;
use std::thread::ThreadId;

use crate::edge::{api, get, list, put, put_if};
use crate::error::{Error, Outcome};
use crate::graph::{Graph, NodeKind};
use crate::state::{State, lock};
use crate::work::Work;

/// How strict a capture is with calls that do not belong to it: `CU_STREAM_CAPTURE_MODE_*`.
const GLOBAL: u32 = 0;
const RELAXED: u32 = 2;

/// A capture that has begun.
pub(crate) struct Capture {
    graph: u64,
    /// The stream that it began in.
    origin: u64,
    mode: u32,
    thread: ThreadId,
    /// Something was asked for that cannot be captured.
    is_spoilt: bool,
    /// Whether the graph was there before, and stays.
    is_own_graph: bool,
}

/// Where a stream is in a capture, or an event was recorded.
#[derive(Clone, Debug)]
pub(crate) struct Captured {
    pub(crate) capture: u64,
    /// What the next node depends on.
    tail: Vec<u64>,
}

thread_local! {
    /// How strict this thread is.
    static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

impl State {
    /// Whether a stream is being captured.
    #[inline]
    pub(crate) fn is_capturing(&self, stream: u64) -> bool {
        self.streams.get(stream).is_ok_and(|stream| stream.capture.is_some())
    }

    /// Adds work to the graph that a stream records.
    pub(crate) fn capture(&mut self, stream: u64, work: Work) -> Outcome {
        let captured = self.streams.get(stream)?.capture.clone().ok_or(Error::ILLEGAL_STATE)?;
        let capture = self.captures.get(captured.capture)?;
        if capture.is_spoilt {
            return Err(Error::STREAM_CAPTURE_INVALIDATED);
        }
        let graph = capture.graph;
        let mut dependencies = captured.tail;
        dependencies.sort_unstable();
        dependencies.dedup();
        let node = self.add_node(graph, dependencies, NodeKind::Work(work))?;
        if let Some(captured) = &mut self.streams.get_mut(stream)?.capture {
            captured.tail = vec![node];
        }
        Ok(())
    }

    /// Ends the capture of a stream with an error.
    pub(crate) fn spoil(&mut self, stream: u64, error: Error) -> Outcome {
        if let Some(captured) = self.streams.get(stream)?.capture.clone() {
            self.abandon(&captured);
        }
        Err(error)
    }

    /// A capture can no longer give a graph.
    pub(crate) fn abandon(&mut self, captured: &Captured) {
        if let Ok(capture) = self.captures.get_mut(captured.capture) {
            capture.is_spoilt = true;
        }
    }

    /// Refuses calls that may not be made while a capture is on.
    pub(crate) fn forbidden_while_capturing(&mut self) -> Outcome {
        if self.captures.iter().next().is_none() || MODE.get() == RELAXED {
            return Ok(());
        }
        let own = std::thread::current().id();
        let hit = self.captures.handles(|capture| match capture.mode {
            GLOBAL => MODE.get() == GLOBAL || capture.thread == own,
            RELAXED => false,
            _ => capture.thread == own,
        });
        if hit.is_empty() {
            return Ok(());
        }
        for capture in hit {
            self.captures.get_mut(capture)?.is_spoilt = true;
        }
        Err(Error::STREAM_CAPTURE_UNSUPPORTED)
    }

    /// Refuses work in the default stream while a stream that waits for it is being captured.
    #[inline]
    pub(crate) fn forbidden_for(&mut self, stream: u64) -> Outcome {
        if self.captures.iter().next().is_none() || !self.streams.get(stream)?.is_default {
            return Ok(());
        }
        let origins: Vec<u64> = self.captures.iter().map(|(_, capture)| capture.origin).collect();
        for origin in origins {
            if self.streams.get(origin).is_ok_and(crate::stream::Stream::is_blocking) {
                return self.spoil(origin, Error::STREAM_CAPTURE_IMPLICIT);
            }
        }
        Ok(())
    }

    /// Records an event in a stream that is being captured; false if it is not.
    pub(crate) fn record_captured(&mut self, stream: u64, event: u64) -> Outcome<bool> {
        let captured = self.streams.get(stream)?.capture.clone();
        let is_captured = captured.is_some();
        if is_captured {
            self.events.get_mut(event)?.captured = captured;
        }
        Ok(is_captured)
    }

    /// Makes a stream wait for an event of a capture, which draws it into that capture; false if there is none.
    pub(crate) fn join_capture(&mut self, stream: u64, event: u64) -> Outcome<bool> {
        let theirs = self.events.get(event)?.captured.clone();
        let theirs = theirs.filter(|captured| self.captures.has(captured.capture));
        let is_default = self.streams.get(stream)?.is_default;
        let ours = &mut self.streams.get_mut(stream)?.capture;
        match (ours, theirs) {
            (None, None) => Ok(false),
            (None, Some(_)) if is_default => Err(Error::STREAM_CAPTURE_IMPLICIT),
            (ours @ None, Some(theirs)) => {
                *ours = Some(theirs);
                Ok(true)
            }
            (Some(ours), Some(theirs)) if ours.capture == theirs.capture => {
                ours.tail.extend(theirs.tail);
                Ok(true)
            }
            (Some(_), Some(_)) => self.spoil(stream, Error::STREAM_CAPTURE_MERGE).map(|()| true),
            (Some(_), None) => self.spoil(stream, Error::STREAM_CAPTURE_ISOLATION).map(|()| true),
        }
    }

    /// Whether all that a capture recorded in other streams came back to the one it began in.
    fn is_joined(&self, capture: u64, origin_tail: &[u64]) -> bool {
        let mut reached = origin_tail.to_vec();
        let mut at = 0;
        while let Some(&node) = reached.get(at) {
            at += 1;
            if let Ok(node) = self.nodes.get(node) {
                for &dependency in &node.dependencies {
                    if !reached.contains(&dependency) {
                        reached.push(dependency);
                    }
                }
            }
        }
        let mut tails = self.streams.iter().filter_map(|(_, stream)| stream.capture.as_ref());
        tails.all(|captured| captured.capture != capture || captured.tail.iter().all(|node| reached.contains(node)))
    }

    fn begin(&mut self, stream: u64, graph: Option<u64>, tail: Vec<u64>, mode: u32) -> Outcome {
        let found = self.streams.get(stream)?;
        if found.is_default {
            return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
        }
        if found.capture.is_some() {
            return Err(Error::ILLEGAL_STATE);
        }
        if mode > RELAXED {
            return Err(Error::INVALID_VALUE);
        }
        let is_own_graph = graph.is_none();
        let graph = graph.unwrap_or_else(|| self.graphs.add(Graph::default()));
        let thread = std::thread::current().id();
        let capture =
            self.captures.add(Capture { graph, origin: stream, mode, thread, is_spoilt: false, is_own_graph });
        self.streams.get_mut(stream)?.capture = Some(Captured { capture, tail });
        Ok(())
    }

    fn end(&mut self, stream: u64) -> Outcome<u64> {
        let captured = self.streams.get(stream)?.capture.clone().ok_or(Error::ILLEGAL_STATE)?;
        let capture = self.captures.get(captured.capture)?;
        if capture.mode != RELAXED && capture.thread != std::thread::current().id() {
            return Err(Error::STREAM_CAPTURE_WRONG_THREAD);
        }
        if capture.origin != stream {
            self.abandon(&captured);
            return Err(Error::STREAM_CAPTURE_UNMATCHED);
        }
        let is_joined = self.is_joined(captured.capture, &captured.tail);
        let capture = self.captures.remove(captured.capture)?;
        for (_, stream) in self.streams.iter_mut() {
            if stream.capture.as_ref().is_some_and(|other| other.capture == captured.capture) {
                stream.capture = None;
            }
        }
        if (capture.is_spoilt || !is_joined) && capture.is_own_graph {
            self.destroy_graph(capture.graph)?;
        }
        match (capture.is_spoilt, is_joined) {
            (true, _) => Err(Error::STREAM_CAPTURE_INVALIDATED),
            (_, false) => Err(Error::STREAM_CAPTURE_UNJOINED),
            _ => Ok(capture.graph),
        }
    }
}

fn begin(stream: u64, mode: u32) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    let stream = state.stream_or_own(stream)?;
    state.begin(stream, None, Vec::new(), mode)
}

/// What a caller learns of a capture: its status, number, graph, and what its next node depends on.
fn info(
    stream: u64,
    status: *mut u32,
    id: *mut u64,
    graph: *mut u64,
    nodes: *mut *const u64,
    count: *mut usize,
) -> Outcome {
    let state = lock()?;
    let stream = state.stream(stream)?;
    let Some(captured) = &state.streams.get(stream)?.capture else { return put(status, 0) };
    let capture = state.captures.get(captured.capture)?;
    put(status, if capture.is_spoilt { 2 } else { 1 })?;
    if capture.is_spoilt {
        return Ok(());
    }
    put_if(id, captured.capture >> 4);
    put_if(graph, capture.graph);
    put_if(nodes, captured.tail.as_ptr());
    put_if(count, captured.tail.len());
    Ok(())
}

fn update(stream: u64, nodes: *const u64, count: usize, flags: u32) -> Outcome {
    let mut state = lock()?;
    let stream = state.stream(stream)?;
    let nodes = list(nodes, count)?;
    let captured = state.streams.get_mut(stream)?.capture.as_mut().ok_or(Error::ILLEGAL_STATE)?;
    match flags {
        0 => captured.tail.extend(nodes),
        1 => captured.tail = nodes,
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(())
}

api! {
    fn cuStreamBeginCapture(stream: u64) {
        begin(stream, GLOBAL)
    }

    fn cuStreamBeginCapture_v2(stream: u64, mode: u32) {
        begin(stream, mode)
    }

    fn cuStreamBeginCaptureToGraph(
        stream: u64,
        graph: u64,
        dependencies: *const u64,
        _data: *const u64,
        count: usize,
        mode: u32,
    ) {
        let mut state = lock()?;
        state.context()?;
        let stream = state.stream_or_own(stream)?;
        let tail = list(dependencies, count)?;
        state.graphs.get(graph).map_err(|_| Error::INVALID_VALUE)?;
        state.begin(stream, Some(graph), tail, mode)
    }

    fn cuStreamEndCapture(stream: u64, graph: *mut u64) {
        let mut state = lock()?;
        let stream = state.stream(stream)?;
        let ended = state.end(stream);
        put(graph, ended.unwrap_or(0))?;
        ended.map(|_| ())
    }

    fn cuStreamIsCapturing(stream: u64, status: *mut u32) {
        let mut state = lock()?;
        let resolved = state.stream(stream)?;
        state.forbidden_for(resolved)?;
        drop(state);
        let none = std::ptr::null_mut();
        info(stream, status, none, none, std::ptr::null_mut(), std::ptr::null_mut())
    }

    fn cuStreamGetCaptureInfo(stream: u64, status: *mut u32, id: *mut u64) {
        info(stream, status, id, std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut())
    }

    fn cuStreamGetCaptureInfo_v2(
        stream: u64,
        status: *mut u32,
        id: *mut u64,
        graph: *mut u64,
        nodes: *mut *const u64,
        count: *mut usize,
    ) {
        info(stream, status, id, graph, nodes, count)
    }

    fn cuStreamGetCaptureInfo_v3(
        stream: u64,
        status: *mut u32,
        id: *mut u64,
        graph: *mut u64,
        nodes: *mut *const u64,
        data: *mut *const u64,
        count: *mut usize,
    ) {
        put_if(data, std::ptr::null());
        info(stream, status, id, graph, nodes, count)
    }

    fn cuStreamUpdateCaptureDependencies(stream: u64, nodes: *const u64, count: usize, flags: u32) {
        update(stream, nodes, count, flags)
    }

    fn cuStreamUpdateCaptureDependencies_v2(
        stream: u64,
        nodes: *const u64,
        _data: *const u64,
        count: usize,
        flags: u32,
    ) {
        update(stream, nodes, count, flags)
    }

    fn cuThreadExchangeStreamCaptureMode(mode: *mut u32) {
        let new = get(mode)?;
        if new > RELAXED {
            return Err(Error::INVALID_VALUE);
        }
        put(mode, MODE.replace(new))
    }
}
