//! Reduce with choices.

use super::{Extreme, Finish, Order, Reducible, Rung};
use crate::primitive::choices;
use crate::{Buffer, Device, Error, Geometry, Input, Operator, Output};

/// A reduction, with its choices: a sum by the device's best rung, unless they say otherwise.
///
/// ```
/// use warpwise::reduce::{Reduce, Rung};
/// use warpwise::{Device, Operator};
///
/// let max = Reduce::new().operator(Operator::Max).variant(Rung::Sequential);
/// assert_eq!(max.run(&Device::emulator(), &[3, 1, 4, 1, 5])?, 5);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reduce {
    pub(super) operator: Operator,
    pub(super) rung: Option<Rung>,
    pub(super) geometry: Geometry,
    pub(super) finish: Finish,
    pub(super) order: Order,
}

impl Default for Reduce {
    fn default() -> Self {
        Self {
            operator: Operator::Sum,
            rung: None,
            geometry: Geometry::default(),
            finish: Finish::default(),
            order: Order::default(),
        }
    }
}

impl Reduce {
    /// A sum, the way that is best on the device.
    ///
    /// ```
    /// use warpwise::{Device, reduce::Reduce};
    ///
    /// assert_eq!(Reduce::new().run(&Device::best(), &[1, 2, 3])?, 6);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// What elements are combined with.
    ///
    /// ```
    /// use warpwise::{Device, Operator, reduce::Reduce};
    ///
    /// assert_eq!(Reduce::new().operator(Operator::Product).run(&Device::best(), &[2, 3, 4])?, 24);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn operator(self, operator: Operator) -> Self {
        Self { operator, ..self }
    }

    /// Who combines the partial results of the GPU rungs before `gpu-9-single-pass`.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::reduce::{Finish, Reduce, Rung};
    ///
    /// let sum = Reduce::new().variant(Rung::MultiAdd).finish(Finish::Cpu);
    /// assert_eq!(sum.run(&Device::emulator(), &[1; 3000])?, 3000);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn finish(self, finish: Finish) -> Self {
        Self { finish, ..self }
    }

    /// The order of floats.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::reduce::{Order, Reduce};
    ///
    /// assert_eq!(Reduce::new().order(Order::Reproducible).run(&Device::best(), &[0.5, 0.25])?, 0.75);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// Combines all elements; integers wrap.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] for a minimum or maximum of nothing, [`Error::UnknownVariant`] for a rung of another kind of
    /// device, [`Error::Order`] for a rung without a reproducible order if that was asked for, [`Error::OtherDevice`]
    /// for a buffer of another device.
    ///
    /// ```
    /// use warpwise::{Device, Operator, reduce::Reduce};
    ///
    /// assert_eq!(Reduce::new().operator(Operator::Min).run(&Device::best(), &[2.5, 1.5])?, 1.5);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<T: Reducible>(&self, device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<T, Error> {
        T::run(device, self, &xs)
    }

    /// Combines all elements into an output of one element. On a GPU, a buffer is written there, and the call does not
    /// wait for it.
    ///
    /// # Errors
    ///
    /// As for [`run`](Reduce::run), and [`Error::Length`] when the output does not have one element.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, reduce::Reduce};
    ///
    /// let device = Device::emulator();
    /// let mut sums = Buffer::zeros(&device, 2)?;
    /// for (i, xs) in [[1, 2, 3], [4, 5, 6]].iter().enumerate() {
    ///     Reduce::new().run_into(&device, xs, &mut sums.view_mut(i..=i)?)?;
    /// }
    /// assert_eq!(sums.to_vec()?, [6, 15]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into<T: Reducible>(
        &self,
        device: &Device,
        xs: &(impl Input<T> + ?Sized),
        mut out: &mut (impl Output<T> + ?Sized),
    ) -> Result<(), Error> {
        T::run_into(device, self, &xs, &mut out)
    }

    /// Combines all elements into a buffer of one element, which stays on the device.
    ///
    /// ```
    /// use warpwise::{Device, reduce::Reduce};
    ///
    /// let device = Device::emulator();
    /// assert_eq!(Reduce::new().run_buffer(&device, &[1, 2, 3])?.to_vec()?, [6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer<T: Reducible>(&self, device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Buffer<T>, Error> {
        let mut out = Buffer::uninit(device, 1)?;
        self.run_into(device, xs, &mut out)?;
        Ok(out)
    }

    /// The place of an extreme, whatever the operator is.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::reduce::{Extreme, Reduce};
    ///
    /// assert_eq!(Reduce::new().place(&Device::cpu(), Extreme::Max, &[3.0, 1.0, 4.0])?, 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn place<T: Reducible>(
        &self,
        device: &Device,
        extreme: Extreme,
        xs: &(impl Input<T> + ?Sized),
    ) -> Result<usize, Error> {
        T::place(device, self, extreme, &xs)
    }
}

choices!("reduce", "Reduce::new()", [] Reduce);
