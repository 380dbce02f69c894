//! Device code that a program loads itself, and the driver's functions by name.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::context::{self, ready};
use crate::driver;
use crate::exports;
use crate::registry;
use crate::status::{INVALID_VALUE, NOT_FOUND, Status};
use crate::types::{Address, Handle};

/// # Safety
/// `pointer` and `bytes` are null or may be written.
unsafe fn place(
    pointer: *mut *mut c_void,
    bytes: *mut usize,
    find: impl FnOnce(&mut Address, &mut usize) -> Status,
) -> Status {
    let (mut address, mut size) = (0, 0);
    find(&mut address, &mut size)?;
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(pointer) = pointer.as_mut() {
            *pointer = address as *mut c_void;
        }
        if let Some(bytes) = bytes.as_mut() {
            *bytes = size;
        }
    }
    Ok(())
}

/// Looks a function of the driver up. A name that is not there is told by the status where the program asks for it.
///
/// # Safety
/// `name` ends in zero; the others are null or may be written.
unsafe fn entry_point(
    name: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> Status {
    context::start()?;
    // SAFETY: the caller's promise.
    unsafe {
        if name.is_null() || function.is_null() {
            return Err(INVALID_VALUE);
        }
        let mut found = 0;
        let answer = driver::cuGetProcAddress_v2(name, function, version, flags, &mut found);
        let Some(status) = status.as_mut() else { return answer };
        *status = found;
        match answer {
            Err(NOT_FOUND) => {
                *function = std::ptr::null_mut();
                Ok(())
            }
            answer => answer,
        }
    }
}

exports! {
    fn cudaLibraryLoadData(
        library: *mut Handle, code: *const c_void, options: *mut c_int, values: *mut *mut c_void, count: c_uint,
        library_options: *mut c_int, library_values: *mut *mut c_void, library_count: c_uint,
    ) {
        ready()?;
        driver::cuLibraryLoadData(
            library, code, options, values, count, library_options, library_values, library_count,
        )
    }
    fn cudaLibraryLoadFromFile(
        library: *mut Handle, path: *const c_char, options: *mut c_int, values: *mut *mut c_void, count: c_uint,
        library_options: *mut c_int, library_values: *mut *mut c_void, library_count: c_uint,
    ) {
        ready()?;
        driver::cuLibraryLoadFromFile(
            library, path, options, values, count, library_options, library_values, library_count,
        )
    }
    fn cudaLibraryUnload(library: Handle) {
        ready()?;
        driver::cuLibraryUnload(library)
    }
    fn cudaLibraryGetKernel(kernel: *mut Handle, library: Handle, name: *const c_char) {
        ready()?;
        driver::cuLibraryGetKernel(kernel, library, name)?;
        registry::add_handle(*kernel);
        Ok(())
    }
    fn cudaLibraryGetKernelCount(count: *mut c_uint, library: Handle) {
        ready()?;
        driver::cuLibraryGetKernelCount(count, library)
    }
    fn cudaLibraryEnumerateKernels(kernels: *mut Handle, count: c_uint, library: Handle) {
        ready()?;
        driver::cuLibraryEnumerateKernels(kernels, count, library)?;
        let mut all = 0;
        driver::cuLibraryGetKernelCount(&mut all, library)?;
        (0..count.min(all) as usize).for_each(|at| registry::add_handle(*kernels.add(at)));
        Ok(())
    }
    fn cudaLibraryGetGlobal(pointer: *mut *mut c_void, bytes: *mut usize, library: Handle, name: *const c_char) {
        ready()?;
        place(pointer, bytes, |address, size| driver::cuLibraryGetGlobal(address, size, library, name))
    }
    fn cudaLibraryGetManaged(pointer: *mut *mut c_void, bytes: *mut usize, library: Handle, name: *const c_char) {
        ready()?;
        place(pointer, bytes, |address, size| driver::cuLibraryGetManaged(address, size, library, name))
    }
    fn cudaLibraryGetUnifiedFunction(function: *mut *mut c_void, library: Handle, name: *const c_char) {
        ready()?;
        driver::cuLibraryGetUnifiedFunction(function, library, name)
    }
    fn cudaGetDriverEntryPointByVersion(
        name: *const c_char, function: *mut *mut c_void, version: c_uint, flags: u64, status: *mut c_int,
    ) {
        entry_point(name, function, version as c_int, flags, status)
    }
    fn cudaGetDriverEntryPointByVersion_ptsz(
        name: *const c_char, function: *mut *mut c_void, version: c_uint, flags: u64, status: *mut c_int,
    ) {
        entry_point(name, function, version as c_int, per_thread(flags), status)
    }
}

/// The entry points that this version of the runtime knew.
///
/// # Safety
/// `name` ends in zero; the others are null or may be written.
pub unsafe fn driver_entry_point(
    name: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> Status {
    // SAFETY: the caller's promise.
    unsafe { entry_point(name, function, version, flags, status) }
}

/// Flags that ask for the forms whose default stream is the thread's, where a program states none.
pub fn per_thread(flags: u64) -> u64 {
    const PER_THREAD_DEFAULT_STREAM: u64 = 2;
    if flags == 0 { PER_THREAD_DEFAULT_STREAM } else { flags }
}

#[cfg(test)]
mod tests {
    use super::per_thread;

    #[test]
    fn what_a_program_asks_for_is_kept() {
        assert_eq!(per_thread(0), 2);
        assert_eq!(per_thread(1), 1);
    }
}
