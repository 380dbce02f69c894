//! Addresses of functions by name and version: `cuGetProcAddress`.

use std::ffi::{c_char, c_void};

use crate::api;
use crate::edge::{api, put, put_if, text};
use crate::error::{Error, Outcome};
use crate::names::{NAMES, Name};

/// The default stream of functions is that of the calling thread.
const PER_THREAD: u64 = 2;
/// The flags that there are.
const FLAGS: u64 = 3;

/// What `cuGetProcAddress_v2` says beside the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Found = 0,
    NotFound = 1,
    TooOld = 2,
}

/// Functions that other headers than `cuda.h` declare.
static OTHERS: [(&str, unsafe extern "C" fn() -> u32); 2] =
    [("cuProfilerStart", api::cuProfilerStart), ("cuProfilerStop", api::cuProfilerStop)];

/// The newest form of a function that a program of that version knows.
fn find(base: &str, version: u32, per_thread: bool) -> Result<&'static Name, Status> {
    let known: Vec<&Name> = NAMES.iter().filter(|name| name.base == base).collect();
    if known.is_empty() {
        return Err(Status::NotFound);
    }
    let newest = |per_thread: bool| {
        let fitting = known.iter().filter(|name| name.version <= version && name.is_per_thread() == per_thread);
        fitting.max_by_key(|name| name.version).copied()
    };
    let chosen = if per_thread { newest(true).or_else(|| newest(false)) } else { newest(false) };
    chosen.ok_or(Status::TooOld)
}

fn address(symbol: *const c_char, place: *mut *const c_void, version: i32, flags: u64, status: *mut u32) -> Outcome {
    let symbol = text(symbol)?;
    if place.is_null() || flags & !FLAGS != 0 || symbol.is_empty() {
        return Err(Error::INVALID_VALUE);
    }
    if let Some((_, function)) = OTHERS.iter().find(|(name, _)| *name == symbol) {
        put_if(status, Status::Found as u32);
        return put(place, *function as *const c_void);
    }
    match find(&symbol, u32::try_from(version).unwrap_or(0), flags & PER_THREAD != 0) {
        Ok(name) => {
            put_if(status, Status::Found as u32);
            put(place, name.function as *const c_void)
        }
        Err(why) => {
            put_if(status, why as u32);
            put(place, std::ptr::null())?;
            // A caller that asks for a status learns from it; others learn from the code.
            Err(Error::NOT_FOUND)
        }
    }
}

api! {
    fn cuGetProcAddress(symbol: *const c_char, place: *mut *const c_void, version: i32, flags: u64) {
        address(symbol, place, version, flags, std::ptr::null_mut())
    }

    fn cuGetProcAddress_v2(
        symbol: *const c_char,
        place: *mut *const c_void,
        version: i32,
        flags: u64,
        status: *mut u32,
    ) {
        address(symbol, place, version, flags, status)
    }

    fn cuGetExportTable(table: *mut *const c_void, _id: *const [u8; 16]) {
        // Tables that no header declares: programs that ask for them manage without.
        put_if(table, std::ptr::null());
        Err(Error::INVALID_VALUE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(base: &str, version: u32, per_thread: bool) -> Result<&'static str, Status> {
        find(base, version, per_thread).map(|name| name.symbol)
    }

    #[test]
    fn the_version_decides_the_form() {
        assert_eq!(symbol("cuMemAlloc", 13000, false), Ok("cuMemAlloc_v2"));
        assert_eq!(symbol("cuMemAlloc", 2000, false), Ok("cuMemAlloc"));
        assert_eq!(symbol("cuCtxCreate", 12040, false), Ok("cuCtxCreate_v3"));
        assert_eq!(symbol("cuCtxCreate", 12050, false), Ok("cuCtxCreate_v4"));
        assert_eq!(symbol("cuMemcpyHtoD", 12000, true), Ok("cuMemcpyHtoD_v2_ptds"));
        assert_eq!(symbol("cuMemAlloc", 12000, true), Ok("cuMemAlloc_v2"));
    }

    #[test]
    fn what_is_not_there() {
        assert_eq!(symbol("cuMemAllocate", 13000, false), Err(Status::NotFound));
        assert_eq!(symbol("cuLibraryLoadData", 11000, false), Err(Status::TooOld));
    }
}
