//! Splitting work over threads.
//!
//! Threads are rayon's: the caller's pool, or the global one. Waking them takes about ten microseconds, so every split
//! says how long the work would take on one thread, and short work stays there.
//!
//! Tasks never depend on the number of threads, unless that cannot show in the result. So results do not depend on it
//! either.
//!
//! Tasks are handed out here rather than by rayon: the caller starts at once and works along with the pool, and a
//! parallel iterator for every type and operator of every primitive would make up most of the library's code. Tasks are
//! called through pointers, so that what hands them out is compiled once and not for each of them.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Work shorter than this stays on the calling thread, in nanoseconds.
const WAKING: usize = 40_000;

/// The number of threads to split work over that takes this long on one; 1 if waking others does not pay.
pub(crate) fn available(nanoseconds: usize) -> usize {
    // The time comes first: asking for the number of threads starts the pool.
    if nanoseconds < WAKING { 1 } else { rayon::current_num_threads() }
}

/// The results of tasks `0..tasks`, in order.
pub(crate) fn map<R: Send + Sync>(tasks: usize, nanoseconds: usize, task: impl Fn(usize) -> R + Sync) -> Vec<R> {
    results(tasks, nanoseconds, &task)
}

fn results<R: Send + Sync>(tasks: usize, nanoseconds: usize, task: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let members = available(nanoseconds).min(tasks);
    if members < 2 {
        return (0..tasks).map(task).collect();
    }
    let results: Vec<OnceLock<R>> = (0..tasks).map(|_| OnceLock::new()).collect();
    in_phases(members, &[tasks], |_, _, i| {
        // Every task is done once, so that its place is free.
        let _ = results[i].set(task(i));
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

/// Like [`for_each_chunk`], but with the results of the tasks, in order.
pub(crate) fn map_chunks<T: Send, R: Send + Sync>(
    slice: &mut [T],
    chunk: usize,
    nanoseconds: usize,
    task: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    if slice.len() <= chunk || available(nanoseconds) < 2 {
        return slice.chunks_mut(chunk).enumerate().map(|(i, chunk)| task(i, chunk)).collect();
    }
    // Every lock is taken once, by the task with its number: locks only hand over the chunks.
    let chunks: Vec<Mutex<&mut [T]>> = slice.chunks_mut(chunk).map(Mutex::new).collect();
    map(chunks.len(), nanoseconds, |i| task(i, &mut chunks[i].lock().unwrap_or_else(PoisonError::into_inner)))
}

/// `0..length` in chunks; the last one may be shorter.
pub(crate) fn in_chunks(length: usize, chunk: usize) -> Vec<Range<usize>> {
    (0..length).step_by(chunk).map(|start| start..length.min(start + chunk)).collect()
}

/// Tasks in phases: `counts[p]` of them in phase `p`, all of them done before the next phase begins. The pool is woken
/// once. A task is called with the number of the crew member that runs it, which is below `members`, then its phase,
/// then its number; no member runs two tasks at the same time. Members take tasks in order, one at a time.
pub(crate) fn in_phases(members: usize, counts: &[usize], task: impl Fn(usize, usize, usize) + Sync) {
    phases(members, counts, &task);
}

fn phases(members: usize, counts: &[usize], task: &(dyn Fn(usize, usize, usize) + Sync)) {
    if members < 2 {
        for (phase, &count) in counts.iter().enumerate() {
            (0..count).for_each(|i| task(0, phase, i));
        }
        return;
    }
    let phases: Vec<Phase> = counts.iter().map(|&count| Phase::new(count, members)).collect();
    crew(members, &|member| {
        for (number, phase) in phases.iter().enumerate() {
            phase.work(&|i| task(member, number, i));
            // Nobody waits for a member that has not arrived yet, only for tasks that have been started.
            phase.wait();
        }
    });
}

/// Calls the task with every part of the slice; parts are contiguous and cover all of it. Members take parts in order,
/// one at a time, so that they stay close to each other; parts should not be small.
pub(crate) fn for_each_part<T: Send>(
    slice: &mut [T],
    parts: &[Range<usize>],
    nanoseconds: usize,
    task: impl Fn(Range<usize>, &mut [T]) + Sync,
) {
    let members = available(nanoseconds).min(parts.len());
    relay(slice, parts, members, (), |_| (), |(), ()| (), |range, (), (), part| task(range, part));
}

/// The parts of a slice, behind locks that only hand them over: each is taken once.
fn cut<'a, T>(mut slice: &'a mut [T], parts: &[Range<usize>]) -> Vec<Mutex<&'a mut [T]>> {
    let next = |part: &Range<usize>| Mutex::new(slice.split_off_mut(..part.len()).unwrap_or_default());
    parts.iter().map(next).collect()
}

/// Gathers and spreads contiguous parts of a slice, which cover all of it, and passes a baton from each part to the
/// next in between: `next` makes the baton of the next part from what was gathered, and `spread` writes the part with
/// its own. Only `next` waits for the parts before. Returns the baton after the last part.
pub(crate) fn relay<T: Send, B: Copy + Send + Sync, G>(
    slice: &mut [T],
    parts: &[Range<usize>],
    members: usize,
    baton: B,
    gather: impl Fn(Range<usize>) -> G + Sync,
    next: impl Fn(B, &G) -> B + Sync,
    spread: impl Fn(Range<usize>, B, G, &mut [T]) + Sync,
) -> B {
    let chunks = cut(slice, parts);
    let batons: Vec<OnceLock<B>> = (0..=chunks.len()).map(|_| OnceLock::new()).collect();
    let _ = batons[0].set(baton);
    let (begun, dropped) = (AtomicUsize::new(0), AtomicBool::new(false));
    crew(members, &|_| {
        // Chunks are started in order, so those before are done or being worked on.
        loop {
            let i = begun.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = chunks.get(i) else { return };
            let watch = Watch(&dropped);
            let gathered = gather(parts[i].clone());
            wait_until(|| batons[i].get().is_some() || dropped.load(Ordering::Acquire));
            let Some(&baton) = batons[i].get() else { return };
            let _ = batons[i + 1].set(next(baton, &gathered));
            drop(watch);
            spread(parts[i].clone(), baton, gathered, &mut chunk.lock().unwrap_or_else(PoisonError::into_inner));
        }
    });
    batons.last().and_then(OnceLock::get).copied().unwrap_or(baton)
}

/// The caller and some threads of the pool, each doing the work of a member. The caller starts at once, and does all
/// the work if nobody joins.
fn crew(members: usize, work: &(dyn Fn(usize) + Sync)) {
    rayon::in_place_scope(|scope| {
        for member in 1..members {
            scope.spawn(move |_| work(member));
        }
        work(0);
    });
}

/// Tasks that must all be done before anything else begins.
#[derive(Debug)]
struct Phase {
    count: usize,
    members: usize,
    begun: AtomicUsize,
    done: AtomicUsize,
}

impl Phase {
    fn new(count: usize, members: usize) -> Self {
        Self { count, members, begun: AtomicUsize::new(0), done: AtomicUsize::new(0) }
    }

    /// The next tasks that nobody has started. They are many at first, so that a member stays in one part of memory,
    /// and one at the end, so that all members finish at about the same time.
    fn claim(&self) -> Range<usize> {
        let next = |begun: usize| begun + ((self.count - begun) / (4 * self.members)).max(1).min(self.count - begun);
        match self.begun.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |begun| Some(next(begun))) {
            Ok(begun) | Err(begun) => begun..next(begun),
        }
    }

    /// Runs tasks until none are left to start.
    fn work(&self, task: &dyn Fn(usize)) {
        loop {
            let tasks = self.claim();
            if tasks.is_empty() {
                return;
            }
            // A task that panics counts as done: the others must not wait for it forever.
            let _done = Done { phase: self, tasks: tasks.len() };
            tasks.for_each(task);
        }
    }

    /// Waits until all tasks are done; only those already running are left.
    fn wait(&self) {
        wait_until(|| self.done.load(Ordering::Acquire) >= self.count);
    }
}

/// Waits for something short: polling is faster than sleeping, but another thread may need the core.
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let mut asked = 0_usize;
    while !is_so() {
        asked += 1;
        if asked.is_multiple_of(1024) {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}

/// Tells those who wait for a baton that its holder panicked and dropped it.
struct Watch<'a>(&'a AtomicBool);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Release);
        }
    }
}

/// Counts tasks as done when they end.
struct Done<'a> {
    phase: &'a Phase,
    tasks: usize,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.phase.done.fetch_add(self.tasks, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn every_task_is_done_once_and_phases_follow_each_other() {
        for threads in [1, 2, 5] {
            let counts = [7, 0, 1, 300];
            let done: Vec<Vec<AtomicUsize>> =
                counts.iter().map(|&count| (0..count).map(|_| AtomicUsize::new(0)).collect()).collect();
            on_threads(threads, || {
                in_phases(threads, &counts, |member, phase, i| {
                    assert!(member < threads);
                    let before = done[..phase].iter().flatten();
                    assert!(before.map(|times| times.load(Ordering::Relaxed)).all(|times| times == 1));
                    done[phase][i].fetch_add(1, Ordering::Relaxed);
                });
            });
            assert!(done.iter().flatten().all(|times| times.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn results_are_in_order() {
        assert_eq!(on_threads(3, || map(1000, usize::MAX, |i| i * i)), (0..1000).map(|i| i * i).collect::<Vec<_>>());
    }

    #[test]
    fn every_part_is_done_once() {
        for threads in [1, 2, 5] {
            let mut places = vec![0; 1000];
            let parts = [0..1, 1..400, 400..400, 400..1000];
            on_threads(threads, || {
                for_each_part(&mut places, &parts, usize::MAX, |range, part| {
                    part.iter_mut().zip(range).for_each(|(place, i)| *place += i);
                });
            });
            assert!(places.iter().enumerate().all(|(i, &place)| place == i));
        }
    }

    #[test]
    fn batons_are_passed_on_in_order() {
        for threads in [1, 2, 5] {
            let mut sums = vec![0; 1000];
            on_threads(threads, || {
                relay(
                    &mut sums,
                    &in_chunks(1000, 7),
                    threads,
                    0,
                    Iterator::sum::<usize>,
                    |before, total| before + total,
                    |range, before, _, sums| {
                        let mut sum = before;
                        for (place, i) in sums.iter_mut().zip(range) {
                            sum += i;
                            *place = sum;
                        }
                    },
                );
            });
            assert!(sums.iter().enumerate().all(|(i, &sum)| sum == i * (i + 1) / 2));
        }
    }

    #[test]
    fn a_dropped_baton_is_heard_of() {
        let failed = std::panic::catch_unwind(|| {
            let gather = |range: Range<usize>| assert!(range.start != 3, "chunk 3");
            on_threads(2, || relay(&mut [0; 50], &in_chunks(50, 1), 2, (), gather, |(), ()| (), |_, (), (), _| ()));
        });
        assert!(failed.is_err());
    }

    #[test]
    fn a_task_that_panics_is_heard_of() {
        let failed = std::panic::catch_unwind(|| {
            on_threads(2, || in_phases(2, &[50, 50], |_, phase, i| assert!((phase, i) != (0, 3), "task 3")));
        });
        assert!(failed.is_err());
    }
}
