//! 1-D convolution on a device.

use super::{MAX_WIDTH, PRIMITIVE, cpu, gpu};
use crate::device::{Part, Rows, Staged};
use crate::{Border, Buffer, Device, Element, Error, Geometry, Input};

/// The default rung.
const BEST: &str = "gpu-4-register";

/// An element type of signals: `i32`, `f32` or `f64`.
///
/// ```
/// use warpwise::{Border, Device, convolve1d};
///
/// fn differences<T: convolve1d::Signal>(xs: &[T]) -> Result<Vec<T>, warpwise::Error> {
///     let minus_one = T::ZERO.plus(T::from_random(u64::MAX, -1.0));
///     convolve1d::filter(&Device::cpu(), &[minus_one, T::ONE, T::ZERO], Border::Replicate, xs)
/// }
/// assert_eq!(differences(&[1, 3, 6])?, [0, 2, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[allow(private_bounds)]
pub trait Signal: Element + crate::simd::Lanes {}

impl Signal for i32 {}
impl Signal for f32 {}
impl Signal for f64 {}

/// How to convolve; the default is the device's best.
///
/// ```
/// use warpwise::convolve1d::Options;
///
/// let options = Options { variant: Some("gpu-1-basic".into()), ..Options::default() };
/// assert!(options.geometry.block.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rung, by name; by default, the best one.
    pub variant: Option<String>,
    /// Launch geometry of GPU rungs: the block; for `gpu-4-register` also the elements per thread: 4, 8 or 16.
    pub geometry: Geometry,
}

/// Replaces each element by the sum of its neighbours times the weights of a mask. Integers wrap.
///
/// # Errors
///
/// [`Error::Odd`] for a mask of even width or wider than [`MAX_WIDTH`].
///
/// ```
/// use warpwise::{Border, Device, convolve1d};
///
/// let smooth = convolve1d::filter(&Device::emulator(), &[0.25, 0.5, 0.25], Border::Wrap, &[4.0, 0.0, 0.0, 0.0])?;
/// assert_eq!(smooth, [2.0, 1.0, 0.0, 1.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn filter<T: Signal>(
    device: &Device,
    mask: &[T],
    border: Border,
    xs: &(impl Input<T> + ?Sized),
) -> Result<Vec<T>, Error> {
    run(device, mask, border, xs, &Options::default())
}

/// Like [`filter`], but the result stays on the device.
///
/// ```
/// use warpwise::{Border, Device, convolve1d};
///
/// let device = Device::emulator();
/// let once = convolve1d::filter_buffer(&device, &[1, 1, 1], Border::Zero, &[0, 0, 1, 0, 0])?;
/// assert_eq!(convolve1d::filter(&device, &[1, 1, 1], Border::Zero, &once)?, [1, 2, 3, 2, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn filter_buffer<T: Signal>(
    device: &Device,
    mask: &[T],
    border: Border,
    xs: &(impl Input<T> + ?Sized),
) -> Result<Buffer<T>, Error> {
    run_buffer(device, mask, border, xs, &Options::default())
}

/// A convolution with options.
///
/// # Errors
///
/// As for [`filter`], and [`Error::UnknownVariant`] for an unknown rung.
///
/// ```
/// use warpwise::convolve1d::{self, Options};
/// use warpwise::{Border, Device};
///
/// let options = Options { variant: Some("gpu-2-constant".into()), ..Options::default() };
/// let out = convolve1d::run(&Device::emulator(), &[1, 1, 1], Border::Replicate, &[1, 2, 4, 8], &options)?;
/// assert_eq!(out, [4, 7, 14, 20]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run<T: Signal>(
    device: &Device,
    mask: &[T],
    border: Border,
    xs: &(impl Input<T> + ?Sized),
    options: &Options,
) -> Result<Vec<T>, Error> {
    if device.is_cpu() {
        return run_buffer(device, mask, border, xs, options)?.into_vec();
    }
    let mut out = crate::memory::zeros(xs.length());
    run_into(device, mask, border, xs, &mut out, options)?;
    Ok(out)
}

/// Like [`run`], but into existing memory: the system does not have to find fresh memory for a long result.
///
/// # Errors
///
/// As for [`run`], and [`Error::Length`] when the output and the signal differ in length.
///
/// ```
/// use warpwise::convolve1d::{self, Options};
/// use warpwise::{Border, Device};
///
/// let mut out = [0; 3];
/// convolve1d::run_into(&Device::best(), &[1, 1, 1], Border::Zero, &[1, 2, 4], &mut out, &Options::default())?;
/// assert_eq!(out, [3, 7, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_into<T: Signal>(
    device: &Device,
    mask: &[T],
    border: Border,
    xs: &(impl Input<T> + ?Sized),
    out: &mut [T],
    options: &Options,
) -> Result<(), Error> {
    Error::check_length("the output", out.len(), xs.length())?;
    if device.is_cpu() {
        let chosen = PRIMITIVE.choose(device, options.variant.as_deref(), BEST)?;
        let (xs, sequential) = (xs.on_host()?, chosen.name == "cpu-seq");
        return if sequential { cpu::seq(mask, border, &xs, out) } else { cpu::par(mask, border, &xs, out) };
    }
    if overlapped(device, (mask, border), xs, out, options)? {
        return Ok(());
    }
    run_buffer(device, mask, border, xs, options)?.download_into(out)
}

/// A long signal in host memory, on a GPU that copies while it computes; `false`, with nothing done, for any other
/// device.
fn overlapped<T: Signal>(
    device: &Device,
    (mask, border): (&[T], Border),
    xs: &(impl Input<T> + ?Sized),
    out: &mut [T],
    options: &Options,
) -> Result<bool, Error> {
    let chosen = PRIMITIVE.choose(device, options.variant.as_deref(), BEST)?;
    Error::check_odd("mask width", mask.len(), MAX_WIDTH)?;
    let (Some(session), None) = (device.session(), xs.as_view()) else { return Ok(false) };
    // The two ends of a wrapping signal need each other.
    if chosen.name != BEST || border == Border::Wrap {
        return Ok(false);
    }
    let (n, size) = (xs.length(), size_of::<T>());
    let xs = xs.on_host()?;
    let job = Rows {
        inputs: vec![(bytemuck::cast_slice(&xs), size)],
        output: (bytemuck::cast_slice_mut(out), size),
        count: n,
        halo: mask.len() / 2,
    };
    let Some(part) = job.worth_cutting(session) else { return Ok(false) };
    let geometry = PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME);
    session.in_parts(job, part, |Part { inputs, output, rows }| {
        gpu::convolve_into(session, chosen.name, (mask, border), [inputs[0], output], rows, geometry)
    })?;
    Ok(true)
}

/// Like [`run`], but the result stays on the device.
///
/// ```
/// use warpwise::convolve1d::{self, Options};
/// use warpwise::{Border, Device};
///
/// let out = convolve1d::run_buffer(&Device::cpu(), &[2.0], Border::Zero, &[1.5, 2.5], &Options::default())?;
/// assert_eq!(out.to_vec()?, [3.0, 5.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_buffer<T: Signal>(
    device: &Device,
    mask: &[T],
    border: Border,
    xs: &(impl Input<T> + ?Sized),
    options: &Options,
) -> Result<Buffer<T>, Error> {
    let n = xs.length();
    let chosen = PRIMITIVE.choose(device, options.variant.as_deref(), BEST)?;
    Error::check_odd("mask width", mask.len(), MAX_WIDTH)?;
    if n == 0 {
        return Buffer::from_slice(device, &[]);
    }
    if let Some(session) = device.session() {
        let input = Staged::new(session, xs)?;
        let geometry = PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME);
        let out = gpu::convolve(session, chosen.name, (mask, border), input.argument(), n, geometry)?;
        return Ok(Buffer::from_allocation(device, out, n));
    }
    let mut out = crate::memory::zeros(n);
    match chosen.name {
        "cpu-seq" => cpu::seq(mask, border, &xs.on_host()?, &mut out)?,
        _ => cpu::par_fresh(mask, border, &xs.on_host()?, &mut out)?,
    }
    Ok(Buffer::from_vec(out))
}
