//! Work on several cores at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How long it may take until an interrupt is seen.
const SOON: Duration = Duration::from_millis(50);

/// The number of cores.
pub(crate) fn count() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Applies a function to all items, by some workers at a time, and tells it which of them works. The results are in
/// the order of the items. `done` is told how many there are so far; once it is `over`, no further item is begun, and
/// the results of those are missing.
pub(crate) fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    workers: usize,
    work: impl Fn(usize, &T) -> R + Sync,
    done: &dyn Fn(usize),
    over: &dyn Fn() -> bool,
) -> Vec<Option<R>> {
    let (next, ended) = (AtomicUsize::new(0), AtomicBool::new(over()));
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for worker in 0..workers.min(items.len()) {
            let (sender, work, next, ended) = (sender.clone(), &work, &next, &ended);
            scope.spawn(move || {
                while !ended.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    if sender.send((at, work(worker, item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut so_far = 0;
        loop {
            match receiver.recv_timeout(SOON) {
                Ok((at, result)) => {
                    results[at] = Some(result);
                    so_far += 1;
                    done(so_far);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            if over() {
                ended.store(true, Ordering::Relaxed);
            }
        }
    });
    results
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for workers in [1, 3, 100] {
            let items: Vec<usize> = (0..50).collect();
            let last = Cell::new(0);
            let squares = side_by_side(&items, workers, |_, item| item * item, &|done| last.set(done), &|| false);
            assert!(squares.iter().enumerate().all(|(i, square)| *square == Some(i * i)), "{squares:?}");
            assert_eq!(last.get(), 50);
        }
        assert!(side_by_side(&[] as &[u8], 4, |_, _| 0, &|_| (), &|| false).is_empty());
    }

    #[test]
    fn nothing_begins_once_it_is_over() {
        let (items, so_far) = ([0; 1000], Cell::new(0));
        let worked = AtomicUsize::new(0);
        let work = |_, _: &i32| {
            std::thread::sleep(Duration::from_millis(1));
            worked.fetch_add(1, Ordering::Relaxed)
        };
        let results = side_by_side(&items, 2, work, &|done| so_far.set(done), &|| so_far.get() >= 5);
        let there = results.iter().flatten().count();
        assert!((5..1000).contains(&there) && there == so_far.get() && there == worked.into_inner());
        assert!(side_by_side(&items, 2, |_, _| (), &|_| (), &|| true).iter().all(Option::is_none));
    }
}
