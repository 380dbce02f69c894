//! The order of work.
//!
//! Work is done by the thread that asks for it, before the call returns: in order, which is legal, and quick. What may
//! wait for something that the caller does only later, a function of the host's or a value in memory, goes to threads of
//! the driver's, and so does all work that must come after it: of the same stream, of the default stream and those that
//! it orders, and behind events. What other streams do is not held up. A kernel that may wait for what the host writes
//! goes there too, but the caller stays for a moment: most of them end by themselves.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Outcome;
use crate::state::{Locked, State, lock, lock_for_work};
use crate::work::Work;

/// How long a launch is waited for whose kernel may be waiting for the caller.
const PATIENCE: Duration = Duration::from_millis(100);

/// Work that waits for a thread of the driver's.
struct Job {
    ticket: u64,
    /// The work that it comes after.
    after: Vec<u64>,
    context: u64,
    work: Work,
}

/// What waits and who does it.
struct Queue {
    jobs: VecDeque<Job>,
    /// Tickets above [`DONE`] whose work is done.
    done: BTreeSet<u64>,
    /// Threads, and how many of them do work that may have to wait.
    threads: usize,
    waiting: usize,
}

/// The last ticket that was given out, and the last of those that are done without a gap.
static GIVEN: AtomicU64 = AtomicU64::new(0);
static DONE: AtomicU64 = AtomicU64::new(0);

static QUEUE: Mutex<Queue> = Mutex::new(Queue { jobs: VecDeque::new(), done: BTreeSet::new(), threads: 0, waiting: 0 });
/// There may be a job that can be done.
static ARRIVED: Condvar = Condvar::new();
/// A job is done.
static FINISHED: Condvar = Condvar::new();

impl Queue {
    fn lock() -> MutexGuard<'static, Self> {
        QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_done(&self, ticket: u64) -> bool {
        DONE.load(Ordering::Acquire) >= ticket || self.done.contains(&ticket)
    }

    /// The first job that can be done.
    fn next(&mut self) -> Option<Job> {
        let at = self.jobs.iter().position(|job| job.after.iter().all(|&ticket| self.is_done(ticket)))?;
        self.jobs.remove(at)
    }

    fn finish(&mut self, ticket: u64) {
        self.done.insert(ticket);
        let mut last = DONE.load(Ordering::Acquire);
        while self.done.remove(&(last + 1)) {
            last += 1;
        }
        DONE.store(last, Ordering::Release);
        FINISHED.notify_all();
        ARRIVED.notify_all();
    }

    /// Starts a thread, unless there is one that cannot be held up.
    fn start(&mut self) {
        if self.threads > self.waiting {
            return;
        }
        // Signals are for the program's own threads.
        let thread = without_signals(|| std::thread::Builder::new().name("warpwise-driver".to_owned()).spawn(run));
        thread.expect("the system can start a thread");
        self.threads += 1;
    }
}

/// Whether any work waits for a thread of the driver's or is being done by one.
#[inline]
fn is_busy() -> bool {
    GIVEN.load(Ordering::Acquire) != DONE.load(Ordering::Acquire)
}

impl State {
    /// The work that the next of a stream comes after and that is not done, by tickets.
    fn before(&self, stream: u64, work: &Work) -> Vec<u64> {
        let mut after = Vec::new();
        if !is_busy() {
            return after;
        }
        if let Ok(own) = self.streams.get(stream) {
            after.push(own.ticket);
            let ordered = self.streams.iter().map(|(_, other)| other).filter(|other| {
                if own.is_default { other.is_blocking() } else { own.is_blocking() && other.is_default }
            });
            after.extend(ordered.map(|other| other.ticket));
        }
        if let Work::WaitEvent(event) = work
            && let Ok(event) = self.events.get(*event)
        {
            after.push(event.ticket());
        }
        after.retain(|&ticket| !is_done(ticket));
        after
    }
}

/// Does work in the order of a stream: now, later on a thread of the driver's, or never if the stream is being captured.
pub(crate) fn submit(mut state: Locked, stream: u64, work: Work) -> Outcome {
    if state.is_capturing(stream) {
        return state.capture(stream, work);
    }
    state.forbidden_for(stream)?;
    let context = state.streams.get(stream)?.context;
    let context = if context == 0 { state.current()? } else { context };
    match work {
        Work::Record(event) => state.event_is_recorded(event, stream),
        Work::WaitEvent(event) => state.stream_waits(stream, event),
        _ => {}
    }
    let after = state.before(stream, &work);
    let polls = matches!(&work, Work::Launch(kernel) if kernel.may_poll(&state));
    if after.is_empty() && !work.may_wait() && !polls {
        if let Work::Record(event) = &work {
            state.events.get_mut(*event)?.wait_for(0);
        }
        state.work_begins(stream);
        let outcome = work.perform(&mut state, context);
        state.work_ends();
        return outcome;
    }
    let mut queue = Queue::lock();
    queue.start();
    let ticket = GIVEN.fetch_add(1, Ordering::AcqRel) + 1;
    state.streams.get_mut(stream)?.ticket = ticket;
    if let Work::Record(event) = &work {
        state.events.get_mut(*event)?.wait_for(ticket);
    }
    let is_next = after.is_empty();
    queue.jobs.push_back(Job { ticket, after, context, work });
    ARRIVED.notify_one();
    drop(state);
    if polls && is_next {
        wait_a_while(queue, ticket);
    }
    Ok(())
}

/// Waits until the work of a ticket is done, or has taken so long that it may be waiting for the caller.
fn wait_a_while(mut queue: MutexGuard<'_, Queue>, ticket: u64) {
    let until = Instant::now() + PATIENCE;
    while !queue.is_done(ticket) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        queue = FINISHED.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Whether the work of a ticket is done.
#[inline]
pub(crate) fn is_done(ticket: u64) -> bool {
    DONE.load(Ordering::Acquire) >= ticket || Queue::lock().is_done(ticket)
}

/// Waits until the work of a ticket is done. Nobody may hold the state meanwhile.
pub(crate) fn wait(ticket: u64) {
    if DONE.load(Ordering::Acquire) >= ticket {
        return;
    }
    let mut queue = Queue::lock();
    while !queue.is_done(ticket) {
        queue = FINISHED.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Waits until all work is done. Nobody may hold the state meanwhile.
#[inline]
pub(crate) fn finish() {
    if !is_busy() || crate::state::in_callback() {
        return;
    }
    let given = GIVEN.load(Ordering::Acquire);
    let mut queue = Queue::lock();
    while DONE.load(Ordering::Acquire) < given {
        queue = FINISHED.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Waits until all is done that the next work of a stream comes after. Nobody may hold the state meanwhile.
#[inline]
pub(crate) fn finish_before(stream: u64) -> Outcome {
    if is_busy() && !crate::state::in_callback() {
        let after = {
            let mut state = lock()?;
            state.current()?;
            let stream = state.stream_or_own(stream)?;
            state.before(stream, &Work::Nothing)
        };
        after.into_iter().for_each(wait);
    }
    Ok(())
}

fn without_signals<T>(action: impl FnOnce() -> T) -> T {
    // SAFETY: sets of signals on the stack, made by the functions that are for that.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let value = action();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        value
    }
}

/// A thread of the driver's.
fn run() {
    let mut queue = Queue::lock();
    loop {
        let Some(job) = queue.next() else {
            queue = ARRIVED.wait(queue).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let may_wait = job.work.may_wait();
        if may_wait {
            queue.waiting += 1;
            queue.start();
        }
        drop(queue);
        perform(&job);
        queue = Queue::lock();
        queue.waiting -= usize::from(may_wait);
        queue.finish(job.ticket);
    }
}

fn perform(job: &Job) {
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut state = lock_for_work();
        crate::guard::open();
        // An error that nobody is there to hear ends the context, as hardware has it.
        if let Err(error) = job.work.perform(&mut state, job.context)
            && let Ok(context) = state.contexts.get_mut(job.context)
        {
            context.error.get_or_insert(error);
        }
    }));
    if ended.is_err() {
        crate::edge::tell(|| "work of a stream was given up".to_owned());
    }
}
