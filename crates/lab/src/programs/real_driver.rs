//! The driver of this machine's GPU, for runs that are compared with it.

use super::ProgramError;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};

/// A variable with a driver to use instead.
const VARIABLE: &str = "WARPWISE_DRIVER";

/// A driver that programs can be run on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RealDriver {
    pub(super) path: PathBuf,
}

impl RealDriver {
    /// The one that the variable names, or the system's if it has a GPU.
    pub(super) fn find() -> Result<Self, ProgramError> {
        let named = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let found = named.map_or_else(of_system, named_file);
        found.map(|path| Self { path }).map_err(|why| ProgramError::NoGpu { why })
    }

    /// Whether it is an emulator too, which NVIDIA's runtime does not run on.
    pub(super) fn is_ours(&self) -> bool {
        let name = self.path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("libwarpwise_"))
    }
}

fn named_file(path: PathBuf) -> Result<PathBuf, String> {
    let real = path.canonicalize().ok().filter(|path| path.is_file());
    real.ok_or_else(|| format!("{VARIABLE} names {}, which is no file", path.display()))
}

/// The file of the system's driver, if that finds a GPU.
fn of_system() -> Result<PathBuf, String> {
    // SAFETY: the name ends in zero; what the library runs when it is opened is its own concern.
    let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err("there is no GPU: NVIDIA's driver (libcuda.so.1) is not installed".to_owned());
    }
    let function = |name: &CStr| {
        // SAFETY: the library is open and stays so; the name ends in zero.
        let found = unsafe { libc::dlsym(library, name.as_ptr()) };
        (!found.is_null()).then_some(found).ok_or_else(|| "libcuda.so.1 is not a CUDA driver".to_owned())
    };
    let (init, count) = (function(c"cuInit")?, function(c"cuDeviceGetCount")?);
    let mut devices: c_int = 0;
    // SAFETY: the functions of these names have these arguments.
    let code = unsafe {
        let initialise: unsafe extern "C" fn(c_uint) -> c_int = std::mem::transmute(init);
        let count: unsafe extern "C" fn(*mut c_int) -> c_int = std::mem::transmute(count);
        match initialise(0) {
            0 => count(&raw mut devices),
            code => code,
        }
    };
    match (code, devices) {
        (0, 1..) => file_of(init),
        (0 | 100, _) => Err("there is no GPU: the driver finds none".to_owned()),
        (code, _) => Err(format!("there is no GPU that can be used: cuInit returned {code}")),
    }
}

/// The file that has a function.
fn file_of(function: *mut c_void) -> Result<PathBuf, String> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `dladdr` looks the address up and reads nothing behind it; `info` is ours to write.
    let found = unsafe { libc::dladdr(function, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return Err("the file of libcuda.so.1 is not known".to_owned());
    }
    // SAFETY: a name that `dladdr` found is a string that ends in NUL and lives as long as its object is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned();
    Path::new(&name).canonicalize().map_err(|problem| format!("{name}: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_driver_must_be_a_file() {
        let told = named_file("/no/such/driver.so".into()).expect_err("there is none");
        assert_eq!(told, "WARPWISE_DRIVER names /no/such/driver.so, which is no file");
        let own = std::env::current_exe().expect("a test is a program");
        assert_eq!(named_file(own.clone()), Ok(own.canonicalize().expect("it is there")));
    }

    #[test]
    fn the_file_of_a_function_is_found() {
        let own = std::env::current_exe().expect("a test is a program").canonicalize().expect("it is there");
        assert_eq!(file_of(named_file as *mut c_void), Ok(own));
        assert!(file_of(std::ptr::null_mut()).is_err());
    }

    #[test]
    fn drivers_of_ours_are_known_by_name() {
        let is_ours = |path: &str| RealDriver { path: path.into() }.is_ours();
        assert!(is_ours("/x/libwarpwise_driver.so") && !is_ours("/usr/lib/libcuda.so.580.1"));
    }
}
