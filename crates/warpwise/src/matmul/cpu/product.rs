//! How a product is packed and divided among tasks.
//!
//! C is divided into parts, which are tasks, and the sums into slabs of [`DEPTH`](super::cut::DEPTH) terms. One factor
//! is packed for all tasks, panel by panel; of the other one, each task packs what it needs ([`Way`]).

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use super::block::Place;
use super::cut::{Cut, Panel, Sizes, Way};
use super::pack::{Columns, Rows, Shape};
use super::strips::Strips;
use crate::matmul::{HostMatrix, HostMatrixMut};
use crate::memory::{LINE, Scratch};
use crate::simd::Level;
use crate::{Float, simd, threads};

/// Strips of the first panel that one task packs.
const STRIPS: usize = 4;

/// With this many columns of B, one more strip does not matter.
const MANY: usize = 2048;

/// C = A B; there must be something to sum.
pub(in crate::matmul) fn multiply<T: Float + simd::Lanes>(
    level: Level,
    members: usize,
    a: HostMatrix<T>,
    b: HostMatrix<T>,
    mut c: HostMatrixMut<T>,
    sizes: &Sizes,
) {
    let tile = level.run_kernel(Shape(PhantomData::<T>));
    // Strips of B that begin at a cache line span fewer lines; but there may be one more strip.
    let is_worth_it = b.columns() >= MANY && (b.stride() * size_of::<T>()).is_multiple_of(LINE);
    let lead = if is_worth_it { b.row(0).as_ptr().align_offset(LINE).min(LINE / size_of::<T>()) } else { 0 };
    let cut = Cut::new([a.rows(), b.columns(), a.columns()], size_of::<T>(), tile, lead, members, sizes);
    let panel_room = cut.panel_room().next_multiple_of(LINE);
    let own_room = cut.own_room(tile).next_multiple_of(LINE);
    let buffers = if cut.way == Way::Tall { 1 } else { cut.panels.len().min(2) };
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
    let own = |member: usize| buffers * panel_room + member * own_room;
    let strips: Vec<usize> = cut.panels.iter().map(|panel| panel.strips(cut.step)).collect();
    let parts = cut.panels.iter().map(|panel| panel.parts.len());
    if cut.way == Way::Tall {
        let packed: Vec<Strips> = strips.iter().map(|&count| Strips::new(count)).collect();
        let counts: Vec<usize> = parts.collect();
        threads::in_phases(members, &counts, |member, phase, i| {
            let panel = &cut.panels[phase];
            // Members begin at strips that are far apart, so that each packs some of them.
            let begin = panel.across.len().div_ceil(cut.step) * member / members;
            // SAFETY: the room has not been used since the phase before; nothing else uses this part of C or this
            // member's room.
            unsafe { product.tall(panel, &panel.parts[i], &packed[phase], begin, own(member)) };
        });
        return;
    }
    // The first phase packs the first panel; each of the others uses a panel and packs the next one.
    let counts: Vec<usize> = [strips[0].div_ceil(STRIPS)].into_iter().chain(parts).collect();
    threads::in_phases(members, &counts, |member, phase, i| {
        if let Some(panel) = cut.panels.get(phase) {
            let share = |i: usize| strips[phase] * i / counts[phase];
            // SAFETY: nothing else packs these strips, and this half of the room is not used before the next phase.
            unsafe { product.pack(panel, share(i)..share(i + 1), phase % 2 * panel_room) };
        }
        if phase > 0 {
            let panel = &cut.panels[phase - 1];
            let from = (phase - 1) % 2 * panel_room;
            // SAFETY: the panel was packed in the phase before; nothing else uses this part of C or this member's room.
            unsafe {
                if cut.way == Way::Wide {
                    product.wide(panel, &panel.parts[i], from, own(member));
                } else {
                    product.narrow(panel, &panel.parts[i], from, own(member));
                }
            }
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
    /// There must be that many elements.
    pub(super) unsafe fn at(&self, offset: usize) -> *mut T {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.add(offset) }
    }

    /// # Safety
    ///
    /// There must be that many elements, and nothing else may use them.
    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn slice(&self, from: usize, length: usize) -> &mut [T] {
        // SAFETY: guaranteed by the caller.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(from), length) }
    }
}

/// A product being computed.
pub(super) struct Product<'a, T> {
    pub(super) level: Level,
    /// Rows and columns of a tile.
    pub(super) tile: (usize, usize),
    pub(super) a: HostMatrix<'a, T>,
    pub(super) b: HostMatrix<'a, T>,
    c: Shared<T>,
    stride: usize,
    pub(super) cut: &'a Cut,
    pub(super) scratch: Shared<MaybeUninit<T>>,
}

impl<T: Float + simd::Lanes> Product<'_, T> {
    /// Packs some strips of a panel.
    ///
    /// # Safety
    ///
    /// Nothing else may use their place, in the room that begins at `to`.
    pub(super) unsafe fn pack(&self, panel: &Panel, strips: Range<usize>, to: usize) {
        let step = self.cut.step;
        let across = panel.across.len().div_ceil(step);
        for (number, depth) in panel.slabs().enumerate() {
            let here = strips.start.max(number * across)..strips.end.min((number + 1) * across);
            if here.is_empty() {
                continue;
            }
            let (first, last) = (here.start - number * across, here.end - number * across);
            let to = to + panel.extent(step) * (depth.start - panel.depth.start) + first * step * depth.len();
            // SAFETY: guaranteed by the caller; there is room for all strips of the panel.
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

    /// A part of C to be computed over a slab.
    ///
    /// # Safety
    ///
    /// It must be part of C.
    pub(super) unsafe fn place(&self, rows: &Range<usize>, columns: &Range<usize>, depth: &Range<usize>) -> Place<T> {
        Place {
            // SAFETY: guaranteed by the caller.
            c: unsafe { self.c.at(rows.start * self.stride + columns.start) },
            stride: self.stride,
            rows: rows.len(),
            columns: columns.len(),
            add: depth.start > 0,
        }
    }
}
