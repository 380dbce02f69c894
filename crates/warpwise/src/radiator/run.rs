//! The radiator on a device.

use super::gpu::Grids;
use super::{PRIMITIVE, Preset, Radiate, Radiator, cpu};
use crate::{Buffer, Device, Error, Float};

/// A type of temperatures: `f32` or `f64`.
///
/// ```
/// use warpwise::Device;
/// use warpwise::radiator::{Preset, Simulation, Temperature};
///
/// fn start<T: Temperature>() -> Vec<T> {
///     Simulation::new(&Device::cpu(), Preset::Year2019, 1, 3).unwrap().values().unwrap()
/// }
/// assert_eq!(start::<f64>(), [1.0, 0.8, 0.0]);
/// ```
pub trait Temperature: Float {
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn open(device: &Device, radiator: Radiator, how: &Radiate) -> Result<Simulation<Self>, Error>;
    #[doc(hidden)]
    fn run(simulation: &mut Simulation<Self>, iterations: usize) -> Result<(), Error>;
    #[doc(hidden)]
    fn averages(simulation: &Simulation<Self>) -> Result<Buffer<Self>, Error>;
}

macro_rules! temperature {
    ($($t:ty)*) => {$(
        impl Temperature for $t {
            fn open(device: &Device, radiator: Radiator, how: &Radiate) -> Result<Simulation<$t>, Error> {
                open(device, radiator, how)
            }

            fn run(simulation: &mut Simulation<$t>, iterations: usize) -> Result<(), Error> {
                steps(simulation, iterations)
            }

            fn averages(simulation: &Simulation<$t>) -> Result<Buffer<$t>, Error> {
                averages(simulation)
            }
        }
    )*};
}
temperature!(f32 f64);

/// A radiator being simulated on a device; its values stay there between steps.
///
/// ```
/// use warpwise::Device;
/// use warpwise::radiator::{Preset, Simulation};
///
/// let mut simulation = Simulation::<f32>::new(&Device::emulator(), Preset::Year2023, 8, 40)?;
/// simulation.run(10)?;
/// let averages = simulation.averages()?;
/// assert!(averages[0] < averages[7]);
/// assert_eq!(simulation.values()?.len(), 320);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct Simulation<T: Float> {
    device: Device,
    radiator: Radiator,
    state: State<T>,
}

#[derive(Debug)]
enum State<T> {
    Seq(Vec<T>),
    Par(Vec<T>),
    Gpu(Box<Grids>),
}

impl<T: Temperature> Simulation<T> {
    /// A radiator of rows and columns before its first step.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] when the number of elements overflows.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::radiator::{Preset, Simulation};
    ///
    /// let simulation = Simulation::<f32>::new(&Device::cpu(), Preset::Year2023, 8, 40)?;
    /// assert_eq!(simulation.values()?[..2], [0.125, 0.0875]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(device: &Device, preset: Preset, rows: usize, columns: usize) -> Result<Self, Error> {
        Radiate::new().start(device, Radiator::new(preset, rows, columns)?)
    }

    /// Takes that many steps.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::radiator::{Preset, Simulation};
    ///
    /// let mut simulation = Simulation::<f64>::new(&Device::cpu(), Preset::Year2019, 1, 8)?;
    /// simulation.run(1)?;
    /// assert!((simulation.values()?[2] - (1.9 * 1.0 + 1.5 * 0.8) / 5.0).abs() < 1e-12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run(&mut self, iterations: usize) -> Result<(), Error> {
        T::run(self, iterations)
    }

    /// All values, row after row.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::radiator::{Preset, Simulation};
    ///
    /// let simulation = Simulation::<f32>::new(&Device::cpu(), Preset::Year2019, 2, 3)?;
    /// assert_eq!(simulation.values()?, [0.5, 0.4, 0.0, 1.0, 0.8, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn values(&self) -> Result<Vec<T>, Error> {
        match &self.state {
            State::Seq(grid) | State::Par(grid) => Ok(crate::memory::copied(grid)),
            State::Gpu(grids) => grids.values(),
        }
    }

    /// Goes on from other values, row after row.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when there is not one for every cell.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::radiator::{Preset, Simulation};
    ///
    /// let mut simulation = Simulation::<f32>::new(&Device::emulator(), Preset::Year2019, 1, 3)?;
    /// simulation.set_values(&[0.5, 0.25, 0.0])?;
    /// assert_eq!(simulation.values()?, [0.5, 0.25, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn set_values(&mut self, values: &[T]) -> Result<(), Error> {
        Error::check_length("the values", values.len(), self.radiator.rows() * self.radiator.columns())?;
        match &mut self.state {
            State::Seq(grid) | State::Par(grid) => grid.copy_from_slice(values),
            State::Gpu(grids) => grids.set_values(values)?,
        }
        Ok(())
    }

    /// The average of every row.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::radiator::{Preset, Simulation};
    ///
    /// let simulation = Simulation::<f64>::new(&Device::cpu(), Preset::Year2019, 2, 4)?;
    /// assert!((simulation.averages()?[1] - (1.0 + 0.8) / 4.0).abs() < 1e-12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn averages(&self) -> Result<Vec<T>, Error> {
        self.averages_buffer()?.into_vec()
    }

    /// The average of every row, on the device.
    ///
    /// ```
    /// use warpwise::radiator::{Preset, Simulation};
    /// use warpwise::{Device, reduce};
    ///
    /// let device = Device::emulator();
    /// let mut simulation = Simulation::<f64>::new(&device, Preset::Year2025, 8, 40)?;
    /// simulation.run(2)?;
    /// assert_eq!(reduce::argmax(&device, &simulation.averages_buffer()?)?, 7);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn averages_buffer(&self) -> Result<Buffer<T>, Error> {
        T::averages(self)
    }
}

fn open<T: Float>(device: &Device, radiator: Radiator, how: &Radiate) -> Result<Simulation<T>, Error> {
    let chosen = PRIMITIVE.choose(device, how.name(), "gpu-4-shuffled")?;
    let empty = radiator.rows() == 0 || radiator.columns() == 0;
    let state = match device.session() {
        // An empty grid needs no device.
        Some(session) if !empty => {
            let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME);
            State::Gpu(Box::new(Grids::new::<T>(session, chosen.name, radiator, geometry)?))
        }
        _ if chosen.name == "cpu-seq" => State::Seq(radiator.start()),
        _ => State::Par(radiator.start()),
    };
    Ok(Simulation { device: device.clone(), radiator, state })
}

fn steps<T: Float>(simulation: &mut Simulation<T>, iterations: usize) -> Result<(), Error> {
    match &mut simulation.state {
        State::Seq(grid) => cpu::seq(&simulation.radiator, iterations, grid),
        State::Par(grid) => cpu::par(&simulation.radiator, iterations, grid),
        State::Gpu(grids) => grids.run::<T>(iterations),
    }
}

fn averages<T: Float>(simulation: &Simulation<T>) -> Result<Buffer<T>, Error> {
    match &simulation.state {
        State::Seq(grid) => Buffer::from_slice(&simulation.device, &cpu::averages_seq(&simulation.radiator, grid)?),
        State::Par(grid) => Buffer::from_slice(&simulation.device, &cpu::averages_par(&simulation.radiator, grid)?),
        State::Gpu(grids) => {
            Ok(Buffer::from_allocation(&simulation.device, grids.averages::<T>()?, simulation.radiator.rows()))
        }
    }
}
