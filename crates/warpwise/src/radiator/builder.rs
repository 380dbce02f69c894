//! The radiator with choices.

use super::{Radiator, Rung, Simulation, Temperature};
use crate::primitive::choices;
use crate::{Device, Error, Geometry, Output, Target};

/// How to simulate a radiator: the device's best rung, unless choices say otherwise.
///
/// ```
/// use warpwise::Device;
/// use warpwise::radiator::{Preset, Radiate, Radiator, Rung};
///
/// let wide = Radiator::new(Preset::Year2019, 1, 40_000)?;
/// let error = Radiate::new().variant(Rung::Resident).run::<f32>(&Device::emulator(), wide, 1).unwrap_err();
/// assert!(error.to_string().ends_with("use gpu-4-shuffled"));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Radiate {
    rung: Option<Rung>,
    pub(super) geometry: Geometry,
}

choices!("radiator", "Radiate::new()", [] Radiate);

impl Radiate {
    /// The way that is best on the device.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::radiator::{Preset, Radiate, Radiator};
    ///
    /// let radiator = Radiator::new(Preset::Year2019, 2, 3)?;
    /// assert_eq!(Radiate::new().run::<f32>(&Device::best(), radiator, 0)?, [0.5, 0.4, 0.0, 1.0, 0.8, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// A simulation before its first step; its values stay on the device between steps.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVariant`] for a rung of another kind of device, [`Error::OneBlock`] for more columns than fit on
    /// chip, [`Error::Choice`] for a number of items that the rung does not have.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::radiator::{Preset, Radiate, Radiator};
    ///
    /// let radiator = Radiator::new(Preset::Year2023, 8, 40)?;
    /// let mut simulation = Radiate::new().start::<f32>(&Device::emulator(), radiator)?;
    /// simulation.run(10)?;
    /// assert_eq!(simulation.values()?.len(), 320);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn start<T: Temperature>(&self, device: &Device, radiator: Radiator) -> Result<Simulation<T>, Error> {
        T::open(device, radiator, self)
    }

    /// All values after that many steps, row after row.
    ///
    /// # Errors
    ///
    /// As for [`start`](Radiate::start).
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::radiator::{Preset, Radiate, Radiator};
    ///
    /// let radiator = Radiator::new(Preset::Year2019, 1, 8)?;
    /// assert!(Radiate::new().run::<f64>(&Device::best(), radiator, 1)?[2] > 0.6);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<T: Temperature>(&self, device: &Device, radiator: Radiator, iterations: usize) -> Result<Vec<T>, Error> {
        let mut simulation = self.start(device, radiator)?;
        simulation.run(iterations)?;
        simulation.values()
    }

    /// Like [`run`](Radiate::run), but into existing memory, on the host or on the device.
    ///
    /// # Errors
    ///
    /// As for [`start`](Radiate::start), and [`Error::Length`] when the output does not have an element for every value.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    /// use warpwise::radiator::{Preset, Radiate, Radiator};
    ///
    /// let device = Device::emulator();
    /// let mut values = Buffer::<f32>::zeros(&device, 6)?;
    /// Radiate::new().run_into(&device, Radiator::new(Preset::Year2019, 2, 3)?, 0, &mut values)?;
    /// assert_eq!(values.to_vec()?, [0.5, 0.4, 0.0, 1.0, 0.8, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into<T: Temperature>(
        &self,
        device: &Device,
        radiator: Radiator,
        iterations: usize,
        out: &mut (impl Output<T> + ?Sized),
    ) -> Result<(), Error> {
        Error::check_length("the output", out.room(), Error::area(radiator.rows(), radiator.columns())?)?;
        let target = out.as_target();
        target.check(device)?;
        let values = self.run(device, radiator, iterations)?;
        match target {
            Target::Slice(out) => out.copy_from_slice(&values),
            Target::Buffer(mut view) => view.upload_from(&values)?,
        }
        Ok(())
    }
}

/// All values of a radiator after that many steps, row after row.
///
/// ```
/// use warpwise::Device;
/// use warpwise::radiator::{Preset, Radiator, simulate};
///
/// let radiator = Radiator::new(Preset::Year2019, 2, 3)?;
/// assert_eq!(simulate::<f32>(&Device::best(), radiator, 0)?, [0.5, 0.4, 0.0, 1.0, 0.8, 0.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn simulate<T: Temperature>(device: &Device, radiator: Radiator, iterations: usize) -> Result<Vec<T>, Error> {
    Radiate::new().run(device, radiator, iterations)
}

/// Like [`simulate`], but into existing memory: on the host or, with a buffer, on the device.
///
/// ```
/// use warpwise::Device;
/// use warpwise::radiator::{Preset, Radiator, simulate_into};
///
/// let mut values = [0.0_f32; 6];
/// simulate_into(&Device::best(), Radiator::new(Preset::Year2019, 2, 3)?, 0, &mut values)?;
/// assert_eq!(values[3], 1.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn simulate_into<T: Temperature>(
    device: &Device,
    radiator: Radiator,
    iterations: usize,
    out: &mut (impl Output<T> + ?Sized),
) -> Result<(), Error> {
    Radiate::new().run_into(device, radiator, iterations, out)
}
