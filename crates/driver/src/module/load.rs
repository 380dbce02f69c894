//! Modules of a context.

use std::ffi::{c_char, c_void};

use crate::edge::{api, put, put_if, put_list, text};
use crate::error::{Error, Outcome};
use crate::module::{Options, read_image};
use crate::queue;
use crate::state::lock;

/// Loads an image into the current context.
fn load(place: *mut u64, image: *const c_void, options: &Options) -> Outcome {
    let (cc, context) = {
        let state = lock()?;
        (state.gpu.cc, state.context()?)
    };
    if place.is_null() || image.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // Reading takes its time; others need not wait for it.
    let program = read_image(image.cast(), cc).map_err(|refused| refused.report(options))?;
    options.quiet();
    let mut state = lock()?;
    let module = state.load_module(program, context, 0, options)?;
    put(place, module)
}

/// The bytes of a file, with a NUL after them.
pub(crate) fn file(name: *const c_char) -> Outcome<Vec<u8>> {
    let mut bytes = std::fs::read(text(name)?).map_err(|_| Error::FILE_NOT_FOUND)?;
    bytes.push(0);
    Ok(bytes)
}

api! {
    fn cuModuleLoad(module: *mut u64, name: *const c_char) {
        lock()?.context()?;
        let image = file(name)?;
        load(module, image.as_ptr().cast(), &Options::none())
    }

    fn cuModuleLoadData(module: *mut u64, image: *const c_void) {
        load(module, image, &Options::none())
    }

    fn cuModuleLoadDataEx(
        module: *mut u64,
        image: *const c_void,
        count: u32,
        options: *const u32,
        values: *mut *mut c_void,
    ) {
        load(module, image, &Options::new(count, options, values)?)
    }

    fn cuModuleLoadFatBinary(module: *mut u64, image: *const c_void) {
        load(module, image, &Options::none())
    }

    fn cuModuleUnload(module: u64) {
        queue::finish();
        let mut state = lock()?;
        state.context()?;
        if state.modules.get(module)?.library != 0 {
            return Err(Error::INVALID_HANDLE);
        }
        state.unload_module(module)
    }

    fn cuModuleGetFunction(function: *mut u64, module: u64, name: *const c_char) {
        let mut state = lock()?;
        state.current()?;
        let name = text(name)?;
        if function.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let found = state.function_of(module, &name)?;
        put(function, found)
    }

    fn cuModuleGetFunctionCount(count: *mut u32, module: u64) {
        let state = lock()?;
        put(count, state.modules.get(module)?.program.kernels().len() as u32)
    }

    fn cuModuleEnumerateFunctions(functions: *mut u64, count: u32, module: u64) {
        let mut state = lock()?;
        if functions.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let all = state.functions_of(module)?;
        put_list(functions, &all[..all.len().min(count as usize)]);
        Ok(())
    }

    fn cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: u64, name: *const c_char) {
        let state = lock()?;
        state.current()?;
        let (found, size) = state.variable_of(module, &text(name)?)?;
        put_if(address, found);
        put_if(bytes, size as usize);
        Ok(())
    }
}
