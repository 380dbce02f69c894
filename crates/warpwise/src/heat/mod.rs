//! Heat on a cylinder: a grid of temperatures; each step takes a weighted mean of a cell and the eight around it.
//!
//! - **The grid** has N rows and M columns. Columns wrap. The rows above the first and below the last are fixed at the
//!   initial values of the first and the last row.
//! - **A step.** With w the conductivity of a cell, T' = w T + (1-w) d (sum of the 4 direct neighbours) + (1-w) g (sum
//!   of the 4 diagonal neighbours), where d = 0.25 sqrt2 / (sqrt2 + 1) and g = 0.25 / (sqrt2 + 1).
//! - **The end.** Every step takes the largest |T' - T|; the last step is the first for which that is below the
//!   threshold, or the one that reaches the limit. NaN is below no threshold.
//!
//! All variants, on the CPU and on GPUs, compute the same expression for every cell, so they give the same bits and end
//! at the same step.

mod builder;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
pub(crate) mod gpu;
pub mod reference;
mod run;
#[cfg(test)]
mod tests;
mod workload;

pub use builder::{Heat, simulate, simulate_into};
pub use cpu::Stepper;
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use gpu::slab::GpuSlab;
pub use run::{Simulation, Temperature};

use crate::{Error, Float};

/// The weight of a direct neighbour of a cell that conducts all heat.
///
/// ```
/// use warpwise::heat::{DIAGONAL, DIRECT};
///
/// // Four neighbours of each kind: together they weigh one.
/// assert!((4.0 * (DIRECT + DIAGONAL) - 1.0).abs() < 1e-15);
/// ```
pub const DIRECT: f64 = 0.25 * std::f64::consts::SQRT_2 / (std::f64::consts::SQRT_2 + 1.0);

/// The weight of a diagonal neighbour of a cell that conducts all heat.
///
/// ```
/// assert!(warpwise::heat::DIAGONAL < warpwise::heat::DIRECT);
/// ```
pub const DIAGONAL: f64 = 0.25 / (std::f64::consts::SQRT_2 + 1.0);

/// A cylinder before the first step.
///
/// ```
/// use warpwise::heat::Cylinder;
///
/// let cylinder = Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?;
/// # let _ = cylinder;
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cylinder<'a, T> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) temperature: &'a [T],
    pub(crate) conductivity: &'a [T],
}

impl<'a, T: Float> Cylinder<'a, T> {
    /// A cylinder with the temperature and the conductivity of every cell, row after row.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when there are not `rows * columns` of both.
    ///
    /// ```
    /// use warpwise::heat::Cylinder;
    ///
    /// assert!(Cylinder::new(2, 2, &[0.0; 4], &[1.0; 3]).is_err());
    /// ```
    pub fn new(rows: usize, columns: usize, temperature: &'a [T], conductivity: &'a [T]) -> Result<Self, Error> {
        let cells = Error::area(rows, columns)?;
        Error::check_length("the temperature", temperature.len(), cells)?;
        Error::check_length("the conductivity", conductivity.len(), cells)?;
        Ok(Self { rows, columns, temperature, conductivity })
    }
}

/// The number of rows of a slab, if what it is made of fits together.
fn check_slab<T>(columns: usize, fixed: &[T], temperature: &[T], conductivity: &[T]) -> Result<usize, Error> {
    let rows = temperature.len() / columns.max(1);
    Error::check_length("the fixed rows", fixed.len(), 2 * columns)?;
    Error::check_length("the temperature", temperature.len(), rows * columns)?;
    Error::check_length("the conductivity", conductivity.len(), rows * columns)?;
    Ok(rows)
}

/// When a simulation ends.
///
/// ```
/// use warpwise::heat::Limits;
///
/// let until_calm = Limits { iterations: usize::MAX, threshold: 0.1 };
/// assert!(until_calm.threshold > 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The most steps.
    pub iterations: usize,
    /// A step that changes no cell by this much is the last one.
    pub threshold: f64,
}

/// How a simulation ended.
///
/// ```
/// use warpwise::Device;
/// use warpwise::heat::{self, Cylinder, Limits};
///
/// let cylinder = Cylinder::new(1, 2, &[5.0, 5.0], &[0.5; 2])?;
/// let limits = Limits { iterations: 10, threshold: 0.1 };
/// let (_, outcome) = heat::simulate(&Device::cpu(), cylinder, limits)?;
/// assert_eq!(outcome.iterations, 1, "nothing changes, so the first step is the last");
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The steps taken.
    pub iterations: usize,
    /// The largest change of a cell in the last step; infinite before the first.
    pub max_difference: f64,
}

impl Limits {
    /// Takes steps until a limit is reached.
    pub(crate) fn run(self, mut step: impl FnMut() -> f64) -> Outcome {
        let mut outcome = Outcome { iterations: 0, max_difference: f64::INFINITY };
        while outcome.iterations < self.iterations {
            outcome = Outcome { iterations: outcome.iterations + 1, max_difference: step() };
            if outcome.max_difference < self.threshold {
                break;
            }
        }
        outcome
    }
}
