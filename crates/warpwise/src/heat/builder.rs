//! Heat with choices, and without.

use super::{Cylinder, Limits, Outcome, Rung, Simulation, Temperature};
use crate::primitive::choices;
use crate::{Buffer, Device, Error, Geometry, Output};

/// How to simulate a cylinder: the device's best rung, unless choices say otherwise.
///
/// ```
/// use warpwise::Device;
/// use warpwise::heat::{Cylinder, Heat, Limits, Rung};
///
/// let cylinder = Cylinder::new(3, 4, &[1.0_f32; 12], &[0.5; 12])?;
/// let limits = Limits { iterations: 100, threshold: 1e-3 };
/// let (_, outcome) = Heat::new().variant(Rung::MergedMirror).run(&Device::emulator(), cylinder, limits)?;
/// assert_eq!(outcome.iterations, 1);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Heat {
    rung: Option<Rung>,
    pub(super) geometry: Geometry,
}

choices!("heat", "Heat::new()", [] Heat);

impl Heat {
    /// The way that is best on the device.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::{Cylinder, Heat};
    ///
    /// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
    /// assert!(Heat::new().start(&Device::cpu(), cylinder)?.step()? > 0.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// A simulation before its first step; its temperatures stay on the device between steps.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVariant`] for a rung of another kind of device, [`Error::Block`] for a block that it cannot work
    /// with.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::{Cylinder, Heat, Rung};
    ///
    /// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
    /// assert!(Heat::new().variant(Rung::CpuSeq).start(&Device::cpu(), cylinder).is_ok());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn start<'a, T: Temperature>(
        &self,
        device: &Device,
        cylinder: Cylinder<'a, T>,
    ) -> Result<Simulation<'a, T>, Error> {
        T::open(device, cylinder, self)
    }

    /// The temperatures at the end, cell by cell, and how the simulation ended.
    ///
    /// # Errors
    ///
    /// As for [`start`](Heat::start).
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::{Cylinder, Heat, Limits};
    ///
    /// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
    /// let (end, _) = Heat::new().run(&Device::best(), cylinder, Limits { iterations: 9, threshold: 0.0 })?;
    /// assert_eq!(end.len(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<T: Temperature>(
        &self,
        device: &Device,
        cylinder: Cylinder<T>,
        limits: Limits,
    ) -> Result<(Vec<T>, Outcome), Error> {
        let mut simulation = self.start(device, cylinder)?;
        let outcome = simulation.run(limits)?;
        Ok((simulation.into_temperatures()?, outcome))
    }

    /// Like [`run`](Heat::run), but into existing memory, on the host or on the device.
    ///
    /// # Errors
    ///
    /// As for [`start`](Heat::start), and [`Error::Length`] when the output does not have an element for every cell.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    /// use warpwise::heat::{Cylinder, Heat, Limits};
    ///
    /// let device = Device::emulator();
    /// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
    /// let mut end = Buffer::uninit(&device, 3)?;
    /// let outcome = Heat::new().run_into(&device, cylinder, Limits { iterations: 2, threshold: 0.0 }, &mut end)?;
    /// assert_eq!(outcome.iterations, 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into<T: Temperature>(
        &self,
        device: &Device,
        cylinder: Cylinder<T>,
        limits: Limits,
        out: &mut (impl Output<T> + ?Sized),
    ) -> Result<Outcome, Error> {
        Error::check_length("the output", out.room(), cylinder.temperature.len())?;
        let target = out.as_target();
        target.check(device)?;
        let (end, outcome) = self.run_buffer(device, cylinder, limits)?;
        target.fill_from(&end)?;
        Ok(outcome)
    }

    /// Like [`run`](Heat::run), but the temperatures stay on the device.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    /// use warpwise::heat::{Cylinder, Heat, Limits};
    ///
    /// let device = Device::emulator();
    /// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
    /// let (end, _) = Heat::new().run_buffer(&device, cylinder, Limits { iterations: 2, threshold: 0.0 })?;
    /// assert!(reduce::max(&device, &end)? < 3.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer<T: Temperature>(
        &self,
        device: &Device,
        cylinder: Cylinder<T>,
        limits: Limits,
    ) -> Result<(Buffer<T>, Outcome), Error> {
        let mut simulation = self.start(device, cylinder)?;
        let outcome = simulation.run(limits)?;
        Ok((simulation.temperatures_buffer()?, outcome))
    }
}

/// The temperatures at the end, cell by cell, and how the simulation ended.
///
/// ```
/// use warpwise::Device;
/// use warpwise::heat::{self, Cylinder, Limits};
///
/// let (temperature, conductivity) = ([1.0, 2.0, 3.0, 4.0], [0.5; 4]);
/// let cylinder = Cylinder::new(2, 2, &temperature, &conductivity)?;
/// let limits = Limits { iterations: 1000, threshold: 1e-6 };
/// let (end, outcome) = heat::simulate(&Device::emulator(), cylinder, limits)?;
/// assert!(end[0] < end[3] && outcome.max_difference < 1e-6);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn simulate<T: Temperature>(
    device: &Device,
    cylinder: Cylinder<T>,
    limits: Limits,
) -> Result<(Vec<T>, Outcome), Error> {
    Heat::new().run(device, cylinder, limits)
}

/// Like [`simulate`], but into existing memory: on the host or, with a buffer, on the device.
///
/// ```
/// use warpwise::Device;
/// use warpwise::heat::{self, Cylinder, Limits};
///
/// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
/// let mut end = [0.0; 3];
/// heat::simulate_into(&Device::best(), cylinder, Limits { iterations: 5, threshold: 0.0 }, &mut end)?;
/// assert!(end[2] < 3.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn simulate_into<T: Temperature>(
    device: &Device,
    cylinder: Cylinder<T>,
    limits: Limits,
    out: &mut (impl Output<T> + ?Sized),
) -> Result<Outcome, Error> {
    Heat::new().run_into(device, cylinder, limits, out)
}
