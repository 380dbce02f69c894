//! Expressions.

use std::ffi::c_char;

use warpwise::expression::x;
use warpwise::{Buffer, compact, reduce};

use crate::{Work, buffered, device, name, new, plain, rung, slice};

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

/// The elements below a limit, which an expression says.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compact_where_f32(xs: *const f32, n: usize, variant: *const c_char, limit: f64) -> *mut Work {
    // SAFETY: the caller's promises.
    let (xs, variant) = unsafe { (slice(xs, n), name(variant)) };
    new((|| {
        let device = device()?;
        let xs = Buffer::from_slice(&device, xs)?;
        let (below, variant) = (x().lt(limit as f32), rung::<compact::Rung>(variant)?);
        Ok(buffered(move || compact::Compact::by_mask(&below.of(&xs)?).variant(variant).run_buffer(&device, &xs)))
    })())
}
