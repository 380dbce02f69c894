//! Virtual memory management: addresses are reserved, memory is created, and one is mapped to the other.
//!
//! Memory is a file that exists only in memory, so that it can be mapped in several places and sent to other processes.

use std::collections::BTreeMap;
use std::ffi::c_void;

use crate::edge::{api, get, list, put, put_if};
use crate::error::{Error, Outcome};
use crate::memory::Kind;
use crate::memory::managed::MemoryLocation;
use crate::memory::pool::AccessDescription;
use crate::queue;
use crate::state::{State, lock};

/// Sizes and addresses are multiples of this.
const GRANULARITY: usize = 2 << 20;
/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`.
const FILE_DESCRIPTOR: u32 = 1;

/// Memory without an address.
pub(crate) struct Physical {
    file: i32,
    bytes: usize,
    properties: AllocationProperties,
    /// Handles that were given out and not released.
    held: usize,
    /// Mappings of it.
    mapped: usize,
}

/// Addresses without memory.
pub(crate) struct Reservation {
    bytes: usize,
    mappings: BTreeMap<u64, Mapping>,
}

/// Memory at an address.
struct Mapping {
    bytes: usize,
    physical: u64,
    /// What `cuMemSetAccess` allowed: 0, 1 (reading) or 3.
    access: u32,
}

/// `CUmemAllocationProp`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AllocationProperties {
    kind: u32,
    handles: u32,
    location: MemoryLocation,
    metadata: u64,
    flags: [u8; 8],
}

impl AllocationProperties {
    fn check(&self) -> Outcome {
        match (self.kind, self.location) {
            (1, MemoryLocation { kind: 1, id: 0 } | MemoryLocation { kind: 2..=4, .. }) => Ok(()),
            (1, MemoryLocation { kind: 1, .. }) => Err(Error::INVALID_DEVICE),
            _ => Err(Error::INVALID_VALUE),
        }
    }
}

/// A file in memory of that size.
fn new_file(bytes: usize) -> Outcome<i32> {
    // SAFETY: makes a descriptor; the name is a terminated string.
    let file = unsafe { libc::memfd_create(c"warpwise".as_ptr(), libc::MFD_CLOEXEC) };
    // SAFETY: a descriptor of our own.
    if file < 0 || unsafe { libc::ftruncate(file, bytes as libc::off_t) } != 0 {
        return Err(Error::OUT_OF_MEMORY);
    }
    Ok(file)
}

/// Puts a file, or nothing, at an address that is ours.
fn place(address: u64, bytes: usize, file: Option<(i32, usize)>) -> Outcome {
    let (flags, file, offset) = match file {
        Some((file, offset)) => (libc::MAP_SHARED, file, offset),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0),
    };
    let access = if file < 0 { libc::PROT_NONE } else { libc::PROT_READ | libc::PROT_WRITE };
    let start = address as *mut c_void;
    // SAFETY: the range is a reservation of the arena's, which nothing else uses.
    let mapped = unsafe { libc::mmap(start, bytes, access, flags | libc::MAP_FIXED, file, offset as libc::off_t) };
    if mapped == libc::MAP_FAILED { Err(Error::MAP_FAILED) } else { Ok(()) }
}

impl State {
    /// The reservation that holds a range, and where it starts.
    fn reservation(&mut self, address: u64, bytes: usize) -> Outcome<(u64, &mut Reservation)> {
        let found = self.memory.reservations.range_mut(..=address).next_back();
        let (&base, reservation) = found.ok_or(Error::INVALID_VALUE)?;
        let end = address.checked_add(bytes as u64).ok_or(Error::INVALID_VALUE)?;
        if end <= base + reservation.bytes as u64 { Ok((base, reservation)) } else { Err(Error::INVALID_VALUE) }
    }

    /// Forgets memory that nobody holds or has mapped.
    fn drop_physical(&mut self, handle: u64) {
        if self.memory.physical.get(handle).is_ok_and(|physical| physical.held == 0 && physical.mapped == 0)
            && let Ok(physical) = self.memory.physical.remove(handle)
        {
            self.memory.used -= physical.bytes as u64;
            // SAFETY: a descriptor of our own, used for the last time.
            unsafe { libc::close(physical.file) };
        }
    }

    fn create_physical(&mut self, file: i32, bytes: usize, properties: AllocationProperties) -> u64 {
        self.memory.used += bytes as u64;
        self.memory.physical.add(Physical { file, bytes, properties, held: 1, mapped: 0 })
    }
}

fn aligned(numbers: &[usize]) -> Outcome {
    if numbers.iter().all(|number| number.is_multiple_of(GRANULARITY)) { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

api! {
    fn cuMemGetAllocationGranularity(granularity: *mut usize, properties: *const AllocationProperties, option: u32) {
        let _state = lock()?;
        get(properties)?.check()?;
        if option > 1 {
            return Err(Error::INVALID_VALUE);
        }
        put(granularity, GRANULARITY)
    }

    fn cuMemAddressReserve(address: *mut u64, bytes: usize, align: usize, _hint: u64, flags: u64) {
        let mut state = lock()?;
        if address.is_null() || bytes == 0 || flags != 0 || align != 0 && !align.is_power_of_two() {
            return Err(Error::INVALID_VALUE);
        }
        aligned(&[bytes])?;
        let base = state.memory.arena.take(bytes, align.max(GRANULARITY))? as u64;
        state.memory.reservations.insert(base, Reservation { bytes, mappings: BTreeMap::new() });
        put(address, base)
    }

    fn cuMemAddressFree(address: u64, bytes: usize) {
        let mut state = lock()?;
        match state.memory.reservations.get(&address) {
            Some(reservation) if reservation.bytes == bytes && reservation.mappings.is_empty() => {}
            _ => return Err(Error::INVALID_VALUE),
        }
        state.memory.reservations.remove(&address);
        state.memory.arena.give_back(address as usize, bytes);
        Ok(())
    }

    fn cuMemCreate(handle: *mut u64, bytes: usize, properties: *const AllocationProperties, flags: u64) {
        let mut state = lock()?;
        let properties = get(properties)?;
        properties.check()?;
        if handle.is_null() || bytes == 0 || flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        aligned(&[bytes])?;
        if bytes as u64 > state.memory.free() {
            return Err(Error::OUT_OF_MEMORY);
        }
        let file = new_file(bytes)?;
        let made = state.create_physical(file, bytes, properties);
        put(handle, made)
    }

    fn cuMemRelease(handle: u64) {
        let mut state = lock()?;
        let physical = state.memory.physical.get_mut(handle).map_err(|_| Error::INVALID_VALUE)?;
        physical.held = physical.held.checked_sub(1).ok_or(Error::INVALID_VALUE)?;
        state.drop_physical(handle);
        Ok(())
    }

    fn cuMemMap(address: u64, bytes: usize, offset: usize, handle: u64, flags: u64) {
        let mut state = lock()?;
        if bytes == 0 || offset != 0 || flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        aligned(&[bytes, address as usize])?;
        let physical = state.memory.physical.get(handle).map_err(|_| Error::INVALID_VALUE)?;
        let (file, room) = (physical.file, physical.bytes);
        if bytes > room {
            return Err(Error::INVALID_VALUE);
        }
        let (_, reservation) = state.reservation(address, bytes)?;
        let end = address + bytes as u64;
        let before = reservation.mappings.range(..end).next_back();
        if before.is_some_and(|(&at, mapping)| at + mapping.bytes as u64 > address) {
            return Err(Error::INVALID_VALUE);
        }
        place(address, bytes, Some((file, offset)))?;
        reservation.mappings.insert(address, Mapping { bytes, physical: handle, access: 0 });
        state.memory.physical.get_mut(handle)?.mapped += 1;
        Ok(())
    }

    fn cuMemUnmap(address: u64, bytes: usize) {
        queue::finish();
        let mut state = lock()?;
        let end = address.checked_add(bytes as u64).ok_or(Error::INVALID_VALUE)?;
        let (_, reservation) = state.reservation(address, bytes)?;
        let inside: Vec<u64> = reservation.mappings.range(address..end).map(|(&at, _)| at).collect();
        let covered: usize = inside.iter().map(|at| reservation.mappings[at].bytes).sum();
        if inside.is_empty() || covered != bytes {
            return Err(Error::INVALID_VALUE);
        }
        let gone: Vec<Mapping> = inside.iter().filter_map(|at| reservation.mappings.remove(at)).collect();
        for (at, mapping) in inside.into_iter().zip(gone) {
            if mapping.access != 0 {
                state.free_allocation(at)?;
            }
            place(at, mapping.bytes, None)?;
            state.memory.physical.get_mut(mapping.physical)?.mapped -= 1;
            state.drop_physical(mapping.physical);
        }
        Ok(())
    }

    fn cuMemSetAccess(address: u64, bytes: usize, access: *const AccessDescription, count: usize) {
        let mut state = lock()?;
        let access = list(access, count)?;
        let on_device = access.iter().find(|access| access.location == MemoryLocation { kind: 1, id: 0 });
        let Some(flags) = on_device.map(|access| access.flags) else {
            return if access.iter().all(|access| access.location.kind == 2) { Ok(()) } else { Err(Error::INVALID_VALUE) };
        };
        let end = address.checked_add(bytes as u64).ok_or(Error::INVALID_VALUE)?;
        let (_, reservation) = state.reservation(address, bytes)?;
        let mut changed = Vec::new();
        let mut covered = 0;
        for (&at, mapping) in reservation.mappings.range_mut(address..end) {
            covered += mapping.bytes;
            changed.push((at, mapping.bytes, mapping.access));
            mapping.access = flags;
        }
        if covered != bytes || !matches!(flags, 0 | 1 | 3) {
            return Err(Error::INVALID_VALUE);
        }
        for (at, bytes, before) in changed {
            match (before, flags) {
                (0, 1..) => {
                    let context = state.current().unwrap_or(0);
                    state.adopt(at, bytes as u64, Kind::Mapped, context, 0)?;
                }
                (1.., 0) => {
                    state.free_allocation(at)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn cuMemGetAccess(flags: *mut u64, location: *const MemoryLocation, address: u64) {
        let mut state = lock()?;
        let location = get(location)?;
        let (_, reservation) = state.reservation(address, 1)?;
        let found = reservation.mappings.range(..=address).next_back();
        let (&at, mapping) = found.ok_or(Error::INVALID_VALUE)?;
        if address - at >= mapping.bytes as u64 {
            return Err(Error::INVALID_VALUE);
        }
        put(flags, if location.kind == 1 { mapping.access.into() } else { 0 })
    }

    fn cuMemRetainAllocationHandle(handle: *mut u64, address: *mut c_void) {
        let mut state = lock()?;
        let (_, reservation) = state.reservation(address as u64, 1)?;
        let found = reservation.mappings.range(..=address as u64).next_back();
        let (&at, mapping) = found.ok_or(Error::INVALID_VALUE)?;
        if address as u64 - at >= mapping.bytes as u64 {
            return Err(Error::INVALID_VALUE);
        }
        let physical = mapping.physical;
        state.memory.physical.get_mut(physical)?.held += 1;
        put(handle, physical)
    }

    fn cuMemGetAllocationPropertiesFromHandle(properties: *mut AllocationProperties, handle: u64) {
        let state = lock()?;
        put(properties, state.memory.physical.get(handle).map_err(|_| Error::INVALID_VALUE)?.properties)
    }

    fn cuMemExportToShareableHandle(shared: *mut c_void, handle: u64, kind: u32, flags: u64) {
        let state = lock()?;
        let physical = state.memory.physical.get(handle).map_err(|_| Error::INVALID_VALUE)?;
        if kind != FILE_DESCRIPTOR || physical.properties.handles & FILE_DESCRIPTOR == 0 || flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: a descriptor of our own.
        let file = unsafe { libc::dup(physical.file) };
        if file < 0 {
            return Err(Error::OPERATING_SYSTEM);
        }
        put(shared.cast(), file)
    }

    fn cuMemImportFromShareableHandle(handle: *mut u64, shared: *mut c_void, kind: u32) {
        let mut state = lock()?;
        if kind != FILE_DESCRIPTOR || handle.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let file = i32::try_from(shared as i64).map_err(|_| Error::INVALID_VALUE)?;
        // SAFETY: any number may be asked for its end; what is no file says so.
        let end = unsafe { libc::lseek(file, 0, libc::SEEK_END) };
        let bytes = usize::try_from(end).ok().filter(|&bytes| bytes > 0).ok_or(Error::INVALID_VALUE)?;
        aligned(&[bytes])?;
        // SAFETY: a descriptor that was just found to be a file.
        let own = unsafe { libc::dup(file) };
        let location = MemoryLocation { kind: 1, id: 0 };
        let properties = AllocationProperties { kind: 1, handles: FILE_DESCRIPTOR, location, metadata: 0, flags: [0; 8] };
        let made = state.create_physical(own, bytes, properties);
        put_if(handle, made);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_of_the_header() {
        assert_eq!(size_of::<AllocationProperties>(), 32);
    }
}
