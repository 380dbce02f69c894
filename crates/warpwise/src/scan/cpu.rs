//! Scan on the CPU.

use std::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
use super::registers;
use super::{Kind, chains, totals};
use crate::element::same_type;
use crate::operator::{Combine, with_operator};
use crate::reduce;
use crate::simd::ahead::Ahead;
use crate::simd::stream::{self, Stores};
use crate::simd::{Body, Level};
use crate::{Element, Error, Operator, threads};

/// Elements that share one prefix: a block is read twice, so it must fit the first-level cache.
pub(super) const BLOCK: usize = 1024;

/// Blocks in a task.
const BLOCKS: usize = 64;

/// Elements in a task: prefixes of floats are combined from the totals of tasks, so that cuts between tasks show in no
/// bit of a result.
///
/// ```
/// assert_eq!(warpwise::scan::cpu::TASK, 65_536);
/// ```
pub const TASK: usize = BLOCKS * BLOCK;

/// Bytes of the input that a thread processes at a time: the second pass still finds them in the second-level cache.
const WINDOW: usize = 1 << 19;

/// Like [`WINDOW`], but for a result in fresh memory: with fewer bytes, two threads would write to the same large page
/// at the same time, and both would wait until it is cleared.
const FRESH_WINDOW: usize = 1 << 21;

/// The scan from left to right.
///
/// # Errors
///
/// [`Error::Length`] when the result and the input differ in length.
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

/// The total of every task of [`TASK`] elements, as [`par`] combines them from left to right.
///
/// ```
/// use warpwise::Operator;
/// use warpwise::scan::cpu;
///
/// assert_eq!(cpu::totals(Operator::Sum, &vec![1; 70_000]), [65_536, 4_464]);
/// ```
pub fn totals<T: Element>(operator: Operator, xs: &[T]) -> Vec<T> {
    with_operator!(operator, task_totals::<T>(Level::current(), xs))
}

/// The scan of elements that others come before: `prefix` is what these combine to. Cut at a multiple of [`TASK`], with
/// the totals of the tasks before combined from left to right, an array gives the bits that it gives as a whole.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::Operator;
/// use warpwise::scan::{Kind, cpu};
///
/// let mut out = [0; 3];
/// cpu::par_after(Operator::Sum, Kind::Inclusive, 10, &[1, 2, 3], &mut out)?;
/// assert_eq!(out, [11, 13, 16]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par_after<T: Element>(operator: Operator, kind: Kind, prefix: T, xs: &[T], out: &mut [T]) -> Result<(), Error> {
    Error::check_length("the result", out.len(), xs.len())?;
    let (level, stores) = (Level::current(), Stores::of(out));
    with_operator!(operator, in_tasks::<T>(level, stores, WINDOW, kind, prefix, xs, out));
    Ok(())
}

/// Like [`par`], but for a result in memory fresh from the system.
pub(crate) fn par_fresh<T: Element>(operator: Operator, kind: Kind, xs: &[T], out: &mut [T]) -> Result<(), Error> {
    Error::check_length("the result", out.len(), xs.len())?;
    with_operator!(
        operator,
        in_tasks::<T>(Level::current(), Stores::Cached, FRESH_WINDOW, kind, operator.identity(), xs, out)
    );
    Ok(())
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
    with_operator!(operator, in_tasks::<T>(level, stores, WINDOW, kind, operator.identity(), xs, out));
    Ok(())
}

/// Elements after which a scan can go on with the same bits.
pub(super) const STEP: usize = TASK;

/// The scan of elements that follow others: those before, combined, are given, and those up to the end are returned.
pub(super) fn par_from<T: Element>(operator: Operator, kind: Kind, before: T, xs: &[T], out: &mut [T]) -> T {
    with_operator!(operator, in_tasks::<T>(Level::current(), Stores::of(out), WINDOW, kind, before, xs, out))
}

fn task_totals<T: Element, O: Combine>(level: Level, xs: &[T]) -> Vec<T> {
    let ahead = Ahead::within(xs);
    // One core reads about 32 bytes in a nanosecond.
    threads::map(xs.len().div_ceil(TASK), size_of_val(xs) / 32, |i| {
        let task = &xs[i * TASK..xs.len().min((i + 1) * TASK)];
        totals::of_blocks::<T, O>(level, ahead, task).into_iter().fold(O::identity(), O::combine)
    })
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

/// The scan in tasks, and what all elements combine to. Integers without a sign are scanned as those with one where that
/// gives the same bits.
fn in_tasks<T: Element, O: Combine>(
    level: Level,
    stores: Stores,
    window: usize,
    kind: Kind,
    before: T,
    xs: &[T],
    out: &mut [T],
) -> T {
    if const { same_type::<T, u32>() && O::IGNORES_SIGNS } {
        let (before, xs, out) = (bytemuck::cast(before), bytemuck::cast_slice(xs), bytemuck::cast_slice_mut(out));
        bytemuck::cast(in_passes::<i32, O>(level, stores, window, kind, before, xs, out))
    } else if const { same_type::<T, u64>() && O::IGNORES_SIGNS } {
        let (before, xs, out) = (bytemuck::cast(before), bytemuck::cast_slice(xs), bytemuck::cast_slice_mut(out));
        bytemuck::cast(in_passes::<i64, O>(level, stores, window, kind, before, xs, out))
    } else {
        in_passes::<T, O>(level, stores, window, kind, before, xs, out)
    }
}

/// Two passes: the totals of all blocks, then the scan of every task, given the prefix that follows from the totals. On
/// one thread the first pass is not needed, since the second yields the totals.
///
/// A thread takes a window of that many bytes at a time. The prefixes do not depend on where such a window ends. They begin
/// with one, and the one after all elements is returned.
fn in_passes<T: Element, O: Combine>(
    level: Level,
    stores: Stores,
    window: usize,
    kind: Kind,
    before: T,
    xs: &[T],
    out: &mut [T],
) -> T {
    let scan = |prefix: T, xs: &[T], totals: Option<&[T]>, out: &mut [T]| {
        Scan::<T, O> { level, stores, kind, prefix, xs, totals, out, operator: PhantomData }.run()
    };
    // One core reads and writes about 8 bytes each in a nanosecond.
    let members = if xs.len() <= TASK { 1 } else { threads::available(size_of_val(xs) / 8) };
    if members < 2 {
        let mut prefix = before;
        for (xs, out) in xs.chunks(TASK).zip(out.chunks_mut(TASK)) {
            prefix = O::combine(prefix, scan(prefix, xs, None, out));
        }
        return prefix;
    }
    let most = window.div_ceil(TASK * size_of::<T>()) * TASK;
    let windows = threads::in_chunks(xs.len(), xs.len().div_ceil(members).next_multiple_of(TASK).min(most));
    let ahead = Ahead::within(xs);
    let of_task = |totals: &[T]| totals.iter().fold(O::identity(), |so_far, &total| O::combine(so_far, total));
    threads::relay(
        out,
        &windows,
        members,
        before,
        |range| totals::of_blocks::<T, O>(level, ahead, &xs[range]),
        |prefix, totals| totals.chunks(BLOCKS).fold(prefix, |prefix, totals| O::combine(prefix, of_task(totals))),
        |range, mut prefix, totals, out| {
            for ((xs, totals), out) in xs[range].chunks(TASK).zip(totals.chunks(BLOCKS)).zip(out.chunks_mut(TASK)) {
                scan(prefix, xs, Some(totals), out);
                prefix = O::combine(prefix, of_task(totals));
            }
        },
    )
}

/// The scan of a task, given the prefix before it, and its total.
struct Scan<'a, T, O> {
    level: Level,
    stores: Stores,
    kind: Kind,
    prefix: T,
    xs: &'a [T],
    /// The totals of its blocks, if they are known.
    totals: Option<&'a [T]>,
    out: &'a mut [T],
    operator: PhantomData<O>,
}

impl<T: Element, O: Combine> Scan<'_, T, O> {
    fn run(self) -> T {
        match self.level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the host has the instructions.
            Level::Avx512(_) if const { size_of::<T>() >= 4 } => unsafe { in_registers(self) },
            level => level.run_up_to_avx2(Chains(self)),
        }
    }

    /// The scan block by block, with what scans a block that is given the prefix before it.
    #[inline(always)]
    fn by(self, scan: impl Fn(T, &[T], &mut [T])) -> T {
        let mut so_far = O::identity();
        let mut block = [T::ZERO; BLOCK];
        for (i, (xs, out)) in self.xs.chunks(BLOCK).zip(self.out.chunks_mut(BLOCK)).enumerate() {
            let to = match self.stores {
                Stores::Cached => &mut *out,
                Stores::Streamed => &mut block[..out.len()],
            };
            scan(O::combine(self.prefix, so_far), xs, to);
            if self.stores == Stores::Streamed {
                // SAFETY: the level says that the host has the instructions.
                unsafe { stream::copy(self.level, &block[..out.len()], out) };
            }
            let total = match self.totals {
                Some(totals) => totals[i],
                None => reduce::block::<T, O>(xs),
            };
            so_far = O::combine(so_far, total);
        }
        if self.stores == Stores::Streamed {
            stream::finish();
        }
        so_far
    }
}

/// # Safety
///
/// The host must have the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn in_registers<T: Element, O: Combine>(task: Scan<'_, T, O>) -> T {
    let kind = task.kind;
    // SAFETY: guaranteed by the caller.
    task.by(|prefix, xs, out| unsafe { registers::scan::<T, O>(kind, prefix, xs, out) })
}

/// A scan without registers that can be scanned across lanes.
struct Chains<'a, T, O>(Scan<'a, T, O>);

impl<T: Element, O: Combine> Body for Chains<'_, T, O> {
    type Output = T;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> T {
        match self.0.kind {
            Kind::Inclusive => self.0.by(chains::scan::<T, O, false>),
            Kind::Exclusive => self.0.by(chains::scan::<T, O, true>),
        }
    }
}
