//! A part of C, tile by tile.

use super::tile::{Next, Tile};
use crate::memory::LINE;
use crate::simd::{Kernel, Lanes, Vector};

/// A part of C, as the product of a part of A and one of B.
pub(super) struct Block<T> {
    pub(super) factors: Factors<T>,
    pub(super) depth: usize,
    /// Where the part of C begins: it must be valid for its rows, `stride` apart, and nobody else may use them.
    pub(super) c: *mut T,
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Whether to add to what C holds.
    pub(super) add: bool,
}

/// Where the rows of A and the columns of B are. Packed ones lie in strips, each as deep as the block: those of A as high
/// as a tile, what is left over in one of its own height; those of B as wide, the last one with as few registers as do.
#[derive(Clone, Copy)]
pub(super) enum Factors<T> {
    /// Both are packed.
    Packed(*const T, *const T),
    /// Rows are in A, so many elements apart: whole tiles only.
    RowsApart(*const T, usize, *const T),
    /// Columns are in B: whole tiles only.
    ColumnsApart(*const T, Apart<T>),
}

/// Columns of B that are packed strip by strip, each while the one before is used.
#[derive(Clone, Copy)]
pub(super) struct Apart<T> {
    /// Room for two strips, which take turns; the first one is packed already.
    pub(super) rooms: [*mut T; 2],
    /// Where the first strip begins in B, whose rows are `stride` elements apart.
    pub(super) at: *const T,
    pub(super) stride: usize,
    /// Where the strip begins that is to be packed while the last one is used, and its depth, which may be 0.
    pub(super) after: (*const T, usize),
}

impl<T: Lanes> Kernel for Block<T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        // SAFETY: the host has the instructions, and whoever made the block promised the rest.
        unsafe {
            match self.factors {
                Factors::Packed(a, b) => self.by_columns::<V, ROWS, VECTORS>(a, Strips::Packed(b)),
                Factors::RowsApart(a, apart, b) => self.by_rows::<V, ROWS, VECTORS>((a, apart), b),
                Factors::ColumnsApart(a, b) => self.by_columns::<V, ROWS, VECTORS>(a, Strips::Apart(b)),
            }
        }
    }
}

/// Where the strips of B are.
#[derive(Clone, Copy)]
enum Strips<T> {
    Packed(*const T),
    Apart(Apart<T>),
}

impl<T: Lanes> Block<T> {
    /// The strip of B is outside: it stays nearby while all of A passes by from the second-level cache. The tiles share
    /// what is to be done for the next strip.
    ///
    /// # Safety
    ///
    /// As for the block.
    #[inline(always)]
    unsafe fn by_columns<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(
        &self,
        a: *const T,
        b: Strips<T>,
    ) {
        let width = VECTORS * V::LANES;
        let tiles = self.rows.div_ceil(ROWS);
        let lines = width * self.depth * size_of::<T>() / LINE;
        for (number, j) in (0..self.columns).step_by(width).enumerate() {
            let strip = match b {
                Strips::Packed(b) => b.wrapping_add(j * self.depth),
                Strips::Apart(b) => b.rooms[number % 2].cast_const(),
            };
            for (tile, i) in (0..self.rows).step_by(ROWS).enumerate() {
                let share = |all: usize| (all * tile / tiles, all * (tile + 1) / tiles - all * tile / tiles);
                let next = match b {
                    // It may be further away than the second-level cache.
                    Strips::Packed(_) => {
                        let (first, steps) = share(lines);
                        let at = strip.wrapping_add(width * self.depth).wrapping_byte_add(first * LINE);
                        Next::Ask { at, lines: 1, apart: 0, pace: LINE, steps }
                    }
                    Strips::Apart(b) => {
                        let is_last = j + width >= self.columns;
                        let (at, depth) = if is_last { b.after } else { (b.at.wrapping_add(j + width), self.depth) };
                        let (first, steps) = share(depth);
                        let to = b.rooms[(number + 1) % 2];
                        let (at, to) = (at.wrapping_add(first * b.stride), to.wrapping_add(first * width));
                        Next::Pack { at, apart: b.stride, to, steps }
                    }
                };
                // SAFETY: strips lie one after the other, and the host has the instructions; whoever made the block
                // promised the rest.
                unsafe {
                    let a = a.add(i * self.depth);
                    self.tile((i, j), (ROWS, width), (a, 0), strip, next).run::<V, ROWS, VECTORS, false>();
                }
            }
        }
    }

    /// The rows of A are outside: they stay in the first-level cache while all of B passes by from the second.
    ///
    /// # Safety
    ///
    /// As for the block.
    #[inline(always)]
    unsafe fn by_rows<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(
        &self,
        (a, apart): (*const T, usize),
        b: *const T,
    ) {
        let width = VECTORS * V::LANES;
        let tiles = self.columns.div_ceil(width);
        let lines = (self.depth * size_of::<T>()).div_ceil(LINE);
        for i in (0..self.rows).step_by(ROWS) {
            for (tile, j) in (0..self.columns).step_by(width).enumerate() {
                // The tiles ask for the next rows of A together.
                let first = lines * tile / tiles;
                let next = Next::Ask {
                    at: a.wrapping_add((i + ROWS) * apart).wrapping_byte_add(first * LINE),
                    lines: ROWS,
                    apart: apart * size_of::<T>(),
                    pace: LINE,
                    steps: lines * (tile + 1) / tiles - first,
                };
                // SAFETY: as for `by_columns`.
                unsafe {
                    let (a, b) = (a.add(i * apart), b.add(j * self.depth));
                    self.tile((i, j), (ROWS, width), (a, apart), b, next).run::<V, ROWS, VECTORS, true>();
                }
            }
        }
    }

    /// The tile at a row and a column.
    ///
    /// # Safety
    ///
    /// The part must have them.
    #[inline(always)]
    unsafe fn tile(
        &self,
        (i, j): (usize, usize),
        (rows, width): (usize, usize),
        (a, apart): (*const T, usize),
        b: *const T,
        next: Next<T>,
    ) -> Tile<T> {
        Tile {
            a,
            apart,
            b,
            depth: self.depth,
            // SAFETY: the caller's promise.
            c: unsafe { self.c.add(i * self.stride + j) },
            stride: self.stride,
            height: (self.rows - i).min(rows),
            across: (self.columns - j).min(width),
            add: self.add,
            next,
        }
    }
}
