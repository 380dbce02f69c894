//! Products of a matrix with one column: A is read once, in order, and each of its rows gives one sum.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::cut::pieces;
use super::product::Shared;
use crate::matmul::{HostMatrix, HostMatrixMut};
use crate::memory::Scratch;
use crate::simd::{Kernel, Lanes, Level, Vector};
use crate::{Element, Float, threads};

/// Terms of a sum that one task adds. This fixes the order of the sums.
const DEPTH: usize = 1 << 14;

/// Rows that are summed together and share the elements of the column.
const ROWS: usize = 4;

/// Registers of sums for each of them.
const SUMS: usize = 2;

/// Bytes of A that one task reads.
const TASK: usize = 64 << 10;

/// C = A B, for one column; there must be something to sum.
pub(super) fn multiply<T: Float + Lanes>(
    level: Level,
    members: usize,
    a: HostMatrix<T>,
    b: HostMatrix<T>,
    mut c: HostMatrixMut<T>,
) {
    let (m, k) = (a.rows(), a.columns());
    let gathered: Vec<T>;
    let x = match b.without_gaps() {
        Some(x) => x,
        None => {
            gathered = (0..k).map(|i| b.row(i)[0]).collect();
            &gathered
        }
    };
    let slabs: Vec<Range<usize>> = pieces(0..k, DEPTH).collect();
    let height = (TASK / (k.min(DEPTH) * size_of::<T>())).next_multiple_of(ROWS).max(ROWS);
    let rows: Vec<Range<usize>> = pieces(0..m, height).collect();
    let mut scratch = Scratch::<T>::new(slabs.len() * m);
    let sums = Shared(scratch.as_mut().as_mut_ptr());
    threads::in_phases(members, &[slabs.len() * rows.len()], |_, _, i| {
        let (slab, rows) = (i / rows.len(), &rows[i % rows.len()]);
        // SAFETY: nothing else uses these rows of the slab's sums.
        let sums = unsafe { sums.slice(slab * m + rows.start, rows.len()) };
        level.run_kernel(Slab { a, x, rows: rows.clone(), depth: slabs[slab].clone(), sums });
    });
    let sums = scratch.as_mut();
    let (c, stride) = c.as_strided();
    for (i, c) in c.iter_mut().step_by(stride).enumerate() {
        // SAFETY: the tasks have written all sums.
        let terms = (0..slabs.len()).map(|slab| unsafe { sums[slab * m + i].assume_init() });
        *c = terms.reduce(Element::plus).unwrap_or(T::ZERO);
    }
}

/// Sums of some rows over a slab.
struct Slab<'a, T> {
    a: HostMatrix<'a, T>,
    x: &'a [T],
    rows: Range<usize>,
    depth: Range<usize>,
    sums: &'a mut [MaybeUninit<T>],
}

impl<T: Lanes> Kernel for Slab<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const TILE: usize, const VECTORS: usize>(mut self) {
        for rows in pieces(self.rows.clone(), ROWS) {
            // SAFETY: the host has the instructions.
            unsafe {
                if rows.len() == ROWS {
                    self.sum::<V, ROWS>(rows.start);
                    continue;
                }
                for row in rows {
                    self.sum::<V, 1>(row);
                }
            }
        }
    }
}

impl<T: Lanes> Slab<'_, T> {
    /// The sums of that many rows.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`.
    #[inline(always)]
    // Constant indices keep the sums in registers.
    #[allow(clippy::needless_range_loop)]
    unsafe fn sum<V: Vector<Element = T>, const COUNT: usize>(&mut self, first: usize) {
        let x = &self.x[self.depth.clone()];
        let a: [&[T]; COUNT] = std::array::from_fn(|i| &self.a.row(first + i)[self.depth.clone()]);
        // SAFETY: guaranteed by the caller; `x` and the rows have as many elements as are read from `j` on.
        unsafe {
            let mut sums = [[V::splat(T::ZERO); SUMS]; COUNT];
            let whole = x.len() - x.len() % (SUMS * V::LANES);
            for j in (0..whole).step_by(SUMS * V::LANES) {
                for s in 0..SUMS {
                    let y = V::load(x.as_ptr().add(j + s * V::LANES));
                    for i in 0..COUNT {
                        sums[i][s] = V::load(a[i].as_ptr().add(j + s * V::LANES)).times_plus(y, sums[i][s]);
                    }
                }
            }
            for j in (whole..x.len()).step_by(V::LANES) {
                let count = x.len() - j;
                let y = load::<V>(x.as_ptr().add(j), count);
                for i in 0..COUNT {
                    sums[i][0] = load::<V>(a[i].as_ptr().add(j), count).times_plus(y, sums[i][0]);
                }
            }
            let mut lanes = [V::splat(T::ZERO); ROWS];
            for i in 0..COUNT {
                lanes[i] = sums[i][0];
                for s in 1..SUMS {
                    lanes[i] = lanes[i].plus(sums[i][s]);
                }
            }
            for (place, total) in self.sums[first - self.rows.start..][..COUNT].iter_mut().zip(totals(lanes)) {
                place.write(total);
            }
        }
    }
}

/// A full register, or as many elements as there are.
///
/// # Safety
///
/// The host must have the instructions of `V`, and that many elements must exist.
#[inline(always)]
unsafe fn load<V: Vector>(from: *const V::Element, count: usize) -> V {
    // SAFETY: guaranteed by the caller.
    unsafe { if count >= V::LANES { V::load(from) } else { V::load_first(from, count) } }
}

/// The sums of the lanes of each register.
///
/// # Safety
///
/// The host must have the instructions of `V`.
#[inline(always)]
unsafe fn totals<V: Vector>(sums: [V; ROWS]) -> [V::Element; ROWS] {
    const { assert!(V::LANES <= 16 && V::LANES.is_power_of_two() && ROWS == 4) };
    let (mut rows, mut columns) = ([[V::Element::ZERO; 16]; ROWS], [[V::Element::ZERO; ROWS]; 16]);
    // SAFETY: guaranteed by the caller; there are no more lanes than that.
    unsafe {
        for (sum, row) in sums.into_iter().zip(&mut rows) {
            sum.store(row.as_mut_ptr());
        }
        V::transpose(rows.each_ref().map(|row| row.as_ptr()), columns.as_mut_ptr().cast(), ROWS);
    }
    // Of two halves, each column of the first is added to that of the second, repeatedly.
    let mut half = V::LANES / 2;
    while half > 0 {
        for j in 0..half {
            columns[j] = std::array::from_fn(|i| columns[j][i].plus(columns[half + j][i]));
        }
        half /= 2;
    }
    columns[0]
}
