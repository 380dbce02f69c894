//! A simulation, step by step.

use std::sync::{Mutex, PoisonError};

use super::pass::{Band, DEPTH, depth, worthwhile};
#[cfg(target_arch = "x86_64")]
use super::registers;
use super::{Cylinder, DIAGONAL, DIRECT, Limits, Outcome};
use crate::simd::{Body, Level};
use crate::{Float, memory, threads};

/// Cells in a task.
const TASK: usize = 1 << 14;

/// The most steps of a first pass, where it may turn out to be the last one.
const SOON: usize = 16;

/// A cylinder that is being simulated.
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
    /// The temperatures, with the fixed rows above and below.
    old: Vec<T>,
    /// The next temperatures, around which the fixed rows are the same.
    new: Vec<T>,
    /// How passes take the largest change.
    nan: Nan,
}

/// What becomes of a change that is NaN.
///
/// A cell whose change is NaN, because its temperature is or because it is infinite before and after, has the same
/// change in every later step. So only the last step of a pass has to find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nan {
    /// It is larger than any number.
    Counts,
    /// It may not show in the largest change.
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
        let Cylinder { rows, columns, temperature, conductivity } = cylinder;
        let (first, last) = (&temperature[..columns.min(temperature.len())], rows.saturating_sub(1) * columns);
        let length = first.len() + temperature.len() + temperature[last..].len();
        let (mut old, mut new) = (memory::zeros(length), memory::zeros(length));
        for grid in [&mut old, &mut new] {
            grid[..first.len()].copy_from_slice(first);
            grid[first.len() + temperature.len()..].copy_from_slice(&temperature[last..]);
        }
        memory::copy_into(temperature, &mut old[first.len()..first.len() + temperature.len()]);
        Self { columns, conductivity, new, old, nan: Nan::MayBeLost }
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
        let edge = self.edge();
        &self.old[edge..self.old.len() - edge]
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
        let columns = self.columns;
        let mut largest = T::ZERO;
        for (cell, &w) in self.conductivity.iter().enumerate() {
            let (row, j) = (cell / columns * columns, cell % columns);
            let (above, here, below) = (&self.old[row..], &self.old[row + columns..], &self.old[row + 2 * columns..]);
            let (left, right) = ((j + columns - 1) % columns, (j + 1) % columns);
            let around = |line: &[T]| [line[left], line[j], line[right]];
            let next = mean(w, around(above), around(here), around(below));
            largest = largest.maximum(T::from_magnitude_bits(next.minus(here[j]).magnitude_bits()));
            self.new[columns + cell] = next;
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
        let columns = self.columns;
        if self.conductivity.is_empty() {
            return T::ZERO;
        }
        let (old, conductivity, edge) = (&self.old, self.conductivity, self.edge());
        let last = self.new.len() - edge;
        let rows = TASK.div_ceil(columns);
        let changes = threads::map_chunks(
            &mut self.new[edge..last],
            rows * columns,
            nanoseconds(conductivity.len()),
            |i, new| {
                let first = i * rows * columns;
                let cells = new.len();
                level.run(Rows {
                    level,
                    columns,
                    old: &old[first..first + cells + 2 * columns],
                    conductivity: &conductivity[first..first + cells],
                    new,
                })
            },
        );
        std::mem::swap(&mut self.old, &mut self.new);
        T::from_magnitude_bits(changes.into_iter().max().unwrap_or_default())
    }

    /// Takes steps on all cores until a limit is reached.
    ///
    /// A large grid comes out of the caches between two steps. So it takes several steps in one pass, which knows the
    /// largest change of each. If one of them turns out to have been the last, the pass went too far: it is taken again
    /// from where it began, which is still there, with fewer steps.
    pub(crate) fn run_par_at(&mut self, level: Level, limits: Limits) -> Outcome {
        if !worthwhile::<T>(self.conductivity.len(), self.columns) {
            return limits.run(|| self.step_par_at(level).to_f64());
        }
        let mut bands = Bands::new(self.conductivity.len() / self.columns, self.columns);
        let mut outcome = Outcome { iterations: 0, max_difference: f64::INFINITY };
        while outcome.iterations < limits.iterations {
            let left = limits.iterations - outcome.iterations;
            // No change is below zero. Where one can be below the threshold, it may be so soon.
            let most = if limits.threshold > 0.0 { outcome.iterations.max(SOON).min(bands.depth) } else { bands.depth };
            // Passes of about the same length: a short one reads as much of the grid as a long one.
            let steps = left.div_ceil(left.div_ceil(most));
            let changes = self.pass(level, steps, &mut bands);
            let last = changes[..steps].iter().position(|&change| change < limits.threshold);
            let taken = last.map_or(steps, |last| last + 1);
            if taken < steps {
                self.pass(level, taken, &mut bands);
            }
            std::mem::swap(&mut self.old, &mut self.new);
            outcome = Outcome { iterations: outcome.iterations + taken, max_difference: changes[taken - 1] };
            if last.is_some() {
                break;
            }
        }
        outcome
    }

    /// Puts the temperatures so many steps later beside those of now; returns the largest change of each step.
    fn pass(&mut self, level: Level, steps: usize, bands: &mut Bands<T>) -> [f64; DEPTH] {
        let changes = self.bands(level, steps, bands);
        if self.nan == Nan::Counts || !changes[steps - 1].is_nan() {
            return changes;
        }
        // The steps before may have had it too, and all that come later will.
        self.nan = Nan::Counts;
        self.bands(level, steps, bands)
    }

    /// As [`pass`](Stepper::pass), where changes that are NaN count in the last step at least.
    fn bands(&mut self, level: Level, steps: usize, bands: &mut Bands<T>) -> [f64; DEPTH] {
        let (columns, edge, nan, height) = (self.columns, self.edge(), self.nan, bands.height);
        let (old, conductivity, end) = (&self.old[..], self.conductivity, self.new.len() - self.edge());
        let nanoseconds = nanoseconds(conductivity.len()).saturating_mul(steps);
        let changes = threads::map_chunks(&mut self.new[edge..end], height * columns, nanoseconds, |i, new| {
            let mut between = bands.between[i].lock().unwrap_or_else(PoisonError::into_inner);
            let between = &mut *between;
            level.run_floats(Band { columns, steps, nan, first: i * height, old, conductivity, new, between })
        });
        let mut largest = [T::Bits::default(); DEPTH];
        for changes in changes {
            for (largest, change) in largest.iter_mut().zip(changes) {
                *largest = change.max(*largest);
            }
        }
        largest.map(|bits| T::from_magnitude_bits(bits).to_f64())
    }

    /// Cells in a fixed row: none if there is no row to fix it at.
    fn edge(&self) -> usize {
        if self.conductivity.is_empty() { 0 } else { self.columns }
    }
}

/// How passes cut a grid.
struct Bands<T> {
    /// The most steps of a pass.
    depth: usize,
    /// Rows of a band.
    height: usize,
    /// What each of them keeps between steps. Every lock is taken by the one task that has the band.
    between: Vec<Mutex<memory::Lines<T>>>,
}

impl<T: Float> Bands<T> {
    /// Neighbouring bands both compute the rows between them, so bands are large; how they are cut does not show.
    fn new(rows: usize, columns: usize) -> Self {
        let threads = threads::available(nanoseconds(rows * columns).saturating_mul(DEPTH));
        let depth = depth::<T>(rows / threads, columns);
        let bands = if rows / threads < 64 * depth { threads } else { 2 * threads };
        let height = rows.div_ceil(bands).max(4 * depth);
        let between = (0..rows.div_ceil(height)).map(|_| Mutex::new(memory::Lines::zeros(0))).collect();
        Self { depth, height, between }
    }
}

/// How long one core takes for a step of so many cells: it computes some two in a nanosecond.
fn nanoseconds(cells: usize) -> usize {
    cells / 2
}

/// The next temperature of the cell in the middle.
#[inline(always)]
fn mean<T: Float>(w: T, above: [T; 3], here: [T; 3], below: [T; 3]) -> T {
    let direct = above[1].plus(below[1]).plus(here[0].plus(here[2]));
    let diagonal = above[0].plus(below[0]).plus(above[2].plus(below[2]));
    let around = direct.times(T::from_f64(DIRECT)).plus(diagonal.times(T::from_f64(DIAGONAL)));
    w.times(here[1]).plus(T::ONE.minus(w).times(around))
}

/// Whole rows: the next temperatures, and the bits of the largest change.
struct Rows<'a, T> {
    level: Level,
    columns: usize,
    /// The rows, with the one above and the one below.
    old: &'a [T],
    conductivity: &'a [T],
    new: &'a mut [T],
}

impl<T: Float> Body for Rows<'_, T> {
    type Output = T::Bits;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> T::Bits {
        let columns = self.columns;
        let mut largest = T::Bits::default();
        for (i, (new, w)) in self.new.chunks_mut(columns).zip(self.conductivity.chunks(columns)).enumerate() {
            let lines = &self.old[i * columns..(i + 3) * columns];
            let (above, lines) = lines.split_at(columns);
            let (here, below) = lines.split_at(columns);
            largest = largest.max(row(self.level, above, here, below, w, new));
        }
        largest
    }
}

/// The next temperatures of a row, whose ends meet, and the bits of the largest change.
#[inline(always)]
fn row<T: Float>(level: Level, above: &[T], here: &[T], below: &[T], w: &[T], new: &mut [T]) -> T::Bits {
    let last = new.len() - 1;
    let mut largest = T::Bits::default();
    // The middle of the row needs no wrapping.
    if last > 1 {
        let (w, new) = (&w[1..last], &mut new[1..last]);
        largest = match level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the host has the instructions.
            Level::Avx512(_) => unsafe { registers::between(above, here, below, w, new) },
            _ => between(above, here, below, w, new),
        };
    }
    for (left, j, right) in [(last, 0, last.min(1)), (last.saturating_sub(1), last, 0)] {
        let around = |line: &[T]| [line[left], line[j], line[right]];
        let next = mean(w[j], around(above), around(here), around(below));
        new[j] = next;
        largest = largest.max(next.minus(here[j]).magnitude_bits());
    }
    largest
}

/// The next temperatures of cells in a row, and the bits of the largest change; the lines around them begin one cell
/// before them and end one behind.
#[inline(always)]
pub(super) fn between<T: Float>(above: &[T], here: &[T], below: &[T], w: &[T], new: &mut [T]) -> T::Bits {
    let n = new.len();
    let mut largest = T::Bits::default();
    // Three slices, each shifted by one, and no bounds to check.
    let (a0, a1, a2) = (&above[..n], &above[1..1 + n], &above[2..2 + n]);
    let (h0, h1, h2) = (&here[..n], &here[1..1 + n], &here[2..2 + n]);
    let (b0, b1, b2) = (&below[..n], &below[1..1 + n], &below[2..2 + n]);
    let w = &w[..n];
    for j in 0..n {
        let next = mean(w[j], [a0[j], a1[j], a2[j]], [h0[j], h1[j], h2[j]], [b0[j], b1[j], b2[j]]);
        new[j] = next;
        largest = largest.max(next.minus(h1[j]).magnitude_bits());
    }
    largest
}
