//! The inner loop of matrix multiply: a tile of C that stays in registers.

use crate::Element;
use crate::simd::{Kernel, Lanes, Vector};

/// The height and width of a tile at a level.
pub(super) struct Shape<T>(pub(super) std::marker::PhantomData<T>);

impl<T: Lanes> Kernel for Shape<T> {
    type Element = T;
    type Output = (usize, usize);

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) -> (usize, usize) {
        (ROWS, VECTORS * V::LANES)
    }
}

/// Multiplies packed strips of A with packed strips of B into rows of C.
pub(super) struct Block<'a, T> {
    /// Strips of A.
    pub(super) a: &'a [T],
    /// Strips of B.
    pub(super) b: &'a [T],
    /// How many products each element of C sums.
    pub(super) depth: usize,
    /// The rows of C, from the first column of the first strip of B on.
    pub(super) c: &'a mut [T],
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Whether to add to what C has.
    pub(super) add: bool,
}

impl<T: Lanes> Kernel for Block<'_, T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let width = VECTORS * V::LANES;
        // The strip of B is outside: it stays in the first-level cache while all of A passes by from the second.
        for (b, j) in self.b.chunks_exact(width * self.depth).zip((0..self.columns).step_by(width)) {
            for (a, i) in self.a.chunks_exact(ROWS * self.depth).zip((0..self.rows).step_by(ROWS)) {
                let (height, across) = ((self.rows - i).min(ROWS), (self.columns - j).min(width));
                let start = i * self.stride + j;
                if height == ROWS && across == width {
                    let c = &mut self.c[start..start + (ROWS - 1) * self.stride + width];
                    // SAFETY: the host has the instructions, the strips have `depth` columns and rows of the tile, and
                    // `c` reaches to the end of the tile's last row.
                    unsafe { tile::<V, ROWS, VECTORS>(self.depth, a, b, c.as_mut_ptr(), self.stride, self.add) };
                    continue;
                }
                let mut whole = [[T::ZERO; 64]; 8];
                // SAFETY: as above, with a tile of our own, which is at least as large as that of any level.
                unsafe { tile::<V, ROWS, VECTORS>(self.depth, a, b, whole.as_mut_ptr().cast(), 64, false) };
                for (i, whole) in whole[..height].iter().enumerate() {
                    for (c, &x) in self.c[start + i * self.stride..][..across].iter_mut().zip(whole) {
                        *c = if self.add { c.plus(x) } else { x };
                    }
                }
            }
        }
    }
}

/// One tile of C.
///
/// # Safety
///
/// The host must have the instructions of `V`; `a` must have `depth * ROWS` elements, `b` `depth * VECTORS * LANES`,
/// and `c` must be valid for `ROWS` rows of `VECTORS * LANES` elements.
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
    assert!(a.len() == depth * ROWS && b.len() == depth * width && ROWS <= 8 && width <= 64);
    let (mut a, mut b) = (a.as_ptr(), b.as_ptr());
    // SAFETY: the instructions are the caller's promise. `a` and `b` move on by what was read, `depth` times in all,
    // which is their length; rows of `c` are valid by the caller's promise.
    unsafe {
        let mut sums = [[V::splat(V::Element::ZERO); VECTORS]; ROWS];
        for _ in 0..depth {
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
