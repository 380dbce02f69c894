//! Allocating and freeing device memory.

use warpwise_trace::HostKind;

use crate::edge::{api, put, put_if};
use crate::error::{Error, Outcome};
use crate::memory::Kind;
use crate::memory::advice::Said;
use crate::queue;
use crate::state::{State, lock};

/// Rows of pitched memory start at multiples of this.
const PITCH: usize = 512;

impl State {
    /// Frees what a program says it no longer needs.
    pub(crate) fn free_device(&mut self, address: u64) -> Outcome {
        if address == 0 {
            return Ok(());
        }
        match self.memory.find(address) {
            Some((base, allocation))
                if base == address && !allocation.kind.is_host() && allocation.kind != Kind::Array =>
            {
                self.free_allocation(base).map(|_| ())
            }
            Some((base, _)) => {
                self.trace.mistake(HostKind::InvalidFree, || {
                    format!("{address:#x} is not where the allocation at {base:#x} begins, or not device memory")
                });
                Err(Error::INVALID_VALUE)
            }
            None => {
                let kind = if self.memory.was_freed(address) { HostKind::DoubleFree } else { HostKind::InvalidFree };
                self.trace.mistake(kind, || match kind {
                    HostKind::DoubleFree => format!("{address:#x} was freed before"),
                    _ => format!("no allocation has given {address:#x}"),
                });
                Err(Error::INVALID_VALUE)
            }
        }
    }
}

api! {
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) {
        let mut state = lock()?;
        let context = state.context()?;
        if address.is_null() || bytes == 0 {
            return Err(Error::INVALID_VALUE);
        }
        state.forbidden_while_capturing()?;
        let base = state.allocate(bytes as u64, Kind::Device, context, 0)?;
        put(address, base)
    }

    fn cuMemAllocPitch_v2(address: *mut u64, pitch: *mut usize, width: usize, height: usize, element: u32) {
        let mut state = lock()?;
        let context = state.context()?;
        let good = width > 0 && height > 0 && matches!(element, 4 | 8 | 16);
        if address.is_null() || pitch.is_null() || !good {
            return Err(Error::INVALID_VALUE);
        }
        state.forbidden_while_capturing()?;
        let row = width.checked_next_multiple_of(PITCH).ok_or(Error::INVALID_VALUE)?;
        let bytes = row.checked_mul(height).ok_or(Error::OUT_OF_MEMORY)?;
        let base = state.allocate(bytes as u64, Kind::Device, context, 0)?;
        put(pitch, row)?;
        put(address, base)
    }

    fn cuMemAllocManaged(address: *mut u64, bytes: usize, flags: u32) {
        let mut state = lock()?;
        let context = state.context()?;
        if address.is_null() || bytes == 0 || !matches!(flags, 1 | 2) {
            return Err(Error::INVALID_VALUE);
        }
        state.forbidden_while_capturing()?;
        let base = state.allocate(bytes as u64, Kind::Managed, context, flags)?;
        state.memory.advice.say(base..base + bytes as u64, |said| *said = Said::default());
        put(address, base)
    }

    fn cuMemFree_v2(address: u64) {
        queue::finish();
        let mut state = lock()?;
        state.context()?;
        // It waits for all work, as hardware does.
        state.host_waits_for_all();
        state.free_device(address)
    }

    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let state = lock()?;
        state.context()?;
        put_if(free, state.memory.free() as usize);
        put_if(total, state.memory.total() as usize);
        Ok(())
    }

    fn cuMemGetAddressRange_v2(base: *mut u64, bytes: *mut usize, address: u64) {
        let state = lock()?;
        state.context()?;
        let (start, len) = match state.memory.find(address) {
            Some((start, allocation)) => (start, allocation.bytes),
            None => state.variable_at(address).ok_or(Error::NOT_FOUND)?,
        };
        put_if(base, start);
        put_if(bytes, len as usize);
        Ok(())
    }
}
