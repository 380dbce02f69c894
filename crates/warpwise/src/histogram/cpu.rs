//! Histogram on the CPU.

use super::Binning;
use super::classify::Rule;
use super::count::{Bytes, Count};
use crate::simd::Level;
use crate::{Element, Error, threads};

/// The most elements in a task: its counters have 32 bits.
const LONGEST: usize = 1 << 31;

/// The counts of all bins, one element after the other.
///
/// # Errors
///
/// As for [`Binning::check`].
///
/// ```
/// use warpwise::histogram::{Binning, cpu};
///
/// assert_eq!(cpu::seq(Binning::Modulo { bins: 3 }, &[1, 2, 3, 4, 5])?, [1, 2, 2]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Element>(binning: Binning, xs: &[T]) -> Result<Vec<u64>, Error> {
    binning.check::<T>()?;
    let rule = Rule::of(binning);
    let bins = binning.bins();
    let mut counts = vec![0; bins + 1];
    for &x in xs {
        counts[rule.bin(x) as usize] += 1;
    }
    counts.truncate(bins);
    Ok(counts)
}

/// The counts of all bins, on all cores.
///
/// # Errors
///
/// As for [`Binning::check`].
///
/// ```
/// use warpwise::histogram::{Binning, cpu};
///
/// let xs: Vec<f32> = (0..1000).map(|i| i as f32).collect();
/// assert_eq!(cpu::par(Binning::Even { bins: 2, lo: 0.0, hi: 100.0 }, &xs)?, [50, 50]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<T: Element>(binning: Binning, xs: &[T]) -> Result<Vec<u64>, Error> {
    par_at(Level::current(), binning, xs)
}

pub(crate) fn par_at<T: Element>(level: Level, binning: Binning, xs: &[T]) -> Result<Vec<u64>, Error> {
    binning.check::<T>()?;
    let bins = binning.bins();
    // Tables of counters are cleared and summed, which takes as long as counting some elements.
    if xs.len() < (4 * bins).max(4096) {
        return seq(binning, xs);
    }
    let rule = Rule::of(binning);
    if let Some(bytes) = T::as_bytes(xs) {
        return Ok(by_value(level, rule, bins, bytes));
    }
    // Every task clears and sums its own counters, so it should have more elements than bins. Tasks may depend on the
    // number of threads here: the counts do not.
    let tasks = (xs.len() / (2 * bins).max(1 << 14)).clamp(1, 4 * threads::available(xs.len()));
    let length = xs.len().div_ceil(tasks).clamp(1, LONGEST);
    let partial = threads::map(xs.len().div_ceil(length), xs.len(), |i| {
        level.run(Count { rule, bins, xs: &xs[i * length..xs.len().min((i + 1) * length)] })
    });
    let mut counts = vec![0_u64; bins];
    threads::for_each_chunk(&mut counts, 1 << 12, partial.len() * bins / 8, |i, counts| {
        for partial in &partial {
            for (count, &more) in counts.iter_mut().zip(&partial[i << 12..]) {
                *count += u64::from(more);
            }
        }
    });
    Ok(counts)
}

/// Bytes have 256 values, so all bins are sums of the counts of those.
fn by_value(level: Level, rule: Rule, bins: usize, xs: &[u8]) -> Vec<u64> {
    // One core counts about four bytes in a nanosecond. Every task starts with fresh counters of pairs, so it should
    // have more bytes than there are counters.
    let nanoseconds = xs.len() / 4;
    let task = (xs.len() / (4 * threads::available(nanoseconds))).clamp(1 << 17, 1 << 19);
    let mut counts = vec![0_u64; bins + 1];
    for partial in threads::map(xs.len().div_ceil(task), nanoseconds, |i| {
        level.run(Bytes(&xs[i * task..xs.len().min((i + 1) * task)]))
    }) {
        for (value, count) in (0..=u8::MAX).zip(partial) {
            counts[rule.bin(value) as usize] += u64::from(count);
        }
    }
    counts.truncate(bins);
    counts
}
