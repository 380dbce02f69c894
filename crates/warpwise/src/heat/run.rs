//! Heat on a device.

use super::gpu::Grids;
use super::gpu::passes::{self, Passes};
use super::gpu::resident::{self, Resident};
use super::{Cylinder, Heat, Limits, Outcome, PRIMITIVE, Stepper};
use crate::{Buffer, Device, Error, Float, Geometry};

/// A type of temperatures: `f32` or `f64`.
///
/// ```
/// use warpwise::Device;
/// use warpwise::heat::{Cylinder, Simulation, Temperature};
///
/// fn first_step<T: Temperature>(cylinder: Cylinder<T>) -> f64 {
///     Simulation::new(&Device::cpu(), cylinder).unwrap().step().unwrap()
/// }
/// assert!(first_step(Cylinder::new(1, 3, &[1.0_f32, 2.0, 3.0], &[0.5; 3])?) > 0.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Temperature: Float {
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn open<'a>(device: &Device, cylinder: Cylinder<'a, Self>, how: &Heat) -> Result<Simulation<'a, Self>, Error>;
    #[doc(hidden)]
    fn step(simulation: &mut Simulation<'_, Self>) -> Result<f64, Error>;
    #[doc(hidden)]
    fn run(simulation: &mut Simulation<'_, Self>, limits: Limits) -> Result<Outcome, Error>;
}

macro_rules! temperature {
    ($($t:ty)*) => {$(
        impl Temperature for $t {
            fn open<'a>(
                device: &Device,
                cylinder: Cylinder<'a, $t>,
                how: &Heat,
            ) -> Result<Simulation<'a, $t>, Error> {
                open(device, cylinder, how)
            }

            fn step(simulation: &mut Simulation<'_, $t>) -> Result<f64, Error> {
                step(&mut simulation.state)
            }

            fn run(simulation: &mut Simulation<'_, $t>, limits: Limits) -> Result<Outcome, Error> {
                steps(&mut simulation.state, limits)
            }
        }
    )*};
}
temperature!(f32 f64);

/// A cylinder being simulated on a device; its temperatures stay there between steps.
///
/// ```
/// use warpwise::Device;
/// use warpwise::heat::{Cylinder, Simulation, Limits};
///
/// let cylinder = Cylinder::new(1, 4, &[0.0, 0.0, 4.0, 0.0], &[0.5; 4])?;
/// let mut simulation = Simulation::new(&Device::emulator(), cylinder)?;
/// let first = simulation.step()?;
/// let outcome = simulation.run(Limits { iterations: 10, threshold: 0.0 })?;
/// assert!(outcome.max_difference < first);
/// assert_eq!(simulation.temperatures()?.len(), 4);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct Simulation<'a, T> {
    device: Device,
    state: State<'a, T>,
}

#[derive(Debug)]
enum State<'a, T> {
    Seq(Stepper<'a, T>),
    Par(Stepper<'a, T>),
    Gpu { grids: Box<Grids>, cells: usize },
    Passes { passes: Box<Passes>, cells: usize },
    Resident { resident: Box<Resident>, cells: usize },
}

impl<'a, T: Temperature> Simulation<'a, T> {
    /// A simulation before its first step.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::{Cylinder, Simulation};
    ///
    /// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
    /// let simulation = Simulation::new(&Device::cpu(), cylinder)?;
    /// assert_eq!(simulation.temperatures()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(device: &Device, cylinder: Cylinder<'a, T>) -> Result<Self, Error> {
        Heat::new().start(device, cylinder)
    }

    /// Takes a step, and returns the largest change of a cell.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::{Cylinder, Simulation};
    ///
    /// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
    /// let mut simulation = Simulation::new(&Device::cpu(), cylinder)?;
    /// assert!(simulation.step()? > 0.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn step(&mut self) -> Result<f64, Error> {
        T::step(self)
    }

    /// Takes steps until a limit is reached.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::{Cylinder, Limits, Simulation};
    ///
    /// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
    /// let mut simulation = Simulation::new(&Device::cpu(), cylinder)?;
    /// let outcome = simulation.run(Limits { iterations: 3, threshold: 0.0 })?;
    /// assert_eq!(outcome.iterations, 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run(&mut self, limits: Limits) -> Result<Outcome, Error> {
        T::run(self, limits)
    }

    /// The temperatures, row after row.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::{Cylinder, Simulation};
    ///
    /// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
    /// let simulation = Simulation::new(&Device::cpu(), cylinder)?;
    /// assert_eq!(simulation.temperatures()?.len(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn temperatures(&self) -> Result<Vec<T>, Error> {
        self.temperatures_buffer()?.into_vec()
    }

    /// Like [`temperatures`](Self::temperatures), without a copy if they are in host memory.
    pub(super) fn into_temperatures(self) -> Result<Vec<T>, Error> {
        match self.state {
            State::Seq(simulation) | State::Par(simulation) => Ok(simulation.into_temperature()),
            _ => self.temperatures(),
        }
    }

    /// The temperatures, row after row, on the device.
    ///
    /// ```
    /// use warpwise::heat::{Cylinder, Simulation};
    /// use warpwise::{Device, reduce};
    ///
    /// let device = Device::emulator();
    /// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
    /// let simulation = Simulation::new(&device, cylinder)?;
    /// assert_eq!(reduce::max(&device, &simulation.temperatures_buffer()?)?, 3.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn temperatures_buffer(&self) -> Result<Buffer<T>, Error> {
        match &self.state {
            State::Seq(simulation) | State::Par(simulation) if self.device.is_cpu() => {
                Ok(Buffer::from_vec(crate::memory::copied(simulation.temperature())))
            }
            State::Seq(simulation) | State::Par(simulation) => {
                Buffer::from_slice(&self.device, simulation.temperature())
            }
            State::Gpu { grids, cells } => Ok(Buffer::from_allocation(&self.device, grids.temperatures()?, *cells)),
            State::Passes { passes, cells } => {
                Ok(Buffer::from_allocation(&self.device, passes.temperatures()?, *cells))
            }
            State::Resident { resident, cells } => {
                Ok(Buffer::from_allocation(&self.device, resident.temperatures()?, *cells))
            }
        }
    }
}

fn open<'a, T: Float>(device: &Device, cylinder: Cylinder<'a, T>, how: &Heat) -> Result<Simulation<'a, T>, Error> {
    let best = match device.session() {
        Some(session) if resident::is_best(session, &cylinder)? => resident::NAME,
        _ if passes::fits(cylinder.rows, cylinder.columns) => passes::NAME,
        _ => "gpu-4-fused",
    };
    let chosen = PRIMITIVE.choose(device, how.name(), best)?;
    let cells = cylinder.temperature.len();
    let state = match device.session() {
        // An empty grid needs no device.
        Some(session) if cells > 0 => {
            let geometry = PRIMITIVE.geometry(session, how.geometry, chosen.name, T::NAME);
            match chosen.name {
                resident::NAME => match resident::tiling(session, &cylinder, geometry)? {
                    Some(tiling) => {
                        State::Resident { resident: Box::new(Resident::new(session, cylinder, tiling)?), cells }
                    }
                    // A grid that does not fit on chip is left to the rung before.
                    None => {
                        let passes = Passes::new(session, cylinder, Geometry::default())?;
                        State::Passes { passes: Box::new(passes), cells }
                    }
                },
                passes::NAME => State::Passes { passes: Box::new(Passes::new(session, cylinder, geometry)?), cells },
                name => {
                    let grids = Grids::new(session, name, cylinder, geometry)?;
                    State::Gpu { grids: Box::new(grids), cells }
                }
            }
        }
        _ if chosen.name == "cpu-seq" => State::Seq(Stepper::new(cylinder)),
        _ => State::Par(Stepper::new(cylinder)),
    };
    Ok(Simulation { device: device.clone(), state })
}

fn step<T: Float>(state: &mut State<'_, T>) -> Result<f64, Error> {
    let largest = match state {
        State::Seq(simulation) => simulation.step_seq(),
        State::Par(simulation) => simulation.step_par(),
        State::Gpu { grids, .. } => grids.step::<T>()?,
        State::Passes { passes, .. } => {
            return Ok(passes.run::<T>(Limits { iterations: 1, threshold: 0.0 })?.max_difference);
        }
        State::Resident { resident, .. } => {
            return Ok(resident.run::<T>(Limits { iterations: 1, threshold: 0.0 })?.max_difference);
        }
    };
    Ok(largest.to_f64())
}

fn steps<T: Float>(state: &mut State<'_, T>, limits: Limits) -> Result<Outcome, Error> {
    if let State::Par(simulation) = state {
        return Ok(simulation.run_par_at(crate::simd::Level::current(), limits));
    }
    match state {
        State::Passes { passes, .. } => return passes.run::<T>(limits),
        State::Resident { resident, .. } => return resident.run::<T>(limits),
        _ => {}
    }
    let mut outcome = Outcome { iterations: 0, max_difference: f64::INFINITY };
    while outcome.iterations < limits.iterations {
        outcome = Outcome { iterations: outcome.iterations + 1, max_difference: step(state)? };
        if outcome.max_difference < limits.threshold {
            break;
        }
    }
    Ok(outcome)
}
