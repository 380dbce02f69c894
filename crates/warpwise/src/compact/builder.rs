//! Compact with choices, and without.

use super::{Compactable, Condition, Rung};
use crate::primitive::choices;
use crate::{Buffer, Device, Error, Geometry, Input, Output};

/// Which elements are kept, wherever the mask is.
#[derive(Clone, Copy)]
pub(super) enum Which<'a, T> {
    Where(Condition<T>),
    Mask(&'a (dyn Input<u8> + Sync)),
}

impl<T: std::fmt::Debug> std::fmt::Debug for Which<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Where(condition) => f.debug_tuple("Where").field(condition).finish(),
            Self::Mask(mask) => f.debug_tuple("Mask").field(&mask.length()).finish(),
        }
    }
}

/// Which elements to keep, with choices: the device's best rung, unless they say otherwise.
///
/// ```
/// use warpwise::Device;
/// use warpwise::compact::{Compact, Condition, Rung};
///
/// let ones = Compact::new(Condition::Equal(1)).variant(Rung::TwoPass);
/// assert_eq!(ones.run(&Device::emulator(), &[3, 1, 4, 1, 5])?, [1, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Compact<'a, T> {
    pub(super) which: Which<'a, T>,
    pub(super) rung: Option<Rung>,
    pub(super) geometry: Geometry,
}

choices!("compact", "Compact::new(Condition::Less(3))", ['a, T: Compactable] Compact<'a, T>);

impl<'a, T: Compactable> Compact<'a, T> {
    /// Keeps the elements for which a condition holds.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::compact::{Compact, Condition};
    ///
    /// assert_eq!(Compact::new(Condition::Less(4)).run(&Device::best(), &[3, 1, 4, 1, 5])?, [3, 1, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(condition: Condition<T>) -> Self {
        Self { which: Which::Where(condition), rung: None, geometry: Geometry::default() }
    }

    /// Keeps the elements whose byte in a mask is not zero.
    ///
    /// ```
    /// use warpwise::{Device, compact::Compact};
    ///
    /// assert_eq!(Compact::by_mask(&[0, 1]).run(&Device::best(), &[1, 2])?, [2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn by_mask(mask: &'a (impl Input<u8> + Sync)) -> Self {
        Self { which: Which::Mask(mask), rung: None, geometry: Geometry::default() }
    }

    /// The elements that are kept, in order (`gpu-2-warp-atomic` has none).
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when a mask does not have a byte for each element, [`Error::UnknownVariant`] for a rung of
    /// another kind of device, [`Error::Block`] and [`Error::Choice`] for a geometry that the rung cannot work with,
    /// [`Error::OtherDevice`] for a buffer of another device.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::compact::{Compact, Condition};
    ///
    /// assert_eq!(Compact::new(Condition::Greater(2.0)).run(&Device::best(), &[1.0, 3.0])?, [3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run(&self, device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Vec<T>, Error> {
        self.run_buffer(device, xs)?.into_vec()
    }

    /// Writes what is kept to the beginning of existing memory, on the host or on the device, which is as long as the
    /// input; returns how many elements these are. What is behind them may change.
    ///
    /// # Errors
    ///
    /// As for [`run`](Compact::run), and [`Error::Length`] when the output does not have the length of the input.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::compact::{Compact, Condition};
    ///
    /// let mut kept = [0; 5];
    /// let count = Compact::new(Condition::Greater(2)).run_into(&Device::best(), &[3, 1, 4, 1, 5], &mut kept)?;
    /// assert_eq!(kept[..count], [3, 4, 5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into(
        &self,
        device: &Device,
        xs: &(impl Input<T> + ?Sized),
        mut out: &mut (impl Output<T> + ?Sized),
    ) -> Result<usize, Error> {
        T::run_into(device, self, &xs, &mut out)
    }

    /// Writes what is kept to a new buffer, which stays on the device and has as many elements.
    ///
    /// ```
    /// use warpwise::compact::{Compact, Condition};
    /// use warpwise::{Buffer, Device, reduce};
    ///
    /// let device = Device::emulator();
    /// let xs = Buffer::from_slice(&device, &[3_i32, -1, 4, -1, 5])?;
    /// let positive = Compact::new(Condition::Greater(0)).run_buffer(&device, &xs)?;
    /// assert_eq!((positive.len(), reduce::sum(&device, &positive)?), (3, 12));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer(&self, device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Buffer<T>, Error> {
        T::run_buffer(device, self, &xs)
    }
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
    Compact::new(condition).run(device, xs)
}

/// Like [`compact`], but to the beginning of existing memory that is as long as the input; returns how many elements are
/// kept.
///
/// # Errors
///
/// [`Error::Length`] when the output does not have the length of the input.
///
/// ```
/// use warpwise::Device;
/// use warpwise::compact::{Condition, compact_into};
///
/// let mut kept = [0; 5];
/// let count = compact_into(&Device::best(), &[3, 1, 4, 1, 5], Condition::Greater(2), &mut kept)?;
/// assert_eq!(kept[..count], [3, 4, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn compact_into<T: Compactable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    condition: Condition<T>,
    out: &mut (impl Output<T> + ?Sized),
) -> Result<usize, Error> {
    Compact::new(condition).run_into(device, xs, out)
}

/// Like [`compact`], but the result stays on the device.
///
/// ```
/// use warpwise::Device;
/// use warpwise::compact::{Condition, compact_buffer};
///
/// let few = compact_buffer(&Device::emulator(), &[3, 1, 4, 1, 5], Condition::Less(4))?;
/// assert_eq!(few.to_vec()?, [3, 1, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn compact_buffer<T: Compactable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    condition: Condition<T>,
) -> Result<Buffer<T>, Error> {
    Compact::new(condition).run_buffer(device, xs)
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
    mask: &(impl Input<u8> + Sync + ?Sized),
) -> Result<Vec<T>, Error> {
    Compact::by_mask(&mask).run(device, xs)
}
