//! Orders of work of one GPU, and what memory waits for.
//!
//! A lane is one order: that of the device itself, or of a stream. Memory remembers which lanes have written and read it
//! since. A lane that is about to use it first follows those: nobody waits but the GPU.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use warpwise_gpu::{DeviceError, Point};

use super::session::{Session, State};
use crate::Error;

/// Calls of a stream whose ends are remembered. For an older one, the oldest of these stands in: it comes later.
const REMEMBERED: usize = 64;

thread_local! {
    /// The lane whose calls this thread makes.
    static WORKING_FOR: Cell<usize> = const { Cell::new(0) };
}

/// One order of work.
pub(super) struct Lane {
    state: Mutex<State>,
    /// Calls of its stream that have ended.
    calls: AtomicU64,
    /// Places after such calls, each with their number by then.
    ends: Mutex<VecDeque<(u64, Point)>>,
}

impl Lane {
    pub(super) fn new(state: State) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(state), calls: AtomicU64::new(0), ends: Mutex::default() })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the calling thread the one that makes the calls of this lane's stream.
    pub(super) fn work_here(self: &Arc<Self>) {
        WORKING_FOR.set(Arc::as_ptr(self) as usize);
    }

    /// Remembers that a call of its stream has ended, so that others can wait for that call and for no later one.
    pub(super) fn end_call(&self) {
        // Without the place, others ask for a later one.
        let Ok(end) = self.lock().gpu.point() else { return };
        let number = self.calls.fetch_add(1, Ordering::AcqRel) + 1;
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        if ends.len() == REMEMBERED {
            ends.pop_front();
        }
        ends.push_back((number, end));
    }
}

/// A use of memory by a lane.
pub(super) struct Use {
    lane: Arc<Lane>,
    /// How many calls of the lane's stream had ended when it was used within a call; `None` outside of calls.
    calls: Option<u64>,
}

impl std::fmt::Debug for Use {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Use").field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl Use {
    /// A use that begins now.
    pub(super) fn by(lane: &Arc<Lane>) -> Self {
        let within = WORKING_FOR.get() == Arc::as_ptr(lane) as usize;
        Self { calls: within.then(|| lane.calls.load(Ordering::Acquire)), lane: Arc::clone(lane) }
    }

    fn is_of(&self, lane: &Arc<Lane>) -> bool {
        Arc::ptr_eq(&self.lane, lane)
    }

    /// A place after the use: the end of its call, or else after all that its lane has been given by now.
    fn end(&self) -> Result<Point, DeviceError> {
        if let Some(calls) = self.calls {
            let ends = self.lane.ends.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, end)) = ends.iter().find(|(number, _)| *number > calls) {
                return Ok(end.clone());
            }
        }
        self.lane.lock().gpu.point()
    }
}

/// Who uses memory: who wrote it last, and who has read it since.
#[derive(Debug)]
pub(super) struct Uses {
    written: Use,
    read: Vec<Use>,
}

impl Uses {
    /// Memory of a lane that nobody else knows.
    pub(super) fn of(lane: &Arc<Lane>) -> Self {
        Self { written: Use::by(lane), read: Vec::new() }
    }

    /// Makes a session follow whoever wrote the memory.
    pub(super) fn read(&mut self, session: &Session) -> Result<(), Error> {
        let lane = session.lane();
        if !self.written.is_of(lane) {
            session.follow(&self.written.end()?)?;
        }
        self.read.retain(|earlier| !earlier.is_of(lane));
        self.read.push(Use::by(lane));
        Ok(())
    }

    /// Makes a session follow all who wrote or read the memory.
    pub(super) fn write(&mut self, session: &Session) -> Result<(), Error> {
        self.follow_all(session)?;
        self.written = Use::by(session.lane());
        self.read.clear();
        Ok(())
    }

    /// Makes a session follow all others, before it writes the memory or takes it back.
    pub(super) fn follow_all(&self, session: &Session) -> Result<(), Error> {
        let others = std::iter::once(&self.written).chain(&self.read).filter(|one| !one.is_of(session.lane()));
        others.into_iter().try_for_each(|other| Ok(session.follow(&other.end()?)?))
    }
}
