//! Libraries: modules that are of no context.

use std::ffi::{c_char, c_void};

use crate::edge::{api, put, put_if, put_list, text};
use crate::error::{Error, Outcome};
use crate::module::{Library, Options, load, read_image};
use crate::queue;
use crate::state::{State, lock};

fn load_library(place: *mut u64, image: *const c_void, options: &Options) -> Outcome {
    let cc = lock()?.gpu.cc;
    if place.is_null() || image.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let program = read_image(image.cast(), cc).map_err(|refused| refused.report(options))?;
    options.quiet();
    let mut state = lock()?;
    let library = crate::handles::fresh();
    let module = state.load_module(program, 0, library, options)?;
    state.libraries.insert(library, Library { module });
    put(place, library)
}

fn variable(address: *mut u64, bytes: *mut usize, library: u64, name: *const c_char) -> Outcome {
    let state = lock()?;
    let (found, size) = state.variable_of(state.libraries.get(library)?.module, &text(name)?)?;
    put_if(address, found);
    put_if(bytes, size as usize);
    Ok(())
}

impl State {
    fn library_module(&self, library: u64) -> Outcome<u64> {
        Ok(self.libraries.get(library)?.module)
    }
}

api! {
    fn cuLibraryLoadData(
        library: *mut u64,
        image: *const c_void,
        options: *const u32,
        values: *mut *mut c_void,
        count: u32,
        _library_options: *const u32,
        _library_values: *const *mut c_void,
        _library_count: u32,
    ) {
        load_library(library, image, &Options::new(count, options, values)?)
    }

    fn cuLibraryLoadFromFile(
        library: *mut u64,
        name: *const c_char,
        options: *const u32,
        values: *mut *mut c_void,
        count: u32,
        _library_options: *const u32,
        _library_values: *const *mut c_void,
        _library_count: u32,
    ) {
        drop(lock()?);
        let image = load::file(name)?;
        load_library(library, image.as_ptr().cast(), &Options::new(count, options, values)?)
    }

    fn cuLibraryUnload(library: u64) {
        queue::finish();
        let mut state = lock()?;
        let library = state.libraries.remove(library)?;
        state.unload_module(library.module)
    }

    fn cuLibraryGetKernel(kernel: *mut u64, library: u64, name: *const c_char) {
        let mut state = lock()?;
        let module = state.library_module(library)?;
        let name = text(name)?;
        if kernel.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let found = state.function_of(module, &name)?;
        put(kernel, found)
    }

    fn cuLibraryGetKernelCount(count: *mut u32, library: u64) {
        let state = lock()?;
        let module = state.library_module(library)?;
        put(count, state.modules.get(module)?.program.kernels().len() as u32)
    }

    fn cuLibraryEnumerateKernels(kernels: *mut u64, count: u32, library: u64) {
        let mut state = lock()?;
        let module = state.library_module(library)?;
        if kernels.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let all = state.functions_of(module)?;
        put_list(kernels, &all[..all.len().min(count as usize)]);
        Ok(())
    }

    fn cuLibraryGetModule(module: *mut u64, library: u64) {
        let state = lock()?;
        state.context()?;
        put(module, state.library_module(library)?)
    }

    fn cuLibraryGetGlobal(address: *mut u64, bytes: *mut usize, library: u64, name: *const c_char) {
        lock()?.context()?;
        variable(address, bytes, library, name)
    }

    fn cuLibraryGetManaged(address: *mut u64, bytes: *mut usize, library: u64, name: *const c_char) {
        variable(address, bytes, library, name)
    }

    fn cuLibraryGetUnifiedFunction(_function: *mut *mut c_void, library: u64, _symbol: *const c_char) {
        lock()?.library_module(library)?;
        // There are no functions that run on both sides.
        Err(Error::NOT_FOUND)
    }
}
