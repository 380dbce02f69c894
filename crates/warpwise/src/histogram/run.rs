//! Histogram on a device.

use super::{Binning, PRIMITIVE, cpu, gpu};
use crate::device::Staged;
use crate::{Buffer, Device, Element, Error, Geometry, Input};

/// A type that can be counted: `u8`, `u32`, `i32`, `f32` or `f64`.
///
/// ```
/// use warpwise::{Device, histogram};
///
/// fn halves<T: histogram::Countable>(xs: &[T]) -> Vec<u64> {
///     histogram::by_range(&Device::cpu(), xs, 2, 0.0, 1.0).unwrap()
/// }
/// assert_eq!(halves(&[0.1, 0.2, 0.7]), [2, 1]);
/// ```
pub trait Countable: Element {
    // A method of the type, so that it is compiled here, once, and not again in every program that calls it.
    #[doc(hidden)]
    fn count(device: &Device, binning: Binning, xs: &dyn Input<Self>, options: &Options) -> Result<Buffer<u64>, Error>;
}

macro_rules! countable {
    ($($t:ty)*) => {$(
        impl Countable for $t {
            fn count(
                device: &Device,
                binning: Binning,
                xs: &dyn Input<$t>,
                options: &Options,
            ) -> Result<Buffer<u64>, Error> {
                count(device, binning, xs, options)
            }
        }
    )*};
}
countable!(u8 u32 i32 f32 f64);

/// How to count; the default is the device's best for the number of bins.
///
/// ```
/// use warpwise::histogram::Options;
///
/// let options = Options { variant: Some("gpu-5-replicated".into()), copies: Some(8), ..Options::default() };
/// assert!(options.geometry.grid.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rung, by name; by default, the best for the number of bins.
    pub variant: Option<String>,
    /// Launch geometry of GPU rungs: block and grid.
    pub geometry: Geometry,
    /// Copies of every bin in `gpu-5-replicated`: a power of two up to 32.
    pub copies: Option<u32>,
}

/// How often each of the 256 values occurs: the grey levels of an image.
///
/// ```
/// use warpwise::{Device, histogram};
///
/// let counts = histogram::by_value(&Device::emulator(), &[0, 255, 0])?;
/// assert_eq!((counts[0], counts[1], counts[255]), (2, 0, 1));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn by_value(device: &Device, xs: &(impl Input<u8> + ?Sized)) -> Result<Vec<u64>, Error> {
    run(device, Binning::Value, xs, &Options::default())
}

/// Counts by the value modulo the number of bins, for integers.
///
/// # Errors
///
/// [`Error::Bins`] for no bins or too many, [`Error::Binning`] for floats.
///
/// ```
/// use warpwise::{Device, histogram};
///
/// assert_eq!(histogram::by_modulo(&Device::best(), &[1, 2, 3, 4, -1], 3)?, [1, 2, 2]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn by_modulo<T: Countable>(device: &Device, xs: &(impl Input<T> + ?Sized), bins: usize) -> Result<Vec<u64>, Error> {
    run(device, Binning::Modulo { bins }, xs, &Options::default())
}

/// Counts the lower-case letters of a text in groups of four: a-d, e-h, ..., y-z.
///
/// ```
/// use warpwise::{Device, histogram};
///
/// assert_eq!(histogram::by_letter(&Device::emulator(), b"warp-wise")?, [1, 1, 1, 1, 2, 2, 0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn by_letter(device: &Device, text: &(impl Input<u8> + ?Sized)) -> Result<Vec<u64>, Error> {
    run(device, Binning::Letter, text, &Options::default())
}

/// Counts in equal parts of the range from `lo` (inclusive) to `hi` (exclusive); values outside it and NaN are ignored.
///
/// # Errors
///
/// [`Error::Bins`] for no bins or too many, [`Error::Range`] for an empty range or one that is not finite.
///
/// ```
/// use warpwise::{Device, histogram};
///
/// assert_eq!(histogram::by_range(&Device::emulator(), &[0.1, 0.2, 0.8, 1.0, f64::NAN], 2, 0.0, 1.0)?, [2, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn by_range<T: Countable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    bins: usize,
    lo: f64,
    hi: f64,
) -> Result<Vec<u64>, Error> {
    run(device, Binning::Even { bins, lo, hi }, xs, &Options::default())
}

/// The counts of all bins, with options.
///
/// # Errors
///
/// As for [`Binning::check`], [`Error::UnknownVariant`] for an unknown rung, [`Error::Choice`] for an impossible number
/// of copies.
///
/// ```
/// use warpwise::Device;
/// use warpwise::histogram::{self, Binning, Options};
///
/// let options = Options { variant: Some("gpu-4-tree".into()), ..Options::default() };
/// let counts = histogram::run(&Device::emulator(), Binning::Modulo { bins: 4 }, &[1_u32, 2, 3, 4, 5], &options)?;
/// assert_eq!(counts, [1, 2, 1, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run<T: Countable>(
    device: &Device,
    binning: Binning,
    xs: &(impl Input<T> + ?Sized),
    options: &Options,
) -> Result<Vec<u64>, Error> {
    run_buffer(device, binning, xs, options)?.into_vec()
}

/// Like [`run`], but the counts stay on the device.
///
/// ```
/// use warpwise::histogram::{self, Binning, Options};
/// use warpwise::{Device, scan};
///
/// let device = Device::emulator();
/// let counts = histogram::run_buffer(&device, Binning::Modulo { bins: 3 }, &[1, 2, 4], &Options::default())?;
/// assert_eq!(scan::exclusive(&device, &counts)?, [0, 0, 2]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_buffer<T: Countable>(
    device: &Device,
    binning: Binning,
    xs: &(impl Input<T> + ?Sized),
    options: &Options,
) -> Result<Buffer<u64>, Error> {
    T::count(device, binning, &xs, options)
}

fn count<T: Countable>(
    device: &Device,
    binning: Binning,
    xs: &dyn Input<T>,
    options: &Options,
) -> Result<Buffer<u64>, Error> {
    binning.check::<T>()?;
    let best = device.session().map_or("", |session| gpu::best(session, binning.bins()));
    let chosen = PRIMITIVE.choose(device, options.variant.as_deref(), best)?;
    let n = xs.length();
    if n == 0 {
        return Buffer::from_slice(device, &vec![0; binning.bins()]);
    }
    if let Some(session) = device.session() {
        let input = Staged::new(session, xs)?;
        let counts = gpu::count::<T>(session, chosen.name, binning, input.argument(), n, options)?;
        return Ok(Buffer::from_allocation(device, counts, binning.bins()));
    }
    Ok(Buffer::from_vec(match chosen.name {
        "cpu-seq" => cpu::seq(binning, &xs.on_host()?)?,
        _ => cpu::par(binning, &xs.on_host()?)?,
    }))
}
