//! Memory of the host that kernels can reach: pinned and registered.

use std::ffi::c_void;

use crate::edge::{api, put};
use crate::error::{Error, Outcome};
use crate::memory::Kind;
use crate::queue;
use crate::state::lock;

fn pinned(place: *mut *mut c_void, bytes: usize, flags: u32) -> Outcome {
    let mut state = lock()?;
    let context = state.context()?;
    if place.is_null() || bytes == 0 || flags & !0xf != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let base = state.allocate(bytes as u64, Kind::Pinned, context, flags)?;
    put(place, base as *mut c_void)
}

api! {
    fn cuMemAllocHost_v2(place: *mut *mut c_void, bytes: usize) {
        pinned(place, bytes, 0)
    }

    fn cuMemHostAlloc(place: *mut *mut c_void, bytes: usize, flags: u32) {
        pinned(place, bytes, flags)
    }

    fn cuMemFreeHost(place: *mut c_void) {
        queue::finish();
        let mut state = lock()?;
        state.context()?;
        let base = place as u64;
        match state.memory.find(base) {
            Some((start, allocation)) if start == base && allocation.kind == Kind::Pinned => {
                state.free_allocation(base).map(|_| ())
            }
            _ => Err(Error::INVALID_VALUE),
        }
    }

    fn cuMemHostRegister_v2(place: *mut c_void, bytes: usize, flags: u32) {
        let mut state = lock()?;
        let context = state.context()?;
        let base = place as u64;
        let end = base.checked_add(bytes as u64).ok_or(Error::INVALID_VALUE)?;
        if base == 0 || bytes == 0 || flags & !0xf != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let overlaps = state.memory.find(base).is_some()
            || state.memory.allocations.range(base..end).next().is_some();
        if overlaps {
            return Err(Error::HOST_MEMORY_ALREADY_REGISTERED);
        }
        state.adopt(base, bytes as u64, Kind::Registered, context, flags)
    }

    fn cuMemHostUnregister(place: *mut c_void) {
        queue::finish();
        let mut state = lock()?;
        state.context()?;
        let base = place as u64;
        match state.memory.find(base) {
            Some((start, allocation)) if start == base && allocation.kind == Kind::Registered => {
                state.free_allocation(base).map(|_| ())
            }
            _ => Err(Error::HOST_MEMORY_NOT_REGISTERED),
        }
    }

    fn cuMemHostGetDevicePointer_v2(address: *mut u64, place: *mut c_void, flags: u32) {
        let state = lock()?;
        state.context()?;
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let known = state.memory.find(place as u64).filter(|(_, allocation)| allocation.kind.is_host());
        known.ok_or(Error::INVALID_VALUE)?;
        put(address, place as u64)
    }

    fn cuMemHostGetFlags(flags: *mut u32, place: *mut c_void) {
        let state = lock()?;
        state.context()?;
        let (_, allocation) = state.memory.find(place as u64).ok_or(Error::INVALID_VALUE)?;
        if allocation.kind != Kind::Pinned {
            return Err(Error::INVALID_VALUE);
        }
        // With one address space, all pinned memory is mapped.
        put(flags, allocation.flags | 2)
    }
}
