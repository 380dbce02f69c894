//! Heat on a cylinder: a grid of temperatures, each step a mean of its cell and the eight around it.
//!
//! - **The grid** has N rows and M columns. Columns wrap. The rows above the first and below the last are fixed at what
//!   the first and the last row were in the beginning.
//! - **A step.** With w the conductivity of a cell, T' = w T + (1-w) d (sum of the 4 direct neighbours) + (1-w) g (sum
//!   of the 4 diagonal neighbours), where d = 0.25 sqrt2 / (sqrt2 + 1) and g = 0.25 / (sqrt2 + 1).
//! - **The end.** Every step takes the largest |T' - T|; the last step is the first where that is below the threshold,
//!   or the one that reaches the limit. NaN is below no threshold.
//!
//! `seq` and `par` compute the same expression for every cell, and so give the same bits and end at the same step.

pub mod cpu;
#[cfg(test)]
mod device_tests;
mod gpu;
pub mod reference;
mod run;
mod stepper;
#[cfg(test)]
mod tests;

pub use run::{Options, Simulation, VARIANTS, run, simulate};
pub use stepper::Stepper;

use crate::{Error, Float};

/// The weight of a direct neighbour of a cell that conducts all heat.
pub const DIRECT: f64 = 0.25 * std::f64::consts::SQRT_2 / (std::f64::consts::SQRT_2 + 1.0);

/// The weight of a diagonal neighbour of a cell that conducts all heat.
pub const DIAGONAL: f64 = 0.25 / (std::f64::consts::SQRT_2 + 1.0);

/// A cylinder before the first step.
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
    pub fn new(rows: usize, columns: usize, temperature: &'a [T], conductivity: &'a [T]) -> Result<Self, Error> {
        let cells = Error::area(rows, columns)?;
        Error::check_length("the temperature", temperature.len(), cells)?;
        Error::check_length("the conductivity", conductivity.len(), cells)?;
        Ok(Self { rows, columns, temperature, conductivity })
    }
}

/// When a simulation ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The most steps.
    pub iterations: usize,
    /// A step that changes no cell by this much is the last one.
    pub threshold: f64,
}

/// How a simulation ended.
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
