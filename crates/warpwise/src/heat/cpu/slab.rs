//! Some rows of a cylinder, for those who hold the others elsewhere.

use std::ops::Range;

use super::grid::{Grid, Stack};
pub use super::pass::DEPTH;
use super::pass::{Band, depth, worthwhile};
use super::rows::Rows;
use super::stepper::{Nan, TASK, nanoseconds};
use crate::heat::check_slab;
use crate::simd::Level;
use crate::{Error, Float, memory, threads};

/// Rows of a cylinder and copies of rows around them, which others compute. As many steps can be taken as there are
/// copies on a side; then the copies have to be renewed. A side at the end of the cylinder needs no copies. Rows are
/// counted from the first copy.
///
/// Every cell gets the bits that it gets in a whole cylinder, and so does the largest change, over all slabs.
///
/// ```
/// use warpwise::heat::cpu::{Slab, seq};
/// use warpwise::heat::{Cylinder, Limits};
///
/// let (start, conductivity): (Vec<f64>, _) = ((0..30).map(f64::from).collect(), vec![0.5; 30]);
/// let cylinder = Cylinder::new(10, 3, &start, &conductivity)?;
/// let (end, outcome) = seq(cylinder, Limits { iterations: 2, threshold: 0.0 });
/// // Rows 4 to 6, with two rows on each side.
/// let fixed = [&start[..3], &start[27..]].concat();
/// let rows = |cells: &[f64]| [6..12, 12..21, 21..27].map(|part| cells[part].to_vec());
/// let mut slab = Slab::new(3, fixed, rows(&start), rows(&conductivity))?;
/// let changes = slab.advance(2, slab.own());
/// slab.swap();
/// assert_eq!(slab.temperatures(), &end[12..21]);
/// assert!(changes[1] <= outcome.max_difference);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Slab<T> {
    columns: usize,
    /// The fixed rows above the first and below the last of the cylinder.
    fixed: Vec<T>,
    /// Copies of rows above, the slab's own rows, copies of rows below.
    old: [Vec<T>; 3],
    new: [Vec<T>; 3],
    conductivity: [Vec<T>; 3],
    nan: Nan,
}

impl<T: Float> Slab<T> {
    /// A slab with the two fixed rows, and the temperatures and the conductivities of copies of the rows above, of its
    /// own rows, and of copies of the rows below. Nothing is copied again.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the lengths do not fit each other.
    ///
    /// ```
    /// use warpwise::heat::cpu::Slab;
    ///
    /// let rows = |cell: f64, rows: [usize; 3]| rows.map(|rows| vec![cell; 2 * rows]);
    /// assert!(Slab::new(2, vec![0.0; 4], rows(1.0, [1, 3, 1]), rows(0.5, [1, 3, 1])).is_ok());
    /// assert!(Slab::new(2, vec![0.0; 4], rows(1.0, [1, 3, 1]), rows(0.5, [1, 3, 0])).is_err());
    /// ```
    pub fn new(
        columns: usize,
        fixed: Vec<T>,
        temperature: [Vec<T>; 3],
        conductivity: [Vec<T>; 3],
    ) -> Result<Self, Error> {
        for (temperature, conductivity) in temperature.iter().zip(&conductivity) {
            check_slab(columns, &fixed, temperature, conductivity)?;
        }
        let new = temperature.each_ref().map(|rows| memory::zeros(rows.len()));
        Ok(Self { columns, fixed, old: temperature, new, conductivity, nan: Nan::MayBeLost })
    }

    /// The temperatures of its own rows.
    ///
    /// ```
    /// use warpwise::heat::cpu::Slab;
    ///
    /// let rows = [vec![1.0], vec![2.0, 3.0], vec![]];
    /// let slab = Slab::new(1, vec![0.0; 2], rows.clone(), rows)?;
    /// assert_eq!(slab.temperatures(), [2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn temperatures(&self) -> &[T] {
        &self.old[1]
    }

    /// The steps that suit a pass over the slab's own rows with its number of columns: one for grids that gain nothing
    /// from more.
    ///
    /// ```
    /// use warpwise::heat::cpu::{DEPTH, Slab};
    ///
    /// assert_eq!(Slab::<f64>::depth(4, 4), 1);
    /// assert_eq!(Slab::<f64>::depth(4096, 512), DEPTH);
    /// ```
    pub fn depth(rows: usize, columns: usize) -> usize {
        if worthwhile::<T>(rows * columns, columns) { depth::<T>(rows, columns) } else { 1 }
    }

    /// Takes that many steps, at most [`DEPTH`] and at most as many as there are copies, of some of its own rows. The
    /// new temperatures lie beside the old ones until [`swap`](Self::swap). Returns the largest change of each step;
    /// a change of a copy may be among them.
    ///
    /// # Panics
    ///
    /// When the rows are not its own.
    ///
    /// ```
    /// use warpwise::heat::cpu::Slab;
    ///
    /// let (temperature, conductivity) = (vec![1.0, 2.0, 4.0], vec![0.5; 3]);
    /// let alone = |rows| [vec![], rows, vec![]];
    /// let mut slab = Slab::new(1, vec![0.0; 2], alone(temperature), alone(conductivity))?;
    /// assert!(slab.advance(1, 0..3)[0] > 0.0);
    /// assert_eq!(slab.temperatures(), [1.0, 2.0, 4.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn advance(&mut self, steps: usize, rows: Range<usize>) -> [f64; DEPTH] {
        let changes = self.part(rows.clone()).advance(steps);
        if self.nan == Nan::Counts || !changes[steps.clamp(1, DEPTH) - 1].is_nan() {
            return changes;
        }
        // Earlier steps may have had it too, and all later ones will.
        self.nan = Nan::Counts;
        self.part(rows).advance(steps)
    }

    /// Some of its own rows, and the new temperatures of the rows before them and after them: copies above, own rows
    /// above, own rows below, copies below. Those of copies are for others to write.
    ///
    /// # Panics
    ///
    /// When the rows are not its own.
    ///
    /// ```
    /// use warpwise::heat::cpu::Slab;
    ///
    /// let rows = [vec![1.0, 3.0], vec![2.0, 4.0, 5.0], vec![]];
    /// let mut slab = Slab::new(1, vec![0.0; 2], rows.clone(), rows)?;
    /// let (part, around) = slab.split(3..4);
    /// assert!(part.advance(1)[0] > 0.0);
    /// assert_eq!(around.map(|rows| rows.len()), [2, 1, 1, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn split(&mut self, rows: Range<usize>) -> (Part<'_, T>, [&mut [T]; 4]) {
        let (own, columns) = (self.own(), self.columns);
        let [copies_above, new, copies_below] = &mut self.new;
        let (above, rest) = new.split_at_mut((rows.start - own.start) * columns);
        let (new, below) = rest.split_at_mut(rows.len() * columns);
        let old = Grid { columns, start: &self.fixed, cells: Stack::of(&self.old) };
        let part = Part { nan: self.nan, first: rows.start, old, conductivity: Stack::of(&self.conductivity), new };
        (part, [copies_above, above, below, copies_below])
    }

    fn part(&mut self, rows: Range<usize>) -> Part<'_, T> {
        self.split(rows).0
    }

    /// The new temperatures of all rows: copies above, own rows, copies below. Those of copies are for others to write.
    ///
    /// ```
    /// use warpwise::heat::cpu::Slab;
    ///
    /// let rows = [vec![1.0], vec![2.0], vec![4.0]];
    /// let mut slab = Slab::new(1, vec![0.0; 2], rows.clone(), rows)?;
    /// slab.advance(1, slab.own());
    /// let [above, own, below] = slab.next_mut();
    /// assert_eq!([above.len(), own.len(), below.len()], [1, 1, 1]);
    /// own[0] = 7.0;
    /// slab.swap();
    /// assert_eq!(slab.temperatures(), [7.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn next_mut(&mut self) -> [&mut [T]; 3] {
        let [above, own, below] = &mut self.new;
        [above, own, below]
    }

    /// From now on changes that are NaN are looked for in every step: a pass has found one.
    /// Whether they were not before.
    ///
    /// ```
    /// use warpwise::heat::cpu::Slab;
    ///
    /// let rows = [vec![], vec![f64::NAN; 3], vec![]];
    /// let mut slab = Slab::new(1, vec![0.0; 2], rows.clone(), rows)?;
    /// assert!(slab.expect_nan());
    /// assert!(slab.advance(1, 0..3)[0].is_nan());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn expect_nan(&mut self) -> bool {
        std::mem::replace(&mut self.nan, Nan::Counts) != Nan::Counts
    }

    /// Makes the new temperatures the current ones.
    ///
    /// ```
    /// use warpwise::heat::cpu::Slab;
    ///
    /// let rows = [vec![], vec![1.0, 2.0, 4.0], vec![]];
    /// let mut slab = Slab::new(1, vec![0.0; 2], rows.clone(), rows)?;
    /// slab.advance(1, 0..3);
    /// slab.swap();
    /// assert_ne!(slab.temperatures(), [1.0, 2.0, 4.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
    }

    /// Its own rows.
    ///
    /// ```
    /// use warpwise::heat::cpu::Slab;
    ///
    /// let rows = [vec![1.0], vec![2.0, 4.0], vec![]];
    /// let slab = Slab::new(1, vec![0.0; 2], rows.clone(), rows)?;
    /// assert_eq!(slab.own(), 1..3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn own(&self) -> Range<usize> {
        let rows = |part: &Vec<T>| part.len() / self.columns.max(1);
        let first = rows(&self.old[0]);
        first..first + rows(&self.old[1])
    }
}

/// Some rows of a [`Slab`] that can take steps while others are sent and received.
///
/// ```
/// use warpwise::heat::cpu::Slab;
///
/// let rows = [vec![], vec![1.0, 2.0, 4.0], vec![]];
/// let mut slab = Slab::new(1, vec![0.0; 2], rows.clone(), rows)?;
/// let (part, _) = slab.split(0..2);
/// assert!(part.advance(1)[0] > 0.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct Part<'a, T> {
    nan: Nan,
    first: usize,
    old: Grid<'a, T>,
    conductivity: Stack<'a, T>,
    new: &'a mut [T],
}

impl<T: Float> Part<'_, T> {
    /// Takes steps, like [`Slab::advance`], but a change that is NaN may be missing in all steps but the last.
    ///
    /// ```
    /// use warpwise::heat::cpu::Slab;
    ///
    /// let rows = [vec![], vec![1.0, 2.0, 4.0], vec![]];
    /// let mut slab = Slab::new(1, vec![0.0; 2], rows.clone(), rows)?;
    /// assert!(slab.split(0..3).0.advance(1)[0] > 0.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn advance(self, steps: usize) -> [f64; DEPTH] {
        let steps = steps.clamp(1, DEPTH);
        if self.new.is_empty() {
            return [0.0; DEPTH];
        }
        let level = Level::current();
        if steps > 1 && worthwhile::<T>(self.new.len(), self.old.columns) {
            self.in_bands(level, steps)
        } else {
            self.one_by_one(level, steps)
        }
    }

    /// All steps in one pass.
    fn in_bands(self, level: Level, steps: usize) -> [f64; DEPTH] {
        let Self { nan, first, old, conductivity, new } = self;
        let columns = old.columns;
        let rows = new.len() / columns;
        let nanoseconds = nanoseconds(new.len()).saturating_mul(steps);
        let members = threads::available(nanoseconds);
        let bands = if rows / members < 64 * steps { members } else { 2 * members };
        let height = rows.div_ceil(bands).max(4 * steps);
        let changes = threads::map_chunks(new, height * columns, nanoseconds, |i, new| {
            let mut between = memory::Lines::zeros(0);
            let (first, between) = (first + i * height, &mut between);
            level.run_floats(Band { steps, nan, first, old, conductivity, new, between })
        });
        let mut largest = [T::Bits::default(); DEPTH];
        for changes in changes {
            for (largest, change) in largest.iter_mut().zip(changes) {
                *largest = change.max(*largest);
            }
        }
        largest.map(|bits| T::from_magnitude_bits(bits).to_f64())
    }

    /// Step after step, of fewer and fewer of the rows around.
    fn one_by_one(self, level: Level, steps: usize) -> [f64; DEPTH] {
        let Self { first, old, conductivity, new, .. } = self;
        let (columns, all) = (old.columns, old.rows());
        let end = first + new.len() / columns;
        let mut changes = [0.0; DEPTH];
        let mut now: Option<Vec<T>> = None;
        for (step, change) in changes.iter_mut().enumerate().take(steps) {
            let beyond = steps - 1 - step;
            let reach = first.saturating_sub(beyond)..all.min(end + beyond);
            let cells = now.as_deref().map_or(old.cells, Stack::together);
            let grid = Grid { columns, start: old.start, cells };
            if beyond == 0 {
                *change = one_step(level, grid, conductivity, reach, new);
            } else {
                let mut next = cells.to_vec();
                let room = &mut next[reach.start * columns..reach.end * columns];
                *change = one_step(level, grid, conductivity, reach.clone(), room);
                now = Some(next);
            }
        }
        changes
    }
}

/// One step of some rows, and the largest change.
fn one_step<T: Float>(level: Level, old: Grid<T>, conductivity: Stack<T>, rows: Range<usize>, new: &mut [T]) -> f64 {
    let columns = old.columns;
    let task = TASK.div_ceil(columns);
    let changes = threads::map_chunks(new, task * columns, nanoseconds(rows.len() * columns), |i, new| {
        let first = rows.start + i * task;
        level.run(Rows { level, old, first, conductivity, new })
    });
    T::from_magnitude_bits(changes.into_iter().max().unwrap_or_default()).to_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heat::cpu::seq;
    use crate::heat::{Cylinder, Limits};
    use crate::random::Random;

    /// A cylinder in two slabs that are brought together after every pass.
    fn in_two<T: Float>(rows: usize, columns: usize, steps: usize, cut: usize, nan: bool) {
        let mut random = Random::new(8);
        let mut start: Vec<T> = random.elements(rows * columns);
        if nan {
            start[rows / 2 * columns] = T::from_f64(f64::NAN);
        }
        let w: Vec<T> = random.elements(rows * columns);
        let cylinder = Cylinder::new(rows, columns, &start, &w).unwrap();
        let fixed = [&start[..columns], &start[(rows - 1) * columns..]].concat();
        let slab = |own: Range<usize>| {
            let all = own.start.saturating_sub(steps)..rows.min(own.end + steps);
            let parts = [all.start..own.start, own.clone(), own.end..all.end];
            let parts =
                |cells: &[T]| parts.clone().map(|rows| cells[rows.start * columns..rows.end * columns].to_vec());
            Slab::new(columns, fixed.clone(), parts(&start), parts(&w)).unwrap()
        };
        let mut slabs = [slab(0..cut), slab(cut..rows)];
        let changes: Vec<_> = slabs
            .iter_mut()
            .map(|slab| {
                let own = slab.own();
                slab.advance(steps, own)
            })
            .collect();
        let mut end = Vec::new();
        for slab in &mut slabs {
            slab.swap();
            end.extend_from_slice(slab.temperatures());
        }
        for iterations in 1..=steps {
            let (expected, outcome) = seq(cylinder, Limits { iterations, threshold: 0.0 });
            let largest = if changes.iter().any(|c| c[iterations - 1].is_nan()) {
                f64::NAN
            } else {
                changes[0][iterations - 1].max(changes[1][iterations - 1])
            };
            assert_eq!(largest.to_bits(), outcome.max_difference.to_bits(), "{rows}x{columns} {iterations}/{steps}");
            if iterations == steps {
                let bits = |xs: &[T]| xs.iter().map(|x| x.magnitude_bits()).collect::<Vec<_>>();
                assert!(bits(&end) == bits(&expected), "{rows}x{columns} after {steps}");
            }
        }
    }

    #[test]
    fn slabs_give_the_bits_of_the_whole() {
        for (rows, columns) in [(2, 1), (9, 2), (12, 7), (40, 33), (260, 64), (90, 300)] {
            for steps in [1, 2, 5, 8] {
                for cut in [1, rows / 2, rows - 1] {
                    in_two::<f64>(rows, columns, steps, cut, false);
                }
                in_two::<f32>(rows, columns, steps, rows / 3 + 1, false);
            }
        }
        in_two::<f64>(300, 100, 8, 150, true);
    }
}
