//! What can be asked about a kernel. `CUfunction` and `CUkernel` are the same here.

use std::ffi::c_char;

use crate::edge::{api, put, put_if};
use crate::error::{Error, Outcome};
use crate::state::lock;

fn parameter(function: u64, index: usize, offset: *mut usize, size: *mut usize) -> Outcome {
    let state = lock()?;
    let function = state.functions.get(function)?;
    let &(at, bytes) = function.parameters.get(index).ok_or(Error::INVALID_VALUE)?;
    put(offset, at)?;
    put_if(size, bytes);
    Ok(())
}

fn name(place: *mut *const c_char, function: u64) -> Outcome {
    let state = lock()?;
    // The text lives as long as the function does.
    put(place, state.functions.get(function)?.name.as_ptr())
}

api! {
    fn cuFuncGetName(place: *mut *const c_char, function: u64) {
        name(place, function)
    }

    fn cuKernelGetName(place: *mut *const c_char, kernel: u64) {
        name(place, kernel)
    }

    fn cuFuncGetModule(module: *mut u64, function: u64) {
        let state = lock()?;
        put(module, state.functions.get(function)?.module)
    }

    fn cuKernelGetLibrary(library: *mut u64, kernel: u64) {
        let state = lock()?;
        let library_of = state.modules.get(state.functions.get(kernel)?.module)?.library;
        if library_of == 0 { Err(Error::INVALID_HANDLE) } else { put(library, library_of) }
    }

    fn cuKernelGetFunction(function: *mut u64, kernel: u64) {
        let state = lock()?;
        state.context()?;
        state.functions.get(kernel)?;
        put(function, kernel)
    }

    fn cuFuncGetParamInfo(function: u64, index: usize, offset: *mut usize, size: *mut usize) {
        parameter(function, index, offset, size)
    }

    fn cuKernelGetParamInfo(kernel: u64, index: usize, offset: *mut usize, size: *mut usize) {
        parameter(kernel, index, offset, size)
    }

    fn cuFuncIsLoaded(loaded: *mut u32, function: u64) {
        let state = lock()?;
        state.functions.get(function)?;
        put(loaded, 1)
    }

    fn cuFuncLoad(function: u64) {
        lock()?.functions.get(function).map(|_| ())
    }

    fn cuFuncSetCacheConfig(function: u64, config: u32) {
        lock()?.functions.get(function)?;
        if config > 3 { Err(Error::INVALID_VALUE) } else { Ok(()) }
    }

    fn cuKernelSetCacheConfig(kernel: u64, config: u32, device: i32) {
        lock()?.functions.get(kernel)?;
        match (config, device) {
            (..=3, 0) => Ok(()),
            (_, 0) => Err(Error::INVALID_VALUE),
            _ => Err(Error::INVALID_DEVICE),
        }
    }

    fn cuFuncSetSharedMemConfig(function: u64, config: u32) {
        lock()?.functions.get(function)?;
        if config > 2 { Err(Error::INVALID_VALUE) } else { Ok(()) }
    }
}
