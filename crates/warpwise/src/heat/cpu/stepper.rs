//! A simulation, step by step.

use std::sync::{Mutex, PoisonError};

use super::grid::{Grid, Stack};
use super::pass::{Band, DEPTH, depth, worthwhile};
use super::rows::{Rows, mean};
use crate::heat::{Cylinder, Limits, Outcome};
use crate::simd::Level;
use crate::{Float, memory, threads};

/// Cells in a task.
pub(super) const TASK: usize = 1 << 14;

/// The most steps of a first pass, if it may turn out to be the last one.
const SOON: usize = 16;

/// A cylinder being simulated.
///
/// ```
/// use warpwise::heat::{Cylinder, Stepper};
///
/// let (temperature, conductivity) = ([0.0, 0.0, 4.0, 0.0], [0.5; 4]);
/// let mut simulation = Stepper::new(Cylinder::new(1, 4, &temperature, &conductivity)?);
/// let largest_change = simulation.step_par();
/// assert!(largest_change > 0.0);
/// assert_eq!(simulation.temperature().len(), 4);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stepper<'a, T> {
    columns: usize,
    conductivity: &'a [T],
    /// The initial temperatures.
    start: &'a [T],
    /// The temperatures; empty before the first step.
    old: Vec<T>,
    /// Room for the next temperatures; empty until it is needed.
    new: Vec<T>,
    /// How passes find the largest change.
    nan: Nan,
}

/// How a change that is NaN is treated.
///
/// If the change of a cell is NaN, because its temperature is NaN or is infinite before and after, it stays NaN in
/// every later step. So only the last step of a pass has to find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nan {
    /// It is larger than any number.
    Counts,
    /// It may be missing from the largest change.
    MayBeLost,
}

impl<'a, T: Float> Stepper<'a, T> {
    /// A simulation before its first step.
    ///
    /// ```
    /// use warpwise::heat::{Cylinder, Stepper};
    ///
    /// let stepper = Stepper::new(Cylinder::new(1, 1, &[7.0], &[0.5])?);
    /// assert_eq!(stepper.temperature(), [7.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(cylinder: Cylinder<'a, T>) -> Self {
        let Cylinder { columns, temperature: start, conductivity, .. } = cylinder;
        Self { columns, conductivity, start, old: Vec::new(), new: Vec::new(), nan: Nan::MayBeLost }
    }

    /// The temperatures, row after row.
    ///
    /// ```
    /// use warpwise::heat::{Cylinder, Stepper};
    ///
    /// let stepper = Stepper::new(Cylinder::new(1, 2, &[7.0, 8.0], &[0.5; 2])?);
    /// assert_eq!(stepper.temperature(), [7.0, 8.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn temperature(&self) -> &[T] {
        if self.old.is_empty() { self.start } else { &self.old }
    }

    /// The temperatures, row after row, as an owned vector.
    pub(crate) fn into_temperature(self) -> Vec<T> {
        if self.old.is_empty() { memory::copied(self.start) } else { self.old }
    }

    /// The temperatures, and room for the next ones.
    fn grids(&mut self) -> (Grid<'_, T>, &mut [T]) {
        if self.new.is_empty() {
            self.new = memory::zeros(self.start.len());
        }
        let cells = if self.old.is_empty() { self.start } else { &self.old };
        (Grid { columns: self.columns, start: self.start, cells: Stack::together(cells) }, &mut self.new)
    }

    /// Takes a step, cell after cell, and returns the largest change.
    ///
    /// ```
    /// use warpwise::heat::{Cylinder, Stepper};
    ///
    /// let mut stepper = Stepper::new(Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?);
    /// assert!(stepper.step_seq() > 0.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn step_seq(&mut self) -> T {
        let (columns, conductivity) = (self.columns, self.conductivity);
        let (old, new) = self.grids();
        let mut largest = T::ZERO;
        // Without columns there are no rows either.
        let rows = conductivity.chunks(columns.max(1)).zip(new.chunks_mut(columns.max(1)));
        for (i, (conductivity, new)) in rows.enumerate() {
            let lines = [i, i + 1, i + 2].map(|i| old.row(i));
            for (j, (&w, new)) in conductivity.iter().zip(new).enumerate() {
                let (left, right) = ((j + columns - 1) % columns, (j + 1) % columns);
                let [above, here, below] = lines.map(|line| [line[left], line[j], line[right]]);
                *new = mean(w, above, here, below);
                largest = largest.maximum(T::from_magnitude_bits(new.minus(here[1]).magnitude_bits()));
            }
        }
        std::mem::swap(&mut self.old, &mut self.new);
        largest
    }

    /// Takes a step on all cores, and returns the largest change.
    ///
    /// ```
    /// use warpwise::heat::{Cylinder, Stepper};
    ///
    /// let mut stepper = Stepper::new(Cylinder::new(1, 3, &[1.0, 2.0, 3.0], &[0.5; 3])?);
    /// assert!(stepper.step_par() > 0.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn step_par(&mut self) -> T {
        self.step_par_at(Level::current())
    }

    pub(crate) fn step_par_at(&mut self, level: Level) -> T {
        let (columns, conductivity) = (self.columns, Stack::together(self.conductivity));
        if conductivity.len() == 0 {
            return T::ZERO;
        }
        let (old, new) = self.grids();
        let rows = TASK.div_ceil(columns);
        let changes = threads::map_chunks(new, rows * columns, nanoseconds(conductivity.len()), |i, new| {
            level.run(Rows { level, old, first: i * rows, conductivity, new })
        });
        std::mem::swap(&mut self.old, &mut self.new);
        T::from_magnitude_bits(changes.into_iter().max().unwrap_or_default())
    }

    /// Takes steps on all cores until a limit is reached.
    ///
    /// A large grid is evicted from the caches between two steps, and neighbours have to be brought together in each.
    /// So it takes several steps in one pass, which records the largest change of each. If one of them turns out to be
    /// the last, the pass went too far: it is repeated with fewer steps from its start, which is still there.
    pub(crate) fn run_par_at(&mut self, level: Level, limits: Limits) -> Outcome {
        if limits.iterations < 2 || !worthwhile::<T>(self.conductivity.len(), self.columns) {
            return limits.run(|| self.step_par_at(level).to_f64());
        }
        let bands = Bands::new(self.conductivity.len() / self.columns, self.columns);
        let mut outcome = Outcome { iterations: 0, max_difference: f64::INFINITY };
        while outcome.iterations < limits.iterations {
            let left = limits.iterations - outcome.iterations;
            // No change is below zero. If one can be below the threshold, that may happen soon.
            let most = if limits.threshold > 0.0 { outcome.iterations.max(SOON).min(bands.depth) } else { bands.depth };
            // Passes of about the same length: a short one reads as much of the grid as a long one.
            let steps = left.div_ceil(left.div_ceil(most));
            let changes = self.pass(level, steps, &bands);
            let last = changes[..steps].iter().position(|&change| change < limits.threshold);
            let taken = last.map_or(steps, |last| last + 1);
            if taken < steps {
                self.pass(level, taken, &bands);
            }
            std::mem::swap(&mut self.old, &mut self.new);
            outcome = Outcome { iterations: outcome.iterations + taken, max_difference: changes[taken - 1] };
            if last.is_some() {
                break;
            }
        }
        outcome
    }

    /// Computes the temperatures that many steps later, beside the current ones; returns the largest change of each
    /// step.
    fn pass(&mut self, level: Level, steps: usize, bands: &Bands<T>) -> [f64; DEPTH] {
        let changes = self.bands(level, steps, bands);
        if self.nan == Nan::Counts || !changes[steps - 1].is_nan() {
            return changes;
        }
        // Earlier steps may have had it too, and all later ones will.
        self.nan = Nan::Counts;
        self.bands(level, steps, bands)
    }

    /// Like [`pass`](Stepper::pass), but changes that are NaN count at least in the last step.
    fn bands(&mut self, level: Level, steps: usize, bands: &Bands<T>) -> [f64; DEPTH] {
        let (conductivity, nan, height) = (Stack::together(self.conductivity), self.nan, bands.height);
        let (old, new) = self.grids();
        let nanoseconds = nanoseconds(conductivity.len()).saturating_mul(steps);
        let changes = threads::map_chunks(new, height * old.columns, nanoseconds, |i, new| {
            let mut between = bands.between[i].lock().unwrap_or_else(PoisonError::into_inner);
            let between = &mut *between;
            level.run_floats(Band { steps, nan, first: i * height, old, conductivity, new, between })
        });
        let mut largest = [T::Bits::default(); DEPTH];
        for changes in changes {
            for (largest, change) in largest.iter_mut().zip(changes) {
                *largest = change.max(*largest);
            }
        }
        largest.map(|bits| T::from_magnitude_bits(bits).to_f64())
    }
}

/// How passes cut a grid.
struct Bands<T> {
    /// The most steps of a pass.
    depth: usize,
    /// Rows of a band.
    height: usize,
    /// What each of them keeps between steps. Every lock is taken only by the task of that band.
    between: Vec<Mutex<memory::Lines<T>>>,
}

impl<T: Float> Bands<T> {
    /// Neighbouring bands both compute the rows between them, so bands are large; the division does not affect the
    /// result.
    fn new(rows: usize, columns: usize) -> Self {
        let threads = threads::available(nanoseconds(rows * columns).saturating_mul(DEPTH));
        let depth = depth::<T>(rows / threads, columns);
        let bands = if rows / threads < 64 * depth { threads } else { 2 * threads };
        let height = rows.div_ceil(bands).max(4 * depth);
        let between = (0..rows.div_ceil(height)).map(|_| Mutex::new(memory::Lines::zeros(0))).collect();
        Self { depth, height, between }
    }
}

/// How long one core takes for a step of that many cells: it computes about two in a nanosecond.
pub(super) fn nanoseconds(cells: usize) -> usize {
    cells / 2
}
