//! Tiles one after the other: along a strip of B, or along rows of A that are not packed.

use super::meanwhile::{Ask, Meanwhile, Pack, Transpose};
use super::pack::strip_of_rows;
use super::tile::Tile;
use crate::memory::LINE;
use crate::simd::{Kernel, Lanes, Vector};

/// Some rows of C, as wide as a strip of B. The strip stays in cache while all of A streams in from the second-level
/// cache.
pub(super) struct Column<T> {
    pub(super) a: Rows<T>,
    /// The strip, whose rows are padded to whole registers.
    pub(super) b: *const T,
    pub(super) depth: usize,
    pub(super) part: Place<T>,
    /// What the tiles prepare together for the next strip.
    pub(super) ahead: Ahead<T>,
}

/// A part of C.
#[derive(Clone, Copy)]
pub(super) struct Place<T> {
    /// Where it begins: it must be valid for its rows, `stride` apart, and nothing else may use them.
    pub(super) c: *mut T,
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Whether to add to the contents of C.
    pub(super) add: bool,
}

/// Where the rows of A are. Packed ones are in strips, each as deep as the block and as high as a tile; the remainder
/// is in one of its own height.
#[derive(Clone, Copy)]
pub(super) enum Rows<T> {
    /// In strips.
    Packed(*const T),
    /// In A, that many elements apart. Each strip is packed while the one before is used.
    Fresh { at: *const T, stride: usize, to: *mut T },
}

/// What is prepared for the next strip of B.
#[derive(Clone, Copy)]
pub(super) enum Ahead<T> {
    /// It is packed, or there is none: that many bytes are prefetched, since they may be further away than the
    /// second-level cache.
    Ask { at: *const T, bytes: usize },
    /// It is in B, whose rows are `stride` elements apart, and is packed.
    Pack { at: *const T, stride: usize, to: *mut T, depth: usize },
}

impl<T: Lanes> Kernel for Column<T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        // SAFETY: the host has the instructions; the rest is guaranteed by whoever made this value.
        unsafe {
            match self.a {
                Rows::Fresh { at, stride, to } => self.fresh::<V, ROWS, VECTORS>(at, stride, to),
                Rows::Packed(a) => self.packed::<V, ROWS, VECTORS>(a),
            }
        }
    }
}

impl<T: Lanes> Column<T> {
    /// With packed rows of A; the tiles share the preparation of the next strip of B.
    ///
    /// # Safety
    ///
    /// As for the column.
    #[inline(always)]
    unsafe fn packed<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(&self, a: *const T) {
        let width = VECTORS * V::LANES;
        let tiles = self.part.rows.div_ceil(ROWS);
        for (tile, i) in (0..self.part.rows).step_by(ROWS).enumerate() {
            let share = |all: usize| (all * tile / tiles, all * (tile + 1) / tiles - all * tile / tiles);
            // SAFETY: strips lie one after the other; the rest is guaranteed by the caller.
            unsafe {
                let a = (a.add(i * self.depth), 0);
                match self.ahead {
                    Ahead::Ask { at, bytes } => {
                        let (first, steps) = share(bytes / LINE);
                        let ask = Ask { at: at.wrapping_byte_add(first * LINE), lines: 1, apart: 0, pace: LINE, steps };
                        let tile = self.part.tile((i, 0), (ROWS, width), a, self.b, self.depth, ask);
                        tile.run::<V, ROWS, VECTORS, false>();
                    }
                    Ahead::Pack { at, stride, to, depth } => {
                        let (first, steps) = share(depth);
                        let (at, to) = (at.wrapping_add(first * stride), to.wrapping_add(first * width));
                        let pack = Pack { at, apart: stride, to, steps };
                        let tile = self.part.tile((i, 0), (ROWS, width), a, self.b, self.depth, pack);
                        tile.run::<V, ROWS, VECTORS, false>();
                    }
                }
            }
        }
    }

    /// With unpacked rows of A, `stride` elements apart: each strip of them is packed while the one before is used.
    ///
    /// # Safety
    ///
    /// As for the column.
    #[inline(always)]
    unsafe fn fresh<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(
        &self,
        at: *const T,
        stride: usize,
        to: *mut T,
    ) {
        let Self { depth, part, .. } = *self;
        let shape = (ROWS, VECTORS * V::LANES);
        // SAFETY: strips lie one after the other; the rest is guaranteed by the caller.
        unsafe {
            strip_of_rows::<V, ROWS>(at, stride, part.rows.min(ROWS), depth, to);
            for i in (0..part.rows).step_by(ROWS) {
                let a = (to.add(i * depth).cast_const(), 0);
                let left = part.rows.saturating_sub(i + ROWS);
                let (at, to) = (at.wrapping_add((i + ROWS) * stride), to.wrapping_add((i + ROWS) * depth));
                if left >= ROWS {
                    let transpose = Transpose::new::<V, ROWS>(at, stride, to, depth);
                    part.tile((i, 0), shape, a, self.b, depth, transpose).whole::<V, ROWS, VECTORS, false>();
                } else {
                    if left > 0 {
                        strip_of_rows::<V, ROWS>(at, stride, left, depth, to);
                    }
                    let nothing = Ask { at, lines: 0, apart: 0, pace: 0, steps: 0 };
                    part.tile((i, 0), shape, a, self.b, depth, nothing).run::<V, ROWS, VECTORS, false>();
                }
            }
        }
    }
}

/// A part of C with unpacked rows of A: only whole tile heights. The rows stay in the first-level cache while all of B
/// streams in from the second.
pub(super) struct InPlace<T> {
    /// Where the rows begin, and how many elements they are apart.
    pub(super) a: (*const T, usize),
    /// All strips of B, one after the other; the last one has only as many registers as it needs.
    pub(super) b: *const T,
    pub(super) depth: usize,
    pub(super) part: Place<T>,
}

impl<T: Lanes> Kernel for InPlace<T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let Self { a: (a, apart), b, depth, part } = self;
        let width = VECTORS * V::LANES;
        let tiles = part.columns.div_ceil(width);
        let lines = (depth * size_of::<T>()).div_ceil(LINE);
        for i in (0..part.rows).step_by(ROWS) {
            for (tile, j) in (0..part.columns).step_by(width).enumerate() {
                // The tiles prefetch the next rows of A together.
                let first = lines * tile / tiles;
                let ask = Ask {
                    at: a.wrapping_add((i + ROWS) * apart).wrapping_byte_add(first * LINE),
                    lines: ROWS,
                    apart: apart * size_of::<T>(),
                    pace: LINE,
                    steps: lines * (tile + 1) / tiles - first,
                };
                // SAFETY: the host has the instructions; the rest is guaranteed by whoever made this value.
                unsafe {
                    let (a, b) = ((a.add(i * apart), apart), b.add(j * depth));
                    part.tile((i, j), (ROWS, width), a, b, depth, ask).run::<V, ROWS, VECTORS, true>();
                }
            }
        }
    }
}

impl<T: Lanes> Place<T> {
    /// The tile at a row and a column.
    ///
    /// # Safety
    ///
    /// It must be in the part.
    #[inline(always)]
    pub(super) unsafe fn tile<W: Meanwhile<T>>(
        &self,
        (i, j): (usize, usize),
        (rows, width): (usize, usize),
        (a, apart): (*const T, usize),
        b: *const T,
        depth: usize,
        meanwhile: W,
    ) -> Tile<T, W> {
        Tile {
            a,
            apart,
            b,
            pitch: 0,
            depth,
            // SAFETY: guaranteed by the caller.
            c: unsafe { self.c.add(i * self.stride + j) },
            stride: self.stride,
            height: (self.rows - i).min(rows),
            across: (self.columns - j).min(width),
            add: self.add,
            meanwhile,
        }
    }
}
