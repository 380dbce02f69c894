//! The fixed tree: sums and products of floats with the same bits on every device.
//!
//! A tile is 32 KiB of elements: eight groups of eight rows of 512 bytes. Each column of a group is combined from the
//! first row to the last, the groups pairwise, the columns that share 16 bytes pairwise, and the remaining 32 values by
//! halves. The values of the tiles are the elements of the next round, until one is left. Missing elements at the end
//! change nothing.
//!
//! On a GPU a row is one 16-byte load of every lane of a warp, a group is a warp and a tile a block; see
//! `gpu-11-fixed-tree` in `posted.cu`. Here a row is eight registers of AVX-512.

use std::marker::PhantomData;

use super::registers::{WIDE, combine};
use crate::element::same_type;
use crate::operator::Combine;
use crate::simd::ahead::Ahead;
use crate::simd::{Kernel, Lanes, Level, Vector};
use crate::{Element, threads};

/// Bytes of a row.
const ROW: usize = 512;
/// Rows of a group.
const ROWS: usize = 8;
/// Groups of a tile.
const GROUPS: usize = 8;
/// Bytes of one 16-byte load on a GPU.
const LOAD: usize = 16;
/// Lanes of a warp.
const WARP: usize = 32;
/// Tiles that one task reduces.
const TASK: usize = 8;

/// Elements of a tile.
pub(super) const fn tile_of<T>() -> usize {
    ROW * ROWS * GROUPS / size_of::<T>()
}

/// All elements combined in the fixed tree.
pub(super) fn reduce<T: Element, O: Combine>(level: Level, xs: &[T]) -> T {
    finish::<T, O>(match size_of::<T>() {
        4 => bytemuck::cast(climb::<f32, O>(level, bytemuck::cast_slice(xs))),
        _ => bytemuck::cast(climb::<f64, O>(level, bytemuck::cast_slice(xs))),
    })
}

/// The last step on every device: a sum of nothing but -0 is +0, and there is only one NaN.
pub(super) fn finish<T: Element, O: Combine>(x: T) -> T {
    let x = O::combine(O::identity(), x);
    match (x.is_nan(), size_of::<T>()) {
        (true, 4) => bytemuck::cast(f32::NAN),
        (true, 8) => bytemuck::cast(f64::NAN),
        _ => x,
    }
}

/// The value of one tile, or of fewer elements.
pub(super) fn tile_value<T: Element, O: Combine>(level: Level, xs: &[T]) -> T {
    fn with<T: Lanes, O: Combine>(level: Level, xs: &[T]) -> T {
        let mut value = [O::identity()];
        let ahead = Ahead::within(xs);
        level.run_kernel(Tiles::<T, O> { xs, ahead, values: &mut value, operator: PhantomData });
        value[0]
    }
    match size_of::<T>() {
        4 => bytemuck::cast(with::<f32, O>(level, bytemuck::cast_slice(xs))),
        _ => bytemuck::cast(with::<f64, O>(level, bytemuck::cast_slice(xs))),
    }
}

/// One round of the tree: the value of every tile.
pub(super) fn round<T: Element, O: Combine>(level: Level, xs: &[T]) -> Vec<T> {
    if const { same_type::<T, f32>() && O::IGNORES_SIGNS } {
        bytemuck::cast_slice(&values::<f32, O>(level, bytemuck::cast_slice(xs))).to_vec()
    } else if const { same_type::<T, f64>() && O::IGNORES_SIGNS } {
        bytemuck::cast_slice(&values::<f64, O>(level, bytemuck::cast_slice(xs))).to_vec()
    } else if xs.is_empty() {
        vec![O::identity()]
    } else {
        // The order does not show.
        xs.chunks(tile_of::<T>()).map(super::block::<T, O>).collect()
    }
}

fn climb<T: Lanes, O: Combine>(level: Level, xs: &[T]) -> T {
    let values = values::<T, O>(level, xs);
    if let [value] = values[..] { value } else { climb::<T, O>(level, &values) }
}

/// The value of every tile; that of nothing is the identity.
fn values<T: Lanes, O: Combine>(level: Level, xs: &[T]) -> Vec<T> {
    let tile = tile_of::<T>();
    let mut values = vec![O::identity(); xs.len().div_ceil(tile).max(1)];
    let ahead = Ahead::within(xs);
    // One core reads about 32 bytes in a nanosecond.
    threads::for_each_chunk(&mut values, TASK, size_of_val(xs) / 32, |i, values| {
        let xs = &xs[i * TASK * tile..xs.len().min((i + 1) * TASK * tile)];
        level.run_kernel(Tiles::<T, O> { xs, ahead, values, operator: PhantomData });
    });
    values
}

/// The values of some tiles.
struct Tiles<'a, T, O> {
    xs: &'a [T],
    ahead: Ahead,
    values: &'a mut [T],
    operator: PhantomData<O>,
}

impl<T: Lanes, O: Combine> Kernel for Tiles<'_, T, O> {
    type Element = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = T>, const R: usize, const C: usize>(self) {
        for (i, value) in self.values.iter_mut().enumerate() {
            let xs = &self.xs[i * tile_of::<T>()..];
            // SAFETY: the host has the instructions.
            *value = unsafe {
                if const { size_of::<T>() == 4 } {
                    tile::<V, O, { ROW / 4 }>(xs, self.ahead)
                } else {
                    tile::<V, O, { ROW / 8 }>(xs, self.ahead)
                }
            };
        }
    }
}

/// The value of the first tile of these elements, in rows of `N`.
///
/// # Safety
///
/// The host must have the instructions of `V`.
#[inline(always)]
unsafe fn tile<V: Vector, O: Combine, const N: usize>(xs: &[V::Element], ahead: Ahead) -> V::Element {
    let mut groups = [[O::identity(); N]; GROUPS];
    for (g, columns) in groups.iter_mut().enumerate() {
        let start = g * ROWS * N;
        match xs.get(start..start + ROWS * N) {
            // SAFETY: guaranteed by the caller.
            Some(whole) => unsafe { whole_group::<V, O, N>(whole, columns, ahead) },
            None => {
                for row in xs.get(start..).unwrap_or_default().chunks(N) {
                    columns.iter_mut().zip(row).for_each(|(column, &x)| *column = O::combine(*column, x));
                }
            }
        }
    }
    let mut distance = 1;
    while distance < GROUPS {
        for g in (0..GROUPS).step_by(2 * distance) {
            let (left, right) = groups.split_at_mut(g + distance);
            left[g].iter_mut().zip(&right[0]).for_each(|(a, &b)| *a = O::combine(*a, b));
        }
        distance *= 2;
    }
    columns::<V::Element, O, N>(&groups[0])
}

/// The columns of a group that has all its rows; a strip of them at a time, which fits into registers at every level.
///
/// # Safety
///
/// The host must have the instructions of `V`.
#[inline(always)]
unsafe fn whole_group<V: Vector, O: Combine, const N: usize>(
    xs: &[V::Element],
    columns: &mut [V::Element; N],
    ahead: Ahead,
) {
    let width = WIDE * V::LANES;
    assert!(xs.len() == ROWS * N && N.is_multiple_of(width));
    // SAFETY: guaranteed by the caller; a strip ends where its row does, or before.
    unsafe {
        for (s, strip) in columns.chunks_exact_mut(width).enumerate() {
            let mut so_far = [V::splat(O::identity()); WIDE];
            for row in xs.chunks_exact(N) {
                let row = &row[s * width..(s + 1) * width];
                ahead.of(row);
                for (i, so_far) in so_far.iter_mut().enumerate() {
                    *so_far = combine::<V, O>(*so_far, V::load(row.as_ptr().add(i * V::LANES)));
                }
            }
            for (i, so_far) in so_far.into_iter().enumerate() {
                so_far.store(strip.as_mut_ptr().add(i * V::LANES));
            }
        }
    }
}

/// One value from all columns: neighbours first, as within a lane's load, then halves, as across lanes.
#[inline(always)]
fn columns<T: Element, O: Combine, const N: usize>(columns: &[T; N]) -> T {
    let per_lane = LOAD / size_of::<T>();
    let mut lanes = [O::identity(); WARP];
    for (lane, loaded) in lanes.iter_mut().zip(columns.chunks_exact(per_lane)) {
        *lane = match *loaded {
            [a, b, c, d] => O::combine(O::combine(a, b), O::combine(c, d)),
            [a, b] => O::combine(a, b),
            _ => O::identity(),
        };
    }
    let mut width = WARP;
    while width > 1 {
        width /= 2;
        for i in 0..width {
            lanes[i] = O::combine(lanes[i], lanes[i + width]);
        }
    }
    lanes[0]
}
