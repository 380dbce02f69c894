//! Compact on a device.

use super::gpu::{self, Rung};
use super::sift::Keep;
use super::{Condition, PRIMITIVE, cpu};
use crate::device::Staged;
use crate::{Buffer, Device, Element, Error, Geometry, Input, Variant};

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
/// assert_eq!(above(&[1.5, 0.5, 2.5], 1.0), Ok(vec![1.5, 2.5]));
/// ```
pub trait Compactable: Element {}

impl Compactable for i32 {}
impl Compactable for u32 {}
impl Compactable for f32 {}
impl Compactable for f64 {}

/// How to compact; the default is the best that the device has.
///
/// ```
/// use warpwise::compact::Options;
///
/// let options = Options { variant: Some("gpu-3-staged".into()), ..Options::default() };
/// assert!(options.geometry.block.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rung, by name; the best where it is left out.
    pub variant: Option<String>,
    /// Launch geometry of GPU rungs: the block, and of `gpu-4-look-back` also the grid and the elements a thread (16, 32
    /// or 48, half as many for `f64`).
    pub geometry: Geometry,
}

/// The elements for which a condition holds, in order.
///
/// ```
/// use warpwise::Device;
/// use warpwise::compact::{Condition, compact};
///
/// assert_eq!(compact(&Device::best(), &[3, 1, 4, 1, 5], Condition::Less(4))?, [3, 1, 1]);
/// assert_eq!(compact(&Device::emulator(), &[0.5, f64::NAN], Condition::NotEqual(0.5))?.len(), 1);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn compact<T: Compactable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    condition: Condition<T>,
) -> Result<Vec<T>, Error> {
    run(device, xs, condition, &Options::default())
}

/// The elements whose byte in a mask is not zero, in order.
///
/// # Errors
///
/// [`Error::Length`] when the mask does not have a byte for each element.
///
/// ```
/// use warpwise::{Device, compact};
///
/// assert_eq!(compact::by_mask(&Device::emulator(), &[1.0, 2.0, 3.0], &[1, 0, 7])?, [1.0, 3.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn by_mask<T: Compactable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    mask: &(impl Input<u8> + ?Sized),
) -> Result<Vec<T>, Error> {
    run_by_mask(device, xs, mask, &Options::default())
}

/// As [`compact`], in a chosen way.
///
/// # Errors
///
/// [`Error::UnknownVariant`] for a variant that the device does not have, [`Error::Block`] and [`Error::Choice`] for a
/// geometry that the rung cannot work with.
///
/// ```
/// use warpwise::Device;
/// use warpwise::compact::{Condition, Options, run};
///
/// let options = Options { variant: Some("gpu-1-two-pass".into()), ..Options::default() };
/// assert_eq!(run(&Device::emulator(), &[3, 1, 4, 1, 5], Condition::Equal(1), &options)?, [1, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run<T: Compactable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    condition: Condition<T>,
    options: &Options,
) -> Result<Vec<T>, Error> {
    run_buffer(device, xs, condition, options)?.into_vec()
}

/// As [`by_mask`], in a chosen way.
///
/// # Errors
///
/// As for [`run`] and [`by_mask`].
///
/// ```
/// use warpwise::Device;
/// use warpwise::compact::{Options, run_by_mask};
///
/// let options = Options { variant: Some("cpu-seq".into()), ..Options::default() };
/// assert_eq!(run_by_mask(&Device::cpu(), &[1, 2], &[0, 1], &options)?, [2]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_by_mask<T: Compactable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    mask: &(impl Input<u8> + ?Sized),
    options: &Options,
) -> Result<Vec<T>, Error> {
    run_by_mask_buffer(device, xs, mask, options)?.into_vec()
}

/// As [`run`], to the beginning of memory that is there, as long as the input; says how many elements are kept. What is
/// behind them may change.
///
/// # Errors
///
/// As for [`run`], and [`Error::Length`] when the output does not have the length of the input.
///
/// ```
/// use warpwise::Device;
/// use warpwise::compact::{Condition, Options, run_into};
///
/// let mut kept = [0; 5];
/// let count = run_into(&Device::best(), &[3, 1, 4, 1, 5], Condition::Greater(2), &mut kept, &Options::default())?;
/// assert_eq!(kept[..count], [3, 4, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_into<T: Compactable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    condition: Condition<T>,
    out: &mut [T],
    options: &Options,
) -> Result<usize, Error> {
    into(device, xs, Which::<T, [u8]>::Where(condition), out, options)
}

/// As [`run_into`], with a mask.
///
/// # Errors
///
/// As for [`run_into`] and [`by_mask`].
///
/// ```
/// use warpwise::Device;
/// use warpwise::compact::{Options, run_by_mask_into};
///
/// let mut kept = [0.0; 3];
/// assert_eq!(run_by_mask_into(&Device::best(), &[1.0, 2.0, 3.0], &[0, 0, 1], &mut kept, &Options::default())?, 1);
/// assert_eq!(kept[0], 3.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_by_mask_into<T: Compactable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    mask: &(impl Input<u8> + ?Sized),
    out: &mut [T],
    options: &Options,
) -> Result<usize, Error> {
    into(device, xs, Which::Mask(mask), out, options)
}

/// As [`run`], with a result that stays on the device: as many elements as are kept.
///
/// ```
/// use warpwise::compact::{Condition, Options, run_buffer};
/// use warpwise::{Buffer, Device, reduce};
///
/// let device = Device::emulator();
/// let xs = Buffer::from_slice(&device, &[3, -1, 4, -1, 5])?;
/// let positive = run_buffer(&device, &xs, Condition::Greater(0), &Options::default())?;
/// assert_eq!((positive.len(), reduce::sum(&device, &positive)?), (3, 12));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_buffer<T: Compactable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    condition: Condition<T>,
    options: &Options,
) -> Result<Buffer<T>, Error> {
    buffer(device, xs, Which::<T, [u8]>::Where(condition), options)
}

/// As [`run_buffer`], with a mask.
///
/// # Errors
///
/// As for [`run_by_mask`].
///
/// ```
/// use warpwise::Device;
/// use warpwise::compact::{Options, run_by_mask_buffer};
///
/// let kept = run_by_mask_buffer(&Device::emulator(), &[1_u32, 2, 3], &[1, 1, 0], &Options::default())?;
/// assert_eq!(kept.to_vec()?, [1, 2]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_by_mask_buffer<T: Compactable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    mask: &(impl Input<u8> + ?Sized),
    options: &Options,
) -> Result<Buffer<T>, Error> {
    buffer(device, xs, Which::Mask(mask), options)
}

/// Which elements are kept, wherever the mask is.
#[derive(Clone, Copy)]
enum Which<'a, T, M: ?Sized> {
    Where(Condition<T>),
    Mask(&'a M),
}

impl<T, M: Input<u8> + ?Sized> Which<'_, T, M> {
    fn check(&self, n: usize) -> Result<(), Error> {
        match self {
            Self::Where(_) => Ok(()),
            Self::Mask(mask) => Error::check_length("the mask", mask.length(), n),
        }
    }
}

fn choose(device: &Device, options: &Options) -> Result<&'static Variant, Error> {
    PRIMITIVE.choose(device, options.variant.as_deref(), BEST)
}

fn into<T: Compactable, M: Input<u8> + ?Sized>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    which: Which<'_, T, M>,
    out: &mut [T],
    options: &Options,
) -> Result<usize, Error> {
    Error::check_length("the output", out.len(), xs.length())?;
    if !device.is_cpu() {
        let kept = buffer(device, xs, which, options)?;
        kept.download_into(&mut out[..kept.len()])?;
        return Ok(kept.len());
    }
    let (chosen, xs) = (choose(device, options)?, xs.on_host()?);
    match (chosen.name, which) {
        ("cpu-seq", Which::Where(condition)) => cpu::seq(&xs, condition, out),
        ("cpu-seq", Which::Mask(mask)) => cpu::seq_by_mask(&xs, &mask.on_host()?, out),
        (_, Which::Where(condition)) => cpu::par(&xs, condition, out),
        (_, Which::Mask(mask)) => cpu::par_by_mask(&xs, &mask.on_host()?, out),
    }
}

fn buffer<T: Compactable, M: Input<u8> + ?Sized>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    which: Which<'_, T, M>,
    options: &Options,
) -> Result<Buffer<T>, Error> {
    let (chosen, n) = (choose(device, options)?, xs.length());
    which.check(n)?;
    if n == 0 {
        return Buffer::from_slice(device, &[]);
    }
    let Some(session) = device.session() else {
        let mut out = crate::memory::zeros(n);
        let xs = xs.on_host()?;
        let count = match (chosen.name, which) {
            ("cpu-seq", Which::Where(condition)) => cpu::seq(&xs, condition, &mut out)?,
            ("cpu-seq", Which::Mask(mask)) => cpu::seq_by_mask(&xs, &mask.on_host()?, &mut out)?,
            (_, Which::Where(condition)) => cpu::par_fresh(&xs, Keep::Where(condition), &mut out)?,
            (_, Which::Mask(mask)) => cpu::par_fresh(&xs, Keep::Mask(&mask.on_host()?), &mut out)?,
        };
        out.truncate(count);
        out.shrink_to_fit();
        return Ok(Buffer::from_vec(out));
    };
    let geometry = PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME);
    let rung = Rung { device, session, name: chosen.name, geometry };
    let input = Staged::new(session, xs)?;
    let (out, count) = match which {
        Which::Where(condition) => gpu::compact(rung, input.argument(), gpu::Keep::Where(condition), n)?,
        Which::Mask(mask) => {
            let mask = Staged::new(session, mask)?;
            gpu::compact::<T>(rung, input.argument(), gpu::Keep::Mask(mask.argument()), n)?
        }
    };
    Ok(Buffer::from_allocation(device, out, count))
}
