//! What the host code of a program registers before `main`: its device code, kernels and variables. Nothing is loaded
//! before a call needs it.

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use crate::context::ready;
use crate::driver;
use crate::image;
use crate::status::{Code, INVALID_FUNCTION, INVALID_SYMBOL, NOT_FOUND};
use crate::types::Handle;

/// The device code of one file, or of all files that were linked together.
pub(crate) struct Binary {
    wrapper: usize,
    library: OnceLock<Result<usize, Code>>,
    managed: Mutex<Vec<Managed>>,
}

/// A variable in managed memory: the host reads its address at `pointer`.
struct Managed {
    pointer: usize,
    name: CString,
}

impl Binary {
    pub(crate) fn new(wrapper: *const c_void) -> Self {
        Self { wrapper: wrapper as usize, library: OnceLock::new(), managed: Mutex::default() }
    }

    /// The library that the driver made of the code, when it is first asked for.
    pub(crate) fn library(&self) -> Result<Handle, Code> {
        let load = || {
            ready()?;
            // SAFETY: host code registered the wrapper, which lives as long as the code does.
            let library = unsafe { image::load(self.wrapper as *const c_void)? };
            self.place_managed(library)?;
            Ok(library as usize)
        };
        (*self.library.get_or_init(load)).map(|library| library as Handle)
    }

    /// Tells the host where the managed variables are.
    fn place_managed(&self, library: Handle) -> Result<(), Code> {
        for variable in locked(&self.managed).iter() {
            let (mut address, mut bytes) = (0, 0);
            let name = variable.name.as_ptr();
            // SAFETY: the driver writes an address and a size; the name ends in zero.
            unsafe {
                driver::cuLibraryGetManaged(&mut address, &mut bytes, library, name)
                    .or_else(|_| driver::cuLibraryGetGlobal(&mut address, &mut bytes, library, name))?;
            }
            // SAFETY: host code registered the place for this address.
            unsafe { *(variable.pointer as *mut u64) = address };
        }
        Ok(())
    }

    /// Notes a variable in managed memory.
    pub(crate) fn add_managed(&self, pointer: *mut *mut c_void, name: CString) {
        locked(&self.managed).push(Managed { pointer: pointer as usize, name });
    }
}

/// A kernel of a binary.
struct Kernel {
    binary: &'static Binary,
    name: CString,
    handle: OnceLock<usize>,
}

impl Kernel {
    /// The driver's handle, when it is first asked for.
    fn handle(&self) -> Result<Handle, Code> {
        if let Some(handle) = self.handle.get() {
            return Ok(*handle as Handle);
        }
        let mut handle = std::ptr::null_mut();
        let library = self.binary.library()?;
        // SAFETY: the library is the driver's own, the name ends in zero.
        unsafe { driver::cuLibraryGetKernel(&mut handle, library, self.name.as_ptr()) }
            .map_err(|code| if code == NOT_FOUND { INVALID_FUNCTION } else { code })?;
        let _ = self.handle.set(handle as usize);
        change(|registry| drop(registry.handles.insert(handle as usize, Some(self.name.clone()))));
        Ok(handle)
    }
}

/// A variable of a binary.
struct Variable {
    binary: &'static Binary,
    name: CString,
}

#[derive(Default)]
struct Registry {
    /// By the address of the host's stand-in.
    kernels: HashMap<usize, &'static Kernel>,
    variables: HashMap<usize, &'static Variable>,
    /// What was given out as a handle of a kernel, and its name.
    handles: HashMap<usize, Option<CString>>,
}

static REGISTRY: RwLock<Option<Registry>> = RwLock::new(None);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(look: impl FnOnce(&Registry) -> Option<T>) -> Option<T> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(look)
}

fn change(edit: impl FnOnce(&mut Registry)) {
    edit(REGISTRY.write().unwrap_or_else(PoisonError::into_inner).get_or_insert_default());
}

/// Notes a kernel. Registered things are kept as long as the process lives: there are few, and host code holds on to
/// their handles.
pub(crate) fn add_kernel(binary: &'static Binary, host: *const c_void, name: CString) {
    let kernel = Box::leak(Box::new(Kernel { binary, name, handle: OnceLock::new() }));
    change(|registry| {
        registry.kernels.insert(host as usize, kernel);
    });
}

/// Notes a variable.
pub(crate) fn add_variable(binary: &'static Binary, host: *const c_void, name: CString) {
    let variable = Box::leak(Box::new(Variable { binary, name }));
    change(|registry| {
        registry.variables.insert(host as usize, variable);
    });
}

/// Forgets what a binary brought, since its host code is going away.
pub(crate) fn remove(binary: &'static Binary) {
    change(|registry| {
        registry.kernels.retain(|_, kernel| !std::ptr::eq(kernel.binary, binary));
        registry.variables.retain(|_, variable| !std::ptr::eq(variable.binary, binary));
    });
}

/// Notes a handle of a kernel that a program may pass where a function is asked for.
pub(crate) fn add_handle(kernel: Handle) {
    change(|registry| {
        registry.handles.entry(kernel as usize).or_default();
    });
}

/// The driver's kernel for a function of the host or a handle.
pub(crate) fn kernel(function: *const c_void) -> Result<Handle, Code> {
    let at = function as usize;
    let registered = read(|registry| match registry.kernels.get(&at) {
        Some(kernel) => Some(Some(*kernel)),
        None => registry.handles.contains_key(&at).then_some(None),
    });
    match registered.ok_or(INVALID_FUNCTION)? {
        None => Ok(at as Handle),
        Some(kernel) => kernel.handle(),
    }
}

/// The name of a kernel, which lives as long as the process where host code registered the kernel.
pub(crate) fn name(function: *const c_void) -> Option<*const std::ffi::c_char> {
    let at = function as usize;
    read(|registry| {
        let registered = registry.kernels.get(&at).map(|kernel| kernel.name.as_ptr());
        registered.or_else(|| registry.handles.get(&at).and_then(|name| name.as_ref().map(|name| name.as_ptr())))
    })
}

/// Where a variable is and how long.
pub(crate) fn variable(symbol: *const c_void) -> Result<(u64, usize), Code> {
    let found = read(|registry| registry.variables.get(&(symbol as usize)).copied());
    let variable = found.ok_or(INVALID_SYMBOL)?;
    ready()?;
    let library = variable.binary.library()?;
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: the driver writes an address and a size; the name ends in zero.
    unsafe { driver::cuLibraryGetGlobal(&mut address, &mut bytes, library, variable.name.as_ptr()) }
        .map_err(|code| if code == NOT_FOUND { INVALID_SYMBOL } else { code })?;
    Ok((address, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_registered_is_not_found() {
        let nobody = std::ptr::without_provenance(0x1000);
        assert_eq!(kernel(nobody), Err(INVALID_FUNCTION));
        assert_eq!(variable(nobody), Err(INVALID_SYMBOL));
        assert_eq!(name(nobody), None);
    }

    #[test]
    fn names_are_known_until_the_binary_goes() {
        let binary: &'static Binary = Box::leak(Box::new(Binary::new(std::ptr::null())));
        let host = std::ptr::without_provenance(0x2000);
        add_kernel(binary, host, c"_Z6kernelv".to_owned());
        // SAFETY: the name lives as long as the process.
        let found = unsafe { std::ffi::CStr::from_ptr(name(host).unwrap()) };
        assert_eq!(found, c"_Z6kernelv");
        remove(binary);
        assert_eq!(name(host), None);
    }
}
