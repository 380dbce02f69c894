//! The radiator on the CPU.

use std::marker::PhantomData;

use super::Radiator;
use super::batch::{Batch, Height, SHORTEST};
use crate::simd::{Body, Level};
use crate::{Error, Float, Operator, reduce, threads};

/// Takes a grid through that many steps, one element after the other.
///
/// # Errors
///
/// [`Error::Length`] when the grid and the radiator differ in size.
///
/// ```
/// use warpwise::radiator::{Preset, Radiator, cpu};
///
/// let radiator = Radiator::new(Preset::Year2025, 4, 16)?;
/// let mut grid = radiator.start::<f64>();
/// let first = grid[0];
/// cpu::seq(&radiator, 5, &mut grid)?;
/// assert_eq!(grid[0], first);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Float>(radiator: &Radiator, iterations: usize, grid: &mut [T]) -> Result<(), Error> {
    radiator.check(grid)?;
    for row in grid.chunks_mut(radiator.columns.max(1)) {
        one_row(radiator, iterations, row);
    }
    Ok(())
}

fn one_row<T: Float>(radiator: &Radiator, iterations: usize, row: &mut [T]) {
    let (m, c) = (row.len(), radiator.preset.weights().map(T::from_f64));
    let mut old = row.to_vec();
    for _ in 0..iterations {
        old.copy_from_slice(row);
        for j in radiator.preset.fixed()..m {
            let at = |offset: usize| old[(j + 2 * m + offset - 2) % m];
            let left = c[0].times(at(0)).plus(c[1].times(at(1)));
            let right = c[3].times(at(3)).plus(c[4].times(at(4)));
            row[j] = left.plus(c[2].times(at(2))).plus(right).over(T::from_f64(5.0));
        }
    }
}

/// Takes a grid through that many steps, on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::radiator::{Preset, Radiator, cpu};
///
/// let radiator = Radiator::new(Preset::Year2019, 100, 1000)?;
/// let mut grid = radiator.start::<f32>();
/// cpu::par(&radiator, 100, &mut grid)?;
/// assert!(grid.iter().all(|&t| t <= 1.0));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<T: Float>(radiator: &Radiator, iterations: usize, grid: &mut [T]) -> Result<(), Error> {
    par_at(Level::current(), radiator, iterations, grid)
}

/// Takes some rows of a radiator, whole ones, through that many steps, on all cores: the bits are those that [`par`]
/// gives them among all rows.
///
/// # Errors
///
/// [`Error::Length`] when the elements are no whole number of rows, or more than there are.
///
/// ```
/// use warpwise::radiator::{Preset, Radiator, cpu};
///
/// let radiator = Radiator::new(Preset::Year2019, 100, 1000)?;
/// let mut grid = radiator.start::<f32>();
/// let mut last = grid[99_000..].to_vec();
/// cpu::par(&radiator, 10, &mut grid)?;
/// cpu::par_rows(&radiator, 10, &mut last)?;
/// assert_eq!(last, grid[99_000..]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par_rows<T: Float>(radiator: &Radiator, iterations: usize, rows: &mut [T]) -> Result<(), Error> {
    let whole = radiator.rows.min(rows.len() / radiator.columns.max(1)) * radiator.columns;
    Error::check_length("the rows", rows.len(), whole)?;
    some_rows(Level::current(), radiator, iterations, rows);
    Ok(())
}

pub(crate) fn par_at<T: Float>(
    level: Level,
    radiator: &Radiator,
    iterations: usize,
    grid: &mut [T],
) -> Result<(), Error> {
    radiator.check(grid)?;
    some_rows(level, radiator, iterations, grid);
    Ok(())
}

fn some_rows<T: Float>(level: Level, radiator: &Radiator, iterations: usize, grid: &mut [T]) {
    if radiator.columns < 4 {
        grid.chunks_mut(radiator.columns.max(1)).for_each(|row| one_row(radiator, iterations, row));
        return;
    }
    // One core takes about eight elements through a step in a nanosecond.
    let nanoseconds = (grid.len() / 8).saturating_mul(iterations);
    let weights = radiator.preset.weights().map(|weight| T::from_f64(weight / 5.0));
    let (columns, fixed, lanes) =
        (radiator.columns, radiator.preset.fixed(), level.run_kernel(Height(PhantomData::<T>)));
    // A batch with few rows would leave most of its lanes idle.
    if columns >= SHORTEST && radiator.rows >= 2 * lanes {
        threads::for_each_chunk(grid, lanes * columns, nanoseconds, |_, rows| {
            level.run_kernel(Batch { columns, fixed, weights, iterations, rows });
        });
        return;
    }
    threads::for_each_chunk(grid, columns, nanoseconds, |_, row| {
        level.run(Row { fixed, weights, iterations, row });
    });
}

/// The average of every row, from left to right.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::radiator::{Preset, Radiator, cpu};
///
/// let radiator = Radiator::new(Preset::Year2019, 2, 2)?;
/// assert_eq!(cpu::averages_seq(&radiator, &[1.0, 2.0, 3.0, 5.0])?, [1.5, 4.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn averages_seq<T: Float>(radiator: &Radiator, grid: &[T]) -> Result<Vec<T>, Error> {
    radiator.check(grid)?;
    let average = |row: &[T]| Ok(reduce::cpu::seq(Operator::Sum, row)?.over(T::from_f64(radiator.columns as f64)));
    grid.chunks(radiator.columns.max(1)).map(average).collect()
}

/// The average of every row, on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::radiator::{Preset, Radiator, cpu};
///
/// let radiator = Radiator::new(Preset::Year2019, 2, 2)?;
/// assert_eq!(cpu::averages_par(&radiator, &[1.0, 2.0, 3.0, 5.0])?, [1.5, 4.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn averages_par<T: Float>(radiator: &Radiator, grid: &[T]) -> Result<Vec<T>, Error> {
    radiator.check(grid)?;
    let m = radiator.columns;
    let rows = if m == 0 { 0 } else { radiator.rows };
    let average = |i| Ok(reduce::cpu::par(Operator::Sum, &grid[i * m..(i + 1) * m])?.over(T::from_f64(m as f64)));
    threads::map(rows, size_of_val(grid) / 32, average).into_iter().collect()
}

/// One row, of at least four columns, through all steps: it stays in the cache meanwhile.
struct Row<'a, T> {
    fixed: usize,
    /// Fifths of the preset's weights.
    weights: [T; 5],
    iterations: usize,
    row: &'a mut [T],
}

/// Columns from the other end that a row has on each side.
const HALO: usize = 2;

impl<T: Float> Body for Row<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let (m, fixed) = (self.row.len(), self.fixed);
        let mut old = vec![T::ZERO; m + 2 * HALO];
        old[HALO..HALO + m].copy_from_slice(self.row);
        let mut new = old.clone();
        for _ in 0..self.iterations {
            let [left, right] = [[old[m], old[m + 1]], [old[HALO], old[HALO + 1]]];
            old[..HALO].copy_from_slice(&left);
            old[HALO + m..].copy_from_slice(&right);
            step::<T, FUSED>(self.weights, &old[fixed..], &mut new[HALO + fixed..HALO + m]);
            std::mem::swap(&mut old, &mut new);
        }
        self.row.copy_from_slice(&old[HALO..HALO + m]);
    }
}

/// One step of all columns of `new`; `old` begins two columns before them.
#[inline(always)]
fn step<T: Float, const FUSED: bool>(c: [T; 5], old: &[T], new: &mut [T]) {
    let n = new.len();
    let (a, b, here, d, e) = (&old[..n], &old[1..1 + n], &old[2..2 + n], &old[3..3 + n], &old[4..4 + n]);
    for j in 0..n {
        // Two short sums instead of a long one: fewer additions have to wait.
        let near = b[j].times_plus::<FUSED>(c[1], here[j].times(c[2]));
        let far = a[j].times_plus::<FUSED>(c[0], e[j].times(c[4]));
        new[j] = d[j].times_plus::<FUSED>(c[3], near).plus(far);
    }
}
