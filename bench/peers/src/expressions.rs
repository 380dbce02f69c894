//! Expressions.

use std::ffi::c_int;

use warpwise::expression::{Mapped, x, y};
use warpwise::reduce::{self, Reduce};
use warpwise::{Device, Error, map};

use crate::{finish, slice, slice_mut};

/// The variance.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn variance_f32(xs: *const f32, n: usize, check: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    unsafe {
        let moments = reduce::moments(&Device::best(), slice(xs, n));
        finish(moments.map(|moments| vec![moments.variance() as f32]), check)
    }
}

/// The same by an expression, in two passes.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn variance_by_expression_f32(xs: *const f32, n: usize, check: *mut f32) -> c_int {
    // SAFETY: the caller's promise.
    let xs = unsafe { slice(xs, n) };
    let variance = || -> Result<Vec<f32>, Error> {
        let device = Device::best();
        let mean = Reduce::new().run(&device, xs)? / n as f32;
        let squares = (x() - mean).power(2).of::<f32, _, _>(xs)?;
        Ok(vec![Reduce::new().run(&device, &squares)? / n as f32])
    };
    // SAFETY: the caller's promise.
    unsafe { finish(variance(), check) }
}

fn distance<'a>(xs: &'a [f32], ys: &'a [f32], a: f64) -> Result<Mapped<'a, f32>, Error> {
    ((x() - a).power(2) + y().sqrt()).of_both(xs, ys)
}

/// `(x - a)**2 + sqrt(y)`, in memory of its own.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn expression_f32(xs: *const f32, ys: *const f32, n: usize, a: f64, check: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    unsafe {
        let run = || map::run(&Device::best(), &distance(slice(xs, n), slice(ys, n), a)?);
        finish(run(), check)
    }
}

/// The same into existing memory.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn expression_into_f32(xs: *const f32, ys: *const f32, n: usize, a: f64, out: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    unsafe {
        let run = || map::run_into(&Device::best(), &distance(slice(xs, n), slice(ys, n), a)?, slice_mut(out, n));
        finish(run().map(|()| Vec::<f32>::new()), std::ptr::null_mut())
    }
}

/// e to the power of every element, into existing memory.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exp_into_f32(xs: *const f32, n: usize, out: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    unsafe {
        let run = || map::run_into(&Device::best(), &x().exp().of(slice(xs, n))?, slice_mut(out, n));
        finish(run().map(|()| Vec::<f32>::new()), std::ptr::null_mut())
    }
}
