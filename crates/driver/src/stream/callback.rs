//! Functions of the host's in the order of a stream.

use std::ffi::c_void;

use crate::edge::api;
use crate::error::Error;
use crate::queue;
use crate::state::lock;
use crate::work::{HostFunction, StreamCallback, Work};

api! {
    fn cuLaunchHostFunc(stream: u64, function: *const c_void, data: *mut c_void) {
        let mut state = lock()?;
        state.context()?;
        if function.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let stream = state.stream_or_own(stream)?;
        let host = HostFunction { function: function as usize, data: data as usize };
        queue::submit(state, stream, Work::Host(host))
    }

    fn cuStreamAddCallback(stream: u64, function: *const c_void, data: *mut c_void, flags: u32) {
        let mut state = lock()?;
        state.context()?;
        if function.is_null() || flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let named = stream;
        let stream = state.stream_or_own(stream)?;
        if state.is_capturing(stream) {
            return state.spoil(stream, Error::STREAM_CAPTURE_UNSUPPORTED);
        }
        let callback = StreamCallback { function: function as usize, data: data as usize, stream: named };
        queue::submit(state, stream, Work::Callback(callback))
    }
}
