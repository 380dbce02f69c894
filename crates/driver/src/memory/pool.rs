//! Pools, and memory that is allocated and freed in the order of a stream.

use std::ffi::c_void;

use crate::edge::{api, get, put};
use crate::error::{Error, Outcome};
use crate::memory::Kind;
use crate::memory::managed::MemoryLocation;
use crate::queue;
use crate::state::{Locked, State, lock};
use crate::work::Work;

/// A pool: mostly a set of numbers, because memory is given back at once.
pub(crate) struct Pool {
    /// The switches on reuse, and the threshold: attributes 1 to 4.
    settings: [u64; 4],
    used: u64,
    high: u64,
    is_default: bool,
}

/// Marks memory that nodes of graphs allocate and free.
pub(super) const OF_A_GRAPH: u32 = 1 << 31;

/// `CUmemPoolProps`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PoolProperties {
    kind: u32,
    handles: u32,
    location: MemoryLocation,
    security: u64,
    most: usize,
    usage: u16,
    reserved: [u8; 54],
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AccessDescription {
    pub(crate) location: MemoryLocation,
    pub(crate) flags: u32,
}

impl Pool {
    fn new(is_default: bool) -> Self {
        Self { settings: [1, 1, 1, 0], used: 0, high: 0, is_default }
    }
}

impl State {
    /// The pool that every device has.
    fn the_default_pool(&mut self) -> u64 {
        if self.memory.default_pool == 0 {
            self.memory.default_pool = self.memory.pools.add(Pool::new(true));
            self.memory.current_pool = self.memory.default_pool;
        }
        self.memory.default_pool
    }

    /// The pool that allocations come from unless they name one.
    pub(crate) fn the_current_pool(&mut self) -> u64 {
        self.the_default_pool();
        self.memory.current_pool
    }

    /// Allocates from a pool.
    pub(crate) fn allocate_from(&mut self, pool: u64, bytes: u64, context: u64) -> Outcome<u64> {
        self.memory.pools.get(pool)?;
        let base = self.allocate(bytes, Kind::Pooled, context, 0)?;
        if let Some(allocation) = self.memory.allocations.get_mut(&base) {
            allocation.pool = pool;
        }
        let pool = self.memory.pools.get_mut(pool)?;
        pool.used += bytes;
        pool.high = pool.high.max(pool.used);
        Ok(base)
    }

    /// Memory of a graph stays where it is, so that the graph can be launched again.
    pub(crate) fn keep_for_graphs(&mut self, address: u64) {
        if let Some(allocation) = self.memory.allocations.get_mut(&address) {
            allocation.flags |= OF_A_GRAPH;
        }
    }

    /// Frees memory in the order of a stream, whatever kind of allocation it is from.
    pub(crate) fn free_pooled(&mut self, address: u64) -> Outcome {
        let found = self.memory.find(address);
        if found.is_some_and(|(base, allocation)| base == address && allocation.flags & OF_A_GRAPH != 0) {
            return Ok(());
        }
        let from = found.map(|(_, allocation)| (allocation.pool, allocation.bytes));
        self.free_device(address)?;
        if let Some((pool, bytes)) = from
            && let Ok(pool) = self.memory.pools.get_mut(pool)
        {
            pool.used = pool.used.saturating_sub(bytes);
        }
        Ok(())
    }
}

fn allocate_in(mut state: Locked, place: *mut u64, bytes: usize, pool: u64, stream: u64) -> Outcome {
    let context = state.context()?;
    let stream = state.stream_or_own(stream)?;
    if place.is_null() || bytes == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let address = state.allocate_from(pool, bytes as u64, context)?;
    put(place, address)?;
    // A capturing stream gets a node; otherwise the memory is there.
    if !state.is_capturing(stream) {
        return Ok(());
    }
    state.keep_for_graphs(address);
    queue::submit(state, stream, Work::Allocated { address, bytes: bytes as u64 })
}

fn device_pool(place: *mut u64, device: i32, current: bool) -> Outcome {
    let mut state = lock()?;
    if device != 0 {
        return Err(Error::INVALID_DEVICE);
    }
    let pool = if current { state.the_current_pool() } else { state.the_default_pool() };
    put(place, pool)
}

fn location_pool(place: *mut u64, location: *const MemoryLocation, current: bool) -> Outcome {
    match get(location)? {
        MemoryLocation { kind: 1, id } => device_pool(place, id, current),
        _ => Err(Error::NOT_SUPPORTED),
    }
}

fn set_current_pool(pool: u64) -> Outcome {
    let mut state = lock()?;
    state.the_default_pool();
    state.memory.pools.get(pool).map_err(|_| Error::INVALID_VALUE)?;
    state.memory.current_pool = pool;
    Ok(())
}

api! {
    fn cuMemAllocAsync(address: *mut u64, bytes: usize, stream: u64) {
        let mut state = lock()?;
        let pool = state.the_current_pool();
        allocate_in(state, address, bytes, pool, stream)
    }

    fn cuMemAllocFromPoolAsync(address: *mut u64, bytes: usize, pool: u64, stream: u64) {
        allocate_in(lock()?, address, bytes, pool, stream)
    }

    fn cuMemFreeAsync(address: u64, stream: u64) {
        let mut state = lock()?;
        state.context()?;
        let stream = state.stream_or_own(stream)?;
        if address == 0 {
            return Ok(());
        }
        queue::submit(state, stream, Work::Free(address))
    }

    fn cuDeviceGetDefaultMemPool(pool: *mut u64, device: i32) {
        device_pool(pool, device, false)
    }

    fn cuDeviceGetMemPool(pool: *mut u64, device: i32) {
        device_pool(pool, device, true)
    }

    fn cuDeviceSetMemPool(device: i32, pool: u64) {
        if device != 0 {
            return Err(Error::INVALID_DEVICE);
        }
        set_current_pool(pool)
    }

    fn cuMemGetDefaultMemPool(pool: *mut u64, location: *const MemoryLocation, _kind: u32) {
        location_pool(pool, location, false)
    }

    fn cuMemGetMemPool(pool: *mut u64, location: *const MemoryLocation, _kind: u32) {
        location_pool(pool, location, true)
    }

    fn cuMemSetMemPool(location: *const MemoryLocation, _kind: u32, pool: u64) {
        match get(location)? {
            MemoryLocation { kind: 1, id: 0 } => set_current_pool(pool),
            _ => Err(Error::NOT_SUPPORTED),
        }
    }

    fn cuMemPoolCreate(pool: *mut u64, properties: *const PoolProperties) {
        let mut state = lock()?;
        let properties = get(properties)?;
        // Pinned memory, on the device or the host.
        if properties.kind != 1 || !matches!(properties.location.kind, 1..=3) {
            return Err(Error::INVALID_VALUE);
        }
        if properties.location.kind == 1 && properties.location.id != 0 {
            return Err(Error::INVALID_DEVICE);
        }
        let handle = state.memory.pools.add(Pool::new(false));
        put(pool, handle)
    }

    fn cuMemPoolDestroy(pool: u64) {
        let mut state = lock()?;
        if state.memory.pools.get(pool).map_err(|_| Error::INVALID_VALUE)?.is_default {
            return Err(Error::INVALID_VALUE);
        }
        if state.memory.current_pool == pool {
            state.memory.current_pool = state.memory.default_pool;
        }
        state.memory.pools.remove(pool).map(|_| ())
    }

    fn cuMemPoolTrimTo(pool: u64, _least: usize) {
        lock()?.memory.pools.get(pool).map(|_| ()).map_err(|_| Error::INVALID_VALUE)
    }

    fn cuMemPoolGetAttribute(pool: u64, which: u32, value: *mut c_void) {
        let state = lock()?;
        let pool = state.memory.pools.get(pool).map_err(|_| Error::INVALID_VALUE)?;
        match which {
            1..=3 => put(value.cast(), pool.settings[which as usize - 1] as i32),
            4 => put(value.cast(), pool.settings[3]),
            5 | 7 => put(value.cast(), pool.used),
            6 | 8 => put(value.cast(), pool.high),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    fn cuMemPoolSetAttribute(pool: u64, which: u32, value: *const c_void) {
        let mut state = lock()?;
        let pool = state.memory.pools.get_mut(pool).map_err(|_| Error::INVALID_VALUE)?;
        match which {
            1..=3 => pool.settings[which as usize - 1] = u64::from(get(value.cast::<i32>())? != 0),
            4 => pool.settings[3] = get(value.cast())?,
            // High marks can only be put back.
            6 | 8 if get(value.cast::<u64>())? == 0 => pool.high = pool.used,
            _ => return Err(Error::INVALID_VALUE),
        }
        Ok(())
    }

    fn cuMemPoolSetAccess(pool: u64, map: *const AccessDescription, count: usize) {
        let state = lock()?;
        state.memory.pools.get(pool).map_err(|_| Error::INVALID_VALUE)?;
        let good = crate::edge::list(map, count)?.iter().all(|access| match access.location {
            MemoryLocation { kind: 1, id: 0 } => access.flags == 3,
            MemoryLocation { kind: 2..=4, .. } => true,
            _ => false,
        });
        if good { Ok(()) } else { Err(Error::INVALID_VALUE) }
    }

    fn cuMemPoolGetAccess(flags: *mut u32, pool: u64, location: *const MemoryLocation) {
        let state = lock()?;
        state.memory.pools.get(pool).map_err(|_| Error::INVALID_VALUE)?;
        match get(location)? {
            MemoryLocation { kind: 1, id: 0 } => put(flags, 3),
            _ => put(flags, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_of_the_header() {
        assert_eq!(size_of::<PoolProperties>(), 88);
        assert_eq!(size_of::<AccessDescription>(), 12);
    }
}
