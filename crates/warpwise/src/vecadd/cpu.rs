//! Vector add on the CPU.

use std::ops::Range;

use super::check;
use crate::memory::{self, LINE};
use crate::simd::ahead::Ahead;
use crate::simd::stream::{self, Stores};
use crate::simd::{Body, Level};
use crate::{Element, Error, threads};

/// Elements that one task adds.
const TASK: usize = 1 << 15;

/// Vectors of that many bytes are not in the second-level cache.
const FAR: usize = 1 << 21;

/// The sum of two vectors.
///
/// # Errors
///
/// [`Error::Length`] when the lengths differ.
///
/// ```
/// let mut out = [0; 3];
/// warpwise::vecadd::cpu::seq(&[1, 2, 3], &[10, 20, 30], &mut out)?;
/// assert_eq!(out, [11, 22, 33]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Element>(a: &[T], b: &[T], out: &mut [T]) -> Result<(), Error> {
    check(a, b, out)?;
    add(a, b, out);
    Ok(())
}

/// The sum of two vectors, on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// let mut out = [0.0; 3];
/// warpwise::vecadd::cpu::par(&[1.0, 2.0, 3.0], &[0.5; 3], &mut out)?;
/// assert_eq!(out, [1.5, 2.5, 3.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<T: Element>(a: &[T], b: &[T], out: &mut [T]) -> Result<(), Error> {
    par_at(Level::current(), Stores::of(out), a, b, out)
}

/// Like [`par`], but for a result in memory fresh from the system.
pub(crate) fn par_fresh<T: Element>(a: &[T], b: &[T], out: &mut [T]) -> Result<(), Error> {
    let Some(parts) = memory::pages(out, 1) else { return par_at(Level::current(), Stores::Cached, a, b, out) };
    check(a, b, out)?;
    let work = Work { level: Level::current(), stores: Stores::Cached, a, b };
    threads::for_each_part(out, &parts, nanoseconds(a), |range, out| work.part(range, out));
    Ok(())
}

pub(crate) fn par_at<T: Element>(level: Level, stores: Stores, a: &[T], b: &[T], out: &mut [T]) -> Result<(), Error> {
    check(a, b, out)?;
    let work = Work { level, stores, a, b };
    threads::for_each_chunk(out, TASK, nanoseconds(a), |i, out| work.part(i * TASK..i * TASK + out.len(), out));
    Ok(())
}

/// One core moves about 36 bytes in a nanosecond.
fn nanoseconds<T>(a: &[T]) -> usize {
    size_of_val(a) / 12
}

/// The operands, and how to add them.
struct Work<'a, T> {
    level: Level,
    stores: Stores,
    a: &'a [T],
    b: &'a [T],
}

impl<T: Element> Work<'_, T> {
    fn part(&self, range: Range<usize>, out: &mut [T]) {
        let &Self { level, stores, a, b } = self;
        let ahead = (size_of_val(a) >= FAR).then(|| [a, b].map(Ahead::within));
        level.run(Add { level, stores, a: &a[range.clone()], b: &b[range], ahead, out });
    }
}

struct Add<'a, T> {
    level: Level,
    stores: Stores,
    a: &'a [T],
    b: &'a [T],
    /// Prefetches from both, unless they are in the caches anyway.
    ahead: Option<[Ahead; 2]>,
    out: &'a mut [T],
}

impl<T: Element> Body for Add<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        match (self.stores, self.ahead, size_of::<T>()) {
            (Stores::Cached, None, _) => add(self.a, self.b, self.out),
            (_, _, 1) => self.in_lines::<LINE>(),
            (_, _, 2) => self.in_lines::<{ LINE / 2 }>(),
            (_, _, 4) => self.in_lines::<{ LINE / 4 }>(),
            _ => self.in_lines::<{ LINE / 8 }>(),
        }
    }
}

impl<T: Element> Add<'_, T> {
    /// N is the number of elements in a line.
    #[inline(always)]
    fn in_lines<const N: usize>(self) {
        let first = self.out.as_ptr().align_offset(LINE).min(self.out.len());
        let ((begin_a, a), (begin_b, b)) = (self.a.split_at(first), self.b.split_at(first));
        let (begin, out) = self.out.split_at_mut(first);
        add(begin_a, begin_b, begin);
        let ((a, last_a), (b, last_b)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
        let (out, last) = out.as_chunks_mut::<N>();
        for ((a, b), out) in a.iter().zip(b).zip(out) {
            if let Some([in_a, in_b]) = self.ahead {
                in_a.of(a);
                in_b.of(b);
            }
            let mut sums = *a;
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = sum.plus(*b);
            }
            match self.stores {
                Stores::Cached => *out = sums,
                // SAFETY: the level says that the host has the instructions, and chunks of `out` are lines.
                Stores::Streamed => unsafe { stream::line(self.level, sums, out.as_mut_ptr()) },
            }
        }
        add(last_a, last_b, last);
        if self.stores == Stores::Streamed {
            stream::finish();
        }
    }
}

#[inline(always)]
fn add<T: Element>(a: &[T], b: &[T], out: &mut [T]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a.plus(*b);
    }
}
