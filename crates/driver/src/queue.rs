//! The order of work.
//!
//! Work is done by the thread that asks for it, before the call returns: in order, which is legal, and quick. What may
//! wait for something that the caller does only later, a function of the host's or a value in memory, goes to a thread
//! of the driver's; until that is done, all later work goes there too.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, Once, PoisonError};

use crate::error::Outcome;
use crate::state::{Locked, lock_for_work};
use crate::work::Work;

/// Work that waits for the driver's thread.
struct Job {
    ticket: u64,
    context: u64,
    work: Work,
}

/// Tickets that were given out, and those whose work is done; in between is what waits.
static GIVEN: AtomicU64 = AtomicU64::new(0);
static DONE: AtomicU64 = AtomicU64::new(0);

static JOBS: Mutex<VecDeque<Job>> = Mutex::new(VecDeque::new());
/// There is a job.
static ARRIVED: Condvar = Condvar::new();
/// A job is done.
static FINISHED: Condvar = Condvar::new();

/// Whether any work waits for the driver's thread or is being done by it.
#[inline]
fn is_busy() -> bool {
    GIVEN.load(Ordering::Acquire) != DONE.load(Ordering::Acquire)
}

/// Does work in the order of a stream: now, later on the driver's thread, or never if the stream is being captured.
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
    if !is_busy() && !work.may_wait() {
        state.work_begins(stream);
        let outcome = work.perform(&mut state, context);
        state.work_ends();
        return outcome;
    }
    start();
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    let ticket = GIVEN.fetch_add(1, Ordering::AcqRel) + 1;
    state.streams.get_mut(stream)?.ticket = ticket;
    if let Work::Record(event) = &work {
        state.events.get_mut(*event)?.wait_for(ticket);
    }
    jobs.push_back(Job { ticket, context, work });
    ARRIVED.notify_one();
    Ok(())
}

/// Whether the work up to a ticket is done.
#[inline]
pub(crate) fn is_done(ticket: u64) -> bool {
    DONE.load(Ordering::Acquire) >= ticket
}

/// Waits until the work up to a ticket is done. Nobody may hold the state meanwhile.
pub(crate) fn wait(ticket: u64) {
    if is_done(ticket) {
        return;
    }
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    while !is_done(ticket) {
        jobs = FINISHED.wait(jobs).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Waits until all work is done. Nobody may hold the state meanwhile.
#[inline]
pub(crate) fn finish() {
    if is_busy() && !crate::state::in_callback() {
        wait(GIVEN.load(Ordering::Acquire));
    }
}

/// Starts the driver's thread, once.
fn start() {
    static START: Once = Once::new();
    START.call_once(|| {
        // Signals are for the program's own threads.
        let thread = without_signals(|| std::thread::Builder::new().name("warpwise-driver".to_owned()).spawn(run));
        thread.expect("the system can start a thread");
    });
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

/// The driver's thread.
fn run() {
    loop {
        let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
        let job = loop {
            match jobs.pop_front() {
                Some(job) => break job,
                None => jobs = ARRIVED.wait(jobs).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(jobs);
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
        let _jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
        DONE.store(job.ticket, Ordering::Release);
        FINISHED.notify_all();
    }
}
