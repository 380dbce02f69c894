//! Several steps in one pass over a grid.
//!
//! Rows come in two at a time. A row of step s needs three rows of step s - 1, so once rows i + 1 and i + 2 are
//! available, rows i and i + 1 can take their first step, rows i - 1 and i their second, and so on. Every row is read
//! from memory once and written once for all steps of the pass. The intermediate results, two rows of every step, stay
//! in the second-level cache. The step that needs them for the last time overwrites them with its results.
//!
//! A band of rows needs rows beyond its edges, one more for every step; the next band computes those too.

use super::grid::{Grid, Stack};
use super::interleaved::Interleaved;
use super::stepper::Nan;
use super::sweep::Sweep;
use crate::simd::{FloatKernel, FloatVector};
use crate::{Float, memory};

/// The most steps in a pass.
///
/// ```
/// assert!(warpwise::heat::cpu::DEPTH >= 8);
/// ```
pub const DEPTH: usize = 32;

/// The fewest steps of a pass if more would be useful.
const SHALLOW: usize = 8;

/// Bytes of the second-level cache.
const CACHE: usize = 1 << 21;

/// How many rows ahead to prefetch.
const AHEAD: usize = 2;

/// Grids of fewer bytes take their steps one by one: bringing rows into lanes and back costs more than it saves.
const SMALL: usize = 1 << 17;

/// Whether a grid benefits from passes: it must not be small, and the rows of a few steps must fit into the
/// second-level cache.
pub(super) fn worthwhile<T>(cells: usize, columns: usize) -> bool {
    cells * size_of::<T>() >= SMALL && 16 * columns * size_of::<T>() <= CACHE
}

/// Steps in a pass over a grid with that many columns, of which a thread has that many rows. The more steps, the less
/// often the grid is read, as long as two rows of each step and their conductivities fit easily into the second-level
/// cache, and few rows are computed by two bands.
pub(super) fn depth<T>(rows: usize, columns: usize) -> usize {
    (CACHE * 5 / 8 / (3 * columns * size_of::<T>())).min(rows / 12).clamp(SHALLOW, DEPTH)
}

/// A band of rows, taken through some steps.
pub(super) struct Band<'a, T> {
    /// From 1 to [`DEPTH`].
    pub(super) steps: usize,
    /// How changes that are NaN are treated in all steps but the last, in which they count.
    pub(super) nan: Nan,
    /// The first row of the band.
    pub(super) first: usize,
    /// The whole grid.
    pub(super) old: Grid<'a, T>,
    pub(super) conductivity: Stack<'a, T>,
    /// The rows of the band, after the steps.
    pub(super) new: &'a mut [T],
    /// Intermediate rows, reused from pass to pass.
    pub(super) between: &'a mut memory::Lines<T>,
}

/// The place of two rows.
type Pair<T> = [*mut T; 2];

impl<T: Float> FloatKernel for Band<'_, T> {
    type Element = T;
    /// The bits of the largest change of each step.
    type Output = [T::Bits; DEPTH];

    #[inline(always)]
    unsafe fn run<V: FloatVector<Element = T>>(self) -> [T::Bits; DEPTH] {
        let Self { steps, nan, first, old, conductivity, new, between } = self;
        let (rows, columns) = (old.rows(), old.columns);
        let end = first + new.len() / columns;
        assert!(conductivity.len() == rows * columns && (1..=DEPTH).contains(&steps));
        let layout = Interleaved::new(columns, V::LANES);
        let (stride, ring) = (layout.stride(), steps + 2);
        // Two rows of each step and the two that come in, conductivities, and the fixed rows.
        let places = 2 * (steps + 1) + ring + 2;
        let needed = places * stride + layout.line();
        if between.as_mut().len() < needed {
            *between = memory::Lines::zeros(needed);
        }
        let (between, line) = between.as_mut()[..needed].split_at_mut(places * stride);
        // SAFETY: the caller has the instructions. Places are rows of the layout, within the intermediate rows, and all
        // of them exist: computed rows and those they need lie within the grid or are fixed.
        unsafe {
            let begin = between.as_mut_ptr().add(V::LANES);
            let place = |i: usize| begin.add(i * stride);
            let conducting = |i: usize| place(2 * (steps + 1) + i % ring);
            let (above, below) = (place(places - 2), place(places - 1));
            layout.lay::<V>(old.row(0), line, above);
            layout.lay::<V>(old.row(rows + 1), line, below);
            // For each step from the beginning on, the latest two rows before those that come in.
            let mut last: [Pair<T>; DEPTH] = [[place(0); 2]; DEPTH];
            for (step, pair) in last.iter_mut().enumerate().take(steps) {
                *pair = [place(2 * step), place(2 * step + 1)];
            }
            let mut coming = [place(2 * steps), place(2 * steps + 1)];
            let mut largest = [V::splat(T::ZERO); DEPTH];
            for came in (first.saturating_sub(steps)..end + steps).step_by(2) {
                for (i, &place) in (came..rows.min(end + steps)).zip(&coming) {
                    layout.lay::<V>(old.row(i + 1), line, place);
                    layout.lay::<V>(conductivity.row(columns, i), line, conducting(i));
                }
                for step in 1..=steps {
                    let here = last[step - 1];
                    // The rows that this step has to reach shrink towards the band; it can now compute two.
                    let beyond = steps - step;
                    let reach = first.saturating_sub(beyond)..rows.min(end + beyond);
                    let now =
                        came.saturating_sub(step).max(reach.start)..(came + 2).saturating_sub(step).min(reach.end);
                    // Where row i - 1 of the step before is: there are two before those that come in.
                    let row = |i: usize| match (i + step).checked_sub(came) {
                        _ if i == 0 => above,
                        _ if i == rows + 1 => below,
                        Some(k @ 0..2) => here[k],
                        Some(k @ 2..4) => coming[k - 2],
                        // Its contents do not matter: it is the fourth line of one row.
                        _ => below,
                    };
                    let sweep = |i: usize| {
                        let part = (step - 1) * 2 * columns / steps;
                        let later = |grid: Stack<T>, i: usize| grid.near(i * columns + part);
                        let next = (came + AHEAD).saturating_sub(first + steps);
                        Sweep {
                            layout,
                            lines: [row(i), row(i + 1), row(i + 2), row(i + 3)].map(<*mut T>::cast_const),
                            conductivity: [conducting(i), conducting(i + 1)].map(<*mut T>::cast_const),
                            new: [here[i + step - came], here[1]],
                            later: [
                                later(old.cells, came + AHEAD),
                                later(conductivity, came + AHEAD),
                                later(Stack::together(new), next),
                            ],
                            pace: 2 * columns * size_of::<T>() / steps / (layout.segment / 3).max(1),
                        }
                    };
                    let exact = nan == Nan::Counts || step == steps;
                    let changes = match (now.len(), exact) {
                        (0, _) => V::splat(T::ZERO),
                        (1, _) => sweep(now.start).run::<V, 1, true>(),
                        (_, true) => sweep(now.start).run::<V, 2, true>(),
                        (_, false) => sweep(now.start).run::<V, 2, false>(),
                    };
                    largest[step - 1] = largest[step - 1].larger_magnitude_or_nan(changes);
                    (last[step - 1], coming) = (coming, here);
                }
                for (k, &row) in coming.iter().enumerate() {
                    let Some(i) = (came + k).checked_sub(steps + first) else { continue };
                    if let Some(cells) = new.get_mut(i * columns..(i + 1) * columns) {
                        layout.take::<V>(row, line, cells);
                    }
                }
            }
            largest.map(|changes| {
                changes.store(line.as_mut_ptr());
                line[..V::LANES].iter().map(|change| change.magnitude_bits()).max().unwrap_or_default()
            })
        }
    }
}
