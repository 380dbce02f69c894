//! Memory of other processes, by handles that are passed between them.
//!
//! When a handle of an allocation is asked for, the pages that it lies in become a file in memory, at the same address;
//! a process that opens the handle maps that file. Events can be opened in their own process only.

use std::ffi::{CString, c_void};

use crate::edge::{api, get, put};
use crate::error::{Error, Outcome};
use crate::memory::{Kind, Memory};
use crate::queue;
use crate::state::{State, lock};

/// `CUipcMemHandle` and `CUipcEventHandle`: what the makers keep in them is their own affair.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IpcHandle {
    process: u32,
    kind: u32,
    /// The address, or the event, in the process that made it.
    value: u64,
    bytes: u64,
    /// The file with the memory, its size, and where in it the memory is.
    file: u64,
    file_bytes: u64,
    offset: u64,
    reserved: [u64; 2],
}

const MEMORY: u32 = 0x6d656d;
const EVENT: u32 = 0x657674;
/// An allocation of this size has memory of its own, which goes with it; smaller ones lie in memory that stays.
const LARGE: u64 = 1 << 20;

/// The size of a page.
fn page() -> u64 {
    // SAFETY: asks the system for a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Pages that have become a file.
pub(crate) struct Shared {
    file: i32,
    bytes: u64,
}

/// Memory of another process, as it is mapped here.
pub(crate) struct Opened {
    start: u64,
    bytes: u64,
    uses: u32,
}

fn handle(kind: u32, value: u64, bytes: u64) -> IpcHandle {
    let process = std::process::id();
    IpcHandle { process, kind, value, bytes, file: 0, file_bytes: 0, offset: 0, reserved: [0; 2] }
}

/// Maps a file at an address, or wherever there is room.
fn map(file: i32, start: u64, bytes: u64) -> Option<u64> {
    let fixed = if start == 0 { 0 } else { libc::MAP_FIXED };
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let start = start as *mut c_void;
    // SAFETY: at a given address, pages of the device's memory are replaced by a file with the same contents.
    let mapped = unsafe { libc::mmap(start, bytes as usize, access, libc::MAP_SHARED | fixed, file, 0) };
    (mapped != libc::MAP_FAILED).then_some(mapped as u64)
}

impl Memory {
    /// Makes the pages of an allocation a file; returns the first page and its file. Nothing may run meanwhile.
    fn share(&mut self, base: u64, extent: u64) -> Outcome<(u64, &Shared)> {
        let page = page();
        let (start, end) = (base / page * page, (base + extent).next_multiple_of(page));
        let known = self.shared.range(..end).next_back().map(|(&at, shared)| (at, at + shared.bytes));
        match known {
            Some((at, to)) if at <= start && end <= to => return Ok((at, &self.shared[&at])),
            Some((_, to)) if to > start => return Err(Error::NOT_SUPPORTED),
            _ => {}
        }
        let bytes = end - start;
        // SAFETY: makes a descriptor; the name is a terminated string.
        let file = unsafe { libc::memfd_create(c"warpwise".as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: a descriptor of our own, and pages that hold nothing but this allocation and the unused bytes that the
        // machine leaves around it; if one could not be read, the system would say so.
        let copied =
            file >= 0 && unsafe { libc::write(file, start as *const c_void, bytes as usize) } == bytes as isize;
        if !copied || map(file, start, bytes).is_none() {
            return Err(Error::NOT_SUPPORTED);
        }
        self.shared.insert(start, Shared { file, bytes });
        Ok((start, &self.shared[&start]))
    }
}

impl Memory {
    /// An allocation is freed: if its memory goes with it, so does what was known of its file.
    pub(super) fn unshare(&mut self, base: u64, bytes: u64) {
        if bytes < LARGE {
            return;
        }
        let start = base / page() * page();
        if let Some(Shared { file, .. }) = self.shared.remove(&start) {
            // SAFETY: a descriptor of our own, used for the last time.
            unsafe { libc::close(file) };
        }
    }
}

impl State {
    /// Opens memory of another process.
    fn open_memory(&mut self, shared: &IpcHandle, context: u64) -> Outcome<u64> {
        let path = CString::new(format!("/proc/{}/fd/{}", shared.process, shared.file)).expect("no NUL");
        // SAFETY: a terminated path.
        let file = unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
        if file < 0 {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: a descriptor that was just opened; its end says how much can be mapped.
        let end = unsafe { libc::lseek(file, 0, libc::SEEK_END) };
        let fits = u64::try_from(end).is_ok_and(|end| end == shared.file_bytes)
            && shared.offset.checked_add(shared.bytes).is_some_and(|last| last <= shared.file_bytes);
        let start = if fits { map(file, 0, shared.file_bytes) } else { None };
        // SAFETY: the descriptor is ours; a mapping stays without it.
        unsafe { libc::close(file) };
        let start = start.ok_or(Error::MAP_FAILED)?;
        let address = start + shared.offset;
        self.adopt(address, shared.bytes, Kind::Mapped, context, 0)?;
        self.memory.opened.insert(address, Opened { start, bytes: shared.file_bytes, uses: 1 });
        Ok(address)
    }
}

api! {
    fn cuIpcGetMemHandle(place: *mut IpcHandle, address: u64) {
        queue::finish();
        let mut state = lock()?;
        state.context()?;
        let (base, allocation) = state.memory.find(address).ok_or(Error::INVALID_VALUE)?;
        if allocation.kind != Kind::Device {
            return Err(Error::INVALID_VALUE);
        }
        let (bytes, extent) = (allocation.bytes, allocation.extent);
        let (start, shared) = state.memory.share(base, extent)?;
        let made = IpcHandle {
            file: shared.file as u64,
            file_bytes: shared.bytes,
            offset: base - start,
            ..handle(MEMORY, base, bytes)
        };
        put(place, made)
    }

    fn cuIpcOpenMemHandle_v2(address: *mut u64, shared: IpcHandle, flags: u32) {
        let mut state = lock()?;
        let context = state.context()?;
        if shared.kind != MEMORY || flags != 1 || address.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        if shared.process == std::process::id() {
            state.memory.find(shared.value).ok_or(Error::INVALID_VALUE)?;
            return put(address, shared.value);
        }
        let opened = state.open_memory(&shared, context)?;
        put(address, opened)
    }

    fn cuIpcCloseMemHandle(address: u64) {
        queue::finish();
        let mut state = lock()?;
        state.context()?;
        let Some(opened) = state.memory.opened.get_mut(&address) else {
            return state.memory.find(address).map(|_| ()).ok_or(Error::INVALID_VALUE);
        };
        opened.uses -= 1;
        if opened.uses == 0
            && let Some(Opened { start, bytes, .. }) = state.memory.opened.remove(&address)
        {
            state.free_allocation(address)?;
            // SAFETY: mapped when it was opened, and nobody uses it any more.
            unsafe { libc::munmap(start as *mut c_void, bytes as usize) };
        }
        Ok(())
    }

    fn cuIpcGetEventHandle(place: *mut IpcHandle, event: u64) {
        let state = lock()?;
        state.context()?;
        // Only an event that was made for other processes, and without timing.
        if state.events.get(event)?.flags & 6 != 6 {
            return Err(Error::INVALID_HANDLE);
        }
        put(place, handle(EVENT, event, 0))
    }

    fn cuIpcOpenEventHandle(event: *mut u64, shared: IpcHandle) {
        let state = lock()?;
        state.context()?;
        if shared.kind != EVENT {
            return Err(Error::INVALID_VALUE);
        }
        if shared.process != std::process::id() {
            return Err(Error::NOT_SUPPORTED);
        }
        state.events.get(shared.value)?;
        put(event, shared.value)
    }

    fn cuMemPoolExportPointer(place: *mut IpcHandle, address: u64) {
        let state = lock()?;
        let (base, allocation) = state.memory.find(address).ok_or(Error::INVALID_VALUE)?;
        if allocation.kind != Kind::Pooled {
            return Err(Error::INVALID_VALUE);
        }
        put(place, handle(MEMORY, base, allocation.bytes))
    }

    fn cuMemPoolImportPointer(address: *mut u64, pool: u64, shared: *const IpcHandle) {
        let state = lock()?;
        state.memory.pools.get(pool).map_err(|_| Error::INVALID_VALUE)?;
        let shared = get(shared)?;
        if shared.kind != MEMORY || shared.process != std::process::id() {
            return Err(Error::INVALID_VALUE);
        }
        put(address, shared.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_have_the_size_of_the_header() {
        assert_eq!(size_of::<IpcHandle>(), 64);
    }
}
