//! Products with few rows: B is read once, in order, which takes longer than everything else.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use super::block::Place;
use super::cut::{pieces, shares};
use super::meanwhile::Ask;
use super::pack::{Columns, Shape, strip_of_rows};
use super::product::Shared;
use super::tile::Tile;
use crate::matmul::{HostMatrix, HostMatrixMut};
use crate::memory::{LINE, Scratch};
use crate::simd::{Kernel, Lanes, Level, Vector};
use crate::{Float, threads};

/// The most rows of A, for each byte of an element, for which B is not packed: larger elements take longer to read.
const ROWS: usize = 3;

/// The most tiles for these rows; each of them reads B again, from the caches.
const TILES: usize = 2;

/// Rows of B that are read side by side. This fixes the order of the sums.
const TERMS: usize = 64;

/// How far ahead rows of B are prefetched, in bytes.
const AHEAD: usize = 512;

/// The fewest strips of a part.
const STRIPS: usize = 4;

/// Whether there are so few rows that it is better not to pack B.
pub(super) fn is_few<T: Float + Lanes>(level: Level, a: HostMatrix<T>) -> bool {
    let (height, _) = level.run_kernel(Shape(PhantomData::<T>));
    a.rows() <= (ROWS * size_of::<T>()).min(TILES * height)
}

/// C = A B, for that few rows; there must be something to sum.
pub(super) fn multiply<T: Float + Lanes>(
    level: Level,
    members: usize,
    a: HostMatrix<T>,
    b: HostMatrix<T>,
    mut c: HostMatrixMut<T>,
) {
    let (height, width) = level.run_kernel(Shape(PhantomData::<T>));
    let parts = shares(0..b.columns(), width, (STRIPS * width, usize::MAX), members);
    let heights = a.rows().next_multiple_of(height);
    let room = (TERMS * (heights + width)).next_multiple_of(LINE);
    let mut scratch = Scratch::<T>::new(members * room);
    let rooms = Shared(scratch.as_mut().as_mut_ptr());
    let (c, stride) = c.as_strided();
    let c = Shared(c.as_mut_ptr());
    threads::in_phases(members, &[parts.len()], |member, _, i| {
        // SAFETY: nothing else uses this member's room, or these columns of C.
        let (room, c) = unsafe { (rooms.slice(member * room, room), c.at(parts[i].start)) };
        level.run_kernel(Part { a, b, columns: parts[i].clone(), c, stride, room });
    });
}

/// Some columns of C.
struct Part<'a, T> {
    a: HostMatrix<'a, T>,
    b: HostMatrix<'a, T>,
    columns: Range<usize>,
    /// Where they begin: valid for all rows, `stride` apart, and nothing else may use them.
    c: *mut T,
    stride: usize,
    /// For some terms of all rows of A, and of a strip of B.
    room: &'a mut [MaybeUninit<T>],
}

impl<T: Lanes> Kernel for Part<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let Self { a, b, columns, c, stride, room } = self;
        let (m, width) = (a.rows(), VECTORS * V::LANES);
        let (rows, rest) = room.split_at_mut(TERMS * m.next_multiple_of(ROWS));
        let rows: *mut T = rows.as_mut_ptr().cast();
        let whole = columns.len() - columns.len() % width;
        for depth in pieces(0..a.columns(), TERMS) {
            let part = Place { c, stride, rows: m, columns: columns.len(), add: depth.start > 0 };
            // SAFETY: the host has the instructions. The matrices have these elements, of which B has whole strips up
            // to the column `whole`; there is room for packing, and nothing else uses it or these columns of C.
            unsafe {
                for i in (0..m).step_by(ROWS) {
                    let from = a.row(i)[depth.clone()].as_ptr();
                    strip_of_rows::<V, ROWS>(
                        from,
                        a.stride(),
                        (m - i).min(ROWS),
                        depth.len(),
                        rows.add(i * depth.len()),
                    );
                }
                let from = b.row(depth.start)[columns.clone()].as_ptr();
                for j in (0..whole).step_by(width) {
                    // After the end of these rows come the next ones.
                    let ahead = j + AHEAD / size_of::<T>();
                    let ahead = if ahead < whole { ahead } else { depth.len() * b.stride() + ahead - whole };
                    for i in (0..m).step_by(ROWS) {
                        let ask = Ask {
                            at: from.wrapping_add(ahead),
                            lines: width * size_of::<T>() / LINE,
                            apart: LINE,
                            pace: b.stride() * size_of::<T>(),
                            steps: if i == 0 { depth.len() } else { 0 },
                        };
                        let strip = (rows.add(i * depth.len()).cast_const(), 0);
                        let tile = part.tile((i, j), (ROWS, width), strip, from.add(j), depth.len(), ask);
                        Tile { pitch: b.stride(), ..tile }.run::<V, ROWS, VECTORS, false>();
                    }
                }
                if whole < columns.len() {
                    let strip = columns.start + whole..columns.end;
                    let to = &mut rest[..width * depth.len()];
                    let packed = to.as_ptr().cast();
                    Columns { b, columns: strip, depth: depth.clone(), to }.run::<V, ROWS, VECTORS>();
                    for i in (0..m).step_by(ROWS) {
                        let nothing = Ask { at: packed, lines: 0, apart: 0, pace: 0, steps: 0 };
                        let strip = (rows.add(i * depth.len()).cast_const(), 0);
                        part.tile((i, whole), (ROWS, width), strip, packed, depth.len(), nothing)
                            .run::<V, ROWS, VECTORS, false>();
                    }
                }
            }
        }
    }
}
