//! The inner loop of matrix multiply: a tile of C that stays in registers.

use crate::Element;
use crate::simd::{Kernel, Lanes, Vector, prefetch_line};

/// The most rows and columns that a tile has at any level.
const LARGEST: (usize, usize) = (12, 48);

/// How far ahead the strips are asked for, in bytes.
const AHEAD: usize = 768;

/// A part of C, as the product of packed strips of A and B.
pub(super) struct Block<'a, T> {
    pub(super) a: &'a [T],
    pub(super) b: &'a [T],
    pub(super) depth: usize,
    /// Where the part of C begins: it must be valid for its rows, `stride` apart, and nobody else may use them.
    pub(super) c: *mut T,
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Whether to add to what C holds.
    pub(super) add: bool,
}

impl<T: Lanes> Kernel for Block<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let width = VECTORS * V::LANES;
        assert!(ROWS <= LARGEST.0 && width <= LARGEST.1);
        // The strip of B is outside: it stays in the first-level cache while all of A passes by from the second.
        for (b, j) in self.b.chunks_exact(width * self.depth).zip((0..self.columns).step_by(width)) {
            for (a, i) in self.a.chunks_exact(ROWS * self.depth).zip((0..self.rows).step_by(ROWS)) {
                let (height, across) = ((self.rows - i).min(ROWS), (self.columns - j).min(width));
                // SAFETY: the host has the instructions, the strips have `depth` columns and rows of the tile, and the
                // rows of C are valid, as whoever made the block promised. A tile at the edge is first made in one of
                // our own, which is as large as that of any level.
                unsafe {
                    let c = self.c.add(i * self.stride + j);
                    if height == ROWS && across == width {
                        tile::<V, ROWS, VECTORS>(self.depth, a, b, c, self.stride, self.add);
                        continue;
                    }
                    let mut whole = [[T::ZERO; LARGEST.1]; LARGEST.0];
                    tile::<V, ROWS, VECTORS>(self.depth, a, b, whole.as_mut_ptr().cast(), LARGEST.1, false);
                    for (i, whole) in whole[..height].iter().enumerate() {
                        let row = std::slice::from_raw_parts_mut(c.add(i * self.stride), across);
                        for (c, &x) in row.iter_mut().zip(whole) {
                            *c = if self.add { c.plus(x) } else { x };
                        }
                    }
                }
            }
        }
    }
}

/// One tile: every element of A times a row of B, summed over the depth.
///
/// # Safety
///
/// The host must have the instructions of `V`, and `c` must be valid for `ROWS` rows of the tile, `stride` apart.
#[inline(always)]
// Indices are constants here: with them the sums become registers.
#[allow(clippy::needless_range_loop)]
unsafe fn tile<V: Vector, const ROWS: usize, const VECTORS: usize>(
    depth: usize,
    a: &[V::Element],
    b: &[V::Element],
    c: *mut V::Element,
    stride: usize,
    add: bool,
) {
    let width = VECTORS * V::LANES;
    assert!(a.len() == depth * ROWS && b.len() == depth * width);
    let (mut a, mut b) = (a.as_ptr(), b.as_ptr());
    // SAFETY: the instructions are the caller's promise. `a` and `b` move on by what was read, `depth` times in all,
    // which is their length; rows of `c` are valid by the caller's promise.
    unsafe {
        // C is needed when the sums are done: it has until then to come.
        for i in 0..ROWS {
            for j in 0..VECTORS {
                prefetch_line(c.add(i * stride + j * V::LANES));
            }
        }
        let mut sums = [[V::splat(V::Element::ZERO); VECTORS]; ROWS];
        for _ in 0..depth {
            // Both come from the second-level cache at first, and A always does.
            prefetch_line(a.wrapping_byte_add(AHEAD));
            for j in 0..VECTORS {
                prefetch_line(b.wrapping_byte_add(AHEAD + j * size_of::<V>()));
            }
            let mut row = [V::splat(V::Element::ZERO); VECTORS];
            for j in 0..VECTORS {
                row[j] = V::load(b.add(j * V::LANES));
            }
            for i in 0..ROWS {
                let x = V::splat(*a.add(i));
                for j in 0..VECTORS {
                    sums[i][j] = x.times_plus(row[j], sums[i][j]);
                }
            }
            a = a.add(ROWS);
            b = b.add(width);
        }
        for i in 0..ROWS {
            for j in 0..VECTORS {
                let place = c.add(i * stride + j * V::LANES);
                let sum = if add { V::load(place).plus(sums[i][j]) } else { sums[i][j] };
                sum.store(place);
            }
        }
    }
}
