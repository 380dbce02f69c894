//! Streams.

mod callback;
mod value;

use std::cell::Cell;

use crate::edge::{api, get, put, put_if};
use crate::error::{Error, Outcome};
use crate::graph::Captured;
use crate::per_thread::{PER_THREAD, named};
use crate::queue;
use crate::state::{State, lock};
use crate::work::Work;

pub use callback::*;
pub use value::*;

/// The default stream of the context, as a handle.
const LEGACY: u64 = 1;
/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: u32 = 1;

/// A stream.
pub(crate) struct Stream {
    /// Its context; 0 for the default stream of a thread, which is of whatever context is current.
    pub(crate) context: u64,
    pub(crate) flags: u32,
    priority: i32,
    /// The last of its work that went to the driver's thread.
    pub(crate) ticket: u64,
    /// What it records, if it is being captured.
    pub(crate) capture: Option<Captured>,
    /// Whether it is a default stream.
    pub(crate) is_default: bool,
    /// Values of attributes that were set, by number.
    attributes: Vec<(u32, [u64; 8])>,
}

thread_local! {
    /// The default stream of this thread, once it was used.
    static OWN: Cell<u64> = const { Cell::new(0) };
}

impl Stream {
    fn new(context: u64, flags: u32, priority: i32) -> Self {
        Self { context, flags, priority, ticket: 0, capture: None, is_default: false, attributes: Vec::new() }
    }

    /// The default stream of a context.
    pub(crate) fn default_of(context: u64) -> Self {
        Self { is_default: true, ..Self::new(context, 0, 0) }
    }

    /// Whether it waits for the default stream, and that for it.
    pub(crate) fn is_blocking(&self) -> bool {
        self.flags & NON_BLOCKING == 0
    }
}

impl State {
    /// The stream that a caller names.
    #[inline]
    pub(crate) fn stream(&self, handle: u64) -> Outcome<u64> {
        match named(handle) {
            0 | LEGACY => Ok(self.contexts.get(self.current()?)?.default_stream),
            PER_THREAD => match OWN.get() {
                0 => Ok(self.contexts.get(self.current()?)?.default_stream),
                own => Ok(own),
            },
            handle if self.streams.has(handle) => Ok(handle),
            _ => Err(Error::INVALID_HANDLE),
        }
    }

    /// The stream that a caller names; the default stream of the thread is made if it is not there yet.
    pub(crate) fn stream_or_own(&mut self, handle: u64) -> Outcome<u64> {
        if named(handle) == PER_THREAD && OWN.get() == 0 {
            OWN.set(self.streams.add(Stream::new(0, 0, 0)));
        }
        self.stream(handle)
    }

    /// The number that reports give a stream: 0 for the default one.
    pub(crate) fn stream_number(&self, stream: u64) -> u64 {
        if self.streams.get(stream).is_ok_and(|stream| stream.is_default) { 0 } else { stream }
    }
}

fn create(place: *mut u64, flags: u32, priority: i32) -> Outcome {
    let mut state = lock()?;
    let context = state.context()?;
    if place.is_null() || flags > 1 {
        return Err(Error::INVALID_VALUE);
    }
    let stream = state.streams.add(Stream::new(context, flags, priority.clamp(-5, 0)));
    put(place, stream)
}

fn destroy(handle: u64) -> Outcome {
    let ticket = {
        let state = lock()?;
        state.current()?;
        if matches!(handle, 0..=PER_THREAD) {
            return Err(Error::INVALID_HANDLE);
        }
        state.streams.get(handle)?.ticket
    };
    queue::wait(ticket);
    let mut state = lock()?;
    let stream = state.streams.remove(handle)?;
    if let Some(capture) = stream.capture {
        state.abandon(&capture);
    }
    Ok(())
}

/// Waits for the work of a stream.
fn synchronize(handle: u64) -> Outcome {
    let stream = {
        let mut state = lock()?;
        state.current()?;
        let stream = state.stream(handle)?;
        if state.is_capturing(stream) {
            return state.spoil(stream, Error::STREAM_CAPTURE_UNSUPPORTED);
        }
        stream
    };
    // The default stream waits for others too.
    queue::finish_before(stream)?;
    let mut state = lock()?;
    state.host_waits_for_stream(stream);
    state.forbidden_for(stream)?;
    state.output.flush();
    state.context().map(|_| ())
}

/// `CUstreamAttrValue` and `CUlaunchAttributeValue`: 64 bytes of one thing or another.
pub type AttributeValue = [u64; 8];

api! {
    fn cuStreamCreate(stream: *mut u64, flags: u32) {
        create(stream, flags, 0)
    }

    fn cuStreamCreateWithPriority(stream: *mut u64, flags: u32, priority: i32) {
        create(stream, flags, priority)
    }

    fn cuStreamDestroy(stream: u64) {
        destroy(stream)
    }

    fn cuStreamDestroy_v2(stream: u64) {
        destroy(stream)
    }

    fn cuStreamSynchronize(stream: u64) {
        synchronize(stream)
    }

    fn cuStreamQuery(stream: u64) {
        let mut state = lock()?;
        state.context()?;
        let stream = state.stream(stream)?;
        if state.is_capturing(stream) {
            return state.spoil(stream, Error::STREAM_CAPTURE_UNSUPPORTED);
        }
        if !queue::is_done(state.streams.get(stream)?.ticket) {
            return Err(Error::NOT_READY);
        }
        state.host_waits_for_stream(stream);
        state.output.flush();
        Ok(())
    }

    fn cuStreamWaitEvent(stream: u64, event: u64, flags: u32) {
        let mut state = lock()?;
        state.context()?;
        if flags > 1 {
            return Err(Error::INVALID_VALUE);
        }
        let stream = state.stream_or_own(stream)?;
        state.events.get(event)?;
        if state.join_capture(stream, event)? {
            return Ok(());
        }
        queue::submit(state, stream, Work::WaitEvent(event))
    }

    fn cuStreamGetPriority(stream: u64, priority: *mut i32) {
        let state = lock()?;
        let stream = state.stream(stream)?;
        put(priority, state.streams.get(stream)?.priority)
    }

    fn cuStreamGetFlags(stream: u64, flags: *mut u32) {
        let state = lock()?;
        let stream = state.stream(stream)?;
        put(flags, state.streams.get(stream)?.flags)
    }

    fn cuStreamGetId(stream: u64, id: *mut u64) {
        let mut state = lock()?;
        let stream = state.stream_or_own(stream)?;
        put(id, stream >> 4)
    }

    fn cuStreamGetCtx(stream: u64, context: *mut u64) {
        let state = lock()?;
        let stream = state.stream(stream)?;
        let of = state.streams.get(stream)?.context;
        put(context, if of == 0 { state.current()? } else { of })
    }

    fn cuStreamGetCtx_v2(stream: u64, context: *mut u64, green: *mut u64) {
        let state = lock()?;
        let stream = state.stream(stream)?;
        let of = state.streams.get(stream)?.context;
        put(context, if of == 0 { state.current()? } else { of })?;
        put_if(green, 0);
        Ok(())
    }

    fn cuStreamGetGreenCtx(stream: u64, green: *mut u64) {
        let state = lock()?;
        state.stream(stream)?;
        put(green, 0)
    }

    fn cuStreamGetDevice(stream: u64, device: *mut i32) {
        let state = lock()?;
        state.stream(stream)?;
        put(device, 0)
    }

    fn cuStreamGetAttribute(stream: u64, which: u32, value: *mut AttributeValue) {
        let state = lock()?;
        let stream = state.stream(stream)?;
        if !matches!(which, 1 | 3 | 8 | 9 | 10) {
            return Err(Error::INVALID_VALUE);
        }
        let stream = state.streams.get(stream)?;
        let set = stream.attributes.iter().find(|(number, _)| *number == which).map(|(_, value)| *value);
        let unset = match which {
            3 => 1,
            8 => u64::from(stream.priority as u32),
            _ => 0,
        };
        put(value, set.unwrap_or([unset, 0, 0, 0, 0, 0, 0, 0]))
    }

    fn cuStreamSetAttribute(stream: u64, which: u32, value: *const AttributeValue) {
        let mut state = lock()?;
        let stream = state.stream_or_own(stream)?;
        if !matches!(which, 1 | 3 | 8 | 9 | 10) {
            return Err(Error::INVALID_VALUE);
        }
        let value = get(value)?;
        let stream = state.streams.get_mut(stream)?;
        stream.attributes.retain(|(number, _)| *number != which);
        stream.attributes.push((which, value));
        Ok(())
    }

    fn cuStreamCopyAttributes(to: u64, from: u64) {
        let mut state = lock()?;
        let (to, from) = (state.stream(to)?, state.stream(from)?);
        let attributes = state.streams.get(from)?.attributes.clone();
        state.streams.get_mut(to)?.attributes = attributes;
        Ok(())
    }
}
