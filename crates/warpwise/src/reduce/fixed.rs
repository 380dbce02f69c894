//! The fixed tree: sums and products of floats with the same bits on every device.
//!
//! A tile is 32 KiB of elements: eight groups of eight rows of 512 bytes. Each column of a group is combined from the
//! first row to the last, the groups two by two, the columns that share 16 bytes two by two, and the 32 values that are
//! left by halves. The values of the tiles are elements of the next round, until one is left. Elements that are missing
//! at the end change nothing.
//!
//! On a GPU a row is one 16-byte load of every lane of a warp, a group is a warp and a tile a block; see
//! `gpu-11-fixed-tree` in `posted.cu`. Here a row is eight registers of AVX-512.

use std::marker::PhantomData;

use crate::operator::Combine;
use crate::simd::{Body, Level, prefetch};
use crate::{Element, threads};

/// Bytes of a row.
const ROW: usize = 512;
/// Rows of a group.
const ROWS: usize = 8;
/// Groups of a tile.
const GROUPS: usize = 8;
/// Bytes that are one 16-byte load on a GPU.
const LOAD: usize = 16;
/// Lanes of a warp.
const WARP: usize = 32;
/// Tiles that one task reduces.
const TASK: usize = 8;

/// Elements of a tile.
const fn tile_of<T>() -> usize {
    ROW * ROWS * GROUPS / size_of::<T>()
}

/// All elements combined in the fixed tree.
pub(super) fn reduce<T: Element, O: Combine>(level: Level, xs: &[T]) -> T {
    finish::<T, O>(climb::<T, O>(level, xs))
}

/// What every device does last: a sum of nothing but -0 is +0, and there is one NaN.
pub(super) fn finish<T: Element, O: Combine>(x: T) -> T {
    let x = O::combine(O::identity(), x);
    match (x.is_nan(), size_of::<T>()) {
        (true, 4) => bytemuck::cast(f32::NAN),
        (true, 8) => bytemuck::cast(f64::NAN),
        _ => x,
    }
}

fn climb<T: Element, O: Combine>(level: Level, xs: &[T]) -> T {
    let tile = tile_of::<T>();
    let mut values = vec![O::identity(); xs.len().div_ceil(tile).max(1)];
    // One core reads some 32 bytes in a nanosecond.
    threads::for_each_chunk(&mut values, TASK, size_of_val(xs) / 32, |i, values| {
        let xs = &xs[i * TASK * tile..xs.len().min((i + 1) * TASK * tile)];
        level.run(Tiles::<T, O> { xs, values, operator: PhantomData });
    });
    if let [value] = values[..] { value } else { climb::<T, O>(level, &values) }
}

/// The values of some tiles.
struct Tiles<'a, T, O> {
    xs: &'a [T],
    values: &'a mut [T],
    operator: PhantomData<O>,
}

impl<T: Element, O: Combine> Body for Tiles<'_, T, O> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (i, value) in self.values.iter_mut().enumerate() {
            let xs = &self.xs[i * tile_of::<T>()..];
            *value = if size_of::<T>() == 4 { tile::<T, O, { ROW / 4 }>(xs) } else { tile::<T, O, { ROW / 8 }>(xs) };
        }
    }
}

/// The value of the first tile of these elements, in rows of `N`. What comes after it is asked for already.
#[inline(always)]
fn tile<T: Element, O: Combine, const N: usize>(xs: &[T]) -> T {
    const AHEAD: usize = 4;
    let mut groups = [[O::identity(); N]; GROUPS];
    for (g, columns) in groups.iter_mut().enumerate() {
        let start = g * ROWS * N;
        if let Some(later) = xs.get(start + AHEAD * ROWS * N..start + (AHEAD + 1) * ROWS * N) {
            prefetch(later);
        }
        match xs.get(start..start + ROWS * N) {
            Some(whole) => *columns = whole_group::<T, O, N>(whole),
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
    columns::<T, O, N>(&groups[0])
}

/// The columns of a group that has all its rows; a strip of them at a time, which fits into registers at every level.
#[inline(always)]
fn whole_group<T: Element, O: Combine, const N: usize>(xs: &[T]) -> [T; N] {
    let mut columns = [O::identity(); N];
    if size_of::<T>() == 4 {
        strips::<T, O, 64>(xs, &mut columns);
    } else {
        strips::<T, O, 32>(xs, &mut columns);
    }
    columns
}

#[inline(always)]
fn strips<T: Element, O: Combine, const STRIP: usize>(xs: &[T], columns: &mut [T]) {
    let width = columns.len();
    let (strips, _) = columns.as_chunks_mut::<STRIP>();
    for (s, strip) in strips.iter_mut().enumerate() {
        let mut so_far = *strip;
        for row in xs.chunks_exact(width) {
            let row: &[T; STRIP] = row[s * STRIP..].first_chunk().expect("strips divide a row");
            for i in 0..STRIP {
                so_far[i] = O::combine(so_far[i], row[i]);
            }
        }
        *strip = so_far;
    }
}

/// One value from all columns: neighbours first, as a lane does with what it loads, then halves, as lanes do.
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
