//! Memory: allocations of every kind, what is known of a pointer, and filling.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

use crate::context::ready;
use crate::driver;
use crate::exports;
use crate::status::{Code, INVALID_PITCH, INVALID_VALUE, Status};
use crate::types::{Address, Extent, Handle, PitchedPointer, PointerAttributes};

/// Writes the address of an allocation where the program wants it.
///
/// # Safety
/// `pointer` is null or may be written.
unsafe fn give(pointer: *mut *mut c_void, allocate: impl FnOnce(&mut Address) -> Status) -> Status {
    if pointer.is_null() {
        return Err(INVALID_VALUE);
    }
    let mut address = 0;
    allocate(&mut address)?;
    // SAFETY: the caller's promise.
    unsafe { *pointer = address as *mut c_void };
    Ok(())
}

/// Rows of at least `width` bytes for all slices of an extent.
///
/// # Safety
/// The runtime is ready.
unsafe fn pitched(width: usize, height: usize) -> Result<(Address, usize), Code> {
    let (mut address, mut pitch) = (0, 0);
    if width == 0 || height == 0 {
        return Ok((0, 0));
    }
    // SAFETY: the driver writes an address and a pitch.
    unsafe { driver::cuMemAllocPitch_v2(&mut address, &mut pitch, width, height, 4)? };
    Ok((address, pitch))
}

exports! {
    fn cudaMalloc(pointer: *mut *mut c_void, bytes: usize) {
        ready()?;
        give(pointer, |address| if bytes == 0 { Ok(()) } else { driver::cuMemAlloc_v2(address, bytes) })
    }
    fn cudaMallocManaged(pointer: *mut *mut c_void, bytes: usize, flags: c_uint) {
        ready()?;
        give(pointer, |address| driver::cuMemAllocManaged(address, bytes, flags))
    }
    fn cudaMallocPitch(pointer: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize) {
        ready()?;
        if pointer.is_null() || pitch.is_null() {
            return Err(INVALID_VALUE);
        }
        let (address, bytes) = pitched(width, height)?;
        *pointer = address as *mut c_void;
        *pitch = bytes;
        Ok(())
    }
    fn cudaMalloc3D(pointer: *mut PitchedPointer, extent: Extent) {
        ready()?;
        if pointer.is_null() {
            return Err(INVALID_VALUE);
        }
        let rows = extent.height.checked_mul(extent.depth).ok_or(INVALID_VALUE)?;
        let (address, pitch) = pitched(extent.width, rows)?;
        *pointer =
            PitchedPointer { pointer: address as *mut c_void, pitch, width: extent.width, height: extent.height };
        Ok(())
    }
    fn cudaFree(pointer: *mut c_void) {
        ready()?;
        if pointer.is_null() { Ok(()) } else { driver::cuMemFree_v2(pointer as Address) }
    }
    fn cudaMallocHost(pointer: *mut *mut c_void, bytes: usize) {
        ready()?;
        host(pointer, bytes, 0)
    }
    fn cudaHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint) {
        ready()?;
        host(pointer, bytes, flags)
    }
    fn cudaFreeHost(pointer: *mut c_void) {
        ready()?;
        if pointer.is_null() { Ok(()) } else { driver::cuMemFreeHost(pointer) }
    }
    fn cudaHostRegister(pointer: *mut c_void, bytes: usize, flags: c_uint) {
        ready()?;
        driver::cuMemHostRegister_v2(pointer, bytes, flags)
    }
    fn cudaHostUnregister(pointer: *mut c_void) {
        ready()?;
        driver::cuMemHostUnregister(pointer)
    }
    fn cudaHostGetDevicePointer(device: *mut *mut c_void, host: *mut c_void, flags: c_uint) {
        ready()?;
        give(device, |address| driver::cuMemHostGetDevicePointer_v2(address, host, flags))
    }
    fn cudaHostGetFlags(flags: *mut c_uint, pointer: *mut c_void) {
        ready()?;
        driver::cuMemHostGetFlags(flags, pointer)
    }
    fn cudaMemGetInfo(free: *mut usize, total: *mut usize) {
        ready()?;
        driver::cuMemGetInfo_v2(free, total)
    }
    fn cudaPointerGetAttributes(attributes: *mut PointerAttributes, pointer: *const c_void) {
        ready()?;
        let attributes = attributes.as_mut().ok_or(INVALID_VALUE)?;
        *attributes = attributes_of(pointer)?;
        Ok(())
    }
    fn cudaMemRangeGetAttribute(
        data: *mut c_void, bytes: usize, attribute: c_int, pointer: *const c_void, count: usize,
    ) {
        ready()?;
        driver::cuMemRangeGetAttribute(data, bytes, attribute, pointer as Address, count)
    }
    fn cudaMemRangeGetAttributes(
        data: *mut *mut c_void, bytes: *mut usize, attributes: *mut c_int, number: usize, pointer: *const c_void,
        count: usize,
    ) {
        ready()?;
        driver::cuMemRangeGetAttributes(data, bytes, attributes, number, pointer as Address, count)
    }
    ptds cudaMemset_ptds
    fn cudaMemset(pointer: *mut c_void, value: c_int, bytes: usize) {
        ready()?;
        if bytes == 0 { Ok(()) } else { driver::cuMemsetD8_v2(pointer as Address, value as u8, bytes) }
    }
    ptsz(stream) cudaMemsetAsync_ptsz
    fn cudaMemsetAsync(pointer: *mut c_void, value: c_int, bytes: usize, stream: Handle) {
        ready()?;
        if bytes == 0 { Ok(()) } else { driver::cuMemsetD8Async(pointer as Address, value as u8, bytes, stream) }
    }
    ptds cudaMemset2D_ptds
    fn cudaMemset2D(pointer: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize) {
        ready()?;
        rows(pitch, width, height, || driver::cuMemsetD2D8_v2(pointer as Address, pitch, value as u8, width, height))
    }
    ptsz(stream) cudaMemset2DAsync_ptsz
    fn cudaMemset2DAsync(
        pointer: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize, stream: Handle,
    ) {
        ready()?;
        let fill = || driver::cuMemsetD2D8Async(pointer as Address, pitch, value as u8, width, height, stream);
        rows(pitch, width, height, fill)
    }
    ptds cudaMemset3D_ptds
    fn cudaMemset3D(pointer: PitchedPointer, value: c_int, extent: Extent) {
        ready()?;
        slices(pointer, extent, |slice| {
            driver::cuMemsetD2D8_v2(slice, pointer.pitch, value as u8, extent.width, extent.height)
        })
    }
    ptsz(stream) cudaMemset3DAsync_ptsz
    fn cudaMemset3DAsync(pointer: PitchedPointer, value: c_int, extent: Extent, stream: Handle) {
        ready()?;
        slices(pointer, extent, |slice| {
            driver::cuMemsetD2D8Async(slice, pointer.pitch, value as u8, extent.width, extent.height, stream)
        })
    }
}

/// Memory of the host that kernels reach too.
///
/// # Safety
/// `pointer` is null or may be written.
unsafe fn host(pointer: *mut *mut c_void, bytes: usize, flags: c_uint) -> Status {
    if pointer.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    unsafe {
        *pointer = null_mut();
        if bytes == 0 { Ok(()) } else { driver::cuMemHostAlloc(pointer, bytes, flags) }
    }
}

/// Fills rows, of which there may be none.
fn rows(pitch: usize, width: usize, height: usize, fill: impl FnOnce() -> Status) -> Status {
    if width == 0 || height == 0 {
        return Ok(());
    }
    if height > 1 && pitch < width {
        return Err(INVALID_PITCH);
    }
    fill()
}

/// Fills the slices of an extent, one after the other.
fn slices(pointer: PitchedPointer, extent: Extent, fill: impl Fn(Address) -> Status) -> Status {
    let bytes = pointer.pitch * pointer.height;
    (0..extent.depth).try_for_each(|slice| {
        let begin = pointer.pointer as Address + (slice * bytes) as Address;
        rows(pointer.pitch, extent.width, extent.height, || fill(begin))
    })
}

/// What the driver knows of a pointer.
///
/// # Safety
/// The runtime is ready.
unsafe fn attributes_of(pointer: *const c_void) -> Result<PointerAttributes, Code> {
    const MEMORY_TYPE: c_int = 2;
    const DEVICE_POINTER: c_int = 3;
    const HOST_POINTER: c_int = 4;
    const IS_MANAGED: c_int = 8;
    const DEVICE: c_int = 9;
    let (mut kind, mut managed, mut number) = (0 as c_int, 0u32, 0 as c_int);
    let (mut device, mut host) = (0 as Address, null_mut::<c_void>());
    let mut asked = [MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER, IS_MANAGED, DEVICE];
    let mut answers: [*mut c_void; 5] = [
        (&raw mut kind).cast(),
        (&raw mut device).cast(),
        (&raw mut host).cast(),
        (&raw mut managed).cast(),
        (&raw mut number).cast(),
    ];
    // SAFETY: each answer has the size that its attribute has. A flag is one byte of the four.
    unsafe { driver::cuPointerGetAttributes(5, asked.as_mut_ptr(), answers.as_mut_ptr(), pointer as Address)? };
    Ok(match (kind, managed & 0xff) {
        (0, _) => {
            PointerAttributes { kind: 0, device: -2, device_pointer: null_mut(), host_pointer: pointer.cast_mut() }
        }
        (_, 1) => PointerAttributes { kind: 3, device: number, device_pointer: device as _, host_pointer: host },
        (1, _) => PointerAttributes { kind: 1, device: number, device_pointer: device as _, host_pointer: host },
        _ => PointerAttributes { kind: 2, device: number, device_pointer: device as _, host_pointer: null_mut() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn slices_lie_behind_each_other() {
        let pointer =
            PitchedPointer { pointer: std::ptr::without_provenance_mut(4096), pitch: 512, width: 100, height: 7 };
        let begins = RefCell::new(Vec::new());
        let extent = Extent { width: 100, height: 7, depth: 3 };
        let note = |begin| {
            begins.borrow_mut().push(begin);
            Ok(())
        };
        assert_eq!(slices(pointer, extent, note), Ok(()));
        assert_eq!(*begins.borrow(), [4096, 4096 + 3584, 4096 + 2 * 3584]);
    }

    #[test]
    fn rows_fit_their_pitch() {
        assert_eq!(rows(64, 65, 2, || Ok(())), Err(INVALID_PITCH));
        assert_eq!(rows(0, 65, 1, || Ok(())), Ok(()));
        assert_eq!(rows(0, 65, 0, || Err(INVALID_VALUE)), Ok(()));
    }
}
