//! How a product is cut, packed and shared out.
//!
//! C is cut into parts, which are tasks. The sums are cut into slabs of [`DEPTH`] terms: a part takes one slab after the
//! other, so that it stays in the second-level cache. One factor is packed for all tasks, in a phase before they begin;
//! the other is packed by each task for itself, just before it is used: that is A, or B where C has few rows.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use super::pack::{Columns, Rows, Shape};
use super::tile::Block;
use super::{Matrix, MatrixMut};
use crate::simd::Level;
use crate::{Float, memory, simd, threads};

/// Terms that are summed at a time. It fixes the order of the sums, so it depends on nothing else.
const DEPTH: usize = 512;

/// The most rows of a part: its packed rows of A stay in the second-level cache.
const HIGHEST: usize = 120;

/// The most columns of a part.
const WIDEST: usize = 2048;

/// The fewest rows and columns of a part.
const SMALLEST: (usize, usize) = (24, 128);

/// Bytes of the factor that is packed for all tasks, at a time.
const SHARED: usize = 32 << 20;

/// Columns or rows of the factor that is packed for all tasks, in one task.
const STRIPS: usize = 4;

/// C = A B; there must be something to sum.
pub(super) fn multiply<T: Float + simd::Lanes>(
    level: Level,
    members: usize,
    a: Matrix<T>,
    b: Matrix<T>,
    mut c: MatrixMut<T>,
) {
    let (m, n, k) = (a.rows(), b.columns(), a.columns());
    let (height, width) = level.run_kernel(Shape(PhantomData::<T>));
    let cut = Cut::new((m, n), (height, width), members);
    // Slabs that are packed for all tasks at a time.
    let extent = if cut.by_rows { n.next_multiple_of(width) } else { m.next_multiple_of(height) };
    let slabs = k.div_ceil(DEPTH);
    let group = (SHARED / (extent * DEPTH * size_of::<T>())).clamp(1, slabs);
    let groups = slabs.div_ceil(group);
    let shared = extent * k.min(group * DEPTH);
    let own = cut.longest() * k.min(DEPTH);
    // A group is packed while the one before is used.
    let buffers = groups.min(2);
    let mut scratch = memory::Scratch::<T>::new(buffers * shared + members * own);
    let strips = extent.div_ceil(if cut.by_rows { width } else { height }).div_ceil(STRIPS);
    let (c, stride) = c.as_strided();
    let product = Product {
        level,
        a,
        b,
        c: Shared(c.as_mut_ptr()),
        stride,
        cut: &cut,
        scratch: Shared(scratch.as_mut().as_mut_ptr()),
        extent,
        strip: STRIPS * if cut.by_rows { width } else { height },
    };
    let parts = cut.down.len() * cut.across.len();
    let packing = |g: usize| if g < groups { strips * (slabs - g * group).min(group) } else { 0 };
    let counts: Vec<usize> = (0..=groups).map(|g| if g > 0 { parts } else { 0 } + packing(g)).collect();
    threads::in_phases(members, &counts, |member, phase, i| {
        let used = if phase > 0 { parts } else { 0 };
        if i < used {
            let first = (phase - 1) * group;
            let from = (phase - 1) % 2 * shared;
            // SAFETY: this group was packed in the phase before, and nobody else has this part or this member's room.
            unsafe { product.part(i, first..slabs.min(first + group), from, buffers * shared + member * own) };
        } else {
            let (slab, strip) = ((i - used) / strips, (i - used) % strips);
            let first = phase * group;
            // SAFETY: nobody else packs these strips, and nobody reads this group before the next phase.
            unsafe { product.pack(first, first + slab, strip, phase % 2 * shared) };
        }
    });
}

/// How C is cut into parts. It does not show in the result.
struct Cut {
    /// Whether there are parts above each other: then B is packed for all of them, and otherwise A.
    by_rows: bool,
    /// Rows or columns of a strip of the factor that tasks pack for themselves.
    step: usize,
    down: Vec<Range<usize>>,
    across: Vec<Range<usize>>,
}

impl Cut {
    fn new((m, n): (usize, usize), (height, width): (usize, usize), members: usize) -> Self {
        if m <= HIGHEST && m < n {
            let across = shares(n, width, (SMALLEST.1, WIDEST), members);
            return Self { by_rows: false, step: width, down: Vec::from([Range { start: 0, end: m }]), across };
        }
        // Parts that are next to each other pack the same rows of A: it should be few.
        let across = shares(n, width, (WIDEST, WIDEST), 1);
        let down = shares(m, height, (SMALLEST.0, HIGHEST), members);
        Self { by_rows: true, step: height, down, across }
    }

    /// Rows or columns of the longest part, filled up to whole strips.
    fn longest(&self) -> usize {
        let along = if self.by_rows { &self.down } else { &self.across };
        along.iter().map(|part| part.len().next_multiple_of(self.step)).max().unwrap_or(0)
    }
}

/// Cuts a length into parts, whose lengths are multiples of a step but for the last one. They get shorter towards the
/// end, so that nobody has much to do when the others are through.
fn shares(length: usize, step: usize, (smallest, largest): (usize, usize), members: usize) -> Vec<Range<usize>> {
    let mut shares = Vec::new();
    let mut start = 0;
    while start < length {
        let wanted = if members > 1 { (length - start) / (2 * members) } else { largest };
        let end = length.min(start + wanted.clamp(smallest, largest).next_multiple_of(step));
        shares.push(start..end);
        start = end;
    }
    shares
}

/// Memory that tasks share.
struct Shared<T>(*mut T);

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
    unsafe fn slice(&self, from: usize, length: usize) -> &mut [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(from), length) }
    }
}

/// A product that is being computed.
struct Product<'a, T> {
    level: Level,
    a: Matrix<'a, T>,
    b: Matrix<'a, T>,
    c: Shared<T>,
    stride: usize,
    cut: &'a Cut,
    scratch: Shared<MaybeUninit<T>>,
    /// Rows or columns of the factor that is packed for all tasks, filled up to whole strips.
    extent: usize,
    /// How many of them one task packs.
    strip: usize,
}

impl<T: Float + simd::Lanes> Product<'_, T> {
    /// Where a slab begins and ends.
    fn slab(&self, number: usize) -> Range<usize> {
        number * DEPTH..self.a.columns().min((number + 1) * DEPTH)
    }

    /// Packs strips of a slab for all tasks, behind the slabs of its group.
    ///
    /// # Safety
    ///
    /// Nobody else may use their place, in the buffer that begins at `to`.
    unsafe fn pack(&self, first: usize, slab: usize, strip: usize, to: usize) {
        let depth = self.slab(slab);
        let start = strip * self.strip;
        let padded = (self.extent - start).min(self.strip) * depth.len();
        let to = to + self.extent * (depth.start - self.slab(first).start) + start * depth.len();
        // SAFETY: the caller's promise; the buffer has room for all slabs of a group.
        let to = unsafe { self.scratch.slice(to, padded) };
        if self.cut.by_rows {
            let columns = start..self.b.columns().min(start + self.strip);
            self.level.run_kernel(Columns { b: self.b, columns, depth, to });
        } else {
            let rows = start..self.a.rows().min(start + self.strip);
            self.level.run_kernel(Rows { a: self.a, rows, depth, to });
        }
    }

    /// Computes a part of C over some slabs.
    ///
    /// # Safety
    ///
    /// These slabs must be packed in the buffer that begins at `from`; nobody else may use the part, or the room that
    /// begins at `own`.
    unsafe fn part(&self, part: usize, slabs: Range<usize>, from: usize, own: usize) {
        let Self { level, a, b, cut, .. } = *self;
        let (rows, columns) = (&cut.down[part / cut.across.len()], &cut.across[part % cut.across.len()]);
        let begin = self.slab(slabs.start).start;
        for depth in slabs.map(|slab| self.slab(slab)) {
            let deep = depth.len();
            let room = cut.longest() * deep;
            // SAFETY: the caller's promises; the buffer has the strips of this slab behind those of the ones before.
            let (own, all) = unsafe {
                (self.scratch.slice(own, room), self.scratch.at(from + self.extent * (depth.start - begin)).cast::<T>())
            };
            let room = own.as_ptr().cast::<T>();
            let add = depth.start > 0;
            let (a, b) = if cut.by_rows {
                level.run_kernel(Rows { a, rows: rows.clone(), depth, to: own });
                // SAFETY: strips of `width` columns are next to each other, and parts begin at a whole one.
                (room, unsafe { all.add(columns.start * deep) }.cast_const())
            } else {
                level.run_kernel(Columns { b, columns: columns.clone(), depth, to: own });
                (all.cast_const(), room)
            };
            level.run_kernel(Block {
                a,
                b,
                depth: deep,
                // SAFETY: C has this element.
                c: unsafe { self.c.at(rows.start * self.stride + columns.start) },
                stride: self.stride,
                rows: rows.len(),
                columns: columns.len(),
                add,
            });
        }
    }
}
