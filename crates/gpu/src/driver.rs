//! The NVIDIA driver of this machine: there or not, its version, its GPUs.

use libloading::Library;
use std::ffi::{CStr, c_char, c_int};

/// A driver that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// The library it was reached through.
    pub library: &'static str,
    /// The CUDA version it supports, major and minor.
    pub cuda: (u32, u32),
    /// The GPUs, or why there are none.
    pub gpus: Result<Vec<InstalledGpu>, String>,
}

/// A GPU in this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledGpu {
    /// Its name by the driver.
    pub name: String,
    /// Compute capability.
    pub compute_capability: (u32, u32),
    /// Memory in bytes.
    pub memory: u64,
}

#[cfg(windows)]
const LIBRARIES: [&str; 1] = ["nvcuda.dll"];
#[cfg(not(windows))]
const LIBRARIES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// The libraries that are tried.
pub fn looked_for() -> &'static [&'static str] {
    &LIBRARIES
}

type Plain = unsafe extern "C" fn(c_int) -> c_int;
type Fill = unsafe extern "C" fn(*mut c_int) -> c_int;
type DeviceName = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int;
type DeviceMemory = unsafe extern "C" fn(*mut usize, c_int) -> c_int;
type DeviceGet = unsafe extern "C" fn(*mut c_int, c_int) -> c_int;
type DeviceAttribute = unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int;

/// Asks the driver, if there is one.
pub fn find() -> Option<Driver> {
    let (library, name) = LIBRARIES.iter().find_map(|name| {
        // SAFETY: the driver's library has no requirements on its loading.
        unsafe { Library::new(*name) }.ok().map(|library| (library, *name))
    })?;
    // SAFETY: the types are those of cuda.h; the library is open until the end of this function.
    let (init, version) = unsafe {
        let init: Plain = *library.get(b"cuInit\0").ok()?;
        let version: Fill = *library.get(b"cuDriverGetVersion\0").ok()?;
        (init, version)
    };
    let mut number = 0;
    // SAFETY: the pointer is to a live integer; this call needs no initialisation.
    unsafe { version(&raw mut number) };
    let number = number.unsigned_abs();
    let cuda = (number / 1000, number % 1000 / 10);
    // SAFETY: zero is the only value that flags may have.
    let gpus = match unsafe { init(0) } {
        0 => gpus(&library).ok_or_else(|| "the driver does not list its GPUs".to_owned()),
        100 => Err("no GPU".to_owned()),
        status => Err(format!("cuInit failed with status {status}")),
    };
    // Unloading a driver is best left to the end of the process.
    std::mem::forget(library);
    Some(Driver { library: name, cuda, gpus })
}

fn gpus(library: &Library) -> Option<Vec<InstalledGpu>> {
    const MAJOR: c_int = 75;
    const MINOR: c_int = 76;
    // SAFETY: the types are those of cuda.h.
    let (count, get, device_name, attribute, memory) = unsafe {
        let count: Fill = *library.get(b"cuDeviceGetCount\0").ok()?;
        let get: DeviceGet = *library.get(b"cuDeviceGet\0").ok()?;
        let device_name: DeviceName = *library.get(b"cuDeviceGetName\0").ok()?;
        let attribute: DeviceAttribute = *library.get(b"cuDeviceGetAttribute\0").ok()?;
        let memory: DeviceMemory = *library.get(b"cuDeviceTotalMem_v2\0").ok()?;
        (count, get, device_name, attribute, memory)
    };
    let mut number = 0;
    // SAFETY: the driver is initialised, and the pointer is to a live integer.
    if unsafe { count(&raw mut number) } != 0 {
        return None;
    }
    let mut found = Vec::new();
    for ordinal in 0..number {
        let (mut device, mut major, mut minor, mut bytes) = (0, 0, 0, 0usize);
        let mut text = [0 as c_char; 256];
        // SAFETY: every pointer is to a live value; the text has room for the 256 characters stated.
        let text = unsafe {
            get(&raw mut device, ordinal);
            device_name(text.as_mut_ptr(), 255, device);
            attribute(&raw mut major, MAJOR, device);
            attribute(&raw mut minor, MINOR, device);
            memory(&raw mut bytes, device);
            CStr::from_ptr(text.as_ptr())
        };
        found.push(InstalledGpu {
            name: text.to_string_lossy().into_owned(),
            compute_capability: (major.unsigned_abs(), minor.unsigned_abs()),
            memory: bytes as u64,
        });
    }
    Some(found)
}
