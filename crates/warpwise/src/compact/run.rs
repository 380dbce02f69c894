//! Compact on a device.

use super::gpu;
use super::sift::Keep;
use super::{Compact, PRIMITIVE, Which, cpu};
use crate::device::{Landing, Staged};
use crate::{Buffer, Device, Element, Error, Input, Output, Target, Variant, expression};

/// The rung where the caller does not say.
const BEST: &str = "gpu-4-look-back";

/// A type whose elements can be compacted: `i32`, `u32`, `f32` or `f64`.
///
/// ```
/// use warpwise::compact::{Compactable, Condition, compact};
///
/// fn above<T: Compactable>(xs: &[T], limit: T) -> Result<Vec<T>, warpwise::Error> {
///     compact(&warpwise::Device::cpu(), xs, Condition::Greater(limit))
/// }
/// assert_eq!(above(&[1.5, 0.5, 2.5], 1.0)?, [1.5, 2.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Compactable: Element {
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn run_into(
        device: &Device,
        how: &Compact<'_, Self>,
        xs: &dyn Input<Self>,
        out: &mut dyn Output<Self>,
    ) -> Result<usize, Error>;
    #[doc(hidden)]
    fn run_buffer(device: &Device, how: &Compact<'_, Self>, xs: &dyn Input<Self>) -> Result<Buffer<Self>, Error>;
}

macro_rules! compactable {
    ($($t:ty)*) => {$(
        impl Compactable for $t {
            fn run_into(
                device: &Device,
                how: &Compact<'_, $t>,
                xs: &dyn Input<$t>,
                out: &mut dyn Output<$t>,
            ) -> Result<usize, Error> {
                into_on(device, how, xs, out)
            }

            fn run_buffer(device: &Device, how: &Compact<'_, $t>, xs: &dyn Input<$t>) -> Result<Buffer<$t>, Error> {
                buffer_on(device, how, xs)
            }
        }
    )*};
}
compactable!(i32 u32 f32 f64);

fn check<T: Compactable>(device: &Device, how: &Compact<'_, T>, xs: &dyn Input<T>) -> Result<&'static Variant, Error> {
    let chosen = PRIMITIVE.choose(device, how.name(), BEST)?;
    xs.check(device)?;
    if let Which::Mask(mask) = how.which {
        let mask: &dyn Input<u8> = mask;
        Error::check_length("the mask", mask.length(), xs.length())?;
        mask.check(device)?;
    }
    Ok(chosen)
}

fn into_on<T: Compactable>(
    device: &Device,
    how: &Compact<'_, T>,
    xs: &dyn Input<T>,
    out: &mut dyn Output<T>,
) -> Result<usize, Error> {
    let (chosen, n) = (check(device, how, xs)?, xs.length());
    Error::check_length("the output", out.room(), n)?;
    let target = out.as_target();
    target.check(device)?;
    if n == 0 {
        return Ok(0);
    }
    let Some(session) = device.session() else {
        let (xs, out) = (xs.for_cpu()?, target.for_cpu()?);
        return match (chosen.name, how.which) {
            ("cpu-seq", Which::Where(condition)) => cpu::seq(&xs, condition, out),
            ("cpu-seq", Which::Mask(mask)) => cpu::seq_by_mask(&xs, &mask.on_host()?, out),
            (_, Which::Where(condition)) => cpu::par(&xs, condition, out),
            (_, Which::Mask(mask)) => cpu::par_by_mask(&xs, &mask.on_host()?, out),
        };
    };
    if let Target::Slice(out) = target {
        let kept = buffer_on(device, how, xs)?;
        kept.download_into(&mut out[..kept.len()])?;
        return Ok(kept.len());
    }
    let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME);
    let rung = gpu::Rung { device, session, name: chosen.name, geometry };
    let (input, out) = (Staged::new(session, xs)?, Landing::aligned(session, target)?);
    let mask = match how.which {
        Which::Where(_) => None,
        Which::Mask(mask) => Some(match mask.as_mapped() {
            Some(holds) => expression::gpu::mask(holds, session, xs, &input)?,
            None => Staged::new(session, mask)?,
        }),
    };
    let keep = match (how.which, &mask) {
        (Which::Where(condition), _) => gpu::Keep::Where(condition),
        (Which::Mask(_), mask) => {
            gpu::Keep::Mask(mask.as_ref().map_or(crate::device::Argument::NULL, Staged::argument))
        }
    };
    let count = gpu::compact::<T>(rung, [input.argument(), out.argument()], keep, n)?;
    out.finish()?;
    Ok(count)
}

fn buffer_on<T: Compactable>(device: &Device, how: &Compact<'_, T>, xs: &dyn Input<T>) -> Result<Buffer<T>, Error> {
    if !device.is_cpu() {
        let mut out = Buffer::uninit(device, xs.length())?;
        let count = into_on(device, how, xs, &mut out)?;
        return Ok(out.shortened(count));
    }
    let (chosen, mut out) = (check(device, how, xs)?, crate::memory::zeros(xs.length()));
    let xs = xs.for_cpu()?;
    let count = match (chosen.name, how.which) {
        ("cpu-seq", Which::Where(condition)) => cpu::seq(&xs, condition, &mut out)?,
        ("cpu-seq", Which::Mask(mask)) => cpu::seq_by_mask(&xs, &mask.on_host()?, &mut out)?,
        (_, Which::Where(condition)) => cpu::par_fresh(&xs, Keep::Where(condition), &mut out)?,
        (_, Which::Mask(mask)) => cpu::par_fresh(&xs, Keep::Mask(&mask.on_host()?), &mut out)?,
    };
    out.truncate(count);
    out.shrink_to_fit();
    Ok(Buffer::from_vec(out))
}
