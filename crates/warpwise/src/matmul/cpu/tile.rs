//! The inner loop of matrix multiply: a tile of C that stays in registers.

use super::meanwhile::Meanwhile;
use crate::memory::LINE;
use crate::simd::{Lanes, Vector, prefetch_line};

/// How far ahead a packed strip of A is prefetched, in bytes: it comes from the second-level cache.
const AHEAD: usize = 768;

/// Terms between two steps of work for later tiles.
const CHUNK: usize = 8;

/// A tile with its operands.
pub(super) struct Tile<T, W> {
    /// A strip of A, or its start in A.
    pub(super) a: *const T,
    /// Elements from one row of A to the next, if it is not packed.
    pub(super) apart: usize,
    /// A strip of B, whose rows are `pitch` elements apart, or contiguous if that is 0.
    pub(super) b: *const T,
    pub(super) pitch: usize,
    pub(super) depth: usize,
    pub(super) c: *mut T,
    pub(super) stride: usize,
    /// Rows and columns that C has here.
    pub(super) height: usize,
    pub(super) across: usize,
    /// Whether to add to the contents of C.
    pub(super) add: bool,
    /// Work for later tiles, done meanwhile.
    pub(super) meanwhile: W,
}

/// Rows of a strip of A for that many rows of C: if fewer are left than a whole tile, the lowest tile that holds them.
pub(super) const fn padded(height: usize, rows: usize) -> usize {
    match height {
        ..=4 if rows > 4 => 4,
        5..=8 if rows > 8 => 8,
        _ => rows,
    }
}

impl<T: Lanes, W: Meanwhile<T>> Tile<T, W> {
    /// The tile, by the code for its height and width. `APART` says that A is not packed, which needs a whole tile's
    /// height.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`. The strips must be as high and wide as the tile, filled up to
    /// [`padded`] rows and whole registers where they are packed; `c` must be valid for its rows and columns, and the
    /// work done meanwhile for all its steps.
    #[inline(always)]
    pub(super) unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize, const APART: bool>(self) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            // Levels that have no such tiles do without their code.
            if const { ROWS > 4 && !APART } && self.height <= 4 {
                self.whole::<V, 4, VECTORS, APART>();
            } else if const { ROWS > 8 && !APART } && self.height <= 8 {
                self.whole::<V, 8, VECTORS, APART>();
            } else {
                self.whole::<V, ROWS, VECTORS, APART>();
            }
        }
    }

    /// A tile of a known height, by the code for its width.
    ///
    /// # Safety
    ///
    /// As for [`run`](Tile::run).
    #[inline(always)]
    pub(super) unsafe fn whole<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize, const APART: bool>(
        self,
    ) {
        let width = VECTORS * V::LANES;
        // SAFETY: guaranteed by the caller.
        unsafe {
            let registers = self.across.div_ceil(V::LANES);
            if const { VECTORS > 1 } && registers == 1 {
                self.sum::<V, ROWS, 1, APART>(width);
            } else if const { VECTORS > 2 } && registers == 2 {
                self.sum::<V, ROWS, 2, APART>(width);
            } else {
                self.sum::<V, ROWS, VECTORS, APART>(width);
            }
        }
    }

    /// Every element of A times a row of B, summed over the depth; `width` is that of a whole strip.
    ///
    /// # Safety
    ///
    /// As for [`run`](Tile::run).
    #[inline(always)]
    unsafe fn sum<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize, const APART: bool>(
        mut self,
        width: usize,
    ) {
        // SAFETY: the instructions and the operands, which are `depth` terms long, are guaranteed by the caller; of
        // `c`, only existing rows and columns are used.
        unsafe {
            let mut sums = [[V::splat(T::ZERO); VECTORS]; ROWS];
            if self.pitch == 0 {
                self.pitch = VECTORS * V::LANES;
            }
            let chunks = self.depth.div_ceil(CHUNK);
            let (steps, mut credit) = (self.meanwhile.steps(), 0);
            // C is needed only when the sums are done: it is prefetched until then, a row at a time.
            let (mut row, apart) = (0, (chunks / (ROWS + ROWS / 4)).max(1));
            for chunk in 0..chunks {
                if row < ROWS && chunk == row * apart {
                    let at = self.c.wrapping_add(row * self.stride);
                    for j in (0..VECTORS * V::LANES).step_by(LINE / size_of::<T>()) {
                        prefetch_line(at.wrapping_add(j));
                    }
                    prefetch_line(at.wrapping_add(self.across - 1));
                    row += 1;
                }
                credit += steps;
                while credit >= chunks {
                    credit -= chunks;
                    self.meanwhile.step::<V>(width);
                }
                for _ in chunk * CHUNK..self.depth.min((chunk + 1) * CHUNK) {
                    self.term::<V, ROWS, VECTORS, APART>(&mut sums);
                }
            }
            self.finish(&sums);
        }
    }

    /// One term of all sums.
    ///
    /// # Safety
    ///
    /// As for [`run`](Tile::run), and there must be another term.
    #[inline(always)]
    // Constant indices keep the sums in registers.
    #[allow(clippy::needless_range_loop)]
    unsafe fn term<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize, const APART: bool>(
        &mut self,
        sums: &mut [[V; VECTORS]; ROWS],
    ) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            if !APART {
                for line in (0..ROWS * size_of::<T>()).step_by(LINE) {
                    prefetch_line(self.a.wrapping_byte_add(AHEAD + line));
                }
            }
            let mut row = [V::splat(T::ZERO); VECTORS];
            for j in 0..VECTORS {
                row[j] = V::load(self.b.add(j * V::LANES));
            }
            for i in 0..ROWS {
                let x = V::splat(*self.a.add(if APART { i * self.apart } else { i }));
                for j in 0..VECTORS {
                    sums[i][j] = x.times_plus(row[j], sums[i][j]);
                }
            }
            self.a = self.a.add(if APART { 1 } else { ROWS });
            self.b = self.b.wrapping_add(self.pitch);
        }
    }

    /// Writes the sums to C, or adds them.
    ///
    /// # Safety
    ///
    /// As for [`run`](Tile::run).
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    unsafe fn finish<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(
        self,
        sums: &[[V; VECTORS]; ROWS],
    ) {
        let Self { c, stride, height, across, add, .. } = self;
        // SAFETY: guaranteed by the caller.
        unsafe {
            if height == ROWS && across == VECTORS * V::LANES {
                for i in 0..ROWS {
                    for j in 0..VECTORS {
                        let place = c.add(i * stride + j * V::LANES);
                        let sum = if add { V::load(place).plus(sums[i][j]) } else { sums[i][j] };
                        sum.store(place);
                    }
                }
                return;
            }
            // Sums indexed by a variable would not be in registers: they go to memory first.
            let mut whole = [[V::splat(T::ZERO); VECTORS]; ROWS];
            let whole: *mut T = whole.as_mut_ptr().cast();
            for i in 0..ROWS {
                for j in 0..VECTORS {
                    sums[i][j].store(whole.add((i * VECTORS + j) * V::LANES));
                }
            }
            for i in 0..height {
                for j in (0..across).step_by(V::LANES) {
                    let (sum, place) = (V::load(whole.add(i * VECTORS * V::LANES + j)), c.add(i * stride + j));
                    let count = across - j;
                    if count >= V::LANES {
                        if add { V::load(place).plus(sum) } else { sum }.store(place);
                    } else {
                        if add { V::load_first(place, count).plus(sum) } else { sum }.store_first(place, count);
                    }
                }
            }
        }
    }
}
