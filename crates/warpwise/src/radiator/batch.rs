//! Many rows of the radiator at a time, a row in every lane of a register.
//!
//! Neighbours are then whole registers, which need no shuffling. A sweep goes over the columns once and takes [`STEPS`]
//! steps: column p goes in, and comes out as column p - 2 after the first step, p - 4 after the second, and so on,
//! since a step needs two columns to the right. The five columns that a step needs from the step before stay in
//! registers.
//!
//! A row is a ring, so a sweep begins and ends `2 STEPS` columns beyond it.

use crate::simd::{Kernel, Lanes, Vector};
use crate::{Element, Float};

/// Steps in a sweep: their columns and the weights fill the registers.
const STEPS: usize = 4;

/// Rows with fewer columns are too short for a sweep of that many steps.
pub(super) const SHORTEST: usize = 4 * STEPS;

/// How many rows a batch has.
pub(super) struct Height<T>(pub(super) std::marker::PhantomData<T>);

impl<T: Lanes> Kernel for Height<T> {
    type Element = T;
    type Output = usize;

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) -> usize {
        V::LANES
    }
}

/// At most as many rows as a register has lanes, of at least [`SHORTEST`] columns, through all steps.
pub(super) struct Batch<'a, T> {
    pub(super) columns: usize,
    pub(super) fixed: usize,
    /// Fifths of the preset's weights.
    pub(super) weights: [T; 5],
    pub(super) iterations: usize,
    pub(super) rows: &'a mut [T],
}

impl<T: Float> Kernel for Batch<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let Self { columns, fixed, weights, iterations, rows } = self;
        assert!(columns >= SHORTEST && rows.len() <= V::LANES * columns && rows.len().is_multiple_of(columns));
        // One column after the other; lanes without a row stay zero.
        let mut ring = vec![T::ZERO; columns * V::LANES];
        for (lane, row) in rows.chunks(columns).enumerate() {
            for (column, &x) in ring.chunks_exact_mut(V::LANES).zip(row) {
                column[lane] = x;
            }
        }
        // SAFETY: the host has the instructions, and the ring has `columns` registers, of which there are enough.
        unsafe {
            let weights = [
                V::splat(weights[0]),
                V::splat(weights[1]),
                V::splat(weights[2]),
                V::splat(weights[3]),
                V::splat(weights[4]),
            ];
            let ring = Ring { at: ring.as_mut_ptr(), columns, fixed };
            for _ in 0..iterations / STEPS {
                ring.sweep::<V, STEPS>(weights);
            }
            for _ in 0..iterations % STEPS {
                ring.sweep::<V, 1>(weights);
            }
        }
        for (lane, row) in rows.chunks_mut(columns).enumerate() {
            for (column, x) in ring.chunks_exact(V::LANES).zip(row) {
                *x = column[lane];
            }
        }
    }
}

/// Columns of registers whose ends meet.
#[derive(Clone, Copy)]
struct Ring<T> {
    at: *mut T,
    columns: usize,
    fixed: usize,
}

impl<T: Element> Ring<T> {
    /// `S` steps.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`, and `at` must be valid for `columns` registers, at least `4 S`.
    #[inline(always)]
    unsafe fn sweep<V: Vector<Element = T>, const S: usize>(self, weights: [V; 5]) {
        let (at, columns) = (self.at, self.columns);
        // SAFETY: columns that are read or written are below `columns`; the rest is guaranteed by the caller.
        unsafe {
            let column = |j: usize| at.add(j * V::LANES);
            let zero = V::splat(T::ZERO);
            let mut seen = [[zero; 4]; S];
            // The first columns, which are written before the sweep reaches them again.
            let mut begin = [zero; 2 * STEPS];
            for (j, begin) in begin.iter_mut().enumerate().take(2 * S) {
                *begin = V::load(column(j));
            }
            let enter = 2 * S + self.fixed;
            for p in 0..2 * S {
                let from = columns - 2 * S + p;
                self.near_fixed(&mut seen, weights, V::load(column(from)), from);
            }
            for p in 0..enter {
                let out = self.near_fixed(&mut seen, weights, V::load(column(p)), p + columns);
                if p >= 2 * S {
                    out.store(column(p - 2 * S));
                }
            }
            for p in enter..columns {
                let mut x = V::load(column(p));
                for seen in &mut seen {
                    x = shift(seen, weights, x);
                }
                x.store(column(p - 2 * S));
            }
            for (p, &begin) in begin.iter().enumerate().take(2 * S) {
                let out = self.near_fixed(&mut seen, weights, begin, p + columns);
                out.store(column(columns + p - 2 * S));
            }
        }
    }

    /// Takes in column `p`, counted from any turn of the ring, near fixed columns: they come out unchanged.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`.
    #[inline(always)]
    unsafe fn near_fixed<V: Vector<Element = T>, const S: usize>(
        self,
        seen: &mut [[V; 4]; S],
        weights: [V; 5],
        x: V,
        p: usize,
    ) -> V {
        let mut x = x;
        for (step, seen) in seen.iter_mut().enumerate() {
            let middle = seen[2];
            // SAFETY: guaranteed by the caller.
            let next = unsafe { shift(seen, weights, x) };
            let column = (p + self.columns - 2 * (step + 1)) % self.columns;
            x = if column < self.fixed { middle } else { next };
        }
        x
    }
}

/// The middle of five columns, a step later; the last of the five joins the four before it.
///
/// # Safety
///
/// The host must have the instructions of `V`.
#[inline(always)]
unsafe fn shift<V: Vector>(seen: &mut [V; 4], weights: [V; 5], x: V) -> V {
    let [a, b, c, d] = *seen;
    *seen = [b, c, d, x];
    // The newest column comes last: it is the only one that has to be waited for.
    // SAFETY: guaranteed by the caller.
    unsafe {
        let sum = b.times_plus(weights[1], a.times_plus(weights[0], V::splat(V::Element::ZERO)));
        x.times_plus(weights[4], d.times_plus(weights[3], c.times_plus(weights[2], sum)))
    }
}
