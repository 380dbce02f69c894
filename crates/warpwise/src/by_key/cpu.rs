//! Runs of equal keys on all cores of the CPU.

use crate::scan::Kind;
use crate::sort::Key;
use crate::unique::cpu::same;
use crate::{Element, Operator, reduce, threads};

/// Elements of a task.
const TASK: usize = 1 << 16;
/// Runs of a task.
const RUNS: usize = 1 << 10;
/// Values that are combined one by one.
const FEW: usize = 64;

/// The first key of every run, and its values combined.
pub(super) fn reduce<K: Key, T: Element>(operator: Operator, keys: &[K], values: &[T]) -> (Vec<K>, Vec<T>) {
    let starts = starts(keys);
    let run = |i: usize| starts[i]..starts.get(i + 1).copied().unwrap_or(keys.len());
    let tasks = threads::map(starts.len().div_ceil(RUNS), keys.len(), |task| {
        let runs = task * RUNS..starts.len().min((task + 1) * RUNS);
        runs.map(|i| combined(operator, &values[run(i)])).collect::<Vec<_>>()
    });
    (starts.iter().map(|&start| keys[start]).collect(), tasks.concat())
}

/// One run, which is not empty. A long one is combined in the fixed tree of [`reduce`].
pub(crate) fn combined<T: Element>(operator: Operator, values: &[T]) -> T {
    let (&first, rest) = values.split_first().expect("a run has a value");
    if rest.len() < FEW {
        return rest.iter().fold(first, |all, &value| operator.apply(all, value));
    }
    reduce::cpu::par(operator, values).unwrap_or(first)
}

/// Where runs begin.
fn starts<K: Key>(keys: &[K]) -> Vec<usize> {
    let tasks = threads::map(keys.len().div_ceil(TASK), keys.len() / 2, |task| {
        let range = task * TASK..keys.len().min((task + 1) * TASK);
        range.filter(|&i| begins(keys, i)).collect::<Vec<_>>()
    });
    tasks.concat()
}

fn begins<K: Key>(keys: &[K], i: usize) -> bool {
    i == 0 || !same(keys[i - 1], keys[i])
}

/// Every run, combined up to each of its values.
pub(super) fn scan<K: Key, T: Element>(operator: Operator, kind: Kind, keys: &[K], values: &[T]) -> Vec<T> {
    // Tasks begin with what the run that is open there has so far: in parallel for each task, then from task to task.
    let tails = threads::map(keys.len().div_ceil(TASK), keys.len(), |task| {
        let (first, end) = (task * TASK, keys.len().min((task + 1) * TASK));
        let head = (first..end).rev().find(|&i| begins(keys, i));
        (head.is_some(), combined(operator, &values[head.unwrap_or(first)..end]))
    });
    let mut open = operator.identity::<T>();
    let carries: Vec<T> = tails
        .iter()
        .map(|&(begins, tail)| {
            let after = if begins { tail } else { operator.apply(open, tail) };
            std::mem::replace(&mut open, after)
        })
        .collect();
    let mut out = crate::memory::zeros(keys.len());
    threads::for_each_part(&mut out, &threads::in_chunks(keys.len(), TASK), 2 * keys.len(), |range, out| {
        let mut all = carries[range.start / TASK];
        for (i, to) in range.zip(out) {
            let before = if begins(keys, i) { operator.identity() } else { all };
            all = if begins(keys, i) { values[i] } else { operator.apply(all, values[i]) };
            *to = if kind == Kind::Exclusive { before } else { all };
        }
    });
    out
}
