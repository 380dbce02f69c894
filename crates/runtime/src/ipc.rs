//! Memory and events of other processes, as far as the driver has them.

use std::ffi::{c_uint, c_void};

use crate::context::ready;
use crate::driver;
use crate::exports;
use crate::status::INVALID_VALUE;
use crate::types::{Address, Handle};

/// `cudaIpcMemHandle_t` and `cudaIpcEventHandle_t`: what is in them is the driver's affair.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Shared {
    bytes: [u64; 8],
}

exports! {
    fn cudaIpcGetMemHandle(shared: *mut Shared, pointer: *mut c_void) {
        ready()?;
        driver::cuIpcGetMemHandle(shared, pointer as Address)
    }
    fn cudaIpcOpenMemHandle(pointer: *mut *mut c_void, shared: Shared, flags: c_uint) {
        ready()?;
        let pointer = pointer.as_mut().ok_or(INVALID_VALUE)?;
        let mut address = 0;
        driver::cuIpcOpenMemHandle_v2(&mut address, shared, flags)?;
        *pointer = address as *mut c_void;
        Ok(())
    }
    fn cudaIpcCloseMemHandle(pointer: *mut c_void) {
        ready()?;
        driver::cuIpcCloseMemHandle(pointer as Address)
    }
    fn cudaIpcGetEventHandle(shared: *mut Shared, event: Handle) {
        ready()?;
        driver::cuIpcGetEventHandle(shared, event)
    }
    fn cudaIpcOpenEventHandle(event: *mut Handle, shared: Shared) {
        ready()?;
        driver::cuIpcOpenEventHandle(event, shared)
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;

    #[test]
    fn a_handle_is_64_bytes() {
        assert_eq!(size_of::<Shared>(), 64);
    }
}
