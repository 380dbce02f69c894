//! What a library exports, under which version.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::PathBuf;

/// A library of the runtime, opened.
pub(crate) struct Library {
    handle: *mut c_void,
    version: CString,
}

impl Library {
    /// Opens what cargo built for a version.
    pub(crate) fn open(version: u32) -> Self {
        let test = std::env::current_exe().expect("a test has a path");
        let built = test.ancestors().nth(2).expect("a test is in a folder");
        let file = format!("libwarpwise_cudart{version}.so");
        let places = [built.join(&file), built.join("deps").join(&file)];
        let path: &PathBuf = places.iter().find(|path| path.exists()).expect("cargo has built the library");
        let path = CString::new(path.to_str().expect("a plain path")).expect("no zero");
        // SAFETY: the path ends in zero; what the library does when it is opened is nothing.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null(), "{path:?} cannot be opened");
        Self { handle, version: CString::new(format!("libcudart.so.{version}")).expect("no zero") }
    }

    /// Whether programs that need the library by its name would get this one.
    pub(crate) fn has_its_name(&self) -> bool {
        // SAFETY: nothing is loaded that is not loaded already.
        unsafe { libc::dlopen(self.version.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) == self.handle }
    }

    /// A name with the library's version, or null.
    pub(crate) fn find(&self, name: &str) -> *mut c_void {
        let name = CString::new(name).expect("no zero");
        // SAFETY: the library is open, the names end in zero.
        unsafe { libc::dlvsym(self.handle, name.as_ptr(), self.version.as_ptr()) }
    }

    /// The names of a list that the library lacks.
    pub(crate) fn missing<'a>(&self, names: &'a str) -> Vec<&'a str> {
        names.lines().filter(|name| self.find(name).is_null()).collect()
    }

    /// What it says its version is.
    pub(crate) fn runtime_version(&self) -> c_int {
        let mut version = 0;
        // SAFETY: the function has this signature.
        let ask: extern "C" fn(*mut c_int) -> c_int =
            unsafe { std::mem::transmute(self.find("cudaRuntimeGetVersion")) };
        assert_eq!(ask(&raw mut version), 0);
        version
    }

    /// The name of an error.
    pub(crate) fn error_name(&self, code: c_int) -> String {
        // SAFETY: the function has this signature, and its texts live as long as the library.
        unsafe {
            let ask: extern "C" fn(c_int) -> *const c_char = std::mem::transmute(self.find("cudaGetErrorName"));
            std::ffi::CStr::from_ptr(ask(code)).to_string_lossy().into_owned()
        }
    }

    /// Calls a name that has no arguments of interest.
    pub(crate) fn call(&self, name: &str) -> c_int {
        // SAFETY: names that are not supported, and questions about the last error, take no arguments.
        let call: extern "C" fn() -> c_int = unsafe { std::mem::transmute(self.find(name)) };
        call()
    }
}
