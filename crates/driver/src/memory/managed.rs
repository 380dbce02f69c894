//! Managed memory: advice and prefetching, which have nothing to do here, and the questions about them.

use std::ffi::c_void;

use crate::edge::{api, list, put};
use crate::error::{Error, Outcome};
use crate::memory::Kind;
use crate::queue;
use crate::state::{Locked, State, lock};
use crate::work::Work;

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MemoryLocation {
    /// 1 is a device, 2 the host.
    pub(crate) kind: u32,
    pub(crate) id: i32,
}

impl State {
    /// Whether a range is managed memory.
    fn managed(&self, address: u64, bytes: usize) -> Outcome {
        let (base, allocation) = self.memory.find(address).ok_or(Error::INVALID_VALUE)?;
        let fits = (address - base).checked_add(bytes as u64).is_some_and(|end| end <= allocation.extent);
        if allocation.kind == Kind::Managed && bytes > 0 && fits { Ok(()) } else { Err(Error::INVALID_VALUE) }
    }
}

fn advise(address: u64, bytes: usize, advice: u32) -> Outcome {
    let state = lock()?;
    state.context()?;
    if advice == 0 || advice > 6 {
        return Err(Error::INVALID_VALUE);
    }
    state.managed(address, bytes)
}

fn prefetch(address: u64, bytes: usize, known_place: bool, stream: u64) -> Outcome {
    let state = lock()?;
    state.context()?;
    state.managed(address, bytes)?;
    if !known_place {
        return Err(Error::INVALID_DEVICE);
    }
    nothing_in(state, stream)
}

/// Nothing to do, in the order of a stream.
fn nothing_in(state: Locked, stream: u64) -> Outcome {
    let stream = state.stream(stream)?;
    queue::submit(state, stream, Work::Nothing)
}

/// Nothing to do about several ranges of managed memory: what is discarded may also stay.
fn nothing_about(addresses: *const u64, sizes: *const usize, count: usize, flags: u64, stream: u64) -> Outcome {
    let state = lock()?;
    state.context()?;
    if count == 0 || flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    for (address, bytes) in list(addresses, count)?.into_iter().zip(list(sizes, count)?) {
        state.managed(address, bytes)?;
    }
    nothing_in(state, stream)
}

/// Attributes of ranges: where memory is preferred and who uses it, which nobody has said.
fn range_attribute(data: *mut c_void, size: usize, which: u32) -> Outcome {
    match (which, size) {
        (1, 4) => put(data.cast(), 0i32),
        (2 | 4 | 5 | 6 | 7 | 8, 4) => put(data.cast(), -2i32),
        (3, size) if size > 0 && size % 4 == 0 => {
            for at in 0..size / 4 {
                put(data.cast::<i32>().wrapping_add(at), -2)?;
            }
            Ok(())
        }
        _ => Err(Error::INVALID_VALUE),
    }
}

api! {
    fn cuMemAdvise(address: u64, bytes: usize, advice: u32, _device: i32) {
        advise(address, bytes, advice)
    }

    fn cuMemAdvise_v2(address: u64, bytes: usize, advice: u32, _location: MemoryLocation) {
        advise(address, bytes, advice)
    }

    fn cuMemPrefetchAsync(address: u64, bytes: usize, device: i32, stream: u64) {
        prefetch(address, bytes, matches!(device, 0 | -1), stream)
    }

    fn cuMemPrefetchAsync_v2(address: u64, bytes: usize, location: MemoryLocation, _flags: u32, stream: u64) {
        prefetch(address, bytes, (location.kind == 1 && location.id == 0) || matches!(location.kind, 2..=4), stream)
    }

    fn cuMemPrefetchBatchAsync(
        addresses: *const u64,
        sizes: *const usize,
        count: usize,
        locations: *const MemoryLocation,
        indices: *const usize,
        location_count: usize,
        flags: u64,
        stream: u64,
    ) {
        if location_count == 0 || location_count > count {
            return Err(Error::INVALID_VALUE);
        }
        let (locations, indices) = (list(locations, location_count)?, list(indices, location_count)?);
        let known = locations.iter().all(|location| matches!((location.kind, location.id), (1, 0) | (2..=4, _)));
        if indices.first() != Some(&0) || !known {
            return Err(Error::INVALID_VALUE);
        }
        nothing_about(addresses, sizes, count, flags, stream)
    }

    fn cuMemDiscardBatchAsync(addresses: *const u64, sizes: *const usize, count: usize, flags: u64, stream: u64) {
        nothing_about(addresses, sizes, count, flags, stream)
    }

    fn cuMemDiscardAndPrefetchBatchAsync(
        addresses: *const u64,
        sizes: *const usize,
        count: usize,
        _locations: *const MemoryLocation,
        _indices: *const usize,
        _location_count: usize,
        flags: u64,
        stream: u64,
    ) {
        nothing_about(addresses, sizes, count, flags, stream)
    }

    fn cuMemRangeGetAttribute(data: *mut c_void, size: usize, which: u32, address: u64, bytes: usize) {
        let state = lock()?;
        state.managed(address, bytes)?;
        range_attribute(data, size, which)
    }

    fn cuMemRangeGetAttributes(
        data: *const *mut c_void,
        sizes: *const usize,
        which: *const u32,
        count: usize,
        address: u64,
        bytes: usize,
    ) {
        let state = lock()?;
        state.managed(address, bytes)?;
        let (data, sizes, which) = (list(data, count)?, list(sizes, count)?, list(which, count)?);
        data.into_iter().zip(sizes).zip(which).try_for_each(|((data, size), which)| range_attribute(data, size, which))
    }

    fn cuStreamAttachMemAsync(stream: u64, address: u64, _bytes: usize, flags: u32) {
        let state = lock()?;
        state.context()?;
        if !matches!(flags, 1 | 2 | 4) {
            return Err(Error::INVALID_VALUE);
        }
        let (_, allocation) = state.memory.find(address).ok_or(Error::INVALID_VALUE)?;
        if allocation.kind != Kind::Managed {
            return Err(Error::INVALID_VALUE);
        }
        nothing_in(state, stream)
    }
}
