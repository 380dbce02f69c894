//! Products with few columns: rows of A are used in place, since each is used only a few times.

use super::block::{Ahead, Column, InPlace, Rows as Packing};
use super::cut::{Panel, Part, pieces};
use super::pack::Rows;
use super::product::Product;
use crate::{Float, simd};

impl<T: Float + simd::Lanes> Product<'_, T> {
    /// A part of C over a panel of B.
    ///
    /// # Safety
    ///
    /// The panel must be packed in the room that begins at `from`; nothing else may use the part, or the room that
    /// begins at `own`.
    pub(super) unsafe fn narrow(&self, panel: &Panel, part: &Part, from: usize, own: usize) {
        let Part { rows, columns } = part;
        let (height, width) = self.tile;
        let whole = rows.start + rows.len() / height * height;
        for depth in panel.slabs() {
            let slab = from + panel.extent(width) * (depth.start - panel.depth.start);
            // SAFETY: A and the panel have these elements; the rest is guaranteed by the caller.
            unsafe {
                let b = self.scratch.at(slab).cast::<T>().cast_const();
                if whole > rows.start {
                    let a = (self.a.row(rows.start)[depth.clone()].as_ptr(), self.a.stride());
                    let part = self.place(&(rows.start..whole), columns, &depth);
                    self.level.run_kernel(InPlace { a, b, depth: depth.len(), part });
                }
                if whole < rows.end {
                    // The remainder is not as high as a tile, and is padded.
                    let to = self.scratch.slice(own, height * depth.len());
                    let a = Packing::Packed(to.as_ptr().cast());
                    self.level.run_kernel(Rows { a: self.a, rows: whole..rows.end, depth: depth.clone(), to });
                    for strip in pieces(columns.clone(), width) {
                        let b = b.add((strip.start - columns.start) * depth.len());
                        let part = self.place(&(whole..rows.end), &strip, &depth);
                        let ahead = Ahead::Ask { at: b, bytes: 0 };
                        self.level.run_kernel(Column { a, b, depth: depth.len(), part, ahead });
                    }
                }
            }
        }
    }
}
