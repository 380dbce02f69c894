//! What a rank did when: computed, exchanged, waited, read or wrote.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use crate::communicator::{Communicator, Message, Room};

/// What a rank was busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Read,
    Exchange,
    Wait,
    Write,
}

impl Stage {
    pub(crate) const ALL: [Self; 4] = [Self::Read, Self::Exchange, Self::Wait, Self::Write];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Exchange => "exchange",
            Self::Wait => "wait",
            Self::Write => "write",
        }
    }
}

/// A stretch of time, in seconds from the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) stage: Stage,
    pub(crate) begin: f64,
    pub(crate) end: f64,
}

/// More spans than a page could show are joined to the last one of their stage.
const MOST: usize = 2000;

/// Spans of a rank; all other time it computes.
#[derive(Debug)]
pub(crate) struct Log {
    start: Instant,
    spans: RefCell<Vec<Span>>,
    totals: RefCell<[f64; 4]>,
    bytes: RefCell<u64>,
}

impl Log {
    pub(crate) fn new() -> Rc<Self> {
        let (spans, totals, bytes) = (RefCell::default(), RefCell::default(), RefCell::default());
        Rc::new(Self { start: Instant::now(), spans, totals, bytes })
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Does something that belongs to a stage.
    pub(crate) fn during<R>(&self, stage: Stage, work: impl FnOnce() -> R) -> R {
        let begin = self.seconds();
        let result = work();
        self.add(stage, begin, self.seconds());
        result
    }

    fn add(&self, stage: Stage, begin: f64, end: f64) {
        self.totals.borrow_mut()[stage as usize] += end - begin;
        let mut spans = self.spans.borrow_mut();
        if spans.len() < MOST {
            spans.push(Span { stage, begin, end });
        }
    }

    /// Bytes that this rank has sent.
    pub(crate) fn sent(&self) -> u64 {
        *self.bytes.borrow()
    }

    /// Seconds in a stage.
    pub(crate) fn total(&self, stage: Stage) -> f64 {
        self.totals.borrow()[stage as usize]
    }

    pub(crate) fn spans(&self) -> Vec<Span> {
        self.spans.borrow().clone()
    }
}

/// A communicator that writes down how long it takes.
pub(crate) struct Timed {
    inner: Box<dyn Communicator>,
    log: Rc<Log>,
}

impl Timed {
    pub(crate) fn new(inner: Box<dyn Communicator>, log: &Rc<Log>) -> Self {
        Self { inner, log: Rc::clone(log) }
    }

    /// The same ranks, where the caller writes down the time.
    pub(crate) fn untimed(&self) -> &dyn Communicator {
        &*self.inner
    }

    /// Communication with work in it: the time of the work does not count.
    fn around(&self, bytes: usize, work: &mut dyn FnMut(), call: impl FnOnce(&mut dyn FnMut())) {
        *self.log.bytes.borrow_mut() += bytes as u64;
        let begin = self.log.seconds();
        let mut worked = (begin, begin);
        call(&mut || {
            let begin = self.log.seconds();
            work();
            worked = (begin, self.log.seconds());
        });
        self.log.add(Stage::Exchange, begin, worked.0);
        self.log.add(Stage::Exchange, worked.1, self.log.seconds());
    }
}

impl Communicator for Timed {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn exchange_while(&self, sends: &[Message], receives: Vec<Room>, work: &mut dyn FnMut()) {
        let bytes = sends.iter().map(|(_, data)| data.len()).sum();
        self.around(bytes, work, |work| self.inner.exchange_while(sends, receives, work));
    }

    fn broadcast_while(&self, root: usize, data: &mut [u8], work: &mut dyn FnMut()) {
        let bytes = if root == self.rank() && self.size() > 1 { data.len() } else { 0 };
        self.around(bytes, work, |work| self.inner.broadcast_while(root, data, work));
    }

    fn gather_all(&self, mine: &[u8]) -> Vec<u8> {
        self.log.during(Stage::Wait, || self.inner.gather_all(mine))
    }

    fn max_all(&self, numbers: &mut [u64]) {
        self.log.during(Stage::Wait, || self.inner.max_all(numbers));
    }

    fn sum_all(&self, numbers: &mut [u64]) {
        self.log.during(Stage::Wait, || self.inner.sum_all(numbers));
    }

    fn split(&self, colour: usize) -> Box<dyn Communicator> {
        Box::new(Self { inner: self.inner.split(colour), log: Rc::clone(&self.log) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_told_apart_and_work_counts_for_none() {
        let log = Log::new();
        log.during(Stage::Read, || std::thread::sleep(std::time::Duration::from_millis(2)));
        let spans = log.spans();
        assert_eq!((spans.len(), spans[0].stage), (1, Stage::Read));
        assert!(spans[0].end > spans[0].begin && log.total(Stage::Read) > 0.0 && log.total(Stage::Wait) == 0.0);
        let sent = crate::Threads::run(2, |ranks| {
            let log = Log::new();
            let timed = Timed::new(ranks.split(0), &log);
            let mut from = [0_u8; 3];
            let other = 1 - timed.rank();
            timed.exchange_while(&[(other, &[7; 3])], vec![(other, &mut from)], &mut || ());
            timed.max_all(&mut [1]);
            (log.sent(), from, log.spans().len())
        });
        assert_eq!(sent, [(3, [7; 3], 3); 2]);
    }
}
