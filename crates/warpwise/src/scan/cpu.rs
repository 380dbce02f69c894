//! Scan on the CPU.

use std::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
use super::registers;
use super::{Kind, chains};
use crate::operator::{Combine, with_operator};
use crate::reduce;
use crate::simd::stream::{self, Stores};
use crate::simd::{Body, Level};
use crate::{Element, Error, Operator, threads};

/// Elements that share one prefix: a block is read twice, so it must fit the first-level cache.
const BLOCK: usize = 1024;

/// Blocks in a task.
const BLOCKS: usize = 64;

/// Bytes of the input that a thread goes over at a time: as many as a second-level cache holds. With fewer, two threads
/// would write to the same large page at the same time, and when that is fresh, both would wait until it is cleared.
const WINDOW: usize = 1 << 21;

/// The scan from left to right.
///
/// # Errors
///
/// [`Error::Length`] when the result has another length than the input.
///
/// ```
/// use warpwise::Operator;
/// use warpwise::scan::{Kind, cpu};
///
/// let mut out = [0; 4];
/// cpu::seq(Operator::Max, Kind::Inclusive, &[3, 1, 4, 1], &mut out)?;
/// assert_eq!(out, [3, 3, 4, 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Element>(operator: Operator, kind: Kind, xs: &[T], out: &mut [T]) -> Result<(), Error> {
    Error::check_length("the result", out.len(), xs.len())?;
    with_operator!(operator, one_by_one::<T>(kind, xs, out));
    Ok(())
}

/// The scan on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::Operator;
/// use warpwise::scan::{Kind, cpu};
///
/// let mut out = vec![0; 100_000];
/// cpu::par(Operator::Sum, Kind::Exclusive, &vec![2; 100_000], &mut out)?;
/// assert_eq!(out[99_999], 199_998);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<T: Element>(operator: Operator, kind: Kind, xs: &[T], out: &mut [T]) -> Result<(), Error> {
    par_at(Level::current(), Stores::of(out), operator, kind, xs, out)
}

/// As [`par`], for a result in memory that is fresh from the system.
pub(crate) fn par_fresh<T: Element>(operator: Operator, kind: Kind, xs: &[T], out: &mut [T]) -> Result<(), Error> {
    par_at(Level::current(), Stores::Cached, operator, kind, xs, out)
}

pub(crate) fn par_at<T: Element>(
    level: Level,
    stores: Stores,
    operator: Operator,
    kind: Kind,
    xs: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    Error::check_length("the result", out.len(), xs.len())?;
    with_operator!(operator, in_tasks::<T>(level, stores, kind, xs, out));
    Ok(())
}

fn one_by_one<T: Element, O: Combine>(kind: Kind, xs: &[T], out: &mut [T]) {
    let mut prefix = O::identity();
    for (out, &x) in out.iter_mut().zip(xs) {
        let next = O::combine(prefix, x);
        *out = match kind {
            Kind::Inclusive => next,
            Kind::Exclusive => prefix,
        };
        prefix = next;
    }
}

/// Two passes: the total of every task, then, behind the prefix that follows from the totals, the scan of every task.
/// On one thread there is no need for the first pass, since the totals come out of the second.
fn in_tasks<T: Element, O: Combine>(level: Level, stores: Stores, kind: Kind, xs: &[T], out: &mut [T]) {
    const TASK: usize = BLOCKS * BLOCK;
    let scan = |prefix: T, xs: &[T], out: &mut [T]| {
        level.run(Scan::<T, O> { level, stores, kind, prefix, xs, out, operator: PhantomData })
    };
    // One core reads and writes some 8 bytes each in a nanosecond.
    let members = if xs.len() <= TASK { 1 } else { threads::available(size_of_val(xs) / 8) };
    if members < 2 {
        let mut prefix = O::identity();
        for (xs, out) in xs.chunks(TASK).zip(out.chunks_mut(TASK)) {
            prefix = O::combine(prefix, scan(prefix, xs, out));
        }
        return;
    }
    // A few tasks for each thread at a time, so that the second pass still finds the input in the caches. The prefixes
    // do not depend on where such a window ends.
    let most = WINDOW.div_ceil(TASK * size_of::<T>()) * TASK;
    let window = xs.len().div_ceil(members).next_multiple_of(TASK).min(most);
    let tasks = |i: usize| xs[i * window..xs.len().min((i + 1) * window)].chunks(TASK);
    threads::relay(
        out,
        window,
        members,
        O::identity(),
        |i| tasks(i).map(|xs| level.run(Total::<T, O> { xs, operator: PhantomData })).collect::<Vec<_>>(),
        |prefix, totals| totals.iter().fold(prefix, |prefix, &total| O::combine(prefix, total)),
        |i, mut prefix, totals, out| {
            for ((xs, total), out) in tasks(i).zip(totals).zip(out.chunks_mut(TASK)) {
                scan(prefix, xs, out);
                prefix = O::combine(prefix, total);
            }
        },
    );
}

/// The total of a task: of its blocks in a row.
struct Total<'a, T, O> {
    xs: &'a [T],
    operator: PhantomData<O>,
}

impl<T: Element, O: Combine> Body for Total<'_, T, O> {
    type Output = T;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> T {
        self.xs.chunks(BLOCK).fold(O::identity(), |so_far, xs| O::combine(so_far, reduce::block::<T, O>(xs)))
    }
}

/// The scan of a task behind a prefix, and its total.
struct Scan<'a, T, O> {
    level: Level,
    stores: Stores,
    kind: Kind,
    prefix: T,
    xs: &'a [T],
    out: &'a mut [T],
    operator: PhantomData<O>,
}

impl<T: Element, O: Combine> Body for Scan<'_, T, O> {
    type Output = T;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> T {
        let mut so_far = O::identity();
        let mut block = [T::ZERO; BLOCK];
        for (xs, out) in self.xs.chunks(BLOCK).zip(self.out.chunks_mut(BLOCK)) {
            let prefix = O::combine(self.prefix, so_far);
            let to = match self.stores {
                Stores::Cached => &mut *out,
                Stores::Streamed => &mut block[..out.len()],
            };
            match (self.level, self.kind) {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the level says that the host has the instructions.
                (Level::Avx512(_), kind) if unsafe { registers::scan::<T, O>(kind, prefix, xs, to) } => {}
                (_, Kind::Inclusive) => chains::scan::<T, O, false>(prefix, xs, to),
                (_, Kind::Exclusive) => chains::scan::<T, O, true>(prefix, xs, to),
            }
            if self.stores == Stores::Streamed {
                // SAFETY: the level says that the host has the instructions.
                unsafe { stream::copy(self.level, &block[..out.len()], out) };
            }
            so_far = O::combine(so_far, reduce::block::<T, O>(xs));
        }
        if self.stores == Stores::Streamed {
            stream::finish();
        }
        so_far
    }
}
