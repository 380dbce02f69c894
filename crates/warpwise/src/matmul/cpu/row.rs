//! Products of one row with a matrix: B is read once, in order, and each of its rows is added to the sums.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::cut::pieces;
use super::product::Shared;
use crate::matmul::{HostMatrix, HostMatrixMut};
use crate::memory::Scratch;
use crate::simd::{Kernel, Lanes, Level, Vector};
use crate::{Float, threads};

/// Rows of B that one task reads. This fixes the order of the sums.
const DEPTH: usize = 256;

/// Rows of B that are added at a time.
const TERMS: usize = 16;

/// Rows that are added at a time if fewer are left.
const FEW: usize = 4;

/// Bytes of a row of B that one task reads: its sums stay in the first-level cache.
const PIECE: usize = 16 << 10;

/// C = A B, for one row; there must be something to sum.
pub(super) fn multiply<T: Float + Lanes>(
    level: Level,
    members: usize,
    a: HostMatrix<T>,
    b: HostMatrix<T>,
    mut c: HostMatrixMut<T>,
) {
    let (x, n) = (a.row(0), b.columns());
    let columns: Vec<Range<usize>> = pieces(0..n, PIECE / size_of::<T>()).collect();
    let slabs: Vec<Range<usize>> = pieces(0..x.len(), DEPTH).collect();
    let mut scratch = Scratch::<T>::new(slabs.len() * n);
    let sums = Shared(scratch.as_mut().as_mut_ptr());
    let c = Shared(c.row_mut(0).as_mut_ptr());
    threads::in_phases(members, &[slabs.len() * columns.len(), columns.len()], |_, phase, i| {
        let (slab, piece) = (i / columns.len(), &columns[i % columns.len()]);
        // SAFETY: nothing else uses these columns of the slab's sums, or in the second phase, these columns of C; sums
        // were written in the first.
        unsafe {
            if phase == 0 {
                let sums = sums.slice(slab * n + piece.start, piece.len());
                level.run_kernel(Slab { x, b, columns: piece.clone(), depth: slabs[slab].clone(), sums });
                return;
            }
            let c = c.slice(piece.start, piece.len());
            for slab in 0..slabs.len() {
                for (c, sum) in c.iter_mut().zip(sums.slice(slab * n + piece.start, piece.len())) {
                    *c = if slab > 0 { c.plus(sum.assume_init()) } else { sum.assume_init() };
                }
            }
        }
    });
}

/// Sums of some columns over a slab.
struct Slab<'a, T> {
    x: &'a [T],
    b: HostMatrix<'a, T>,
    columns: Range<usize>,
    depth: Range<usize>,
    sums: &'a mut [MaybeUninit<T>],
}

impl<T: Lanes> Kernel for Slab<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(mut self) {
        for terms in pieces(self.depth.clone(), TERMS) {
            // SAFETY: the host has the instructions.
            unsafe {
                if terms.len() == TERMS {
                    self.add::<V, TERMS>(terms.start);
                    continue;
                }
                for terms in pieces(terms, FEW) {
                    if terms.len() == FEW {
                        self.add::<V, FEW>(terms.start);
                        continue;
                    }
                    for term in terms {
                        self.add::<V, 1>(term);
                    }
                }
            }
        }
    }
}

impl<T: Lanes> Slab<'_, T> {
    /// Adds that many terms to all sums.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`.
    #[inline(always)]
    // Constant indices keep the factors in registers.
    #[allow(clippy::needless_range_loop)]
    unsafe fn add<V: Vector<Element = T>, const COUNT: usize>(&mut self, term: usize) {
        let n = self.columns.len();
        let b: [&[T]; COUNT] = std::array::from_fn(|k| &self.b.row(term + k)[self.columns.clone()]);
        let sums: *mut T = self.sums[..n].as_mut_ptr().cast();
        let is_first = term == self.depth.start;
        // SAFETY: guaranteed by the caller; there are `count` elements from `j` on, and sums that are not the first
        // were written before.
        unsafe {
            let mut x = [V::splat(T::ZERO); COUNT];
            for k in 0..COUNT {
                x[k] = V::splat(self.x[term + k]);
            }
            for j in (0..n).step_by(V::LANES) {
                let count = n - j;
                let mut sum = match () {
                    () if is_first => V::splat(T::ZERO),
                    () if count >= V::LANES => V::load(sums.add(j)),
                    () => V::load_first(sums.add(j), count),
                };
                for k in 0..COUNT {
                    let from = b[k].as_ptr().add(j);
                    let y = if count >= V::LANES { V::load(from) } else { V::load_first(from, count) };
                    sum = x[k].times_plus(y, sum);
                }
                if count >= V::LANES { sum.store(sums.add(j)) } else { sum.store_first(sums.add(j), count) }
            }
        }
    }
}
