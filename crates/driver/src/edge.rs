//! The edge to C: what every exported function passes through, and safe ways to touch what callers point to.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Outcome};

/// Declares functions of the API: each is exported under its own name and returns the code of its body's outcome.
macro_rules! api {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of the CUDA driver API.")]
        ///
        /// # Safety
        ///
        /// Arguments are as the API documents them: a pointer is null, or valid for what the function does with it.
        #[allow(clippy::too_many_arguments, reason = "the API has them")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
            $crate::edge::guard(stringify!($name), &mut || $body)
        }
    )*};
}
pub(crate) use api;

/// This process is a child that was forked off one that uses the driver.
static FORKED: AtomicBool = AtomicBool::new(false);
/// Calls that fail are told on stderr.
static VERBOSE: AtomicBool = AtomicBool::new(false);

extern "C" fn forked() {
    FORKED.store(true, Ordering::Relaxed);
}

/// From now on, a forked child is refused instead of waiting for locks that nobody will release.
pub(crate) fn watch_forks() {
    static WATCH: Once = Once::new();
    // SAFETY: the handler stores to an atomic and touches nothing else.
    WATCH.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(forked));
    });
}

/// Tells of failed calls on stderr, or stops doing so.
pub(crate) fn set_verbose(verbose: bool) {
    VERBOSE.store(verbose, Ordering::Relaxed);
}

/// Says something on stderr, if that was asked for.
pub(crate) fn tell(message: impl FnOnce() -> String) {
    if VERBOSE.load(Ordering::Relaxed) {
        eprintln!("warpwise: {}", message());
    }
}

/// Runs the body of an API function and turns its outcome into a code. No panic leaves it. (There are hundreds of
/// bodies: this is compiled once for all of them.)
pub(crate) fn guard(name: &'static str, body: &mut dyn FnMut() -> Outcome) -> u32 {
    let _call = crate::per_thread::Call::begin();
    if FORKED.load(Ordering::Relaxed) {
        return Error::NOT_INITIALIZED.0;
    }
    let code = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error.0,
        Err(_) => Error::UNKNOWN.0,
    };
    // Clients ask for many functions that are newer than this library.
    if name.starts_with("cuGetProcAddress") {
        return code;
    }
    tell(|| format!("{name} returned {code} ({})", crate::error::name(code).unwrap_or(c"?").to_string_lossy()));
    code
}

/// Stores a result where the caller wants it; null is an invalid value.
#[inline]
pub(crate) fn put<T>(place: *mut T, value: T) -> Outcome {
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: not null, so by the contract of the API valid for a write of this type. It may lack alignment.
    unsafe { place.write_unaligned(value) };
    Ok(())
}

/// Stores a result where the caller wants it, if anywhere.
#[inline]
pub(crate) fn put_if<T>(place: *mut T, value: T) {
    let _ = put(place, value);
}

/// Reads what a pointer of the caller's points to; null is an invalid value.
#[inline]
pub(crate) fn get<T: Copy>(place: *const T) -> Outcome<T> {
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: not null, so by the contract of the API valid for a read of this type. It may lack alignment.
    Ok(unsafe { place.read_unaligned() })
}

/// The elements of a caller's array.
pub(crate) fn list<T: Copy>(place: *const T, count: usize) -> Outcome<Vec<T>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: not null, so by the contract of the API an array of `count` elements.
    Ok((0..count).map(|at| unsafe { place.add(at).read_unaligned() }).collect())
}

/// Stores elements in a caller's array, which has room for them.
pub(crate) fn put_list<T: Copy>(place: *mut T, values: &[T]) {
    for (at, value) in values.iter().enumerate() {
        // SAFETY: the caller's array has room for as many elements as it was asked about.
        unsafe { place.add(at).write_unaligned(*value) };
    }
}

/// A caller's string.
pub(crate) fn text(place: *const c_char) -> Outcome<String> {
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: not null, so by the contract of the API a terminated string.
    Ok(unsafe { CStr::from_ptr(place) }.to_string_lossy().into_owned())
}

/// Copies a text and its end into a caller's buffer, cut to its length.
pub(crate) fn put_text(place: *mut c_char, room: usize, value: &str) -> Outcome {
    if place.is_null() || room == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let shown = value.len().min(room - 1);
    put_list(place.cast::<u8>(), &value.as_bytes()[..shown]);
    // SAFETY: the buffer has `room` bytes, and `shown` is less.
    unsafe { place.add(shown).write(0) };
    Ok(())
}
