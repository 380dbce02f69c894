//! 1-D convolution on a device.

use super::{Convolve1d, MAX_WIDTH, PRIMITIVE, cpu, gpu};
use crate::device::{Landing, Part, Rows, Session, Staged};
use crate::{Border, Buffer, Device, Element, Error, Input, Output, Target, Variant};

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
pub trait Signal: Element + crate::simd::Lanes {
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn run_into(
        device: &Device,
        how: &Convolve1d<'_, Self>,
        xs: &dyn Input<Self>,
        out: &mut dyn Output<Self>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn run_buffer(device: &Device, how: &Convolve1d<'_, Self>, xs: &dyn Input<Self>) -> Result<Buffer<Self>, Error>;
}

macro_rules! signal {
    ($($t:ty)*) => {$(
        impl Signal for $t {
            fn run_into(
                device: &Device,
                how: &Convolve1d<'_, $t>,
                xs: &dyn Input<$t>,
                out: &mut dyn Output<$t>,
            ) -> Result<(), Error> {
                into_on(device, how, xs, out)
            }

            fn run_buffer(
                device: &Device,
                how: &Convolve1d<'_, $t>,
                xs: &dyn Input<$t>,
            ) -> Result<Buffer<$t>, Error> {
                buffer_on(device, how, xs)
            }
        }
    )*};
}
signal!(i32 f32 f64);

fn check<T: Signal>(device: &Device, how: &Convolve1d<'_, T>, xs: &dyn Input<T>) -> Result<&'static Variant, Error> {
    let chosen = PRIMITIVE.choose(device, how.name(), BEST)?;
    Error::check_odd("mask width", how.mask.len(), MAX_WIDTH)?;
    xs.check(device)?;
    Ok(chosen)
}

fn into_on<T: Signal>(
    device: &Device,
    how: &Convolve1d<'_, T>,
    xs: &dyn Input<T>,
    out: &mut dyn Output<T>,
) -> Result<(), Error> {
    let (n, filter) = (xs.length(), (how.mask, how.border));
    Error::check_length("the output", out.room(), n)?;
    let chosen = check(device, how, xs)?;
    let mut target = out.as_target();
    target.check(device)?;
    let Some(session) = device.session() else {
        return match chosen.name {
            "cpu-seq" => cpu::seq(how.mask, how.border, &xs.for_cpu()?, target.for_cpu()?),
            _ => cpu::par(how.mask, how.border, &xs.for_cpu()?, target.for_cpu()?),
        };
    };
    if n == 0 {
        return Ok(());
    }
    if let Target::Slice(out) = &mut target
        && overlapped(session, chosen, how, xs, out)?
    {
        return Ok(());
    }
    let (input, out) = (Staged::new(session, xs)?, Landing::aligned(session, target)?);
    let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME);
    gpu::convolve_into(session, chosen.name, filter, [input.argument(), out.argument()], n, geometry)?;
    out.finish()
}

/// A long signal in host memory, on a GPU that copies while it computes; `false`, with nothing done, for any other
/// device.
fn overlapped<T: Signal>(
    session: &Session,
    chosen: &'static Variant,
    how: &Convolve1d<'_, T>,
    xs: &dyn Input<T>,
    out: &mut [T],
) -> Result<bool, Error> {
    let (mask, border) = (how.mask, how.border);
    // The two ends of a wrapping signal need each other.
    if chosen.name != BEST || border == Border::Wrap || xs.as_view().is_some() {
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
    let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME);
    session.in_parts(job, part, |Part { inputs, output, rows }| {
        gpu::convolve_into(session, chosen.name, (mask, border), [inputs[0], output], rows, geometry)
    })?;
    Ok(true)
}

fn buffer_on<T: Signal>(device: &Device, how: &Convolve1d<'_, T>, xs: &dyn Input<T>) -> Result<Buffer<T>, Error> {
    if !device.is_cpu() {
        let mut out = Buffer::uninit(device, xs.length())?;
        into_on(device, how, xs, &mut out)?;
        return Ok(out);
    }
    let (chosen, mut out) = (check(device, how, xs)?, crate::memory::zeros(xs.length()));
    match chosen.name {
        "cpu-seq" => cpu::seq(how.mask, how.border, &xs.for_cpu()?, &mut out)?,
        _ => cpu::par_fresh(how.mask, how.border, &xs.for_cpu()?, &mut out)?,
    }
    Ok(Buffer::from_vec(out))
}
