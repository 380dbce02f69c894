//! What tests of the driver share: a context, a module, and calls that must succeed.
#![allow(dead_code, reason = "every test file uses some of it")]

use std::ffi::{CString, c_void};
use std::sync::Once;

use warpwise_driver::api::*;

/// Kernels that tests launch.
pub(crate) const PTX: &str = include_str!("kernels.ptx");

/// Asserts that a call succeeded.
#[track_caller]
pub(crate) fn ok(code: u32) {
    assert_eq!(code, 0);
}

/// Initialises the driver and makes a context of its own current on this thread.
pub(crate) fn context() -> u64 {
    static START: Once = Once::new();
    // SAFETY: the pointer is to a variable of the right type.
    START.call_once(|| ok(unsafe { cuInit(0) }));
    let mut context = 0;
    // SAFETY: as above.
    ok(unsafe { cuCtxCreate_v2(&raw mut context, 0, 0) });
    context
}

/// Loads a text as a module.
pub(crate) fn module(text: &str) -> u64 {
    let text = CString::new(text).expect("no NUL");
    let mut module = 0;
    // SAFETY: a terminated text, and a variable of the right type.
    ok(unsafe { cuModuleLoadData(&raw mut module, text.as_ptr().cast()) });
    module
}

/// A kernel of a module.
pub(crate) fn kernel(module: u64, name: &str) -> u64 {
    let name = CString::new(name).expect("no NUL");
    let mut function = 0;
    // SAFETY: a terminated name, and a variable of the right type.
    ok(unsafe { cuModuleGetFunction(&raw mut function, module, name.as_ptr()) });
    function
}

/// Allocates device memory.
pub(crate) fn alloc(bytes: usize) -> u64 {
    let mut address = 0;
    // SAFETY: a variable of the right type.
    ok(unsafe { cuMemAlloc_v2(&raw mut address, bytes) });
    address
}

/// Copies numbers to the device.
pub(crate) fn write(address: u64, values: &[u32]) {
    // SAFETY: as many bytes as the slice has.
    ok(unsafe { cuMemcpyHtoD_v2(address, values.as_ptr().cast(), size_of_val(values)) });
}

/// Copies numbers from the device.
pub(crate) fn read(address: u64, count: usize) -> Vec<u32> {
    let mut values = vec![0u32; count];
    // SAFETY: as many bytes as the vector has.
    ok(unsafe { cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), address, 4 * count) });
    values
}

/// Launches with parameters of any types.
pub(crate) fn launch(function: u64, grid: u32, block: u32, stream: u64, parameters: &[*const c_void]) -> u32 {
    let list = if parameters.is_empty() { std::ptr::null() } else { parameters.as_ptr() };
    // SAFETY: the list has a pointer for each parameter, which tests see to.
    unsafe { cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, list, std::ptr::null()) }
}

/// The address of a parameter.
pub(crate) fn at<T>(value: &T) -> *const c_void {
    std::ptr::from_ref(value).cast()
}
