//! What the driver knows about an address.

use std::ffi::c_void;

use crate::edge::{api, get, list, put};
use crate::error::{Error, Outcome};
use crate::memory::Kind;
use crate::state::{State, lock};

/// The answers to one question about a pointer, of several sizes.
enum Answer {
    Word(u64),
    Int(i32),
    Flag(bool),
}

impl Answer {
    fn put(self, place: *mut c_void) -> Outcome {
        match self {
            Self::Word(value) => put(place.cast(), value),
            Self::Int(value) => put(place.cast(), value),
            Self::Flag(value) => put(place.cast(), u8::from(value)),
        }
    }

    /// Nothing is known.
    fn nothing(which: u32) -> Self {
        match which {
            2 => Self::Int(0),
            9 => Self::Int(-2),
            6 | 8 | 10 | 13 | 15 | 21 => Self::Flag(false),
            14 | 16 => Self::Int(0),
            _ => Self::Word(0),
        }
    }
}

/// What is asked for, by `CUpointer_attribute`.
fn answer(state: &State, which: u32, address: u64) -> Outcome<Answer> {
    if which == 0 || which > 21 {
        return Err(Error::INVALID_VALUE);
    }
    let (base, bytes, kind, context, id, pool) = match state.memory.find(address) {
        Some((base, a)) => (base, a.bytes, a.kind, a.context, a.id, a.pool),
        None => {
            let (base, bytes) = state.variable_at(address).ok_or(Error::INVALID_VALUE)?;
            (base, bytes, Kind::Device, state.primary.handle, base, 0)
        }
    };
    let on_host = kind.is_host();
    Ok(match which {
        1 => Answer::Word(context),
        2 => Answer::Int(if on_host { 1 } else { 2 }),
        3 => Answer::Word(address),
        4 if on_host || kind == Kind::Managed => Answer::Word(address),
        4 => return Err(Error::INVALID_VALUE),
        5 => return Err(Error::NOT_SUPPORTED),
        6 => Answer::Flag(false),
        7 => Answer::Word(id),
        8 => Answer::Flag(kind == Kind::Managed),
        9 => Answer::Int(0),
        10 => Answer::Flag(kind == Kind::Device),
        11 | 19 => Answer::Word(base),
        12 | 18 => Answer::Word(bytes),
        13 => Answer::Flag(true),
        14 => Answer::Word(0),
        16 => Answer::Int(3),
        17 => Answer::Word(pool),
        20 => Answer::Word(id),
        _ => Answer::Flag(false),
    })
}

api! {
    fn cuPointerGetAttribute(data: *mut c_void, which: u32, address: u64) {
        let state = lock()?;
        state.current()?;
        if data.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        answer(&state, which, address)?.put(data)
    }

    fn cuPointerGetAttributes(count: u32, which: *const u32, data: *const *mut c_void, address: u64) {
        let state = lock()?;
        state.current()?;
        if count == 0 {
            return Err(Error::INVALID_VALUE);
        }
        let (which, data) = (list(which, count as usize)?, list(data, count as usize)?);
        for (which, data) in which.into_iter().zip(data) {
            // Unlike the call for one, this one answers for any address.
            answer(&state, which, address).unwrap_or_else(|_| Answer::nothing(which)).put(data)?;
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: *const c_void, which: u32, address: u64) {
        let state = lock()?;
        state.current()?;
        let _ = get(value.cast::<u8>())?;
        state.memory.find(address).ok_or(Error::INVALID_VALUE)?;
        // Synchronous memory operations are all there are.
        if which == 6 { Ok(()) } else { Err(Error::INVALID_VALUE) }
    }
}
