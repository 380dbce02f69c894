//! Memory pools and allocations in the order of a stream.

use std::ffi::{c_int, c_void};

use crate::context::{self, ready};
use crate::driver;
use crate::exports;
use crate::status::{INVALID_VALUE, Status};
use crate::types::{Address, Handle, Location};

/// # Safety
/// `pointer` is null or may be written.
unsafe fn give(pointer: *mut *mut c_void, allocate: impl FnOnce(&mut Address) -> Status) -> Status {
    // SAFETY: the caller's promise.
    let pointer = unsafe { pointer.as_mut() }.ok_or(INVALID_VALUE)?;
    let mut address = 0;
    allocate(&mut address)?;
    *pointer = address as *mut c_void;
    Ok(())
}

exports! {
    ptsz(stream) cudaMallocAsync_ptsz
    fn cudaMallocAsync(pointer: *mut *mut c_void, bytes: usize, stream: Handle) {
        ready()?;
        give(pointer, |address| if bytes == 0 { Ok(()) } else { driver::cuMemAllocAsync(address, bytes, stream) })
    }
    ptsz(stream) cudaMallocFromPoolAsync_ptsz
    fn cudaMallocFromPoolAsync(pointer: *mut *mut c_void, bytes: usize, pool: Handle, stream: Handle) {
        ready()?;
        give(pointer, |address| {
            if bytes == 0 { Ok(()) } else { driver::cuMemAllocFromPoolAsync(address, bytes, pool, stream) }
        })
    }
    ptsz(stream) cudaFreeAsync_ptsz
    fn cudaFreeAsync(pointer: *mut c_void, stream: Handle) {
        ready()?;
        if pointer.is_null() { Ok(()) } else { driver::cuMemFreeAsync(pointer as Address, stream) }
    }
    fn cudaDeviceGetDefaultMemPool(pool: *mut Handle, device: c_int) {
        ready()?;
        context::exists(device)?;
        driver::cuDeviceGetDefaultMemPool(pool, device)
    }
    fn cudaDeviceGetMemPool(pool: *mut Handle, device: c_int) {
        ready()?;
        context::exists(device)?;
        driver::cuDeviceGetMemPool(pool, device)
    }
    fn cudaDeviceSetMemPool(device: c_int, pool: Handle) {
        ready()?;
        context::exists(device)?;
        driver::cuDeviceSetMemPool(device, pool)
    }
    fn cudaMemPoolCreate(pool: *mut Handle, properties: *const c_void) {
        ready()?;
        driver::cuMemPoolCreate(pool, properties)
    }
    fn cudaMemPoolDestroy(pool: Handle) {
        ready()?;
        driver::cuMemPoolDestroy(pool)
    }
    fn cudaMemPoolTrimTo(pool: Handle, bytes: usize) {
        ready()?;
        driver::cuMemPoolTrimTo(pool, bytes)
    }
    fn cudaMemPoolGetAttribute(pool: Handle, attribute: c_int, value: *mut c_void) {
        ready()?;
        driver::cuMemPoolGetAttribute(pool, attribute, value)
    }
    fn cudaMemPoolSetAttribute(pool: Handle, attribute: c_int, value: *mut c_void) {
        ready()?;
        driver::cuMemPoolSetAttribute(pool, attribute, value)
    }
    fn cudaMemPoolGetAccess(flags: *mut c_int, pool: Handle, location: *mut Location) {
        ready()?;
        driver::cuMemPoolGetAccess(flags, pool, location)
    }
    fn cudaMemPoolSetAccess(pool: Handle, access: *const c_void, count: usize) {
        ready()?;
        driver::cuMemPoolSetAccess(pool, access, count)
    }
    fn cudaDeviceGetGraphMemAttribute(device: c_int, attribute: c_int, value: *mut c_void) {
        ready()?;
        context::exists(device)?;
        driver::cuDeviceGetGraphMemAttribute(device, attribute, value)
    }
    fn cudaDeviceSetGraphMemAttribute(device: c_int, attribute: c_int, value: *mut c_void) {
        ready()?;
        context::exists(device)?;
        driver::cuDeviceSetGraphMemAttribute(device, attribute, value)
    }
    fn cudaDeviceGraphMemTrim(device: c_int) {
        ready()?;
        context::exists(device)?;
        driver::cuDeviceGraphMemTrim(device)
    }
}
