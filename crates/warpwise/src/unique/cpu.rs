//! Runs on the CPU.

use crate::sort::Key;
use crate::threads;

/// Elements of a task.
const TASK: usize = 1 << 16;

/// Whether two elements are equal: as numbers, or both NaN.
pub(crate) fn same<K: Key>(a: K, b: K) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

/// The first element of each run of equal elements, and how long the runs are, on all cores.
///
/// ```
/// assert_eq!(warpwise::unique::cpu::run_lengths(&[4, 4, 9]), (vec![4, 9], vec![2, 1]));
/// ```
pub fn run_lengths<K: Key>(xs: &[K]) -> (Vec<K>, Vec<u64>) {
    // One core looks at some two elements in a nanosecond.
    let tasks = threads::map(xs.len().div_ceil(TASK), xs.len() / 2, |task| {
        let range = task * TASK..xs.len().min((task + 1) * TASK);
        range.filter(|&i| i == 0 || !same(xs[i - 1], xs[i])).collect::<Vec<_>>()
    });
    let starts = tasks.concat();
    let ends = starts.iter().skip(1).copied().chain([xs.len()]);
    let lengths = starts.iter().zip(ends).map(|(&start, end)| (end - start) as u64).collect();
    (starts.iter().map(|&start| xs[start]).collect(), lengths)
}

/// Leaves only the first element of each run.
pub(super) fn keep_first<K: Key>(xs: &mut Vec<K>) {
    xs.dedup_by(|later, kept| same(*later, *kept));
}
