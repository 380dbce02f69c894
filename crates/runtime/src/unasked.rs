//! Launches by `<<<>>>` that failed. Such a launch returns nothing to the program, so that only a question about the last
//! error tells it; the driver of `warpwise exec` notes those that were never asked about.

use std::cell::Cell;
use std::ffi::{c_char, c_void};

use crate::driver;
use crate::error::cudaGetErrorName;
use crate::status::{Code, Status};
use crate::types::Handle;

thread_local! {
    /// Whether the next launch is one by `<<<>>>`.
    static UNSEEN: Cell<bool> = const { Cell::new(false) };
    /// Whether one has failed since the program last asked.
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

/// Host code of `<<<>>>` is about to launch.
pub(crate) fn expect() {
    UNSEEN.set(true);
}

/// A launch has come to an end: tells the driver where it failed and nobody sees what is returned.
pub(crate) fn launched(call: &'static str, kernel: Result<Handle, Code>, status: Status) -> Status {
    debug_assert!(call.ends_with('\0'));
    if UNSEEN.replace(false)
        && let Err(Code(code)) = status
    {
        FAILED.set(true);
        if let Some(tell) = driver::optional(c"warpwise_launch_failed") {
            type Tell = unsafe extern "C" fn(u64, *const c_char, *const c_char, u32);
            // SAFETY: the driver's function of this name has this signature; both texts end in zero.
            unsafe {
                let tell = std::mem::transmute::<*mut c_void, Tell>(tell);
                let kernel = kernel.unwrap_or(std::ptr::null_mut());
                tell(kernel as u64, call.as_ptr().cast(), cudaGetErrorName(code), code as u32);
            }
        }
    }
    status
}

/// The program asks about its last error.
pub(crate) fn asked() {
    if FAILED.replace(false)
        && let Some(tell) = driver::optional(c"warpwise_error_asked")
    {
        // SAFETY: the driver's function of this name has no arguments.
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(tell)() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::INVALID_CONFIGURATION;

    #[test]
    fn only_launches_that_nobody_sees_are_noted() {
        let failed = Err(INVALID_CONFIGURATION);
        assert_eq!(launched("cudaLaunchKernel\0", failed.map(|()| std::ptr::null_mut()), failed), failed);
        assert!(!FAILED.get());
        expect();
        assert_eq!(launched("cudaLaunchKernel\0", failed.map(|()| std::ptr::null_mut()), failed), failed);
        assert!(FAILED.get());
        asked();
        assert!(!FAILED.get());
        expect();
        assert_eq!(launched("cudaLaunchKernel\0", Ok(std::ptr::null_mut()), Ok(())), Ok(()));
        assert!(!FAILED.get());
    }
}
