//! The radiator: rows of pipes, each a ring whose first columns stay hot.
//!
//! Every step, `new[j] = (c0 old[j-2] + c1 old[j-1] + c2 old[j] + c3 old[j+1] + c4 old[j+2]) / 5` for all columns that
//! are not fixed, with places modulo the number of columns. Rows are independent.
//!
//! `par` multiplies by fifths of the weights instead of dividing, and takes a few rows through all steps before the
//! next.

mod batch;
mod builder;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
pub(crate) mod gpu;
mod preset;
pub mod reference;
mod run;
#[cfg(test)]
mod tests;
mod window;
mod workload;

pub use builder::{Radiate, simulate, simulate_into};
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use preset::Preset;
pub use run::{Simulation, Temperature};

use crate::{Error, Float, memory, threads};

/// A radiator of a size.
///
/// ```
/// use warpwise::radiator::{Preset, Radiator, cpu};
///
/// let radiator = Radiator::new(Preset::Year2023, 32, 100)?;
/// let mut grid = radiator.start::<f32>();
/// cpu::par(&radiator, 10, &mut grid)?;
/// let averages = cpu::averages_par(&radiator, &grid)?;
/// assert!(averages[0] < averages[31]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Radiator {
    preset: Preset,
    rows: usize,
    columns: usize,
}

impl Radiator {
    /// A radiator with that many rows and columns.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] when the number of elements overflows.
    ///
    /// ```
    /// use warpwise::radiator::{Preset, Radiator};
    ///
    /// assert!(Radiator::new(Preset::Year2019, 32, 100).is_ok());
    /// assert!(Radiator::new(Preset::Year2019, usize::MAX, 2).is_err());
    /// ```
    pub fn new(preset: Preset, rows: usize, columns: usize) -> Result<Self, Error> {
        Error::area(rows, columns)?;
        Ok(Self { preset, rows, columns })
    }

    /// The preset.
    ///
    /// ```
    /// use warpwise::radiator::{Preset, Radiator};
    ///
    /// assert_eq!(Radiator::new(Preset::Year2025, 32, 100)?.preset(), Preset::Year2025);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// The number of rows.
    ///
    /// ```
    /// use warpwise::radiator::{Preset, Radiator};
    ///
    /// assert_eq!(Radiator::new(Preset::Year2025, 32, 100)?.rows(), 32);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    ///
    /// ```
    /// use warpwise::radiator::{Preset, Radiator};
    ///
    /// assert_eq!(Radiator::new(Preset::Year2025, 32, 100)?.columns(), 100);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The values before the first step, row after row.
    ///
    /// ```
    /// use warpwise::radiator::{Preset, Radiator};
    ///
    /// assert_eq!(Radiator::new(Preset::Year2019, 1, 4)?.start::<f32>(), [1.0, 0.8, 0.0, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn start<T: Float>(&self) -> Vec<T> {
        if self.rows == 0 {
            return Vec::new();
        }
        let along: Vec<f64> = (0..self.columns).map(|j| self.preset.along(j, self.columns)).collect();
        let mut grid = memory::zeros(self.rows * self.columns);
        let nanoseconds = grid.len();
        threads::for_each_chunk(&mut grid, self.columns.max(1), nanoseconds, |i, row| {
            self.preset.fill(i, self.rows, &along, row);
        });
        grid
    }

    /// Checks the length of a grid.
    pub(crate) fn check<T>(&self, grid: &[T]) -> Result<(), Error> {
        Error::check_length("the grid", grid.len(), self.rows * self.columns)
    }
}
