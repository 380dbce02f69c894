//! Histogram with choices, and without.

use super::{Binning, Countable, Rung};
use crate::primitive::choices;
use crate::{Buffer, Device, Error, Geometry, Input, Output};

/// A histogram, with choices: the device's best rung for the number of bins, unless they say otherwise.
///
/// ```
/// use warpwise::Device;
/// use warpwise::histogram::{Binning, Histogram, Rung};
///
/// let quarters = Histogram::new(Binning::Modulo { bins: 4 }).variant(Rung::Tree);
/// assert_eq!(quarters.run(&Device::emulator(), &[1_u32, 2, 3, 4, 5])?, [1, 2, 1, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Histogram {
    pub(super) binning: Binning,
    rung: Option<Rung>,
    pub(super) geometry: Geometry,
    pub(super) copies: Option<u32>,
}

choices!("histogram", "Histogram::new(Binning::Value)", [] Histogram);

impl Histogram {
    /// Counts in these bins, the way that is best on the device.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::histogram::{Binning, Histogram};
    ///
    /// assert_eq!(Histogram::new(Binning::Modulo { bins: 2 }).run(&Device::best(), &[1, 2, 3])?, [1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(binning: Binning) -> Self {
        Self { binning, rung: None, geometry: Geometry::default(), copies: None }
    }

    /// Copies of every bin in `gpu-5-replicated`: a power of two up to 32. With `None`, as many as fit.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::histogram::{Binning, Histogram, Rung};
    ///
    /// let how = Histogram::new(Binning::Value).variant(Rung::Replicated).copies(8);
    /// assert_eq!(how.run(&Device::emulator(), b"abca")?[b'a' as usize], 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn copies(self, copies: impl Into<Option<u32>>) -> Self {
        Self { copies: copies.into(), ..self }
    }

    /// The counts of all bins.
    ///
    /// # Errors
    ///
    /// As for [`Binning::check`], [`Error::UnknownVariant`] for a rung of another kind of device, [`Error::Choice`] for
    /// an impossible number of copies, [`Error::OtherDevice`] for a buffer of another device.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::histogram::{Binning, Histogram};
    ///
    /// let halves = Histogram::new(Binning::Even { bins: 2, lo: 0.0, hi: 1.0 });
    /// assert_eq!(halves.run(&Device::best(), &[0.1, 0.2, 0.7])?, [2, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<T: Countable>(&self, device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Vec<u64>, Error> {
        self.run_buffer(device, xs)?.into_vec()
    }

    /// Counts into existing memory, on the host or on the device.
    ///
    /// # Errors
    ///
    /// As for [`run`](Histogram::run), and [`Error::Length`] when the output does not have an element for every bin.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    /// use warpwise::histogram::{Binning, Histogram};
    ///
    /// let device = Device::emulator();
    /// let mut counts = Buffer::uninit(&device, 3)?;
    /// Histogram::new(Binning::Modulo { bins: 3 }).run_into(&device, &[1, 2, 4], &mut counts)?;
    /// assert_eq!(counts.to_vec()?, [0, 2, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into<T: Countable>(
        &self,
        device: &Device,
        xs: &(impl Input<T> + ?Sized),
        out: &mut (impl Output<u64> + ?Sized),
    ) -> Result<(), Error> {
        Error::check_length("the output", out.room(), self.binning.bins())?;
        let target = out.as_target();
        target.check(device)?;
        target.fill_from(&self.run_buffer(device, xs)?)
    }

    /// Counts into a new buffer, which stays on the device.
    ///
    /// ```
    /// use warpwise::histogram::{Binning, Histogram};
    /// use warpwise::{Device, scan};
    ///
    /// let device = Device::emulator();
    /// let counts = Histogram::new(Binning::Modulo { bins: 3 }).run_buffer(&device, &[1, 2, 4])?;
    /// assert_eq!(scan::exclusive(&device, &counts)?, [0, 0, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer<T: Countable>(
        &self,
        device: &Device,
        xs: &(impl Input<T> + ?Sized),
    ) -> Result<Buffer<u64>, Error> {
        T::count(device, self, &xs)
    }
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
    Histogram::new(Binning::Value).run(device, xs)
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
    Histogram::new(Binning::Modulo { bins }).run(device, xs)
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
    Histogram::new(Binning::Letter).run(device, text)
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
    Histogram::new(Binning::Even { bins, lo, hi }).run(device, xs)
}

/// Counts into existing memory: on the host or, with a buffer, on the device.
///
/// # Errors
///
/// As for [`Binning::check`], and [`Error::Length`] when the output does not have an element for every bin.
///
/// ```
/// use warpwise::{Device, histogram};
///
/// let mut counts = [0; 2];
/// histogram::count_into(&Device::best(), &[1, 2, 3], histogram::Binning::Modulo { bins: 2 }, &mut counts)?;
/// assert_eq!(counts, [1, 2]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn count_into<T: Countable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    binning: Binning,
    out: &mut (impl Output<u64> + ?Sized),
) -> Result<(), Error> {
    Histogram::new(binning).run_into(device, xs, out)
}
