//! Several steps in one pass over a grid.
//!
//! Rows come in one after the other. A row of step s needs three rows of step s - 1, so as soon as row i + 1 is there,
//! row i can take its first step, row i - 1 its second, and so on: every row is read from memory once and written once
//! for all steps of the pass, and what lies between, the last three rows of every step, stays in the second-level
//! cache.
//!
//! A band of rows needs rows beyond its edges, one more for every step, which the next band computes as well.

use super::stepper::{Nan, row};
use crate::simd::{Body, Level, prefetch};
use crate::{Float, memory};

/// The most steps in a pass.
pub(super) const DEPTH: usize = 16;

/// Bytes of the second-level cache.
const CACHE: usize = 1 << 21;

/// Rows ahead that are asked for.
const AHEAD: usize = 2;

/// Whether a grid gains from passes: the grid must be too large for the second-level cache, and the rows of some steps
/// must not be.
pub(super) fn worthwhile<T>(cells: usize, columns: usize) -> bool {
    4 * cells * size_of::<T>() >= CACHE && 32 * columns * size_of::<T>() <= 2 * CACHE
}

/// Steps in a pass over a grid of so many columns: the more, the less often it is read, as long as three rows of each
/// and their conductivities fit into the second-level cache with room to spare.
pub(super) fn depth<T>(columns: usize) -> usize {
    (CACHE * 5 / 8 / (4 * columns * size_of::<T>())).clamp(8, DEPTH)
}

/// A band of rows, taken through some steps.
pub(super) struct Band<'a, T> {
    /// The level that this runs at.
    pub(super) level: Level,
    pub(super) columns: usize,
    /// At most [`DEPTH`].
    pub(super) steps: usize,
    /// What becomes of changes that are NaN, in all steps but the last, where they count.
    pub(super) nan: Nan,
    /// The first row of the band.
    pub(super) first: usize,
    /// The whole grid, with the fixed rows above and below.
    pub(super) old: &'a [T],
    pub(super) conductivity: &'a [T],
    /// The rows of the band, after the steps.
    pub(super) new: &'a mut [T],
}

impl<T: Float> Body for Band<'_, T> {
    /// The bits of the largest change of each step.
    type Output = [T::Bits; DEPTH];

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> [T::Bits; DEPTH] {
        let Self { level, columns, steps, nan, first, old, conductivity, new } = self;
        let (rows, end) = (conductivity.len() / columns, first + new.len() / columns);
        // Cells from the second of a row on are what is loaded and stored in whole registers: they begin a line.
        let line = memory::LINE / size_of::<T>();
        let stride = (line - 1 + columns).next_multiple_of(line);
        let mut between = memory::Lines::zeros((steps - 1) * 3 * stride);
        let mut largest = [T::Bits::default(); DEPTH];
        for came in first.saturating_sub(steps - 1)..end + steps - 1 {
            for step in 1..=steps {
                // A part of what comes later, so that memory is busy all the time.
                let part = (step - 1) * columns / steps..step * columns / steps;
                for (grid, i) in
                    [(old, came + 1), (conductivity, came), (new, (came + 1).saturating_sub(first + steps))]
                {
                    if let Some(row) = grid.get((i + AHEAD) * columns..(i + AHEAD + 1) * columns) {
                        prefetch(&row[part.clone()]);
                    }
                }
                // The rows that this step has to reach shrink towards the band.
                let beyond = steps - step;
                let Some(i) = (came + 1).checked_sub(step) else { break };
                if i + beyond < first || i >= rows.min(end + beyond) {
                    continue;
                }
                let (before, after) = between.as_mut().split_at_mut((step - 1) * 3 * stride);
                // A row of the step before: of the grid, where those around it have a place too, or of the last three.
                let last = |i: usize| match step {
                    1 => &old[i * columns..][..columns],
                    _ if i == 0 => &old[..columns],
                    _ if i == rows + 1 => &old[i * columns..],
                    _ => &before[((step - 2) * 3 + i % 3) * stride + line - 1..][..columns],
                };
                let new = match beyond {
                    0 => &mut new[(i - first) * columns..][..columns],
                    _ => &mut after[(i + 1) % 3 * stride + line - 1..][..columns],
                };
                let w = &conductivity[i * columns..][..columns];
                let nan = if step == steps { Nan::Counts } else { nan };
                let change = row(level, nan, last(i), last(i + 1), last(i + 2), w, new);
                largest[step - 1] = largest[step - 1].max(change);
            }
        }
        largest
    }
}
