//! The library's public functions behind the C ABI, for `bench/peers/compare.py`.
//!
//! Every function calls the library as a Rust program would: those that allocate their result allocate and
//! free it here, so that the caller's clock includes it. The result is copied to `check` for inspection, unless that
//! is null.
//!
//! # Safety
//!
//! All functions: pointers must be valid for the given lengths (`check` for that of the result, or null),
//! and nothing else may write there meanwhile.

pub mod expressions;

use std::ffi::c_int;

use warpwise::compact::Condition;
use warpwise::convolve2d::{Edge, Filter};
use warpwise::heat::{Cylinder, Limits};
use warpwise::matmul::{HostMatrix, HostMatrixMut, Matrix, MatrixMut};
use warpwise::radiator::{Preset, Simulation};
use warpwise::scan::Kind;
use warpwise::{
    Border, Device, Error, Operator, by_key, compact, convolve1d, convolve2d, heat, histogram, matmul, reduce, scan,
    segmented, sort, transpose, unique, vecadd,
};

/// # Safety
///
/// The pointer must be valid for `length` elements for as long as the slice is used.
unsafe fn slice<'a, T>(at: *const T, length: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(at, length) }
}

/// # Safety
///
/// As for [`slice`], and nothing else may read the elements meanwhile.
unsafe fn slice_mut<'a, T>(at: *mut T, length: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(at, length) }
}

/// 0 for a result, which is copied to `check` unless that is null; 1 for an error, which is printed.
///
/// # Safety
///
/// `check` must be null or valid for the result.
unsafe fn finish<T: Copy>(result: Result<Vec<T>, Error>, check: *mut T) -> c_int {
    match result {
        Ok(values) => {
            if !check.is_null() {
                // SAFETY: the caller's promise.
                unsafe { slice_mut(check, values.len()) }.copy_from_slice(&values);
            }
            0
        }
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}

macro_rules! numbers {
    ($t:ty, $sum:ident $min:ident $max:ident $argmax:ident, $scan:ident $scan_into:ident) => {
        /// The sum of all elements.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sum(xs: *const $t, n: usize, check: *mut $t) -> c_int {
            // SAFETY: the caller's promises.
            unsafe { finish(reduce::wrapping_sum(&Device::best(), slice(xs, n)).map(|x| vec![x]), check) }
        }

        /// The smallest element.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $min(xs: *const $t, n: usize, check: *mut $t) -> c_int {
            // SAFETY: the caller's promises.
            unsafe { finish(reduce::min(&Device::best(), slice(xs, n)).map(|x| vec![x]), check) }
        }

        /// The largest element.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $max(xs: *const $t, n: usize, check: *mut $t) -> c_int {
            // SAFETY: the caller's promises.
            unsafe { finish(reduce::max(&Device::best(), slice(xs, n)).map(|x| vec![x]), check) }
        }

        /// The index of the largest element.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $argmax(xs: *const $t, n: usize, check: *mut usize) -> c_int {
            // SAFETY: the caller's promises.
            unsafe { finish(reduce::argmax(&Device::best(), slice(xs, n)).map(|x| vec![x]), check) }
        }

        /// The inclusive sum, in memory of its own.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $scan(xs: *const $t, n: usize, check: *mut $t) -> c_int {
            // SAFETY: the caller's promises.
            unsafe { finish(scan::inclusive(&Device::best(), slice(xs, n)), check) }
        }

        /// The inclusive sum, in memory of the caller.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $scan_into(xs: *const $t, n: usize, out: *mut $t) -> c_int {
            // SAFETY: the caller's promises.
            let (xs, out) = unsafe { (slice(xs, n), slice_mut(out, n)) };
            let result = scan::cpu::par(Operator::Sum, Kind::Inclusive, xs, out);
            // SAFETY: null needs no promise.
            unsafe { finish(result.map(|()| Vec::<$t>::new()), std::ptr::null_mut()) }
        }
    };
}

numbers!(f32, sum_f32 min_f32 max_f32 argmax_f32, scan_f32 scan_into_f32);
numbers!(i32, sum_i32 min_i32 max_i32 argmax_i32, scan_i32 scan_into_i32);

macro_rules! sorts {
    ($t:ty, $sort:ident $argsort:ident) => {
        /// The keys in order, in memory of their own.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sort(keys: *const $t, n: usize, check: *mut $t) -> c_int {
            // SAFETY: the caller's promises.
            unsafe { finish(sort::sort(&Device::best(), slice(keys, n)), check) }
        }

        /// Where the keys in order are, in memory of its own.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $argsort(keys: *const $t, n: usize, check: *mut u32) -> c_int {
            // SAFETY: the caller's promises.
            unsafe { finish(sort::argsort(&Device::best(), slice(keys, n)), check) }
        }
    };
}

sorts!(f32, sort_f32 argsort_f32);
sorts!(i32, sort_i32 argsort_i32);
sorts!(u64, sort_u64 argsort_u64);

/// The different elements in order, in memory of their own.
///
/// # Safety
///
/// As for all functions; `check` must be valid for as many elements as there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unique_i32(xs: *const i32, n: usize, check: *mut i32) -> c_int {
    // SAFETY: the caller's promises.
    unsafe { finish(unique::unique(&Device::best(), slice(xs, n)), check) }
}

/// The sums of values whose keys are equal and follow each other.
///
/// # Safety
///
/// As for all functions; `check` must be valid for as many elements as there are runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sum_by_key_f32(keys: *const i32, values: *const f32, n: usize, check: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    let (keys, values) = unsafe { (slice(keys, n), slice(values, n)) };
    let sums = by_key::sum(&Device::best(), keys, values).map(|(_, sums)| sums);
    // SAFETY: the caller's promises.
    unsafe { finish(sums, check) }
}

/// The sum of every segment; there is one offset more than there are segments.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn segmented_sum_f32(
    xs: *const f32,
    n: usize,
    offsets: *const u64,
    count: usize,
    check: *mut f32,
) -> c_int {
    // SAFETY: the caller's promises.
    let (xs, offsets) = unsafe { (slice(xs, n), slice(offsets, count)) };
    // SAFETY: the caller's promises.
    unsafe { finish(segmented::reduce(&Device::best(), Operator::Sum, xs, offsets), check) }
}

/// The largest elements, the largest first.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn top_k_f32(xs: *const f32, n: usize, k: usize, check: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    unsafe { finish(sort::top_k(&Device::best(), slice(xs, n), k), check) }
}

/// The sum of two vectors, in memory of its own.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vecadd_f32(a: *const f32, b: *const f32, n: usize, check: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    unsafe { finish(vecadd::add(&Device::best(), slice(a, n), slice(b, n)), check) }
}

/// The sum of two vectors, in memory of the caller.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vecadd_into_f32(a: *const f32, b: *const f32, n: usize, out: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    let (a, b, out) = unsafe { (slice(a, n), slice(b, n), slice_mut(out, n)) };
    // SAFETY: null needs no promise.
    unsafe { finish(vecadd::cpu::par(a, b, out).map(|()| Vec::<f32>::new()), std::ptr::null_mut()) }
}

/// How often each value occurs.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn histogram_u8(xs: *const u8, n: usize, check: *mut u64) -> c_int {
    // SAFETY: the caller's promises.
    unsafe { finish(histogram::by_value(&Device::best(), slice(xs, n)), check) }
}

/// The transpose of a matrix, in memory of its own.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpose_f32(xs: *const f32, rows: usize, columns: usize, check: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    unsafe { finish(transpose::transpose(&Device::best(), slice(xs, rows * columns), (rows, columns)), check) }
}

/// The transpose of a matrix, in memory of the caller.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpose_into_f32(xs: *const f32, rows: usize, columns: usize, out: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    let (xs, out) = unsafe { (slice(xs, rows * columns), slice_mut(out, rows * columns)) };
    let mut turned = || {
        transpose::cpu::par(HostMatrix::new(xs, rows, columns)?, HostMatrixMut::new(out, columns, rows)?)?;
        Ok(Vec::<f32>::new())
    };
    // SAFETY: null needs no promise.
    unsafe { finish(turned(), std::ptr::null_mut()) }
}

/// The elements below a limit, in memory of their own.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compact_f32(xs: *const f32, n: usize, limit: f64, check: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    unsafe { finish(compact::compact(&Device::best(), slice(xs, n), Condition::Less(limit as f32)), check) }
}

/// The elements whose byte in a mask is not zero, in memory of their own.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compact_by_mask_f32(xs: *const f32, n: usize, mask: *const u8, check: *mut f32) -> c_int {
    // SAFETY: the caller's promises.
    unsafe { finish(compact::by_mask(&Device::best(), slice(xs, n), slice(mask, n)), check) }
}

macro_rules! matmul {
    ($t:ty, $name:ident) => {
        /// The product of an m x k and a k x n matrix, in memory of the caller.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            a: *const $t,
            b: *const $t,
            m: usize,
            n: usize,
            k: usize,
            out: *mut $t,
        ) -> c_int {
            // SAFETY: the caller's promises.
            let (a, b, c) = unsafe { (slice(a, m * k), slice(b, k * n), slice_mut(out, m * n)) };
            let mut product = || {
                let (a, b, mut c) = (Matrix::new(a, m, k)?, Matrix::new(b, k, n)?, MatrixMut::new(c, m, n)?);
                matmul::multiply_into(&Device::best(), &a, &b, &mut c)?;
                Ok(Vec::<$t>::new())
            };
            // SAFETY: null needs no promise.
            unsafe { finish(product(), std::ptr::null_mut()) }
        }
    };
}

matmul!(f32, matmul_f32);
matmul!(f64, matmul_f64);

macro_rules! filter {
    ($t:ty, $name:ident) => {
        /// An image through a square filter; the border is replicated.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            weights: *const f32,
            side: usize,
            pixels: *const $t,
            rows: usize,
            columns: usize,
            check: *mut $t,
        ) -> c_int {
            // SAFETY: the caller's promises.
            let (weights, pixels) = unsafe { (slice(weights, side * side), slice(pixels, rows * columns)) };
            let filtered = || {
                let filter = Filter::new(weights, side, side)?;
                convolve2d::filter(&Device::best(), &filter, Edge::Border(Border::Replicate), pixels, (rows, columns))
            };
            // SAFETY: the caller's promises.
            unsafe { finish(filtered(), check) }
        }
    };
}

filter!(f32, filter_f32);
filter!(u8, filter_u8);

/// A line through a mask, with zeros beyond its ends.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn convolve1d_f32(
    mask: *const f32,
    width: usize,
    xs: *const f32,
    n: usize,
    check: *mut f32,
) -> c_int {
    // SAFETY: the caller's promises.
    unsafe { finish(convolve1d::filter(&Device::best(), slice(mask, width), Border::Zero, slice(xs, n)), check) }
}

/// Heat on a cylinder: a number of steps, or fewer if the largest change falls below the threshold.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heat_f64(
    temperature: *const f64,
    conductivity: *const f64,
    rows: usize,
    columns: usize,
    steps: usize,
    threshold: f64,
    check: *mut f64,
) -> c_int {
    // SAFETY: the caller's promises.
    let (temperature, conductivity) =
        unsafe { (slice(temperature, rows * columns), slice(conductivity, rows * columns)) };
    let end = || {
        let cylinder = Cylinder::new(rows, columns, temperature, conductivity)?;
        let (end, _) = heat::simulate(&Device::best(), cylinder, Limits { iterations: steps, threshold })?;
        Ok(end)
    };
    // SAFETY: the caller's promises.
    unsafe { finish(end(), check) }
}

/// The radiator of 2025, from its initial values through a number of steps.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn radiator_f32(rows: usize, columns: usize, steps: usize, check: *mut f32) -> c_int {
    let end = || {
        let mut simulation = Simulation::new(&Device::best(), Preset::Year2025, rows, columns)?;
        simulation.run(steps)?;
        simulation.values()
    };
    // SAFETY: the caller's promises.
    unsafe { finish(end(), check) }
}
