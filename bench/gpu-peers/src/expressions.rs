//! Expressions.

use std::ffi::c_char;

use warpwise::expression::x;
use warpwise::{Buffer, reduce};

use crate::{Work, device, new, plain, slice};

/// The sum of the squares of all elements.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn squares_f32(xs: *const f32, n: usize, _variant: *const c_char, _first: usize) -> *mut Work {
    // SAFETY: the caller's promises.
    let xs = unsafe { slice(xs, n) };
    new((|| {
        let device = device()?;
        let xs = Buffer::from_slice(&device, xs)?;
        let squares = x() * x();
        Ok(plain(move || Ok(vec![reduce::Reduce::new().run(&device, &squares.of::<f32, f32, _>(&xs)?)?])))
    })())
}
