//! Calls that wait for their turn.

use std::sync::mpsc;
use std::thread::{Builder, ThreadId};

type Job = Box<dyn FnOnce() + Send>;

/// A thread that makes one call after the other. It ends after the last one, once the queue is dropped.
#[derive(Debug)]
pub(super) struct Queue {
    /// `None` where no thread could be had: calls are then made at once.
    thread: Option<(mpsc::Sender<Job>, ThreadId)>,
}

impl Queue {
    /// Starts the thread, which does that first, and drops what it gives last.
    pub(super) fn start<L>(first: impl FnOnce() -> L + Send + 'static) -> Self {
        let (sender, jobs) = mpsc::channel::<Job>();
        let started = Builder::new().name("warpwise-stream".to_owned()).spawn(move || {
            let _last = first();
            jobs.into_iter().for_each(|job| job());
        });
        Self { thread: started.ok().map(|thread| (sender, thread.thread().id())) }
    }

    /// Makes a call after all those before it. A call from within a call cannot wait for it to end, and is made at once.
    pub(super) fn push(&self, job: Job) {
        match &self.thread {
            Some((jobs, thread)) if *thread != std::thread::current().id() => {
                // The thread outlives the queue, and jobs do not panic.
                if let Err(mpsc::SendError(job)) = jobs.send(job) {
                    job();
                }
            }
            _ => job(),
        }
    }
}
