//! Passing calls on: each name of the API jumps to where a table says, with its arguments untouched.

use std::arch::naked_asm;
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use warpwise_trace::{WITNESS_VARIABLE, Witness};

use crate::{calls, keep};

/// `CUDA_ERROR_NO_DEVICE` and `CUDA_ERROR_NOT_SUPPORTED`.
const NO_DEVICE: u32 = 100;
const NOT_SUPPORTED: u32 = 801;

extern "C" fn no_driver() -> u32 {
    NO_DEVICE
}

extern "C" fn not_there() -> u32 {
    NOT_SUPPORTED
}

macro_rules! names {
    ($($symbol:ident $base:ident $version:literal;)*) => {
        /// The symbols, as indices of the tables.
        #[allow(non_camel_case_types, dead_code, clippy::enum_variant_names, reason = "they are the API's names")]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(usize)]
        pub(crate) enum Name { $($symbol,)* }

        /// All symbols.
        pub(crate) static SYMBOLS: &[&str] = &[$(stringify!($symbol),)*];

        /// How many there are.
        const COUNT: usize = [$($version,)*].len();

        /// What the names jump to.
        static JUMPS: [AtomicPtr<c_void>; COUNT] =
            [const { AtomicPtr::new(no_driver as *const () as *mut c_void) }; COUNT];

        $(
            #[doc = concat!("`", stringify!($symbol), "` of the CUDA driver API.")]
            ///
            /// # Safety
            ///
            /// As the driver has it.
            #[allow(unreachable_pub, reason = "programs reach it by its name")]
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol() {
                #[cfg(target_arch = "x86_64")]
                naked_asm!(
                    "lea r11, [rip + {jumps}]",
                    "jmp qword ptr [r11 + 8 * {at}]",
                    jumps = sym JUMPS,
                    at = const Name::$symbol as usize,
                );
                #[cfg(target_arch = "aarch64")]
                naked_asm!(
                    "adrp x16, {jumps}",
                    "add x16, x16, :lo12:{jumps}",
                    "ldr x16, [x16, #8 * {at}]",
                    "br x16",
                    jumps = sym JUMPS,
                    at = const Name::$symbol as usize,
                );
            }
        )*
    };
}

warpwise_trace::driver_names!(names);

/// The driver's own functions.
static REAL: [AtomicPtr<c_void>; COUNT] = [const { AtomicPtr::new(no_driver as *const () as *mut c_void) }; COUNT];

/// The driver's function of a name.
pub(crate) fn real(at: usize) -> *mut c_void {
    REAL[at].load(Ordering::Relaxed)
}

/// What a function of the driver's is for callers: itself, or what we have in its place.
pub(crate) fn in_place_of(function: *mut c_void) -> *mut c_void {
    let kept = calls::KEPT.iter().find(|(name, _)| real(*name as usize) == function);
    kept.map_or(function, |(_, ours)| *ours as *mut c_void)
}

/// Called when the library is loaded, before anyone can call it.
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

extern "C" fn loaded() {
    // A panic must not leave through C.
    let _ = std::panic::catch_unwind(|| {
        let Some(path) = std::env::var_os(WITNESS_VARIABLE).filter(|path| !path.is_empty()) else { return };
        let witness = std::fs::read(path).ok().and_then(|text| serde_json::from_slice::<Witness>(&text).ok());
        match witness {
            Some(witness) if open(&witness) => keep::begin(&witness.folder),
            Some(witness) => eprintln!("warpwise: the driver {} cannot be opened", witness.driver.display()),
            None => eprintln!("warpwise: {WITNESS_VARIABLE} names no file that says which driver to use"),
        }
    });
}

/// Opens the driver and fills the tables.
fn open(witness: &Witness) -> bool {
    let Ok(path) = CString::new(witness.driver.as_os_str().as_encoded_bytes()) else { return false };
    // It must find its own names before ours, which are the same.
    let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_DEEPBIND;
    // SAFETY: the path ends in zero; what the library runs when it is opened is its own concern.
    let driver = unsafe { libc::dlopen(path.as_ptr(), flags) };
    if driver.is_null() {
        return false;
    }
    for (at, symbol) in SYMBOLS.iter().enumerate() {
        let name = CString::new(*symbol).expect("names have no zeros");
        // SAFETY: the library is open and stays so; the name ends in zero.
        let found = unsafe { libc::dlsym(driver, name.as_ptr()) };
        let found = if found.is_null() { not_there as *const () as *mut c_void } else { found };
        REAL[at].store(found, Ordering::Relaxed);
        JUMPS[at].store(found, Ordering::Relaxed);
    }
    for (name, ours) in calls::KEPT.iter() {
        JUMPS[*name as usize].store(*ours as *mut c_void, Ordering::Relaxed);
    }
    true
}
