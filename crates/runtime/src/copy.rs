//! Copies in one dimension, by direction, and to and from variables.

use std::ffi::{c_int, c_void};

use crate::context::{self, ready};
use crate::driver;
use crate::exports;
use crate::registry;
use crate::status::{Code, INVALID_DIRECTION, INVALID_VALUE, Status};
use crate::types::{Address, Handle};

/// `cudaMemcpyKind`
pub(crate) const HOST_TO_HOST: c_int = 0;
pub(crate) const HOST_TO_DEVICE: c_int = 1;
pub(crate) const DEVICE_TO_HOST: c_int = 2;
pub(crate) const DEVICE_TO_DEVICE: c_int = 3;
/// By the addresses.
pub(crate) const DEFAULT: c_int = 4;

/// # Safety
/// Both sides have these bytes.
unsafe fn copy(target: *mut c_void, source: *const c_void, bytes: usize, kind: c_int) -> Status {
    ready()?;
    if bytes == 0 {
        return if (HOST_TO_HOST..=DEFAULT).contains(&kind) { Ok(()) } else { Err(INVALID_DIRECTION) };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match kind {
            HOST_TO_DEVICE => driver::cuMemcpyHtoD_v2(target as Address, source, bytes),
            DEVICE_TO_HOST => driver::cuMemcpyDtoH_v2(target, source as Address, bytes),
            DEVICE_TO_DEVICE => driver::cuMemcpyDtoD_v2(target as Address, source as Address, bytes),
            HOST_TO_HOST | DEFAULT => driver::cuMemcpy(target as Address, source as Address, bytes),
            _ => Err(INVALID_DIRECTION),
        }
    }
}

/// # Safety
/// Both sides have these bytes until the stream has come so far.
unsafe fn copy_async(target: *mut c_void, source: *const c_void, bytes: usize, kind: c_int, stream: Handle) -> Status {
    ready()?;
    if bytes == 0 {
        return if (HOST_TO_HOST..=DEFAULT).contains(&kind) { Ok(()) } else { Err(INVALID_DIRECTION) };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match kind {
            HOST_TO_DEVICE => driver::cuMemcpyHtoDAsync_v2(target as Address, source, bytes, stream),
            DEVICE_TO_HOST => driver::cuMemcpyDtoHAsync_v2(target, source as Address, bytes, stream),
            DEVICE_TO_DEVICE => driver::cuMemcpyDtoDAsync_v2(target as Address, source as Address, bytes, stream),
            HOST_TO_HOST | DEFAULT => driver::cuMemcpyAsync(target as Address, source as Address, bytes, stream),
            _ => Err(INVALID_DIRECTION),
        }
    }
}

/// The address of a part of a variable.
pub(crate) fn part_of(symbol: *const c_void, bytes: usize, offset: usize) -> Result<Address, Code> {
    let (address, size) = registry::variable(symbol)?;
    match offset.checked_add(bytes) {
        Some(end) if end <= size => Ok(address + offset as Address),
        _ => Err(INVALID_VALUE),
    }
}

/// Copies to a variable come from host or device, never go back.
pub(crate) fn to_symbol(kind: c_int) -> Status {
    if matches!(kind, HOST_TO_DEVICE | DEVICE_TO_DEVICE | DEFAULT) { Ok(()) } else { Err(INVALID_DIRECTION) }
}

/// Copies from a variable go to host or device.
pub(crate) fn from_symbol(kind: c_int) -> Status {
    if matches!(kind, DEVICE_TO_HOST | DEVICE_TO_DEVICE | DEFAULT) { Ok(()) } else { Err(INVALID_DIRECTION) }
}

exports! {
    ptds cudaMemcpy_ptds
    fn cudaMemcpy(target: *mut c_void, source: *const c_void, bytes: usize, kind: c_int) {
        copy(target, source, bytes, kind)
    }
    ptsz(stream) cudaMemcpyAsync_ptsz
    fn cudaMemcpyAsync(target: *mut c_void, source: *const c_void, bytes: usize, kind: c_int, stream: Handle) {
        copy_async(target, source, bytes, kind, stream)
    }
    ptds cudaMemcpyToSymbol_ptds
    fn cudaMemcpyToSymbol(symbol: *const c_void, source: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        ready()?;
        to_symbol(kind)?;
        copy(part_of(symbol, bytes, offset)? as *mut c_void, source, bytes, kind)
    }
    ptds cudaMemcpyFromSymbol_ptds
    fn cudaMemcpyFromSymbol(target: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        ready()?;
        from_symbol(kind)?;
        copy(target, part_of(symbol, bytes, offset)? as *const c_void, bytes, kind)
    }
    ptsz(stream) cudaMemcpyToSymbolAsync_ptsz
    fn cudaMemcpyToSymbolAsync(
        symbol: *const c_void, source: *const c_void, bytes: usize, offset: usize, kind: c_int, stream: Handle,
    ) {
        ready()?;
        to_symbol(kind)?;
        copy_async(part_of(symbol, bytes, offset)? as *mut c_void, source, bytes, kind, stream)
    }
    ptsz(stream) cudaMemcpyFromSymbolAsync_ptsz
    fn cudaMemcpyFromSymbolAsync(
        target: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int, stream: Handle,
    ) {
        ready()?;
        from_symbol(kind)?;
        copy_async(target, part_of(symbol, bytes, offset)? as *const c_void, bytes, kind, stream)
    }
    fn cudaGetSymbolAddress(pointer: *mut *mut c_void, symbol: *const c_void) {
        if pointer.is_null() {
            return Err(INVALID_VALUE);
        }
        *pointer = registry::variable(symbol)?.0 as *mut c_void;
        Ok(())
    }
    fn cudaGetSymbolSize(bytes: *mut usize, symbol: *const c_void) {
        if bytes.is_null() {
            return Err(INVALID_VALUE);
        }
        *bytes = registry::variable(symbol)?.1;
        Ok(())
    }
    fn cudaMemcpyPeer(
        target: *mut c_void, target_device: c_int, source: *const c_void, source_device: c_int, bytes: usize,
    ) {
        ready()?;
        let (to, from) = (context::primary(target_device)?, context::primary(source_device)?);
        driver::cuMemcpyPeer(target as Address, to, source as Address, from, bytes)
    }
    fn cudaMemcpyPeerAsync(
        target: *mut c_void, target_device: c_int, source: *const c_void, source_device: c_int, bytes: usize,
        stream: Handle,
    ) {
        ready()?;
        let (to, from) = (context::primary(target_device)?, context::primary(source_device)?);
        driver::cuMemcpyPeerAsync(target as Address, to, source as Address, from, bytes, stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_copied_in_directions_that_have_them() {
        assert_eq!(to_symbol(HOST_TO_DEVICE), Ok(()));
        assert_eq!(to_symbol(DEVICE_TO_HOST), Err(INVALID_DIRECTION));
        assert_eq!(from_symbol(DEVICE_TO_HOST), Ok(()));
        assert_eq!(from_symbol(HOST_TO_DEVICE), Err(INVALID_DIRECTION));
    }
}
