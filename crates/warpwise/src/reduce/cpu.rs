//! Reduce on the CPU.

use std::marker::PhantomData;

use super::fixed::{finish as finished, round as tile_values};
use super::lanes::{BLOCK, block, find, tree};
use super::registers::AnyOrder;
use super::{Extreme, fixed, reference};
use crate::element::same_type;
use crate::memory::LINE;
use crate::operator::{Combine, Max, Min, with_operator};
use crate::simd::ahead::Ahead;
use crate::simd::{Body, Lanes, Level, prefetch_later};
use crate::{Element, Error, Operator, threads};

/// Elements that one task reduces: few enough to share work evenly, enough to be worth handing over.
const TASK: usize = 64 * BLOCK;

/// All elements combined from left to right.
///
/// # Errors
///
/// [`Error::Empty`] for a minimum or maximum of nothing.
///
/// ```
/// use warpwise::{Operator, reduce::cpu};
///
/// assert_eq!(cpu::seq(Operator::Product, &[2, 3, 4])?, 24);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Element>(operator: Operator, xs: &[T]) -> Result<T, Error> {
    check(operator, xs.len())?;
    Ok(with_operator!(operator, fold::<T>(xs)))
}

/// All elements combined, on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::{Operator, reduce::cpu};
///
/// let xs: Vec<f32> = (0..1_000_000).map(|i| (i % 3) as f32).collect();
/// assert_eq!(cpu::par(Operator::Sum, &xs)?, 999_999.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<T: Element>(operator: Operator, xs: &[T]) -> Result<T, Error> {
    par_at(Level::current(), operator, xs)
}

/// The index of the first smallest or largest element, or of the first NaN.
///
/// # Errors
///
/// [`Error::Empty`] when there are no elements.
///
/// ```
/// use warpwise::reduce::{Extreme, cpu};
///
/// assert_eq!(cpu::seq_place(Extreme::Min, &[3, 1, 2, 1])?, 1);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq_place<T: Element>(extreme: Extreme, xs: &[T]) -> Result<usize, Error> {
    reference::place(extreme, xs)
}

/// The index of the first smallest or largest element, or of the first NaN, on all cores.
///
/// # Errors
///
/// As for [`seq_place`].
///
/// ```
/// use warpwise::reduce::{Extreme, cpu};
///
/// assert_eq!(cpu::par_place(Extreme::Max, &[1.0, f64::NAN, 2.0])?, 1);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par_place<T: Element>(extreme: Extreme, xs: &[T]) -> Result<usize, Error> {
    par_place_at(Level::current(), extreme, xs)
}

/// Elements of a tile of the fixed tree, in which sums and products of floats are combined: 32 KiB of them.
///
/// ```
/// assert_eq!(warpwise::reduce::cpu::tile::<f32>(), 8192);
/// ```
pub const fn tile<T>() -> usize {
    fixed::tile_of::<T>()
}

/// One round of the fixed tree: the value of every [`tile`], on all cores. Those who hold whole tiles of an array, each
/// some of them, get the bits of [`par`] from rounds over their values, with [`finish`] at the end.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::{Operator, reduce::cpu};
///
/// let xs: Vec<f32> = (0..20_000).map(|i| 1.0 / (i + 1) as f32).collect();
/// let (first, second) = xs.split_at(8192);
/// let values = [cpu::round(Operator::Sum, first)?, cpu::round(Operator::Sum, second)?].concat();
/// assert_eq!(values.len(), 3);
/// let sum = cpu::finish(Operator::Sum, cpu::round(Operator::Sum, &values)?[0]);
/// assert_eq!(sum.to_bits(), cpu::par(Operator::Sum, &xs)?.to_bits());
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn round<T: crate::Float>(operator: Operator, xs: &[T]) -> Result<Vec<T>, Error> {
    check(operator, xs.len())?;
    Ok(with_operator!(operator, tile_values::<T>(Level::current(), xs)))
}

/// What [`par`] makes of the last value of the fixed tree: a zero is positive, and there is only one NaN.
///
/// ```
/// use warpwise::{Operator, reduce::cpu};
///
/// assert!(cpu::finish(Operator::Sum, -0.0_f64).is_sign_positive());
/// ```
pub fn finish<T: crate::Float>(operator: Operator, x: T) -> T {
    with_operator!(operator, finished::<T>(x))
}

pub(crate) fn par_at<T: Element>(level: Level, operator: Operator, xs: &[T]) -> Result<T, Error> {
    check(operator, xs.len())?;
    Ok(with_operator!(operator, in_tasks::<T>(level, xs)))
}

pub(crate) fn par_place_at<T: Element>(level: Level, extreme: Extreme, xs: &[T]) -> Result<usize, Error> {
    if xs.is_empty() {
        return Err(Error::Empty { operator: extreme.name() });
    }
    // Values are much cheaper to reduce than places: find the task first, then search only that one.
    let values = match extreme {
        Extreme::Min => values::<T, Min>(level, xs),
        Extreme::Max => values::<T, Max>(level, xs),
    };
    // Tasks are in order, and only a strictly better one replaces an earlier one.
    let best = |best: usize, i: usize| if extreme.beats(values[i], values[best]) { i } else { best };
    let task = (1..values.len()).fold(0, best);
    let place = level.run(Find { xs: &xs[task * TASK..xs.len().min((task + 1) * TASK)], value: values[task] });
    Ok(task * TASK + place)
}

pub(super) fn check(operator: Operator, length: usize) -> Result<(), Error> {
    match operator {
        Operator::Min | Operator::Max if length == 0 => Err(Error::Empty { operator: operator.name() }),
        _ => Ok(()),
    }
}

fn fold<T: Element, O: Combine>(xs: &[T]) -> T {
    xs.iter().fold(O::identity(), |so_far, &x| O::combine(so_far, x))
}

fn in_tasks<T: Element, O: Combine>(level: Level, xs: &[T]) -> T {
    if const { T::IS_FLOAT && O::IGNORES_SIGNS } {
        fixed::reduce::<T, O>(level, xs)
    } else if xs.len() <= TASK {
        task::<T, O>(level, Ahead::within(xs), xs)
    } else {
        values::<T, O>(level, xs).into_iter().fold(O::identity(), O::combine)
    }
}

/// The result of each task.
fn values<T: Element, O: Combine>(level: Level, xs: &[T]) -> Vec<T> {
    let ahead = Ahead::within(xs);
    // One core reads about 32 bytes in a nanosecond.
    threads::map(xs.len().div_ceil(TASK), size_of_val(xs) / 32, |i| {
        task::<T, O>(level, ahead, &xs[i * TASK..xs.len().min((i + 1) * TASK)])
    })
}

/// At most [`TASK`] elements, reduced in any order; in registers if the type has them.
pub(super) fn task<T: Element, O: Combine>(level: Level, ahead: Ahead, xs: &[T]) -> T {
    fn with<T: Element, L: Lanes, O: Combine>(level: Level, ahead: Ahead, xs: &[T]) -> T {
        let xs: &[L] = bytemuck::cast_slice(xs);
        bytemuck::cast(level.run_kernel(AnyOrder::<L, O> { xs, ahead, operator: PhantomData }))
    }
    if const { same_type::<T, f32>() } {
        with::<T, f32, O>(level, ahead, xs)
    } else if const { same_type::<T, f64>() } {
        with::<T, f64, O>(level, ahead, xs)
    } else if const { same_type::<T, i32>() || same_type::<T, u32>() && O::IGNORES_SIGNS } {
        with::<T, i32, O>(level, ahead, xs)
    } else if const { same_type::<T, u64>() && O::IGNORES_SIGNS } {
        bytemuck::cast(task::<i64, O>(level, ahead, bytemuck::cast_slice(xs)))
    } else {
        level.run(Task::<T, O> { xs, operator: PhantomData })
    }
}

/// Prefetches a later block, so that memory is never idle while a block is reduced. A whole task is usually followed by
/// another one, which the same thread takes next.
#[inline(always)]
fn ahead<T>(task: &[T], block: usize) {
    const AHEAD: usize = 4;
    let later = (block + AHEAD) * BLOCK;
    if later < task.len() || task.len() == TASK {
        for line in (0..BLOCK * size_of::<T>()).step_by(LINE) {
            prefetch_later(task.as_ptr().wrapping_add(later).wrapping_byte_add(line));
        }
    }
}

/// At most [`TASK`] elements, reduced.
struct Task<'a, T, O> {
    xs: &'a [T],
    operator: PhantomData<O>,
}

impl<T: Element, O: Combine> Body for Task<'_, T, O> {
    type Output = T;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> T {
        let mut partial = [O::identity(); TASK / BLOCK];
        for (i, (partial, xs)) in partial.iter_mut().zip(self.xs.chunks(BLOCK)).enumerate() {
            ahead(self.xs, i);
            *partial = block::<T, O>(xs);
        }
        tree::<T, O>(&mut partial[..self.xs.len().div_ceil(BLOCK)])
    }
}

/// The first place of a value that is among the elements.
struct Find<'a, T> {
    xs: &'a [T],
    value: T,
}

impl<T: Element> Body for Find<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> usize {
        find(self.xs, self.value).unwrap_or(0)
    }
}
