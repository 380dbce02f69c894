//! Vector add with choices, and without.

use super::{Rung, Summand};
use crate::primitive::choices;
use crate::{Buffer, Device, Error, Geometry, Input, Output};

/// The sum of two vectors, with choices: the device's best rung, unless they say otherwise.
///
/// ```
/// use warpwise::vecadd::{Rung, VecAdd};
/// use warpwise::{Device, Error};
///
/// let (device, one_block) = (Device::emulator(), VecAdd::new().variant(Rung::OneBlock));
/// assert_eq!(one_block.run(&device, &[1; 1024], &[2; 1024])?, [3; 1024]);
/// assert!(matches!(one_block.run(&device, &[1; 1025], &[2; 1025]), Err(Error::Launch(_))));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct VecAdd {
    rung: Option<Rung>,
    pub(super) geometry: Geometry,
}

choices!("vecadd", "VecAdd::new()", [] VecAdd);

impl VecAdd {
    /// The way that is best on the device.
    ///
    /// ```
    /// use warpwise::{Device, vecadd::VecAdd};
    ///
    /// assert_eq!(VecAdd::new().run(&Device::best(), &[1, 2], &[10, 20])?, [11, 22]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// The sum of two vectors, element by element. Integers wrap.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the lengths differ, [`Error::UnknownVariant`] for a rung of another kind of device,
    /// [`Error::OtherDevice`] for a buffer of another device, and [`Error::Launch`] for a launch that the device does
    /// not allow: `gpu-one-block` past 1024 elements.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::vecadd::{Rung, VecAdd};
    ///
    /// assert_eq!(VecAdd::new().variant(Rung::GridStride).run(&Device::emulator(), &[1.5], &[0.5])?, [2.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<T: Summand>(
        &self,
        device: &Device,
        a: &(impl Input<T> + ?Sized),
        b: &(impl Input<T> + ?Sized),
    ) -> Result<Vec<T>, Error> {
        if device.is_cpu() {
            return self.run_buffer(device, a, b)?.into_vec();
        }
        let mut sums = crate::memory::zeros(a.length());
        self.run_into(device, a, b, &mut sums)?;
        Ok(sums)
    }

    /// Adds into existing memory, on the host or on the device: the system does not have to find fresh memory for a long
    /// result, which takes longer than the sum.
    ///
    /// # Errors
    ///
    /// As for [`run`](VecAdd::run), and [`Error::Length`] when the output and the vectors differ in length.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, vecadd::VecAdd};
    ///
    /// let device = Device::best();
    /// let mut sums = Buffer::uninit(&device, 2)?;
    /// VecAdd::new().run_into(&device, &[1, 2], &[10, 20], &mut sums)?;
    /// assert_eq!(sums.to_vec()?, [11, 22]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into<T: Summand>(
        &self,
        device: &Device,
        a: &(impl Input<T> + ?Sized),
        b: &(impl Input<T> + ?Sized),
        mut out: &mut (impl Output<T> + ?Sized),
    ) -> Result<(), Error> {
        T::run_into(device, self, [&a, &b], &mut out)
    }

    /// Adds into a new buffer, which stays on the device.
    ///
    /// ```
    /// use warpwise::{Device, vecadd::VecAdd};
    ///
    /// let sums = VecAdd::new().run_buffer(&Device::cpu(), &[1.0, 2.0], &[0.5, 0.5])?;
    /// assert_eq!(sums.to_vec()?, [1.5, 2.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer<T: Summand>(
        &self,
        device: &Device,
        a: &(impl Input<T> + ?Sized),
        b: &(impl Input<T> + ?Sized),
    ) -> Result<Buffer<T>, Error> {
        T::run_buffer(device, self, [&a, &b])
    }
}

/// The sum of two vectors, element by element. Integers wrap.
///
/// # Errors
///
/// [`Error::Length`] when the lengths differ.
///
/// ```
/// use warpwise::{Device, vecadd};
///
/// assert_eq!(vecadd::add(&Device::best(), &[1, 2, 3], &[10, 20, 30])?, [11, 22, 33]);
/// assert_eq!(vecadd::add(&Device::emulator(), &[0.5_f32; 100], &[0.25; 100])?, [0.75; 100]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn add<T: Summand>(
    device: &Device,
    a: &(impl Input<T> + ?Sized),
    b: &(impl Input<T> + ?Sized),
) -> Result<Vec<T>, Error> {
    VecAdd::new().run(device, a, b)
}

/// Like [`add`], but into existing memory: on the host or, with a buffer, on the device.
///
/// # Errors
///
/// [`Error::Length`] when the lengths differ.
///
/// ```
/// use warpwise::{Device, vecadd};
///
/// let mut sums = [0; 2];
/// vecadd::add_into(&Device::best(), &[1, 2], &[10, 20], &mut sums)?;
/// assert_eq!(sums, [11, 22]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn add_into<T: Summand>(
    device: &Device,
    a: &(impl Input<T> + ?Sized),
    b: &(impl Input<T> + ?Sized),
    out: &mut (impl Output<T> + ?Sized),
) -> Result<(), Error> {
    VecAdd::new().run_into(device, a, b, out)
}

/// Like [`add`], but the result stays on the device.
///
/// ```
/// use warpwise::{Device, reduce, vecadd};
///
/// let device = Device::emulator();
/// let sums = vecadd::add_buffer(&device, &[1_i32, 2, 3], &[10, 20, 30])?;
/// assert_eq!(reduce::sum(&device, &sums)?, 66);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn add_buffer<T: Summand>(
    device: &Device,
    a: &(impl Input<T> + ?Sized),
    b: &(impl Input<T> + ?Sized),
) -> Result<Buffer<T>, Error> {
    VecAdd::new().run_buffer(device, a, b)
}
