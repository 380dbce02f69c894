//! Events: moments in the order of a stream, by the clock of the device.

use crate::edge::{api, put};
use crate::error::{Error, Outcome};
use crate::graph::Captured;
use crate::queue;
use crate::state::{Locked, lock};
use crate::work::Work;

/// `CU_EVENT_DISABLE_TIMING`.
const NO_TIMING: u32 = 2;

/// An event.
pub(crate) struct Event {
    pub(crate) context: u64,
    pub(crate) flags: u32,
    /// When it last happened.
    happened: Option<f64>,
    /// The work that it happens with, if that went to a thread of the driver's; else 0.
    ticket: u64,
    /// Where in a capture it was recorded last, if it was.
    pub(crate) captured: Option<Captured>,
}

impl Event {
    /// It happens at that time.
    pub(crate) fn happen(&mut self, seconds: f64) {
        self.happened = Some(seconds);
        self.captured = None;
    }

    /// It will happen with that work.
    pub(crate) fn wait_for(&mut self, ticket: u64) {
        self.ticket = ticket;
    }

    /// The work that it happens with, if that went to a thread of the driver's.
    pub(crate) fn ticket(&self) -> u64 {
        self.ticket
    }
}

/// Lets an event happen in the order of a stream.
pub(crate) fn record(mut state: Locked, event: u64, stream: u64) -> Outcome {
    state.events.get(event)?;
    if state.record_captured(stream, event)? {
        return Ok(());
    }
    queue::submit(state, stream, Work::Record(event))
}

fn record_named(event: u64, stream: u64, flags: u32) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    if flags > 1 {
        return Err(Error::INVALID_VALUE);
    }
    let stream = state.stream_or_own(stream)?;
    if flags == 1 && state.is_capturing(stream) {
        // An event of a graph's own, outside the capture.
        state.events.get(event)?;
        return queue::submit(state, stream, Work::Record(event));
    }
    record(state, event, stream)
}

fn destroy(event: u64) -> Outcome {
    lock()?.events.remove(event).map(|_| ())
}

fn elapsed(milliseconds: *mut f32, start: u64, end: u64) -> Outcome {
    let state = lock()?;
    state.context()?;
    let (start, end) = (state.events.get(start)?, state.events.get(end)?);
    if milliseconds.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    if (start.flags | end.flags) & NO_TIMING != 0 {
        return Err(Error::INVALID_HANDLE);
    }
    if !queue::is_done(start.ticket) || !queue::is_done(end.ticket) {
        return Err(Error::NOT_READY);
    }
    let (Some(from), Some(to)) = (start.happened, end.happened) else { return Err(Error::INVALID_HANDLE) };
    put(milliseconds, ((to - from) * 1e3) as f32)
}

api! {
    fn cuEventCreate(event: *mut u64, flags: u32) {
        let mut state = lock()?;
        let context = state.context()?;
        // Events for other processes have no timing.
        if event.is_null() || flags > 7 || flags & 4 != 0 && flags & NO_TIMING == 0 {
            return Err(Error::INVALID_VALUE);
        }
        let made = state.events.add(Event { context, flags, happened: None, ticket: 0, captured: None });
        put(event, made)
    }

    fn cuEventDestroy(event: u64) {
        destroy(event)
    }

    fn cuEventDestroy_v2(event: u64) {
        destroy(event)
    }

    fn cuEventRecord(event: u64, stream: u64) {
        record_named(event, stream, 0)
    }

    fn cuEventRecordWithFlags(event: u64, stream: u64, flags: u32) {
        record_named(event, stream, flags)
    }

    fn cuEventQuery(event: u64) {
        let mut state = lock()?;
        state.context()?;
        let found = state.events.get(event)?;
        if found.captured.is_some() {
            return Err(Error::CAPTURED_EVENT);
        }
        if !queue::is_done(found.ticket) {
            return Err(Error::NOT_READY);
        }
        state.host_waits_for_event(event);
        state.output.flush();
        Ok(())
    }

    fn cuEventSynchronize(event: u64) {
        let ticket = {
            let state = lock()?;
            state.context()?;
            let found = state.events.get(event)?;
            if found.captured.is_some() {
                return Err(Error::CAPTURED_EVENT);
            }
            found.ticket
        };
        queue::wait(ticket);
        let mut state = lock()?;
        state.host_waits_for_event(event);
        state.output.flush();
        state.context().map(|_| ())
    }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: u64, end: u64) {
        elapsed(milliseconds, start, end)
    }

    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: u64, end: u64) {
        elapsed(milliseconds, start, end)
    }
}
