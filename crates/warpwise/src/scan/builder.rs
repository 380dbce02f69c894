//! Scan with choices.

use super::{Kind, Rung, Scannable};
use crate::primitive::choices;
use crate::{Buffer, Device, Error, Geometry, Input, Operator, Output};

/// A scan, with its choices: inclusive sums by the device's best rung for the length, unless they say otherwise.
///
/// ```
/// use warpwise::scan::{Kind, Rung, Scan};
/// use warpwise::{Device, Operator};
///
/// let scan = Scan::new().operator(Operator::Max).kind(Kind::Inclusive).variant(Rung::HillisSteele);
/// let device = Device::emulator();
/// assert_eq!(scan.run(&device, &[3, 1, 4, 1, 5])?, [3, 3, 4, 4, 5]);
///
/// let error = scan.run(&device, &[0; 2000]).unwrap_err();
/// assert!(error.to_string().ends_with("not 2000: use gpu-5-three-phase or one after it"));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scan {
    pub(super) operator: Operator,
    pub(super) kind: Kind,
    pub(super) rung: Option<Rung>,
    pub(super) geometry: Geometry,
}

impl Default for Scan {
    fn default() -> Self {
        Self { operator: Operator::Sum, kind: Kind::Inclusive, rung: None, geometry: Geometry::default() }
    }
}

impl Scan {
    /// Inclusive sums, the way that is best on the device.
    ///
    /// ```
    /// use warpwise::{Device, scan::Scan};
    ///
    /// assert_eq!(Scan::new().run(&Device::best(), &[1, 2, 3])?, [1, 3, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// What elements are combined with.
    ///
    /// ```
    /// use warpwise::{Device, Operator, scan::Scan};
    ///
    /// assert_eq!(Scan::new().operator(Operator::Product).run(&Device::best(), &[1, 2, 3, 4])?, [1, 2, 6, 24]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn operator(self, operator: Operator) -> Self {
        Self { operator, ..self }
    }

    /// Whether an element is part of its own prefix.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::scan::{Kind, Scan};
    ///
    /// assert_eq!(Scan::new().kind(Kind::Exclusive).run(&Device::best(), &[1, 2, 3])?, [0, 1, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Scans; integers wrap.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVariant`] for a rung of another kind of device, [`Error::OneBlock`] for more elements than a
    /// one-block rung can take, [`Error::Block`] for a block that the rung cannot work with, [`Error::OtherDevice`] for
    /// a buffer of another device.
    ///
    /// ```
    /// use warpwise::{Device, Operator, scan::Scan};
    ///
    /// assert_eq!(Scan::new().operator(Operator::Min).run(&Device::best(), &[2.5, 3.5, 1.5])?, [2.5, 2.5, 1.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<T: Scannable>(&self, device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Vec<T>, Error> {
        if device.is_cpu() {
            return self.run_buffer(device, xs)?.into_vec();
        }
        let mut out = crate::memory::zeros(xs.length());
        self.run_into(device, xs, &mut out)?;
        Ok(out)
    }

    /// Scans into existing memory: on the host or, with a buffer, on the device. The system does not have to find fresh
    /// memory for a long result, which takes longer than the scan.
    ///
    /// # Errors
    ///
    /// As for [`run`](Scan::run), and [`Error::Length`] when the output and the input differ in length.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, scan::Scan};
    ///
    /// let device = Device::emulator();
    /// let mut sums = Buffer::uninit(&device, 3)?;
    /// Scan::new().run_into(&device, &[1, 2, 3], &mut sums)?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into<T: Scannable>(
        &self,
        device: &Device,
        xs: &(impl Input<T> + ?Sized),
        mut out: &mut (impl Output<T> + ?Sized),
    ) -> Result<(), Error> {
        T::run_into(device, self, &xs, &mut out)
    }

    /// Scans into a new buffer, which stays on the device.
    ///
    /// ```
    /// use warpwise::{Device, reduce, scan::Scan};
    ///
    /// let device = Device::emulator();
    /// assert_eq!(reduce::min(&device, &Scan::new().run_buffer(&device, &[3, -5, 4])?)?, -2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer<T: Scannable>(&self, device: &Device, xs: &(impl Input<T> + ?Sized)) -> Result<Buffer<T>, Error> {
        T::run_buffer(device, self, &xs)
    }
}

choices!("scan", "Scan::new()", [] Scan);
