//! Products with few rows: B is read once, in order, which takes longer than all else.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::cut::{DEPTH, pieces};
use super::product::Shared;
use super::{Matrix, MatrixMut};
use crate::memory::{LINE, Scratch};
use crate::simd::{Kernel, Lanes, Level, Vector, prefetch_later};
use crate::{Float, threads};

/// The most rows of A for which nothing is packed.
pub(super) const MOST: usize = 8;

/// Rows of A, and of B, that are multiplied at a time.
const ROWS: usize = 4;

/// Bytes of the rows of B and of the sums that are used at a time: they stay in the first-level cache.
const CACHED: usize = 40 << 10;

/// C = A B, for so few rows; there must be something to sum.
pub(super) fn multiply<T: Float + Lanes>(
    level: Level,
    members: usize,
    a: Matrix<T>,
    b: Matrix<T>,
    mut c: MatrixMut<T>,
) {
    let (m, n, line) = (a.rows(), b.columns(), LINE / size_of::<T>());
    // Long pieces are read faster than many short ones are shared out.
    let most = CACHED / (ROWS + m) / size_of::<T>();
    let length = (n / members).clamp(line, most).next_multiple_of(line);
    let parts: Vec<Range<usize>> = pieces(0..n, length).collect();
    let mut scratch = Scratch::<T>::new(members * m * length);
    let sums = Shared(scratch.as_mut().as_mut_ptr());
    let (c, stride) = c.as_strided();
    let c = Shared(c.as_mut_ptr());
    threads::in_phases(members, &[parts.len()], |member, _, i| {
        let columns = &parts[i];
        for depth in pieces(0..a.columns(), DEPTH) {
            // SAFETY: nobody else has this member's room, or these columns of C, which are within its rows.
            unsafe {
                let sums = sums.slice(member * m * length, m * columns.len());
                level.run_kernel(Slab { a, b, columns: columns.clone(), depth: depth.clone(), sums });
                for (i, sums) in sums.chunks_exact(columns.len()).enumerate() {
                    let row = c.slice(i * stride + columns.start, columns.len());
                    for (c, sum) in row.iter_mut().zip(sums) {
                        *c = if depth.start > 0 { c.plus(sum.assume_init()) } else { sum.assume_init() };
                    }
                }
            }
        }
    });
}

/// Sums of some columns over a slab, row after row.
struct Slab<'a, T> {
    a: Matrix<'a, T>,
    b: Matrix<'a, T>,
    columns: Range<usize>,
    depth: Range<usize>,
    sums: &'a mut [MaybeUninit<T>],
}

impl<T: Lanes> Kernel for Slab<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const TILE: usize, const VECTORS: usize>(mut self) {
        for terms in pieces(self.depth.clone(), ROWS) {
            // SAFETY: the host has the instructions.
            unsafe {
                if terms.len() == ROWS {
                    self.terms::<V, ROWS>(terms.start);
                } else {
                    terms.for_each(|term| self.terms::<V, 1>(term));
                }
            }
        }
    }
}

impl<T: Lanes> Slab<'_, T> {
    /// Adds so many terms to all sums.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`.
    #[inline(always)]
    unsafe fn terms<V: Vector<Element = T>, const TERMS: usize>(&mut self, term: usize) {
        for rows in pieces(0..self.a.rows(), ROWS) {
            // SAFETY: the caller's promise.
            unsafe {
                match rows.len() {
                    1 => self.add::<V, 1, TERMS>(rows.start, term),
                    2 => self.add::<V, 2, TERMS>(rows.start, term),
                    3 => self.add::<V, 3, TERMS>(rows.start, term),
                    _ => self.add::<V, ROWS, TERMS>(rows.start, term),
                }
            }
        }
    }

    /// Adds so many terms to the sums of so many rows.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`.
    #[inline(always)]
    // Indices are constants here: with them the factors become registers.
    #[allow(clippy::needless_range_loop)]
    unsafe fn add<V: Vector<Element = T>, const COUNT: usize, const TERMS: usize>(
        &mut self,
        first: usize,
        term: usize,
    ) {
        let n = self.columns.len();
        let x: [[T; TERMS]; COUNT] = std::array::from_fn(|i| std::array::from_fn(|k| self.a.row(first + i)[term + k]));
        let b: [&[T]; TERMS] = std::array::from_fn(|k| &self.b.row(term + k)[self.columns.clone()]);
        let sums: *mut T = self.sums[first * n..][..COUNT * n].as_mut_ptr().cast();
        let is_first = term == self.depth.start;
        for j in (0..n).step_by(V::LANES) {
            let count = n - j;
            // SAFETY: the caller's promise; `count` elements are there from `j` on, and sums that are not the first were
            // written before.
            unsafe {
                let mut y = [V::splat(T::ZERO); TERMS];
                for k in 0..TERMS {
                    let from = b[k].as_ptr().add(j);
                    prefetch_later(from.wrapping_add(TERMS * self.b.stride()));
                    y[k] = if count >= V::LANES { V::load(from) } else { V::load_first(from, count) };
                }
                for i in 0..COUNT {
                    let place = sums.add(i * n + j);
                    let mut sum = match () {
                        () if is_first => V::splat(T::ZERO),
                        () if count >= V::LANES => V::load(place),
                        () => V::load_first(place, count),
                    };
                    for k in 0..TERMS {
                        sum = V::splat(x[i][k]).times_plus(y[k], sum);
                    }
                    if count >= V::LANES { sum.store(place) } else { sum.store_first(place, count) }
                }
            }
        }
    }
}
