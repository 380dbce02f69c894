//! How a product is packed and shared out.
//!
//! C is cut into parts, which are tasks, and the sums into slabs of [`DEPTH`] terms. One factor is packed for all tasks,
//! panel by panel, each while the one before is used; of the other one, each task packs what it needs ([`Way`]).

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use super::block::{Apart, Block, Factors};
use super::cut::{Cut, DEPTH, Panel, Part, Sizes, Way};
use super::pack::{Columns, Rows, Shape};
use super::{Matrix, MatrixMut};
use crate::memory::{LINE, Scratch};
use crate::simd::Level;
use crate::{Float, simd, threads};

/// Strips of the first panel that one task packs.
const STRIPS: usize = 4;

/// So many columns of B that one more strip does not matter.
const MANY: usize = 2048;

/// C = A B; there must be something to sum.
pub(super) fn multiply<T: Float + simd::Lanes>(
    level: Level,
    members: usize,
    a: Matrix<T>,
    b: Matrix<T>,
    mut c: MatrixMut<T>,
    sizes: &Sizes,
) {
    let tile = level.run_kernel(Shape(PhantomData::<T>));
    // Strips of B that begin at a line of the cache have fewer of them; but there may be one more strip.
    let is_worth_it = b.columns() >= MANY && (b.stride() * size_of::<T>()).is_multiple_of(LINE);
    let lead = if is_worth_it { b.row(0).as_ptr().align_offset(LINE).min(LINE / size_of::<T>()) } else { 0 };
    let cut = Cut::new([a.rows(), b.columns(), a.columns()], size_of::<T>(), tile, lead, members, sizes);
    let panel_room = cut.panel_room().next_multiple_of(LINE);
    let own_room = cut.own_room(tile).next_multiple_of(LINE);
    let buffers = cut.panels.len().min(2);
    let mut scratch = Scratch::<T>::new(buffers * panel_room + members * own_room);
    let (c, stride) = c.as_strided();
    let product = Product {
        level,
        tile,
        a,
        b,
        c: Shared(c.as_mut_ptr()),
        stride,
        cut: &cut,
        scratch: Shared(scratch.as_mut().as_mut_ptr()),
    };
    // The first phase packs the first panel; each of the others uses a panel and packs the next one.
    let strips: Vec<usize> = cut.panels.iter().map(|panel| panel.strips(cut.step)).collect();
    let packing = [strips[0].div_ceil(STRIPS)];
    let counts: Vec<usize> = packing.into_iter().chain(cut.panels.iter().map(|panel| panel.parts.len())).collect();
    threads::in_phases(members, &counts, |member, phase, i| {
        if let Some(panel) = cut.panels.get(phase) {
            let share = |i: usize| strips[phase] * i / counts[phase];
            // SAFETY: nobody else packs these strips, and nobody uses this half of the room before the next phase.
            unsafe { product.pack(panel, share(i)..share(i + 1), phase % 2 * panel_room) };
        }
        if phase > 0 {
            let panel = &cut.panels[phase - 1];
            let (from, own) = ((phase - 1) % 2 * panel_room, buffers * panel_room + member * own_room);
            // SAFETY: the panel was packed in the phase before; nobody else has this part of C or this member's room.
            unsafe { product.part(panel, &panel.parts[i], from, own) };
        }
    });
}

/// Memory that tasks share.
pub(super) struct Shared<T>(pub(super) *mut T);

// SAFETY: tasks only write where no other task reads or writes.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// # Safety
    ///
    /// There must be so many elements.
    unsafe fn at(&self, offset: usize) -> *mut T {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(offset) }
    }

    /// # Safety
    ///
    /// There must be so many elements, and nobody else may use them.
    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn slice(&self, from: usize, length: usize) -> &mut [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(from), length) }
    }
}

/// A product that is being computed.
struct Product<'a, T> {
    level: Level,
    /// Rows and columns of a tile.
    tile: (usize, usize),
    a: Matrix<'a, T>,
    b: Matrix<'a, T>,
    c: Shared<T>,
    stride: usize,
    cut: &'a Cut,
    scratch: Shared<MaybeUninit<T>>,
}

impl<T: Float + simd::Lanes> Product<'_, T> {
    /// Packs some strips of a panel.
    ///
    /// # Safety
    ///
    /// Nobody else may use their place, in the room that begins at `to`.
    unsafe fn pack(&self, panel: &Panel, strips: Range<usize>, to: usize) {
        let step = self.cut.step;
        let across = panel.across.len().div_ceil(step);
        for (number, depth) in panel.slabs().enumerate() {
            let here = strips.start.max(number * across)..strips.end.min((number + 1) * across);
            if here.is_empty() {
                continue;
            }
            let (first, last) = (here.start - number * across, here.end - number * across);
            let to = to + panel.extent(step) * (depth.start - panel.depth.start) + first * step * depth.len();
            // SAFETY: the caller's promise; there is room for all strips of the panel.
            let to = unsafe { self.scratch.slice(to, (last - first) * step * depth.len()) };
            let start = panel.across.start;
            let range = start + first * step..panel.across.end.min(start + last * step);
            if self.cut.way == Way::Wide {
                self.level.run_kernel(Rows { a: self.a, rows: range, depth, to });
            } else {
                self.level.run_kernel(Columns { b: self.b, columns: range, depth, to });
            }
        }
    }

    /// Computes a part of C over a panel.
    ///
    /// # Safety
    ///
    /// The panel must be packed in the room that begins at `from`; nobody else may use the part, or the room that begins
    /// at `own`.
    unsafe fn part(&self, panel: &Panel, part: &Part, from: usize, own: usize) {
        let mut turn = 0;
        for depth in panel.slabs() {
            let slab = from + panel.extent(self.cut.step) * (depth.start - panel.depth.start);
            // SAFETY: the room has the strips of this slab behind those of the ones before; the caller's promises.
            unsafe {
                if self.cut.way == Way::Wide {
                    let a = self.scratch.at(slab + (part.rows.start - panel.across.start) * depth.len()).cast();
                    turn = self.columns(part, depth, a, own, turn, panel.depth.end);
                } else {
                    self.rows(part, depth, self.scratch.at(slab).cast(), own);
                }
            }
        }
    }

    /// A part of C over a slab, with B packed.
    ///
    /// # Safety
    ///
    /// As for [`part`](Product::part); the columns of B over the slab must be at `b`.
    unsafe fn rows(&self, part: &Part, depth: Range<usize>, b: *const T, own: usize) {
        let Part { rows, columns } = part;
        let in_place = if self.cut.way == Way::Narrow { rows.len() / self.tile.0 * self.tile.0 } else { 0 };
        let whole = rows.start + in_place;
        // SAFETY: A has these elements; the caller's promises.
        unsafe {
            if whole > rows.start {
                let a = self.a.row(rows.start)[depth.clone()].as_ptr();
                self.block(rows.start..whole, columns.clone(), &depth, Factors::RowsApart(a, self.a.stride(), b));
            }
            if whole < rows.end {
                let to = self.scratch.slice(own, (rows.end - whole).next_multiple_of(self.tile.0) * depth.len());
                let a = to.as_ptr().cast();
                self.level.run_kernel(Rows { a: self.a, rows: whole..rows.end, depth: depth.clone(), to });
                self.block(whole..rows.end, columns.clone(), &depth, Factors::Packed(a, b));
            }
        }
    }

    /// A part of C over a slab, with A packed. There is room for two strips of B, which take turns; returns whose turn
    /// it is next.
    ///
    /// # Safety
    ///
    /// As for [`part`](Product::part); the rows of A over the slab must be at `a`. The first strip of B must be packed
    /// where it has its turn, unless that is the first, if there is a whole one.
    unsafe fn columns(
        &self,
        part: &Part,
        depth: Range<usize>,
        a: *const T,
        own: usize,
        turn: usize,
        end: usize,
    ) -> usize {
        let (width, Part { rows, columns }) = (self.tile.1, part);
        let room = |turn: usize| own + turn % 2 * width * DEPTH.min(self.a.columns());
        let strips = columns.len() / width;
        let whole = columns.start + strips * width;
        let pack = |columns: Range<usize>, turn: usize| {
            // SAFETY: the caller's promises.
            let to = unsafe { self.scratch.slice(room(turn), width * depth.len()) };
            self.level.run_kernel(Columns { b: self.b, columns, depth: depth.clone(), to });
        };
        // SAFETY: B has these elements; the caller's promises.
        unsafe {
            if strips > 0 {
                if turn == 0 {
                    pack(columns.start..columns.start + width, 0);
                }
                let after = depth.end.min(end - 1);
                let strip = Apart {
                    rooms: [turn, turn + 1].map(|turn| self.scratch.at(room(turn)).cast()),
                    at: self.b.row(depth.start)[columns.start..].as_ptr(),
                    stride: self.b.stride(),
                    after: (self.b.row(after)[columns.start..].as_ptr(), end.min(depth.end + DEPTH) - depth.end),
                };
                self.block(rows.clone(), columns.start..whole, &depth, Factors::ColumnsApart(a, strip));
            }
            if whole < columns.end {
                // The next turn may be taken already, by the strip after.
                pack(whole..columns.end, turn + strips + 1);
                let b = self.scratch.at(room(turn + strips + 1)).cast();
                self.block(rows.clone(), whole..columns.end, &depth, Factors::Packed(a, b));
            }
        }
        turn + strips
    }

    /// # Safety
    ///
    /// As for [`part`](Product::part); the factors must be those of the rows and columns over the slab.
    unsafe fn block(&self, rows: Range<usize>, columns: Range<usize>, depth: &Range<usize>, factors: Factors<T>) {
        self.level.run_kernel(Block {
            factors,
            depth: depth.len(),
            // SAFETY: C has this element.
            c: unsafe { self.c.at(rows.start * self.stride + columns.start) },
            stride: self.stride,
            rows: rows.len(),
            columns: columns.len(),
            add: depth.start > 0,
        });
    }
}
