//! Splitting work over threads.
//!
//! Threads are rayon's: the pool that the caller is in, or the global one. Waking them takes some ten microseconds,
//! so every split says how long the work would take on one thread, and short work stays there.
//!
//! What a task is never depends on the number of threads, unless that does not show. That is why results do not either.
//!
//! Tasks come to rayon as numbers, through one function that is compiled once: a parallel iterator for every type and
//! operator of every primitive would be most of the library's code.

use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

/// Work shorter than this stays on the calling thread, in nanoseconds.
const WAKING: usize = 40_000;

/// How many threads to split work over that takes so long on one; 1 if it is not worth waking any.
pub(crate) fn available(nanoseconds: usize) -> usize {
    // The time comes first: asking for the number of threads starts the pool.
    if nanoseconds < WAKING { 1 } else { rayon::current_num_threads() }
}

/// The results of tasks `0..tasks`, in order.
pub(crate) fn map<R: Send + Sync>(tasks: usize, nanoseconds: usize, task: impl Fn(usize) -> R + Sync) -> Vec<R> {
    if tasks < 2 || available(nanoseconds) < 2 {
        return (0..tasks).map(task).collect();
    }
    let results: Vec<OnceLock<R>> = (0..tasks).map(|_| OnceLock::new()).collect();
    for_each(tasks, &|i| {
        results[i].get_or_init(|| task(i));
    });
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// Calls the task with the number and the contents of every chunk; the last one may be shorter.
pub(crate) fn for_each_chunk<T: Send>(
    slice: &mut [T],
    chunk: usize,
    nanoseconds: usize,
    task: impl Fn(usize, &mut [T]) + Sync,
) {
    map_chunks(slice, chunk, nanoseconds, task);
}

/// As [`for_each_chunk`], with the results of the tasks, in order.
pub(crate) fn map_chunks<T: Send, R: Send + Sync>(
    slice: &mut [T],
    chunk: usize,
    nanoseconds: usize,
    task: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    if slice.len() <= chunk || available(nanoseconds) < 2 {
        return slice.chunks_mut(chunk).enumerate().map(|(i, chunk)| task(i, chunk)).collect();
    }
    // Every lock is taken once, by the one task that has its number: they only hand the chunks over.
    let chunks: Vec<Mutex<&mut [T]>> = slice.chunks_mut(chunk).map(Mutex::new).collect();
    map(chunks.len(), nanoseconds, |i| task(i, &mut chunks[i].lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Calls the task with all numbers below `tasks`, on the threads of the pool.
#[inline(never)]
fn for_each(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..tasks).into_par_iter().for_each(task);
}
