//! From addresses of callers to bytes: what a copy or a fill may touch.

use warpwise_simt::DevicePtr;
use warpwise_trace::HostKind;

use crate::error::{Error, Outcome};
use crate::state::State;

/// What is done to a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    Read,
    Write,
}

impl State {
    /// The bytes behind a range of device memory: of an allocation, or of a variable of a module.
    pub(crate) fn device_bytes(&mut self, address: u64, len: u64, usage: Use) -> Outcome<*mut u8> {
        let Some((base, _)) = self.memory.find(address) else {
            return self.variable_bytes(address, len, usage);
        };
        let end = (address - base).checked_add(len).ok_or(Error::INVALID_VALUE)?;
        let (bytes, extent) = self.memory.reach(base);
        if end > bytes {
            self.trace.mistake(HostKind::CopyOutOfBounds, || {
                let from = address - base;
                format!("{len} bytes from byte {from} on, of an allocation of {bytes} bytes: {} too many", end - bytes)
            });
        }
        if end > extent {
            return Err(Error::INVALID_VALUE);
        }
        if usage == Use::Write {
            // Checks of initialisation hear of it.
            self.wrote(address, len.min(bytes.saturating_sub(address - base)));
        }
        Ok(address as *mut u8)
    }

    /// Tells the machine of bytes that were written, in all allocations that they lie in.
    fn wrote(&mut self, address: u64, len: u64) {
        let (mut at, end) = (address, address + len);
        while at < end {
            let Some((base, allocation)) = self.memory.find(at) else { return };
            let next = (base + allocation.extent).min(end);
            let _ = self.machine.wrote(DevicePtr(at), next - at);
            at = next;
        }
    }

    /// The bytes of a variable, which only the machine knows.
    fn variable_bytes(&mut self, address: u64, len: u64, usage: Use) -> Outcome<*mut u8> {
        let found = match usage {
            Use::Read => self.machine.bytes(DevicePtr(address), len).map(|bytes| bytes.as_ptr().cast_mut()),
            Use::Write => self.machine.bytes_mut(DevicePtr(address), len).map(<[u8]>::as_mut_ptr),
        };
        if found.is_ok() && usage == Use::Write {
            self.variable_is_set(address);
        }
        found.map_err(|_| {
            self.check_device_side(address);
            if self.memory.was_freed(address) {
                self.trace.mistake(HostKind::UseAfterFree, || format!("{len} bytes at {address:#x}, which was freed"));
            }
            Error::INVALID_VALUE
        })
    }

    /// Whether an address is one that kernels can use.
    pub(crate) fn is_device_address(&self, address: u64) -> bool {
        self.memory.find(address).is_some() || self.machine.bytes(DevicePtr(address), 1).is_ok()
    }

    /// The bytes behind an address of either side; what the device does not know is taken for memory of the host.
    pub(crate) fn any_bytes(&mut self, address: u64, len: u64, usage: Use) -> Outcome<*mut u8> {
        if self.is_device_address(address) {
            return self.device_bytes(address, len, usage);
        }
        if address == 0 || self.memory.was_freed(address) {
            return self.device_bytes(address, len, usage);
        }
        Ok(address as *mut u8)
    }
}
