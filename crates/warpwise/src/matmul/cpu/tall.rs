//! Products with many rows: each part has its own rows.
//!
//! Each part packs its own rows of A; strips of B are shared. Both are packed when they are first needed, while tiles
//! are computed whose data is ready, so the copies cost hardly more than their instructions.

use std::ops::Range;

use super::block::{Ahead, Column, Rows};
use super::cut::{Panel, Part};
use super::product::Product;
use super::strips::Strips;
use crate::{Float, simd};

impl<T: Float + simd::Lanes> Product<'_, T> {
    /// A part of C over a panel, strip by strip from the strip `begin` on.
    ///
    /// # Safety
    ///
    /// `packed` must say which strips are packed in the room for panels; nothing else may use the part, or the room
    /// that begins at `own`.
    pub(super) unsafe fn tall(&self, panel: &Panel, part: &Part, packed: &Strips, begin: usize, own: usize) {
        let across = panel.across.len().div_ceil(self.tile.1);
        let slabs: Vec<Range<usize>> = panel.slabs().collect();
        // Slabs are added in order; within each, every strip has its turn.
        let count = slabs.len() * across;
        let at_turn = |turn: usize| (turn / across, (begin + turn) % across);
        for turn in 0..count {
            let (number, strip) = at_turn(turn);
            let depth = &slabs[number];
            if let Some(claim) = packed.claim(number * across + strip) {
                // SAFETY: nothing else has the claim.
                unsafe { self.pack(panel, number * across + strip..number * across + strip + 1, 0) };
                drop(claim);
            }
            packed.wait(number * across + strip);
            let is_first = turn % across == 0;
            // SAFETY: A, B and the panel have these elements; the rest is guaranteed by the caller.
            unsafe {
                let room = self.scratch.at(own).cast::<T>();
                let a = if is_first {
                    let at = self.a.row(part.rows.start)[depth.clone()].as_ptr();
                    Rows::Fresh { at, stride: self.a.stride(), to: room }
                } else {
                    Rows::Packed(room.cast_const())
                };
                let (mut claim, mut ahead) = (None, Ahead::Ask { at: room.cast_const(), bytes: 0 });
                if turn + 1 < count && !is_first {
                    let (number, strip) = at_turn(turn + 1);
                    let (columns, depth) = (self.strip(panel, strip), &slabs[number]);
                    let to = self.strip_room(panel, depth, strip);
                    // Strips that are narrower than the others are packed at once.
                    claim = if columns.len() == self.tile.1 { packed.claim(number * across + strip) } else { None };
                    ahead = if claim.is_some() {
                        let at = self.b.row(depth.start)[columns].as_ptr();
                        Ahead::Pack { at, stride: self.b.stride(), to, depth: depth.len() }
                    } else {
                        Ahead::Ask { at: to, bytes: columns.len() * depth.len() * size_of::<T>() }
                    };
                }
                let columns = self.strip(panel, strip);
                self.level.run_kernel(Column {
                    a,
                    b: self.strip_room(panel, depth, strip),
                    depth: depth.len(),
                    part: self.place(&part.rows, &columns, depth),
                    ahead,
                });
                drop(claim);
            }
        }
    }

    /// The columns of a strip.
    fn strip(&self, panel: &Panel, strip: usize) -> Range<usize> {
        let start = panel.across.start + strip * self.tile.1;
        start..panel.across.end.min(start + self.tile.1)
    }

    /// Where a strip is, or will be.
    ///
    /// # Safety
    ///
    /// It must be in the panel.
    unsafe fn strip_room(&self, panel: &Panel, depth: &Range<usize>, strip: usize) -> *mut T {
        let slab = panel.extent(self.tile.1) * (depth.start - panel.depth.start);
        // SAFETY: there is room for all strips of the panel.
        unsafe { self.scratch.at(slab + strip * self.tile.1 * depth.len()).cast() }
    }
}
