//! The calls by which host code registers what it has.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use crate::registry::{self, Binary};
use crate::status;

/// The binary behind a handle.
///
/// # Safety
/// `__cudaRegisterFatBinary` returned the handle.
unsafe fn binary(handle: *mut *mut c_void) -> &'static Binary {
    // SAFETY: binaries are never freed.
    unsafe { &*handle.cast::<Binary>() }
}

/// # Safety
/// The text ends in zero.
unsafe fn owned(name: *const c_char) -> CString {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(name) }.to_owned()
}

/// `__cudaRegisterFatBinary`: the device code of a file.
///
/// # Safety
/// `wrapper` is what the compiler made, and lives until it is unregistered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterFatBinary(wrapper: *const c_void) -> *mut *mut c_void {
    let binary: *mut Binary = Box::leak(Box::new(Binary::new(wrapper)));
    binary.cast()
}

/// `__cudaRegisterFatBinaryEnd`: all of a file is registered. Nothing is to be done before it is used.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut *mut c_void) {}

/// `__cudaUnregisterFatBinary`: the host code of a file goes away.
///
/// # Safety
/// `__cudaRegisterFatBinary` returned the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaUnregisterFatBinary(handle: *mut *mut c_void) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        registry::remove(unsafe { binary(handle) });
    }
}

/// `__cudaRegisterFunction`: a kernel, by the function that stands in for it on the host.
///
/// # Safety
/// The handle is of a registered binary, and the name ends in zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterFunction(
    handle: *mut *mut c_void,
    host: *const c_char,
    _device: *mut c_char,
    name: *const c_char,
    _thread_limit: c_int,
    _thread: *mut c_void,
    _block: *mut c_void,
    _block_size: *mut c_void,
    _grid_size: *mut c_void,
    _warp_size: *mut c_int,
) {
    // SAFETY: the caller's promise.
    unsafe { registry::add_kernel(binary(handle), host.cast(), owned(name)) };
}

/// `__cudaRegisterVar`: a variable in global or constant memory, by the variable that stands in for it on the host.
///
/// # Safety
/// The handle is of a registered binary, and the name ends in zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterVar(
    handle: *mut *mut c_void,
    host: *mut c_char,
    _address: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    // SAFETY: the caller's promise.
    unsafe { registry::add_variable(binary(handle), host.cast(), owned(name)) };
}

/// `__cudaRegisterManagedVar`: a variable in managed memory, by the place where the host reads its address.
///
/// # Safety
/// The handle is of a registered binary, and the name ends in zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterManagedVar(
    handle: *mut *mut c_void,
    pointer: *mut *mut c_void,
    _address: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let binary = binary(handle);
        binary.add_managed(pointer, owned(name));
        registry::add_variable(binary, pointer.cast_const().cast(), owned(name));
    }
}

/// `__cudaRegisterHostVar`: a variable of the host that kernels read. All of the host's memory has one address space
/// here, so there is nothing to note.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterHostVar(
    _handle: *mut *mut c_void,
    _name: *const c_char,
    _host: *mut c_char,
    _bytes: usize,
) {
}

/// `__cudaRegisterUnifiedTable`: functions that host and device share, which kernels here do not call.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterUnifiedTable(_handle: *mut *mut c_void, _table: *const c_void) -> c_int {
    0
}

/// `__cudaInitModule`: the host is about to use a managed variable of this binary.
///
/// # Safety
/// `__cudaRegisterFatBinary` returned the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaInitModule(handle: *mut *mut c_void) -> c_char {
    // SAFETY: the caller's promise.
    let binary = unsafe { binary(handle) };
    let code = status::entry(|| binary.library().map(drop));
    c_char::from(code == 0)
}
