//! Work for later tiles, done step by step while a tile is computed, since its inner loop leaves memory idle.

use crate::memory::LINE;
use crate::simd::{Lanes, Vector, prefetch_later, prefetch_line};

/// How many rows ahead to prefetch rows of B that are to be packed.
const ROWS_AHEAD: usize = 12;

/// Steps that a tile takes in between.
pub(super) trait Meanwhile<T> {
    /// The number of steps.
    fn steps(&self) -> usize;

    /// The next step; `width` is that of a whole strip of B.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`. There must be another step, and what it reads and writes must be
    /// valid, and not used by anything else.
    unsafe fn step<V: Vector<Element = T>>(&mut self, width: usize);
}

/// Prefetches that many lines, `apart` bytes from each other, then those `pace` bytes further on.
pub(super) struct Ask<T> {
    pub(super) at: *const T,
    pub(super) lines: usize,
    pub(super) apart: usize,
    pub(super) pace: usize,
    pub(super) steps: usize,
}

impl<T> Meanwhile<T> for Ask<T> {
    #[inline(always)]
    fn steps(&self) -> usize {
        self.steps
    }

    #[inline(always)]
    unsafe fn step<V: Vector<Element = T>>(&mut self, _: usize) {
        for line in 0..self.lines {
            prefetch_later(self.at.wrapping_byte_add(line * self.apart));
        }
        self.at = self.at.wrapping_byte_add(self.pace);
    }
}

/// Packs rows of B that are `apart` elements from each other, one per step.
pub(super) struct Pack<T> {
    pub(super) at: *const T,
    pub(super) apart: usize,
    pub(super) to: *mut T,
    pub(super) steps: usize,
}

impl<T: Lanes> Meanwhile<T> for Pack<T> {
    #[inline(always)]
    fn steps(&self) -> usize {
        self.steps
    }

    #[inline(always)]
    unsafe fn step<V: Vector<Element = T>>(&mut self, width: usize) {
        let later = self.at.wrapping_add(ROWS_AHEAD * self.apart);
        for j in (0..width).step_by(V::LANES) {
            prefetch_line(later.wrapping_add(j));
            // SAFETY: guaranteed by the caller.
            unsafe { V::load(self.at.add(j)).store(self.to.add(j)) };
        }
        if !self.at.addr().is_multiple_of(LINE) {
            prefetch_line(later.wrapping_add(width - 1));
        }
        self.at = self.at.wrapping_add(self.apart);
        self.to = self.to.wrapping_add(width);
    }
}

/// Packs rows of A that are `apart` elements from each other: a full register from four of them per step.
pub(super) struct Transpose<T> {
    at: *const T,
    apart: usize,
    to: *mut T,
    /// Rows of the strip.
    height: usize,
    /// The next column, and the one where whole registers end.
    column: usize,
    whole: usize,
    steps: usize,
}

impl<T: Lanes> Transpose<T> {
    /// A strip as high as a tile. Columns that do not fill a register are packed at once.
    ///
    /// # Safety
    ///
    /// There must be that many rows and columns, and room for them.
    #[inline(always)]
    pub(super) unsafe fn new<V: Vector<Element = T>, const ROWS: usize>(
        at: *const T,
        apart: usize,
        to: *mut T,
        depth: usize,
    ) -> Self {
        let whole = depth - depth % V::LANES;
        for j in whole..depth {
            for i in 0..ROWS {
                // SAFETY: guaranteed by the caller.
                unsafe { *to.add(j * ROWS + i) = *at.add(i * apart + j) };
            }
        }
        Self { at, apart, to, height: ROWS, column: 0, whole, steps: whole / V::LANES * (ROWS / 4) }
    }
}

impl<T: Lanes> Meanwhile<T> for Transpose<T> {
    #[inline(always)]
    fn steps(&self) -> usize {
        self.steps
    }

    #[inline(always)]
    unsafe fn step<V: Vector<Element = T>>(&mut self, _: usize) {
        let rows: [*const T; 4] = std::array::from_fn(|i| self.at.wrapping_add(i * self.apart + self.column));
        for row in rows {
            prefetch_later(row.wrapping_add(4 * self.apart));
        }
        // SAFETY: guaranteed by the caller.
        unsafe { V::transpose(rows, self.to.add(self.column * self.height), self.height) };
        self.column += V::LANES;
        if self.column == self.whole {
            self.at = self.at.wrapping_add(4 * self.apart);
            self.to = self.to.wrapping_add(4);
            self.column = 0;
        }
    }
}
