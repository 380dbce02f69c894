//! The inner loop of matrix multiply: a tile of C that stays in registers.

use crate::simd::{Kernel, Lanes, Vector, prefetch_later, prefetch_line};

/// How far ahead the strip of A is asked for, in bytes: it comes from the second-level cache.
const AHEAD: usize = 768;

/// A part of C, as the product of packed strips of A and B.
pub(super) struct Block<T> {
    /// Strips of A, each as deep as the block and as high as a tile; what is left over has a strip of its own height.
    pub(super) a: *const T,
    /// Strips of B, each as deep as the block and as wide as a tile; the last one may have fewer registers.
    pub(super) b: *const T,
    pub(super) depth: usize,
    /// Where the part of C begins: it must be valid for its rows, `stride` apart, and nobody else may use them.
    pub(super) c: *mut T,
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Whether to add to what C holds.
    pub(super) add: bool,
}

impl<T: Lanes> Kernel for Block<T> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let width = VECTORS * V::LANES;
        let tiles = self.rows.div_ceil(ROWS);
        // The strip of B is outside: it stays in the first-level cache while all of A passes by from the second.
        for j in (0..self.columns).step_by(width) {
            let across = (self.columns - j).min(width);
            // SAFETY: strips of B lie one after the other.
            let b = unsafe { self.b.add(j * self.depth) };
            for (tile, i) in (0..self.rows).step_by(ROWS).enumerate() {
                // The tiles ask for the next strip of B together, which may be further away.
                let share = width * self.depth * size_of::<T>() / tiles;
                let place = Place {
                    // SAFETY: strips of A lie one after the other.
                    a: unsafe { self.a.add(i * self.depth) },
                    b,
                    depth: self.depth,
                    // SAFETY: the part of C has this element.
                    c: unsafe { self.c.add(i * self.stride + j) },
                    stride: self.stride,
                    height: (self.rows - i).min(ROWS),
                    across,
                    next: b.wrapping_add(width * self.depth).wrapping_byte_add(tile * share),
                    pace: share / self.depth,
                    add: self.add,
                };
                // SAFETY: the host has the instructions, and whoever made the block promised the rest.
                unsafe {
                    match place.height {
                        ..=4 if ROWS > 4 => place.across::<V, 4, VECTORS>(),
                        5..=8 if ROWS > 8 => place.across::<V, 8, VECTORS>(),
                        _ => place.across::<V, ROWS, VECTORS>(),
                    }
                }
            }
        }
    }
}

/// Rows of a strip of A for so many rows of C: the fewest that a tile has, where fewer are left than a whole tile.
pub(super) const fn padded(height: usize, rows: usize) -> usize {
    match height {
        ..=4 if rows > 4 => 4,
        5..=8 if rows > 8 => 8,
        _ => rows,
    }
}

/// A tile with what it is computed from.
struct Place<T> {
    a: *const T,
    b: *const T,
    depth: usize,
    c: *mut T,
    stride: usize,
    /// Rows and columns of C that are there.
    height: usize,
    across: usize,
    /// What to ask for meanwhile, and how many bytes of it with every row of B.
    next: *const T,
    pace: usize,
    add: bool,
}

impl<T: Lanes> Place<T> {
    /// # Safety
    ///
    /// As for [`tile`](Place::tile).
    #[inline(always)]
    unsafe fn across<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        // SAFETY: the caller's promises.
        unsafe {
            match self.across.div_ceil(V::LANES) {
                1 if VECTORS > 1 => self.tile::<V, ROWS, 1>(),
                2 if VECTORS > 2 => self.tile::<V, ROWS, 2>(),
                _ => self.tile::<V, ROWS, VECTORS>(),
            }
        }
    }

    /// One tile: every element of A times a row of B, summed over the depth.
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`, the strips must have `ROWS` rows and `VECTORS` registers, and `c` must
    /// be valid for the rows and columns that are there.
    #[inline(always)]
    // Indices are constants here: with them the sums become registers.
    #[allow(clippy::needless_range_loop)]
    unsafe fn tile<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(self) {
        let Self { mut a, mut b, depth, c, stride, height, across, mut next, pace, add } = self;
        // SAFETY: the instructions are the caller's promise. `a` and `b` move on by what was read, `depth` times in all,
        // which is their length; of `c`, only rows and columns that are there are used.
        unsafe {
            // C is needed when the sums are done: it has until then to come.
            for i in 0..ROWS {
                for j in 0..VECTORS {
                    prefetch_line(c.wrapping_add(i * stride + j * V::LANES));
                }
                prefetch_line(c.wrapping_add(i * stride + across - 1));
            }
            let mut sums = [[V::splat(T::ZERO); VECTORS]; ROWS];
            for _ in 0..depth {
                prefetch_line(a.wrapping_byte_add(AHEAD));
                prefetch_later(next);
                next = next.wrapping_byte_add(pace);
                let mut row = [V::splat(T::ZERO); VECTORS];
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
                b = b.add(VECTORS * V::LANES);
            }
            if height == ROWS && across == VECTORS * V::LANES {
                for i in 0..ROWS {
                    for j in 0..VECTORS {
                        let place = c.add(i * stride + j * V::LANES);
                        let sum = if add { V::load(place).plus(sums[i][j]) } else { sums[i][j] };
                        sum.store(place);
                    }
                }
                return;
            }
            // Sums that are indexed by a variable would not be in registers: they go to memory first.
            let mut whole = [[V::splat(T::ZERO); VECTORS]; ROWS];
            let whole: *mut T = whole.as_mut_ptr().cast();
            for i in 0..ROWS {
                for j in 0..VECTORS {
                    sums[i][j].store(whole.add((i * VECTORS + j) * V::LANES));
                }
            }
            for i in 0..height {
                for j in (0..across).step_by(V::LANES) {
                    let (sum, place) = (V::load(whole.add(i * VECTORS * V::LANES + j)), c.add(i * stride + j));
                    let count = across - j;
                    if count >= V::LANES {
                        if add { V::load(place).plus(sum) } else { sum }.store(place);
                    } else {
                        if add { V::load_first(place, count).plus(sum) } else { sum }.store_first(place, count);
                    }
                }
            }
        }
    }
}
