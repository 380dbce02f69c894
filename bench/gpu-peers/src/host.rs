//! Calls from host memory to host memory, copies included.

use std::ffi::c_char;

use warpwise::convolve2d::{self, Convolve2d, Filter};
use warpwise::matmul::{self, Matrix, MatrixMut};
use warpwise::{scan, vecadd};

use crate::{EDGE, Work, device, filled, filter_input, name, new, rung, slice};

/// The sum of two vectors of the host, copies included.
///
/// # Safety
///
/// As for all functions; the vectors must be valid until the work is given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vecadd_host_f32(a: *const f32, b: *const f32, n: usize, variant: *const c_char) -> *mut Work {
    // SAFETY: the caller's promises.
    let (a, b, variant) = unsafe { (slice(a, n), slice(b, n), name(variant)) };
    new((|| {
        let device = device()?;
        let add = vecadd::VecAdd::new().variant(rung::<vecadd::Rung>(variant)?);
        Ok(filled(n, move |out| add.run_into(&device, a, b, out)))
    })())
}

/// The inclusive sum of a vector of the host, copies included.
///
/// # Safety
///
/// As for all functions; the vector must be valid until the work is given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scan_host_f32(xs: *const f32, n: usize, variant: *const c_char) -> *mut Work {
    // SAFETY: the caller's promises.
    let (xs, variant) = unsafe { (slice(xs, n), name(variant)) };
    new((|| {
        let device = device()?;
        let scan = scan::Scan::new().variant(rung::<scan::Rung>(variant)?);
        Ok(filled(n, move |out| scan.run_into(&device, xs, out)))
    })())
}

/// The product of two square matrices of the host, copies included.
///
/// # Safety
///
/// As for all functions; the matrices must be valid until the work is given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn matmul_host_f32(a: *const f32, b: *const f32, n: usize, variant: *const c_char) -> *mut Work {
    // SAFETY: the caller's promises.
    let (a, b, variant) = unsafe { (slice(a, n * n), slice(b, n * n), name(variant)) };
    new((|| {
        let device = device()?;
        let (a, b) = (Matrix::new(a, n, n)?, Matrix::new(b, n, n)?);
        let how = matmul::Matmul::new().variant(rung::<matmul::Rung>(variant)?);
        Ok(filled(n * n, move |c| how.run_into(&device, &a, &b, &mut MatrixMut::new(c, n, n)?)))
    })())
}

/// A square image of the host through a square filter, copies included; the border is zero.
///
/// # Safety
///
/// As for all functions; the image must be valid until the work is given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_host_f32(
    pixels: *const f32,
    side: usize,
    variant: *const c_char,
    weights: *const f32,
    width: usize,
) -> *mut Work {
    // SAFETY: the caller's promises.
    let (pixels, weights, variant) = unsafe { filter_input(pixels, side, variant, weights, width) };
    new((|| {
        let device = device()?;
        let (filter, rung) = (Filter::new(weights, width, width)?, rung::<convolve2d::Rung>(variant)?);
        let filtered = move |out: &mut [f32]| {
            Convolve2d::new(&filter).edge(EDGE).variant(rung).run_into(&device, pixels, (side, side), out)
        };
        Ok(filled(side * side, filtered))
    })())
}
