//! The library on a GPU behind the C ABI, for `bench/gpu-peers/compare.py`.
//!
//! A [`Work`] is a call of the library on data in GPU memory. It is made by one of the functions named
//! after primitives, timed by [`work_time`] and read by [`work_result`]. Times are the GPU's own, from before the
//! first launch of a call until after its last, with everything in between.
//!
//! # Safety
//!
//! All functions: pointers must be valid for the given lengths, and nothing else may write there meanwhile.

pub mod expressions;
pub mod host;
pub mod runs;

use std::cell::OnceCell;
use std::ffi::{CStr, c_char, c_int};

use warpwise::compact::Condition;
use warpwise::convolve2d::{Convolve2d, Edge, Filter};
use warpwise::heat::{Cylinder, Limits};
use warpwise::histogram::Binning;
use warpwise::matmul::Matrix;
use warpwise::radiator::{Preset, Radiator};
use warpwise::{Border, Buffer, Device, Element, Error};
use warpwise::{compact, convolve1d, convolve2d, heat, histogram, matmul, radiator, reduce, scan, sort, transpose};

thread_local! {
    static DEVICE: OnceCell<Device> = const { OnceCell::new() };
}

/// The GPU, opened at the first use.
fn device() -> Result<Device, Error> {
    DEVICE.with(|cell| match cell.get() {
        Some(device) => Ok(device.clone()),
        None => {
            let device = Device::cuda()?;
            Ok(cell.get_or_init(|| device).clone())
        }
    })
}

/// The bytes of a call's result.
type Bytes = Vec<u8>;

/// A call that can be repeated.
pub struct Work {
    /// Makes the call; copies its result to the host if requested.
    call: Box<dyn FnMut(bool) -> Result<Option<Bytes>, Error>>,
    /// Whether copies belong to the call: it works on the host's data.
    end_to_end: bool,
}

/// A new work, or null for an error, which is printed.
fn new(work: Result<Work, Error>) -> *mut Work {
    match work {
        Ok(work) => Box::into_raw(Box::new(work)),
        Err(error) => {
            eprintln!("{error}");
            std::ptr::null_mut()
        }
    }
}

/// Work whose result is a buffer.
fn buffered<T: Element>(mut call: impl FnMut() -> Result<Buffer<T>, Error> + 'static) -> Work {
    let call = move |wanted: bool| {
        let out = call()?;
        wanted.then(|| Ok(bytemuck::cast_slice(&out.to_vec()?).to_vec())).transpose()
    };
    Work { call: Box::new(call), end_to_end: false }
}

/// Work whose result is on the host.
fn plain<T: Element>(mut call: impl FnMut() -> Result<Vec<T>, Error> + 'static) -> Work {
    let call = move |wanted: bool| {
        let out = call()?;
        Ok(wanted.then(|| bytemuck::cast_slice(&out).to_vec()))
    };
    Work { call: Box::new(call), end_to_end: false }
}

/// Work from host memory to host memory that is already allocated.
fn filled(length: usize, mut call: impl FnMut(&mut [f32]) -> Result<(), Error> + 'static) -> Work {
    let mut out = vec![0.0; length];
    let call = move |wanted: bool| {
        call(&mut out)?;
        Ok(wanted.then(|| bytemuck::cast_slice(&out).to_vec()))
    };
    Work { call: Box::new(call), end_to_end: true }
}

/// # Safety
///
/// The pointer must be valid for `length` elements for as long as the slice is used.
unsafe fn slice<'a, T>(at: *const T, length: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(at, length) }
}

/// # Safety
///
/// The pointer must be null or point to a string.
unsafe fn name(at: *const c_char) -> Option<String> {
    // SAFETY: the caller's promise.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned())
}

/// The rung of that name.
fn rung<R: std::str::FromStr<Err = Error>>(name: Option<String>) -> Result<Option<R>, Error> {
    name.map(|name| name.parse()).transpose()
}

/// Makes the given number of calls, and writes the milliseconds of each; 0, or 1 for an error, which is printed.
///
/// # Safety
///
/// As for all functions; the work must be one of ours.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn work_time(work: *mut Work, calls: usize, milliseconds: *mut f64) -> c_int {
    // SAFETY: the caller's promises.
    let (work, times) = unsafe { (&mut *work, std::slice::from_raw_parts_mut(milliseconds, calls)) };
    let mut time = || {
        let device = device()?;
        for time in &mut *times {
            if work.end_to_end {
                let since = std::time::Instant::now();
                (work.call)(false)?;
                *time = since.elapsed().as_secs_f64() * 1e3;
                continue;
            }
            device.start_trace();
            (work.call)(false)?;
            let stages = device.take_trace()?.stages;
            // Memory that is zeroed before a launch counts as an upload.
            *time = stages.upload_ms + stages.kernel_ms;
        }
        Ok::<(), Error>(())
    };
    match time() {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}

/// Makes the call once, and writes its result; 0, or 1 for an error or a result of another size, which is printed.
///
/// # Safety
///
/// As for all functions; the work must be one of ours.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn work_result(work: *mut Work, bytes: usize, out: *mut u8) -> c_int {
    // SAFETY: the caller's promises.
    let (work, out) = unsafe { (&mut *work, std::slice::from_raw_parts_mut(out, bytes)) };
    match (work.call)(true) {
        Ok(Some(result)) if result.len() == bytes => {
            out.copy_from_slice(&result);
            return 0;
        }
        Ok(result) => eprintln!("the result has {} bytes, {bytes} are wanted", result.map_or(0, |result| result.len())),
        Err(error) => eprintln!("{error}"),
    }
    1
}

/// Frees a work.
///
/// # Safety
///
/// The work must be one of ours, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn work_free(work: *mut Work) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(work) });
}

macro_rules! numbers {
    ($t:ty, $sum:ident $scan:ident) => {
        /// The sum of all elements after an offset, which only changes the alignment.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sum(xs: *const $t, n: usize, variant: *const c_char, first: usize) -> *mut Work {
            // SAFETY: the caller's promises.
            let (xs, variant) = unsafe { (slice(xs, first + n), name(variant)) };
            new((|| {
                let device = device()?;
                let xs = Buffer::from_slice(&device, xs)?;
                let sum = reduce::Reduce::new().variant(rung::<reduce::Rung>(variant)?);
                Ok(plain(move || Ok(vec![sum.run(&device, &xs.view(first..)?)?])))
            })())
        }

        /// The inclusive sum of the same elements.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $scan(xs: *const $t, n: usize, variant: *const c_char, first: usize) -> *mut Work {
            // SAFETY: the caller's promises.
            let (xs, variant) = unsafe { (slice(xs, first + n), name(variant)) };
            new((|| {
                let device = device()?;
                let xs = Buffer::from_slice(&device, xs)?;
                let scan = scan::Scan::new().variant(rung::<scan::Rung>(variant)?);
                Ok(buffered(move || scan.run_buffer(&device, &xs.view(first..)?)))
            })())
        }
    };
}

numbers!(i32, sum_i32 scan_i32);
numbers!(f32, sum_f32 scan_f32);
numbers!(f64, sum_f64 scan_f64);

macro_rules! sorts {
    ($t:ty, $sort:ident) => {
        /// The keys in order.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sort(keys: *const $t, n: usize, variant: *const c_char) -> *mut Work {
            // SAFETY: the caller's promises.
            let (keys, variant) = unsafe { (slice(keys, n), name(variant)) };
            new((|| {
                let device = device()?;
                let (keys, mut out) = (Buffer::from_slice(&device, keys)?, Buffer::uninit(&device, n)?);
                let sort = sort::Sort::new().variant(rung::<sort::Rung>(variant)?);
                let call = move |wanted: bool| {
                    sort.run_into(&device, &keys, &mut out)?;
                    wanted.then(|| Ok(bytemuck::cast_slice(&out.to_vec()?).to_vec())).transpose()
                };
                Ok(Work { call: Box::new(call), end_to_end: false })
            })())
        }
    };
}

sorts!(u32, sort_u32);
sorts!(u64, sort_u64);

/// Values in the order of their keys.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sort_pairs_u32(
    keys: *const u32,
    values: *const u32,
    n: usize,
    variant: *const c_char,
) -> *mut Work {
    // SAFETY: the caller's promises.
    let (keys, values, variant) = unsafe { (slice(keys, n), slice(values, n), name(variant)) };
    new((|| {
        let device = device()?;
        let (keys, values) = (Buffer::from_slice(&device, keys)?, Buffer::from_slice(&device, values)?);
        let (mut out, mut along) = (Buffer::uninit(&device, n)?, Buffer::uninit(&device, n)?);
        let sort = sort::Sort::new().variant(rung::<sort::Rung>(variant)?);
        let call = move |wanted: bool| {
            sort.run_pairs_into(&device, &keys, &values, &mut out, &mut along)?;
            wanted.then(|| Ok(bytemuck::cast_slice(&along.to_vec()?).to_vec())).transpose()
        };
        Ok(Work { call: Box::new(call), end_to_end: false })
    })())
}

/// How often each byte occurs after an offset.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn histogram_u8(xs: *const u8, n: usize, variant: *const c_char, first: usize) -> *mut Work {
    // SAFETY: the caller's promises.
    let (xs, variant) = unsafe { (slice(xs, first + n), name(variant)) };
    new((|| {
        let device = device()?;
        let xs = Buffer::from_slice(&device, xs)?;
        let count = histogram::Histogram::new(Binning::Value).variant(rung::<histogram::Rung>(variant)?);
        Ok(buffered(move || count.run_buffer(&device, &xs.view(first..)?)))
    })())
}

/// Counts in equal parts of the range from 0 to 1.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn histogram_f32(xs: *const f32, n: usize, variant: *const c_char, bins: usize) -> *mut Work {
    // SAFETY: the caller's promises.
    let (xs, variant) = unsafe { (slice(xs, n), name(variant)) };
    new((|| {
        let device = device()?;
        let xs = Buffer::from_slice(&device, xs)?;
        let binning = Binning::Even { bins, lo: 0.0, hi: 1.0 };
        let count = histogram::Histogram::new(binning).variant(rung::<histogram::Rung>(variant)?);
        Ok(buffered(move || count.run_buffer(&device, &xs)))
    })())
}

/// The elements below a limit.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compact_f32(xs: *const f32, n: usize, variant: *const c_char, limit: f64) -> *mut Work {
    // SAFETY: the caller's promises.
    let (xs, variant) = unsafe { (slice(xs, n), name(variant)) };
    new((|| {
        let device = device()?;
        let xs = Buffer::from_slice(&device, xs)?;
        let below = compact::Compact::new(Condition::Less(limit as f32)).variant(rung::<compact::Rung>(variant)?);
        Ok(buffered(move || below.run_buffer(&device, &xs)))
    })())
}

macro_rules! transposes {
    ($t:ty, $transpose:ident) => {
        /// The transpose of a matrix.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $transpose(
            xs: *const $t,
            rows: usize,
            columns: usize,
            variant: *const c_char,
        ) -> *mut Work {
            // SAFETY: the caller's promises.
            let (xs, variant) = unsafe { (slice(xs, rows * columns), name(variant)) };
            new((|| {
                let device = device()?;
                let xs = Buffer::from_slice(&device, xs)?;
                let how = transpose::Transpose::new().variant(rung::<transpose::Rung>(variant)?);
                Ok(buffered(move || how.run_buffer(&device, &Matrix::new(&xs, rows, columns)?)))
            })())
        }
    };
}

transposes!(u8, transpose_u8);
transposes!(f32, transpose_f32);
transposes!(f64, transpose_f64);

macro_rules! products {
    ($t:ty, $product:ident) => {
        /// The product of a matrix of m rows and k columns and one of k rows and n columns.
        ///
        /// # Safety
        ///
        /// As for all functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $product(
            a: *const $t,
            b: *const $t,
            m: usize,
            n: usize,
            k: usize,
            variant: *const c_char,
        ) -> *mut Work {
            // SAFETY: the caller's promises.
            let (a, b, variant) = unsafe { (slice(a, m * k), slice(b, k * n), name(variant)) };
            new((|| {
                let device = device()?;
                let (a, b) = (Buffer::from_slice(&device, a)?, Buffer::from_slice(&device, b)?);
                let how = matmul::Matmul::new().variant(rung::<matmul::Rung>(variant)?);
                Ok(buffered(move || how.run_buffer(&device, &Matrix::new(&a, m, k)?, &Matrix::new(&b, k, n)?)))
            })())
        }
    };
}
products!(f32, matmul_f32);
products!(f64, matmul_f64);

/// The elements after an offset through a mask; the border is zero.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn convolve1d_f32(
    xs: *const f32,
    n: usize,
    variant: *const c_char,
    first: usize,
    weights: *const f32,
    width: usize,
) -> *mut Work {
    // SAFETY: the caller's promises.
    let (xs, weights, variant) = unsafe { (slice(xs, first + n), slice(weights, width).to_vec(), name(variant)) };
    new((|| {
        let device = device()?;
        let xs = Buffer::from_slice(&device, xs)?;
        let rung = rung::<convolve1d::Rung>(variant)?;
        let call = move || convolve1d::Convolve1d::new(&weights).variant(rung).run_buffer(&device, &xs.view(first..)?);
        Ok(buffered(call))
    })())
}

/// The border of an image.
const EDGE: Edge = Edge::Border(Border::Zero);

/// Pixels, weights and the rung of a filter.
///
/// # Safety
///
/// As for all functions.
unsafe fn filter_input<'a>(
    pixels: *const f32,
    side: usize,
    variant: *const c_char,
    weights: *const f32,
    width: usize,
) -> (&'a [f32], &'a [f32], Option<String>) {
    // SAFETY: the caller's promises.
    let (pixels, weights, variant) =
        unsafe { (slice(pixels, side * side), slice(weights, width * width), name(variant)) };
    (pixels, weights, variant)
}

/// An image through a square filter; the border is zero.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn filter_f32(
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
        let (filter, pixels) = (Filter::new(weights, width, width)?, Buffer::from_slice(&device, pixels)?);
        let rung = rung::<convolve2d::Rung>(variant)?;
        Ok(buffered(move || {
            Convolve2d::new(&filter).edge(EDGE).variant(rung).run_buffer(&device, &pixels, (side, side))
        }))
    })())
}

/// Heat on a square cylinder: a number of steps of a simulation that continues from call to call.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heat_f64(
    temperature: *const f64,
    conductivity: *const f64,
    side: usize,
    variant: *const c_char,
    steps: usize,
) -> *mut Work {
    // SAFETY: the caller's promises; the simulation's cylinder lives as long as the process.
    let (temperature, conductivity) = unsafe { (slice(temperature, side * side), slice(conductivity, side * side)) };
    // SAFETY: the caller's promise.
    let variant = unsafe { name(variant) };
    new((|| {
        let device = device()?;
        let cylinder = Cylinder::new(side, side, temperature, conductivity)?;
        let mut simulation = heat::Heat::new().variant(rung::<heat::Rung>(variant)?).start(&device, cylinder)?;
        let call = move |wanted: bool| {
            // No change is below this threshold: all steps are taken.
            simulation.run(Limits { iterations: steps, threshold: 0.0 })?;
            wanted.then(|| Ok(bytemuck::cast_slice(&simulation.temperatures()?).to_vec())).transpose()
        };
        Ok(Work { call: Box::new(call), end_to_end: false })
    })())
}

/// The radiator of 2025: a number of steps of a simulation that continues from call to call.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn radiator_f32(side: usize, variant: *const c_char, steps: usize) -> *mut Work {
    // SAFETY: the caller's promise.
    let variant = unsafe { name(variant) };
    new((|| {
        let radiator = Radiator::new(Preset::Year2025, side, side)?;
        let how = radiator::Radiate::new().variant(rung::<radiator::Rung>(variant)?);
        let mut simulation = how.start::<f32>(&device()?, radiator)?;
        let call = move |wanted: bool| {
            simulation.run(steps)?;
            wanted.then(|| Ok(bytemuck::cast_slice(&simulation.values()?).to_vec())).transpose()
        };
        Ok(Work { call: Box::new(call), end_to_end: false })
    })())
}

/// How fast the device copies that many bytes: within its memory (bytes read plus written), to it and from it, in GB/s.
///
/// # Safety
///
/// As for all functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn copy_rates(bytes: u64, out: *mut f64) -> c_int {
    // SAFETY: the caller's promise.
    let out = unsafe { std::slice::from_raw_parts_mut(out, 3) };
    match device().and_then(|device| device.copy_rates(bytes)) {
        Ok(rates) => {
            let rates = rates.expect("a GPU copies");
            out.copy_from_slice(&[rates.device, rates.upload, rates.download]);
            0
        }
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}
