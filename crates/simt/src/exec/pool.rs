//! Host threads that help to run blocks, kept from launch to launch.
//!
//! Starting a thread takes longer than a small launch. So threads that have helped wait for the next launch, of any
//! machine. Help is never waited for: a launch that ends before a thread has come does without it. This also keeps a
//! process that was forked, and has none of the threads, from waiting for ever.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Threads that are kept at most.
const MOST: usize = 256;

/// What a thread panicked with.
type Panic = Box<dyn Any + Send>;

/// A function that helpers call, alive as long as its call is listed.
#[derive(Clone, Copy)]
struct Work(*const (dyn Fn() + Sync));

// SAFETY: the function may be called from any thread, and whoever lists it keeps it alive.
unsafe impl Send for Work {}

/// A call for help.
struct Call {
    number: u64,
    work: Work,
    /// Helpers that it still has room for.
    wanted: usize,
    /// Helpers at work.
    running: usize,
    panic: Option<Panic>,
}

struct State {
    calls: Vec<Call>,
    next: u64,
    threads: usize,
    idle: usize,
}

/// All threads, and the calls for them.
struct Pool {
    state: Mutex<State>,
    /// There is a new call.
    called: Condvar,
    /// The last helper of a call has ended.
    ended: Condvar,
}

static POOL: Pool = Pool {
    state: Mutex::new(State { calls: Vec::new(), next: 0, threads: 0, idle: 0 }),
    called: Condvar::new(),
    ended: Condvar::new(),
};

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does: it helps whoever calls.
    fn serve(&self) {
        let mut state = self.lock();
        loop {
            let Some(call) = state.calls.iter_mut().find(|call| call.wanted > 0) else {
                state.idle += 1;
                state = self.called.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                continue;
            };
            call.wanted -= 1;
            call.running += 1;
            let (number, work) = (call.number, call.work);
            drop(state);
            // SAFETY: the call stays listed, and its caller waits, while a helper is counted as running.
            let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { (*work.0)() }));
            state = self.lock();
            if let Some(call) = state.calls.iter_mut().find(|call| call.number == number) {
                call.running -= 1;
                call.panic = call.panic.take().or(outcome.err());
                if call.running == 0 {
                    self.ended.notify_all();
                }
            }
        }
    }
}

/// The helpers of one launch.
pub(super) struct Helpers<'a> {
    work: &'a (dyn Fn() + Sync + 'a),
    call: Cell<Option<u64>>,
}

impl Helpers<'_> {
    /// Calls that many helpers, once; they come when they can.
    pub(super) fn call(&self, count: usize) {
        if self.call.get().is_some() || count == 0 {
            return;
        }
        let work: *const (dyn Fn() + Sync + '_) = self.work;
        // SAFETY: only the lifetime changes. The function outlives its listing: `end`, which is always called before
        // it goes, takes the call from the list and waits for helpers that run it.
        let work =
            Work(unsafe { std::mem::transmute::<*const (dyn Fn() + Sync + '_), *const (dyn Fn() + Sync)>(work) });
        let mut state = POOL.lock();
        // Some of those that are idle will go to calls before this one.
        let spare = state.idle.saturating_sub(state.calls.iter().map(|call| call.wanted).sum());
        let waiting = count.min(spare);
        let more = (count - waiting).min(MOST.saturating_sub(state.threads));
        let number = state.next;
        state.next += 1;
        state.calls.push(Call { number, work, wanted: count, running: 0, panic: None });
        self.call.set(Some(number));
        state.threads += more;
        drop(state);
        for _ in 0..waiting {
            POOL.called.notify_one();
        }
        for _ in 0..more {
            let thread = std::thread::Builder::new().name("warpwise".to_owned());
            if thread.spawn(|| POOL.serve()).is_err() {
                // The host has no more threads: the launch does without.
                POOL.lock().threads -= 1;
            }
        }
    }

    /// Takes no more helpers and waits for those that have come; returns what one of them panicked with.
    fn end(&self) -> Option<Panic> {
        let number = self.call.take()?;
        let mut state = POOL.lock();
        loop {
            let at = state.calls.iter().position(|call| call.number == number)?;
            let call = &mut state.calls[at];
            call.wanted = 0;
            if call.running == 0 {
                return state.calls.swap_remove(at).panic;
            }
            state = POOL.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Helpers<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Runs `mine`, which can call helpers that run `work` meanwhile. Returns when all have ended.
pub(super) fn with_help<T>(work: &(dyn Fn() + Sync), mine: impl FnOnce(&Helpers<'_>) -> T) -> T {
    let helpers = Helpers { work, call: Cell::new(None) };
    let result = mine(&helpers);
    if let Some(panic) = helpers.end() {
        resume_unwind(panic);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn helpers_come_and_are_waited_for() {
        let (together, ended) = (Barrier::new(3), AtomicUsize::new(0));
        for round in 1..=20 {
            let work = || {
                together.wait();
                std::thread::yield_now();
                ended.fetch_add(1, Ordering::SeqCst);
            };
            let mine = with_help(&work, |helpers| {
                helpers.call(2);
                helpers.call(2);
                together.wait();
                7
            });
            assert_eq!((mine, ended.load(Ordering::SeqCst)), (7, 2 * round), "called once, however often");
        }
    }

    #[test]
    fn nobody_waits_for_help_that_has_not_come() {
        let came = AtomicUsize::new(0);
        let count = || {
            came.fetch_add(1, Ordering::SeqCst);
        };
        for _ in 0..200 {
            with_help(&count, |helpers| helpers.call(3));
        }
        let before = came.load(Ordering::SeqCst);
        assert!(before <= 600);
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert_eq!(came.load(Ordering::SeqCst), before, "nobody comes after the end");
    }

    #[test]
    fn a_helpers_panic_reaches_the_caller() {
        let there = Barrier::new(2);
        let panics = || {
            there.wait();
            std::panic::panic_any("as it should");
        };
        let caught = catch_unwind(AssertUnwindSafe(|| {
            with_help(&panics, |helpers| {
                helpers.call(1);
                there.wait();
            });
        }));
        let message = caught.expect_err("it panicked");
        assert_eq!(message.downcast_ref::<&str>(), Some(&"as it should"));
    }
}
