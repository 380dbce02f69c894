//! The inner loop of a pass: one row, or two rows at once, through one step.
//!
//! Rows are in lanes (see [`Interleaved`]), so the neighbours of a register's cells are whole registers. Those that a
//! register needs on its left were already loaded as its predecessors: they stay in registers, so only one register of
//! each surrounding row is loaded for every register of cells. Two rows share two of theirs.

use super::interleaved::Interleaved;
use crate::Float;
use crate::heat::{DIAGONAL, DIRECT};
use crate::simd::{FloatVector, prefetch_later};

/// Rows to be taken through one step: the first `ROWS` of two.
pub(super) struct Sweep<T> {
    pub(super) layout: Interleaved,
    /// The row above, the rows, and the row below.
    pub(super) lines: [*const T; 4],
    pub(super) conductivity: [*const T; 2],
    /// Where the results go. Each may overwrite a line: the first of those that it is computed from.
    pub(super) new: [*mut T; 2],
    /// What to prefetch, from where on.
    pub(super) later: [*const T; 3],
    /// Bytes of it to prefetch for every three registers.
    pub(super) pace: usize,
}

impl<T: Float> Sweep<T> {
    /// Takes the rows through a step. Returns their largest changes, lane by lane; those that are NaN may be lost unless
    /// `EXACT`.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`, which has the lanes of the layout. The first `ROWS + 2` lines and
    /// the first `ROWS` of the others must be valid for a row of it, and nothing else may use what is written.
    #[inline(always)]
    pub(super) unsafe fn run<V: FloatVector<Element = T>, const ROWS: usize, const EXACT: bool>(self) -> V {
        let Self { layout, lines, conductivity, new, later, pace } = self;
        let (n, lanes) = (layout.segment, V::LANES);
        // SAFETY: guaranteed by the caller. Rows are loaded from the register before the first to the one after the
        // last, each register before anything is stored in its place.
        unsafe {
            let [zero, one, direct, diagonal] =
                [T::ZERO, T::ONE, T::from_f64(DIRECT), T::from_f64(DIAGONAL)].map(|x| V::splat(x));
            let mut largest = [zero; ROWS];
            // The sums of the cells above and below, and the cells themselves, in register `j - 1`.
            macro_rules! upright {
                ($j:expr) => {{
                    let at = $j * lanes;
                    let mut loaded = [zero; 4];
                    for r in 0..ROWS + 2 {
                        loaded[r] = V::load(lines[r].sub(lanes).add(at));
                    }
                    let mut cells = [(zero, zero); ROWS];
                    for r in 0..ROWS {
                        cells[r] = (loaded[r].plus(loaded[r + 2]), loaded[r + 1]);
                    }
                    cells
                }};
            }
            macro_rules! step {
                ($before:expr, $at:expr, $behind:expr, $j:expr) => {
                    for r in 0..ROWS {
                        let (before, at, behind) = ($before[r], $at[r], $behind[r]);
                        let w = V::load(conductivity[r].add($j * lanes));
                        let beside = before.1.plus(behind.1);
                        let corners = before.0.plus(behind.0);
                        let around = at.0.plus(beside).times(direct).plus(corners.times(diagonal));
                        let next = w.times(at.1).plus(one.minus(w).times(around));
                        next.store(new[r].add($j * lanes));
                        let change = next.minus(at.1);
                        largest[r] = if EXACT {
                            largest[r].larger_magnitude_or_nan(change)
                        } else {
                            largest[r].larger_magnitude(change)
                        };
                    }
                };
            }
            let (mut before, mut at) = (upright!(0), upright!(1));
            let mut j = 0;
            // Three at a time: then each is in the same registers again, and none has to be moved.
            while j + 3 <= n {
                let first = upright!(j + 2);
                step!(before, at, first, j);
                let second = upright!(j + 3);
                step!(at, first, second, j + 1);
                let third = upright!(j + 4);
                step!(first, second, third, j + 2);
                (before, at) = (second, third);
                for line in later {
                    prefetch_later(line.wrapping_byte_add(j / 3 * pace));
                }
                j += 3;
            }
            while j < n {
                let behind = upright!(j + 2);
                step!(before, at, behind, j);
                (before, at) = (at, behind);
                j += 1;
            }
            for row in new.into_iter().take(ROWS) {
                layout.close::<V>(row);
            }
            let mut all = largest[0];
            for changes in &largest[1..] {
                all = all.larger_magnitude_or_nan(*changes);
            }
            all
        }
    }
}
