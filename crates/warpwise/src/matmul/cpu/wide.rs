//! Products with few rows and many columns: each part has its own columns.
//!
//! A is packed for all tasks. Of B, each part packs a strip of its columns while it uses the one before.

use std::ops::Range;

use super::block::{Ahead, Column, Rows};
use super::cut::{DEPTH, Panel, Part};
use super::pack::Columns;
use super::product::Product;
use crate::{Float, simd};

impl<T: Float + simd::Lanes> Product<'_, T> {
    /// A part of C over a panel. There is room for two strips of B, which take turns.
    ///
    /// # Safety
    ///
    /// The panel must be packed in the room that begins at `from`; nothing else may use the part, or the room that
    /// begins at `own`.
    pub(super) unsafe fn wide(&self, panel: &Panel, part: &Part, from: usize, own: usize) {
        let (width, Part { rows, columns }) = (self.tile.1, part);
        let room = |turn: usize| own + turn % 2 * width * DEPTH.min(self.a.columns());
        let strips: Vec<Range<usize>> = super::cut::pieces(columns.clone(), width).collect();
        let slabs: Vec<Range<usize>> = panel.slabs().collect();
        let count = slabs.len() * strips.len();
        let mut is_packed = false;
        for turn in 0..count {
            let at_turn = |turn: usize| (&slabs[turn / strips.len()], &strips[turn % strips.len()]);
            let (depth, strip) = at_turn(turn);
            let slab = from + panel.extent(self.cut.step) * (depth.start - panel.depth.start);
            // SAFETY: A, B and the panel have these elements; the rest is guaranteed by the caller.
            unsafe {
                if !is_packed {
                    let to = self.scratch.slice(room(turn), width * depth.len());
                    self.level.run_kernel(Columns { b: self.b, columns: strip.clone(), depth: depth.clone(), to });
                }
                let b = self.scratch.at(room(turn)).cast();
                // Strips that are narrower than the others are packed at once.
                is_packed = turn + 1 < count && at_turn(turn + 1).1.len() == width;
                let ahead = if is_packed {
                    let (depth, strip) = at_turn(turn + 1);
                    let at = self.b.row(depth.start)[strip.clone()].as_ptr();
                    let to = self.scratch.at(room(turn + 1)).cast();
                    Ahead::Pack { at, stride: self.b.stride(), to, depth: depth.len() }
                } else {
                    Ahead::Ask { at: b, bytes: 0 }
                };
                let a = self.scratch.at(slab + (rows.start - panel.across.start) * depth.len()).cast();
                self.level.run_kernel(Column {
                    a: Rows::Packed(a),
                    b: b.cast_const(),
                    depth: depth.len(),
                    part: self.place(rows, strip, depth),
                    ahead,
                });
            }
        }
    }
}
