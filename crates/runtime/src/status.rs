//! What a call returns, and the last error of each thread.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An error code of the runtime API, which is the driver's code where both have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub i32);

/// What a call came to.
pub type Status = Result<(), Code>;

/// `cudaErrorInvalidValue`
pub const INVALID_VALUE: Code = Code(1);
/// `cudaErrorInvalidConfiguration`
pub const INVALID_CONFIGURATION: Code = Code(9);
/// `cudaErrorInvalidPitchValue`
pub const INVALID_PITCH: Code = Code(12);
/// `cudaErrorInvalidSymbol`
pub const INVALID_SYMBOL: Code = Code(13);
/// `cudaErrorInvalidChannelDescriptor`
pub const INVALID_CHANNEL: Code = Code(20);
/// `cudaErrorInvalidMemcpyDirection`
pub const INVALID_DIRECTION: Code = Code(21);
/// `cudaErrorInsufficientDriver`
pub const NO_DRIVER: Code = Code(35);
/// `cudaErrorMissingConfiguration`
pub const MISSING_CONFIGURATION: Code = Code(52);
/// `cudaErrorInvalidDeviceFunction`
pub const INVALID_FUNCTION: Code = Code(98);
/// `cudaErrorInvalidDevice`
pub const INVALID_DEVICE: Code = Code(101);
/// `cudaErrorInvalidResourceHandle`
pub const INVALID_HANDLE: Code = Code(400);
/// `cudaErrorSymbolNotFound`
pub const NOT_FOUND: Code = Code(500);
/// `cudaErrorNotSupported`
pub const NOT_SUPPORTED: Code = Code(801);
/// `cudaErrorUnknown`
pub const UNKNOWN: Code = Code(999);

thread_local! {
    // No destructor: programs call in from exit handlers.
    static LAST: Cell<i32> = const { Cell::new(0) };
}

/// The status of a code that the driver returned.
pub(crate) fn check(code: i32) -> Status {
    if code == 0 { Ok(()) } else { Err(Code(code)) }
}

/// Runs the body of a call: its error becomes the thread's last one, and a panic does not reach the caller.
pub fn entry(mut body: impl FnMut() -> Status) -> i32 {
    finished(&mut body)
}

/// The code of a call. (There are hundreds of bodies: this is compiled once for all of them.)
fn finished(body: &mut dyn FnMut() -> Status) -> i32 {
    let code = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return 0,
        Ok(Err(Code(code))) => code,
        Err(_) => UNKNOWN.0,
    };
    LAST.set(code);
    code
}

/// The thread's last error, which is then forgotten.
pub(crate) fn take() -> i32 {
    LAST.replace(0)
}

/// The thread's last error.
pub(crate) fn last() -> i32 {
    LAST.get()
}

/// Answers a call that is not supported, and says so where the run is verbose.
pub fn unsupported(name: &str) -> i32 {
    if crate::settings::verbose() {
        eprintln!("warpwise: {name} is not supported");
    }
    entry(|| Err(NOT_SUPPORTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_is_kept_until_it_is_taken() {
        assert_eq!(entry(|| Err(INVALID_VALUE)), 1);
        assert_eq!(entry(|| Ok(())), 0);
        assert_eq!(last(), 1);
        assert_eq!(take(), 1);
        assert_eq!(take(), 0);
    }

    #[test]
    fn a_panic_is_an_unknown_error() {
        assert_eq!(entry(|| panic!("not for the caller")), 999);
        assert_eq!(take(), 999);
    }

    #[test]
    fn threads_have_errors_of_their_own() {
        entry(|| Err(INVALID_DEVICE));
        std::thread::spawn(|| assert_eq!(last(), 0)).join().unwrap();
        assert_eq!(take(), 101);
    }

    #[test]
    fn what_is_not_supported_says_so() {
        assert_eq!(unsupported("cudaImportExternalMemory"), 801);
        assert_eq!(take(), 801);
    }
}
