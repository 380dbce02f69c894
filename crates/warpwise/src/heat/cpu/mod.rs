//! Heat on the CPU.

mod grid;
mod interleaved;
mod pass;
#[cfg(target_arch = "x86_64")]
mod registers;
mod rows;
mod slab;
mod stepper;
mod sweep;

pub use slab::{DEPTH, Part, Slab};
pub use stepper::Stepper;

use super::{Cylinder, Limits, Outcome};
use crate::Float;
use crate::simd::Level;

/// The temperatures at the end, cell by cell, and how the simulation ended.
///
/// ```
/// use warpwise::heat::{Cylinder, Limits, cpu};
///
/// let (temperature, conductivity) = ([1.0, 2.0, 3.0, 4.0], [0.5; 4]);
/// let cylinder = Cylinder::new(2, 2, &temperature, &conductivity)?;
/// let (end, outcome) = cpu::seq(cylinder, Limits { iterations: 10, threshold: 0.0 });
/// assert_eq!((end.len(), outcome.iterations), (4, 10));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Float>(cylinder: Cylinder<T>, limits: Limits) -> (Vec<T>, Outcome) {
    let mut simulation = Stepper::new(cylinder);
    let outcome = limits.run(|| simulation.step_seq().to_f64());
    (simulation.into_temperature(), outcome)
}

/// The temperatures at the end, computed on all cores, and how the simulation ended.
///
/// ```
/// use warpwise::heat::{Cylinder, Limits, cpu};
///
/// let (temperature, conductivity) = ([1.0, 2.0, 3.0, 4.0], [0.5; 4]);
/// let cylinder = Cylinder::new(2, 2, &temperature, &conductivity)?;
/// let limits = Limits { iterations: 1000, threshold: 1e-9 };
/// assert_eq!(cpu::par(cylinder, limits), cpu::seq(cylinder, limits));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<T: Float>(cylinder: Cylinder<T>, limits: Limits) -> (Vec<T>, Outcome) {
    par_at(Level::current(), cylinder, limits)
}

pub(crate) fn par_at<T: Float>(level: Level, cylinder: Cylinder<T>, limits: Limits) -> (Vec<T>, Outcome) {
    let mut simulation = Stepper::new(cylinder);
    let outcome = simulation.run_par_at(level, limits);
    (simulation.into_temperature(), outcome)
}
