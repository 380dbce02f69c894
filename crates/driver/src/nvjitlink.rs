//! Making clients hand over PTX: for those that would rather link to machine code with nvJitLink.
//!
//! Such clients (Numba, through `cuda-core`) first take whatever library is loaded under nvJitLink's name, and do without
//! if it lacks `nvJitLinkVersion`, as those before CUDA 12.3 do: then they link PTX through the driver. So where the
//! settings ask for it, libraries of that name are loaded that have nothing in them.

use std::ffi::CString;

use warpwise_trace::{Settings, VARIABLE};

use crate::edge;

/// The names to hold.
const NAMES: [&str; 2] = ["libnvJitLink.so.12", "libnvJitLink.so.13"];

/// Called when the driver is loaded: clients look for nvJitLink before they initialise anything.
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

extern "C" fn loaded() {
    // Without settings there is nothing to do, and a panic must not leave through C.
    if std::env::var_os(VARIABLE).is_some() {
        let _ = std::panic::catch_unwind(|| match Settings::of_process() {
            Ok(settings) if settings.hold_back_nvjitlink => {
                edge::set_verbose(settings.verbose);
                hold_back();
            }
            _ => {}
        });
    }
}

/// Loads a library without contents under each of the names.
fn hold_back() {
    for name in NAMES {
        let held = load(&empty_library(name));
        edge::tell(|| match held {
            true => format!("{name} is held back, so that clients hand over PTX"),
            false => format!("{name} could not be held back"),
        });
    }
}

/// Loads a library from memory, for good.
fn load(image: &[u8]) -> bool {
    // SAFETY: makes a descriptor; the name is a terminated string.
    let file = unsafe { libc::memfd_create(c"warpwise".as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return false;
    }
    // SAFETY: a descriptor of our own, and bytes that live until the call returns.
    let written = unsafe { libc::write(file, image.as_ptr().cast(), image.len()) };
    let path = CString::new(format!("/proc/self/fd/{file}")).expect("no NUL");
    // SAFETY: the library has no code that could run, and its file stays open for good.
    written == image.len() as isize && !unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) }.is_null()
}

/// A shared library with a name and nothing else.
fn empty_library(name: &str) -> Vec<u8> {
    const HEADER: u64 = 64;
    const SEGMENT: u64 = 56;
    const SYMBOL: u64 = 24;
    let machine: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let symbols = HEADER + 3 * SEGMENT;
    let hash = symbols + SYMBOL;
    let strings = hash + 16;
    let strings_len = name.len() as u64 + 2;
    let dynamic = (strings + strings_len).next_multiple_of(8);
    // Hash table, strings, symbols, their sizes, the name, the end.
    let entries = [(4, hash), (5, strings), (6, symbols), (10, strings_len), (11, SYMBOL), (14, 1), (0, 0)];
    let dynamic_len = 16 * entries.len() as u64;
    let end = dynamic + dynamic_len;

    let mut image = Vec::new();
    let mut put = |bytes: &[u8]| image.extend_from_slice(bytes);
    put(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    // A shared object.
    put(&3u16.to_le_bytes());
    put(&machine.to_le_bytes());
    put(&1u32.to_le_bytes());
    // No entry point; segments after this header; no sections.
    for word in [0, HEADER, 0] {
        put(&word.to_le_bytes());
    }
    put(&0u32.to_le_bytes());
    for half in [HEADER as u16, SEGMENT as u16, 3, 0, 0, 0] {
        put(&half.to_le_bytes());
    }
    // Everything, readable and writable; the dynamic section; a stack without code.
    for (kind, offset, len, align) in [(1u32, 0, end, 0x1000u64), (2, dynamic, dynamic_len, 8), (0x6474_e551, 0, 0, 16)]
    {
        put(&kind.to_le_bytes());
        put(&6u32.to_le_bytes());
        for word in [offset, offset, offset, len, len, align] {
            put(&word.to_le_bytes());
        }
    }
    // One symbol, which is none, and a hash table with one empty bucket.
    put(&[0; SYMBOL as usize]);
    for word in [1u32, 1, 0, 0] {
        put(&word.to_le_bytes());
    }
    put(b"\0");
    put(name.as_bytes());
    image.resize(dynamic as usize, 0);
    for (tag, value) in entries {
        image.extend_from_slice(&u64::to_le_bytes(tag));
        image.extend_from_slice(&value.to_le_bytes());
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_contents_is_found_by_its_name() {
        let name = "libwarpwise-held-back.so.1";
        let terminated = CString::new(name).expect("no NUL");
        let loaded = || {
            // SAFETY: only asks whether it is there.
            let handle = unsafe { libc::dlopen(terminated.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
            !handle.is_null()
        };
        assert!(!loaded());
        assert!(load(&empty_library(name)));
        assert!(loaded());
    }
}
