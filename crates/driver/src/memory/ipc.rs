//! Memory and events of other processes: only those of this process can be opened.

use crate::edge::{api, get, put};
use crate::error::Error;
use crate::memory::Kind;
use crate::state::lock;

/// `CUipcMemHandle` and `CUipcEventHandle`: what the makers keep in them is their own affair.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IpcHandle {
    process: u32,
    kind: u32,
    value: u64,
    reserved: [u64; 6],
}

const MEMORY: u32 = 0x6d656d;
const EVENT: u32 = 0x657674;

fn handle(kind: u32, value: u64) -> IpcHandle {
    IpcHandle { process: std::process::id(), kind, value, reserved: [0; 6] }
}

api! {
    fn cuIpcGetMemHandle(place: *mut IpcHandle, address: u64) {
        let state = lock()?;
        state.context()?;
        let (base, allocation) = state.memory.find(address).ok_or(Error::INVALID_VALUE)?;
        if allocation.kind != Kind::Device {
            return Err(Error::INVALID_VALUE);
        }
        put(place, handle(MEMORY, base))
    }

    fn cuIpcOpenMemHandle_v2(address: *mut u64, shared: IpcHandle, flags: u32) {
        let state = lock()?;
        state.context()?;
        if shared.kind != MEMORY || flags != 1 {
            return Err(Error::INVALID_VALUE);
        }
        if shared.process != std::process::id() {
            return Err(Error::NOT_SUPPORTED);
        }
        state.memory.find(shared.value).ok_or(Error::INVALID_VALUE)?;
        put(address, shared.value)
    }

    fn cuIpcCloseMemHandle(address: u64) {
        let state = lock()?;
        state.context()?;
        state.memory.find(address).map(|_| ()).ok_or(Error::INVALID_VALUE)
    }

    fn cuIpcGetEventHandle(place: *mut IpcHandle, event: u64) {
        let state = lock()?;
        state.context()?;
        // Only an event that was made for other processes, and without timing.
        if state.events.get(event)?.flags & 6 != 6 {
            return Err(Error::INVALID_HANDLE);
        }
        put(place, handle(EVENT, event))
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
        put(place, handle(MEMORY, base))
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
