//! Managed memory: advice and prefetching, which are only remembered, and the questions about them.

use std::ffi::c_void;
use std::ops::Range;

use crate::edge::{api, list, put};
use crate::error::{Error, Outcome};
use crate::memory::Kind;
use crate::memory::advice::{Advice, Said};
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

/// The host, and no place at all, as numbers of devices.
const HOST: i32 = -1;
const NOWHERE: i32 = -2;

impl MemoryLocation {
    /// Whether there is such a place: the device, or the host in one of its forms.
    fn is_known(&self) -> bool {
        matches!((self.kind, self.id), (1, 0) | (2..=4, _))
    }

    /// The number of the device, which may be the host's.
    fn number(self) -> i32 {
        if self.kind == 1 { self.id } else { HOST }
    }
}

impl State {
    /// Whether a range is managed memory.
    fn managed(&self, address: u64, bytes: usize) -> Outcome {
        let (base, allocation) = self.memory.find(address).ok_or(Error::INVALID_VALUE)?;
        let fits = (address - base).checked_add(bytes as u64).is_some_and(|end| end <= allocation.extent);
        if allocation.kind == Kind::Managed && bytes > 0 && fits { Ok(()) } else { Err(Error::INVALID_VALUE) }
    }
}

/// A device by its number, which may be the host's, as a place.
fn place_of(device: i32) -> MemoryLocation {
    if device == HOST { MemoryLocation { kind: 2, id: 0 } } else { MemoryLocation { kind: 1, id: device } }
}

fn advise(address: u64, bytes: usize, advice: u32, place: MemoryLocation) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    if advice == 0 || advice > 6 {
        return Err(Error::INVALID_VALUE);
    }
    state.managed(address, bytes)?;
    state.memory.advice.say(address..address + bytes as u64, |said| match advice {
        1 | 2 => said.read_mostly = advice == 1,
        3 => said.preferred = Some(place),
        4 => said.preferred = None,
        _ if place.kind == 1 => said.used_by_device = advice == 5,
        _ => said.used_by_host = advice == 5,
    });
    Ok(())
}

fn prefetch(address: u64, bytes: usize, place: MemoryLocation, stream: u64) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    state.managed(address, bytes)?;
    if !place.is_known() {
        return Err(Error::INVALID_DEVICE);
    }
    state.memory.advice.say(address..address + bytes as u64, |said| said.prefetched = Some(place));
    nothing_in(state, stream)
}

/// Nothing to do, in the order of a stream.
fn nothing_in(mut state: Locked, stream: u64) -> Outcome {
    let stream = state.stream_or_own(stream)?;
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

/// Attributes of ranges: what was said about all of their bytes.
fn range_attribute(advice: &Advice, range: Range<u64>, data: *mut c_void, size: usize, which: u32) -> Outcome {
    let place = |prefetched: bool| {
        let of = |said: &Said| if prefetched { said.prefetched } else { said.preferred };
        advice.common(range.clone(), of).flatten()
    };
    let number = |place: Option<MemoryLocation>| place.map_or(NOWHERE, MemoryLocation::number);
    match (which, size) {
        (1, 4) => put(data.cast(), i32::from(advice.common(range, |said| said.read_mostly) == Some(true))),
        (2 | 4, 4) => put(data.cast(), number(place(which == 4))),
        (5 | 7, 4) => put(data.cast(), place(which == 7).map_or(0, |place| place.kind as i32)),
        (6 | 8, 4) => put(data.cast(), number(place(which == 8))),
        (3, size) if size > 0 && size % 4 == 0 => {
            let by_device = advice.common(range.clone(), |said| said.used_by_device) == Some(true);
            let by_host = advice.common(range, |said| said.used_by_host) == Some(true);
            let users = [(by_device, 0), (by_host, HOST)].into_iter().filter(|(uses, _)| *uses).map(|(_, user)| user);
            for (at, user) in (0..size / 4).zip(users.chain(std::iter::repeat(NOWHERE))) {
                put(data.cast::<i32>().wrapping_add(at), user)?;
            }
            Ok(())
        }
        _ => Err(Error::INVALID_VALUE),
    }
}

api! {
    fn cuMemAdvise(address: u64, bytes: usize, advice: u32, device: i32) {
        advise(address, bytes, advice, place_of(device))
    }

    fn cuMemAdvise_v2(address: u64, bytes: usize, advice: u32, location: MemoryLocation) {
        advise(address, bytes, advice, location)
    }

    fn cuMemPrefetchAsync(address: u64, bytes: usize, device: i32, stream: u64) {
        prefetch(address, bytes, place_of(device), stream)
    }

    fn cuMemPrefetchAsync_v2(address: u64, bytes: usize, location: MemoryLocation, _flags: u32, stream: u64) {
        prefetch(address, bytes, location, stream)
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
        if indices.first() != Some(&0) || !locations.iter().all(MemoryLocation::is_known) {
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
        range_attribute(&state.memory.advice, address..address + bytes as u64, data, size, which)
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
        let range = address..address + bytes as u64;
        data.into_iter().zip(sizes).zip(which).try_for_each(|((data, size), which)| {
            range_attribute(&state.memory.advice, range.clone(), data, size, which)
        })
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
