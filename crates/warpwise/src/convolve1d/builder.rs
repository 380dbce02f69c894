//! 1-D convolution with choices, and without.

use super::{Rung, Signal};
use crate::primitive::choices;
use crate::{Border, Buffer, Device, Error, Geometry, Input, Output};

/// A convolution with a mask, with choices: zeros beyond the ends and the device's best rung, unless they say otherwise.
///
/// ```
/// use warpwise::convolve1d::{Convolve1d, Rung};
/// use warpwise::{Border, Device};
///
/// let sums = Convolve1d::new(&[1, 1, 1]).border(Border::Replicate).variant(Rung::Constant);
/// assert_eq!(sums.run(&Device::emulator(), &[1, 2, 4, 8])?, [4, 7, 14, 20]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Convolve1d<'a, T> {
    pub(super) mask: &'a [T],
    pub(super) border: Border,
    rung: Option<Rung>,
    pub(super) geometry: Geometry,
}

choices!("convolve1d", "Convolve1d::new(&[1, 2, 1])", ['a, T: Signal] Convolve1d<'a, T>);

impl<'a, T: Signal> Convolve1d<'a, T> {
    /// A convolution with that mask, which has an odd number of weights up to [`MAX_WIDTH`](super::MAX_WIDTH).
    ///
    /// ```
    /// use warpwise::{Device, convolve1d::Convolve1d};
    ///
    /// assert_eq!(Convolve1d::new(&[2.0]).run(&Device::best(), &[1.5, 2.5])?, [3.0, 5.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(mask: &'a [T]) -> Self {
        Self { mask, border: Border::Zero, rung: None, geometry: Geometry::default() }
    }

    /// What lies beyond the ends.
    ///
    /// ```
    /// use warpwise::{Border, Device, convolve1d::Convolve1d};
    ///
    /// let around = Convolve1d::new(&[1, 0, 0]).border(Border::Wrap);
    /// assert_eq!(around.run(&Device::best(), &[1, 2, 3])?, [3, 1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn border(self, border: Border) -> Self {
        Self { border, ..self }
    }

    /// Replaces each element by the sum of its neighbours times the weights. Integers wrap.
    ///
    /// # Errors
    ///
    /// [`Error::Odd`] for a mask of even width or wider than [`MAX_WIDTH`](super::MAX_WIDTH), [`Error::UnknownVariant`]
    /// for a rung of another kind of device, [`Error::OtherDevice`] for a buffer of another device.
    ///
    /// ```
    /// use warpwise::{Device, convolve1d::Convolve1d};
    ///
    /// assert_eq!(Convolve1d::new(&[1, 1, 1]).run(&Device::best(), &[1, 2, 4])?, [3, 7, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run(&self, device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Vec<T>, Error> {
        if device.is_cpu() {
            return self.run_buffer(device, xs)?.into_vec();
        }
        let mut out = crate::memory::zeros(xs.length());
        self.run_into(device, xs, &mut out)?;
        Ok(out)
    }

    /// Convolves into existing memory, on the host or on the device: the system does not have to find fresh memory for
    /// a long result.
    ///
    /// # Errors
    ///
    /// As for [`run`](Convolve1d::run), and [`Error::Length`] when the output and the signal differ in length.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, convolve1d::Convolve1d};
    ///
    /// let device = Device::emulator();
    /// let mut out = Buffer::uninit(&device, 3)?;
    /// Convolve1d::new(&[1, 1, 1]).run_into(&device, &[1, 2, 4], &mut out)?;
    /// assert_eq!(out.to_vec()?, [3, 7, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into(
        &self,
        device: &Device,
        xs: &(impl Input<T> + ?Sized),
        mut out: &mut (impl Output<T> + ?Sized),
    ) -> Result<(), Error> {
        T::run_into(device, self, &xs, &mut out)
    }

    /// Convolves into a new buffer, which stays on the device.
    ///
    /// ```
    /// use warpwise::{Device, convolve1d::Convolve1d};
    ///
    /// let (device, sums) = (Device::emulator(), Convolve1d::new(&[1, 1, 1]));
    /// let once = sums.run_buffer(&device, &[0, 0, 1, 0, 0])?;
    /// assert_eq!(sums.run(&device, &once)?, [1, 2, 3, 2, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer(&self, device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Buffer<T>, Error> {
        T::run_buffer(device, self, &xs)
    }
}

/// Replaces each element by the sum of its neighbours times the weights of a mask. Integers wrap.
///
/// # Errors
///
/// [`Error::Odd`] for a mask of even width or wider than [`MAX_WIDTH`](super::MAX_WIDTH).
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
    Convolve1d::new(mask).border(border).run(device, xs)
}

/// Like [`filter`], but into existing memory: on the host or, with a buffer, on the device.
///
/// # Errors
///
/// As for [`filter`], and [`Error::Length`] when the output and the signal differ in length.
///
/// ```
/// use warpwise::{Border, Device, convolve1d};
///
/// let mut out = [0; 3];
/// convolve1d::filter_into(&Device::best(), &[1, 1, 1], Border::Zero, &[1, 2, 4], &mut out)?;
/// assert_eq!(out, [3, 7, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn filter_into<T: Signal>(
    device: &Device,
    mask: &[T],
    border: Border,
    xs: &(impl Input<T> + ?Sized),
    out: &mut (impl Output<T> + ?Sized),
) -> Result<(), Error> {
    Convolve1d::new(mask).border(border).run_into(device, xs, out)
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
    Convolve1d::new(mask).border(border).run_buffer(device, xs)
}
