//! One step of whole rows, as they lie in memory.

use super::grid::{Grid, Stack};
#[cfg(target_arch = "x86_64")]
use super::registers;
use crate::Float;
use crate::heat::{DIAGONAL, DIRECT};
use crate::simd::{Body, Level};

/// The next temperature of the cell in the middle.
#[inline(always)]
pub(super) fn mean<T: Float>(w: T, above: [T; 3], here: [T; 3], below: [T; 3]) -> T {
    let direct = above[1].plus(below[1]).plus(here[0].plus(here[2]));
    let diagonal = above[0].plus(below[0]).plus(above[2].plus(below[2]));
    let around = direct.times(T::from_f64(DIRECT)).plus(diagonal.times(T::from_f64(DIAGONAL)));
    w.times(here[1]).plus(T::ONE.minus(w).times(around))
}

/// Whole rows: the next temperatures, and the bits of the largest change.
pub(super) struct Rows<'a, T> {
    /// The level to run at.
    pub(super) level: Level,
    pub(super) old: Grid<'a, T>,
    /// The first of the rows.
    pub(super) first: usize,
    /// The conductivities of all rows.
    pub(super) conductivity: Stack<'a, T>,
    pub(super) new: &'a mut [T],
}

impl<T: Float> Body for Rows<'_, T> {
    type Output = T::Bits;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> T::Bits {
        let Self { level, old, first, conductivity, new } = self;
        let mut largest = T::Bits::default();
        let (mut above, mut here) = (old.row(first), old.row(first + 1));
        for (i, new) in (first..).zip(new.chunks_mut(old.columns)) {
            let (below, w) = (old.row(i + 2), conductivity.row(old.columns, i));
            largest = largest.max(row(level, above, here, below, w, new));
            (above, here) = (here, below);
        }
        largest
    }
}

/// The next temperatures of a circular row, and the bits of the largest change.
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
/// before them and end one after them.
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
