//! Makes the program smaller where the linker can: equal functions are kept once, and relocations are packed.

use std::ffi::{CStr, c_char};

/// The first C library that reads packed relocations.
const PACKS: (u32, u32) = (2, 36);

unsafe extern "C" {
    fn gnu_get_libc_version() -> *const c_char;
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // Rust links with LLD there.
    let known = is("TARGET", "x86_64-unknown-linux-gnu") && is("HOST", "x86_64-unknown-linux-gnu");
    if !known || !is("PROFILE", "release") {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    // SAFETY: it returns a string that lives as long as the library.
    let version = unsafe { CStr::from_ptr(gnu_get_libc_version()) }.to_string_lossy();
    let mut numbers = version.split('.').filter_map(|part| part.parse::<u32>().ok());
    if (numbers.next(), numbers.next()) >= (Some(PACKS.0), Some(PACKS.1)) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
