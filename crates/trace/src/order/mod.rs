//! Which work of a program is ordered before which, and which of it touches the same bytes without order.
//!
//! Work of a stream is ordered by the stream; work of different streams only where the program says so: an event that
//! one records and another waits for, the host that waits for one and then gives work to another, the default stream
//! that waits for the others. Each stream, and the host, has a [`Clock`]: how much of every stream's work is known to
//! have ended before what comes next. Two pieces of work that touch the same bytes, at least one of them writing, and
//! neither of which is known to have ended before the other starts, race.
//!
//! ```
//! use warpwise_trace::order::{Actor, Order, Touches};
//!
//! let mut order = Order::default();
//! let (a, b) = (order.stream(true), order.stream(true));
//! assert!(order.work(a, "fill", &Touches::writing(4096, 1024)).is_empty());
//! // Another stream reads what the first one writes.
//! let races = order.work(b, "sum", &Touches::reading(4096, 64));
//! assert_eq!((races[0].earlier.name.as_str(), races[0].earlier.by), ("fill", Actor::Stream(a)));
//! // With an event between them there is order.
//! let event = order.record(a);
//! order.wait(b, &event);
//! assert!(order.work(b, "sum", &Touches::reading(4096, 64)).is_empty());
//! ```

mod clock;
mod history;
mod ranges;
mod touches;

pub use clock::Clock;
pub use history::{Access, Actor, Race};
pub use ranges::Ranges;
pub use touches::{Listener, Touches};

use crate::place::HostPlace;
use history::History;
use std::fmt;

/// A stream, as [`Order`] numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane(usize);

impl fmt::Display for Lane {
    /// The stream in words: `the default stream`, `stream 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("the default stream"),
            number => write!(f, "stream {number}"),
        }
    }
}

/// A stream's part in the order.
#[derive(Clone, Debug)]
struct Stream {
    /// What is known to have ended before its next work starts, its own work included.
    clock: Clock,
    /// Whether it waits for the default stream, and the default stream for it.
    blocking: bool,
}

/// The order of a program's work so far.
#[derive(Clone, Debug)]
pub struct Order {
    streams: Vec<Stream>,
    /// What the host knows to have ended.
    host: Clock,
    history: History,
}

impl Default for Order {
    /// A program that has only the default stream.
    fn default() -> Self {
        Self {
            streams: vec![Stream { clock: Clock::default(), blocking: true }],
            host: Clock::default(),
            history: History::default(),
        }
    }
}

impl Order {
    /// The default stream.
    pub const DEFAULT: Lane = Lane(0);

    /// A new stream; a blocking one and the default stream wait for each other.
    pub fn stream(&mut self, blocking: bool) -> Lane {
        self.streams.push(Stream { clock: Clock::default(), blocking });
        Lane(self.streams.len() - 1)
    }

    /// Whether there is more than one stream, so that work can be without order at all.
    pub fn has_streams(&self) -> bool {
        self.streams.len() > 1
    }

    /// The host gives work to a stream: a name for messages, and the bytes that it touches. What it races with is told
    /// once for each earlier piece of work.
    pub fn work(&mut self, lane: Lane, name: &str, touches: &Touches) -> Vec<Race> {
        self.work_at(lane, name, None, touches)
    }

    /// The same, with the call of the host that asks for it.
    pub fn work_at(&mut self, lane: Lane, name: &str, place: Option<HostPlace>, touches: &Touches) -> Vec<Race> {
        self.start(lane);
        let Some(stream) = self.streams.get_mut(lane.0) else { return Vec::new() };
        let time = stream.clock.advance(lane.0);
        let clock = stream.clock.clone();
        let access = Access { by: Actor::Stream(lane), name: name.to_owned(), place, time };
        self.history.touch(&access, &clock, touches)
    }

    /// Lets a stream's next work begin after all that it has to wait for.
    fn start(&mut self, lane: Lane) {
        let Some(stream) = self.streams.get(lane.0) else { return };
        let mut known = self.host.clone();
        if lane == Self::DEFAULT {
            self.streams.iter().filter(|other| other.blocking).for_each(|other| known.join(&other.clock));
        } else if stream.blocking {
            known.join(&self.streams[0].clock);
        }
        self.streams[lane.0].clock.join(&known);
    }

    /// An event that marks where a stream is now.
    pub fn record(&mut self, lane: Lane) -> Clock {
        self.start(lane);
        self.streams.get(lane.0).map(|stream| stream.clock.clone()).unwrap_or_default()
    }

    /// A stream waits for an event.
    pub fn wait(&mut self, lane: Lane, event: &Clock) {
        if let Some(stream) = self.streams.get_mut(lane.0) {
            stream.clock.join(event);
        }
    }

    /// The host learns that an event has happened.
    pub fn host_waits(&mut self, event: &Clock) {
        self.host.join(event);
    }

    /// The host learns that all work of a stream has ended.
    pub fn host_waits_for(&mut self, lane: Lane) {
        let clock = self.record(lane);
        self.host.join(&clock);
    }

    /// The host learns that all work of all streams has ended.
    pub fn host_waits_for_all(&mut self) {
        for stream in &self.streams {
            self.host.join(&stream.clock);
        }
        self.history.forget();
    }

    /// The host itself touches bytes.
    pub fn host_touches(&mut self, name: &str, touches: &Touches) -> Vec<Race> {
        let access = Access { by: Actor::Host, name: name.to_owned(), place: None, time: 0 };
        self.history.touch(&access, &self.host, touches)
    }

    /// The bytes that work may still be writing, as far as the host knows: it must not touch them.
    pub fn unsettled(&self) -> Ranges {
        self.history.unsettled(&self.host)
    }

    /// Memory is freed, or given out anew: what touched it before no longer matters.
    pub fn forget(&mut self, start: u64, bytes: u64) {
        self.history.clear(start, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(start: u64, length: u64) -> Ranges {
        [(start, length)].into_iter().collect()
    }

    fn writes(order: &mut Order, lane: Lane, name: &str, range: &Ranges) -> Vec<Race> {
        order.work(lane, name, &Touches { writes: range.clone(), ..Touches::default() })
    }

    fn reads(order: &mut Order, lane: Lane, name: &str, range: &Ranges) -> Vec<Race> {
        order.work(lane, name, &Touches { reads: range.clone(), ..Touches::default() })
    }

    #[test]
    fn a_stream_is_in_order_and_reads_do_not_race() {
        let mut order = Order::default();
        let (a, b) = (order.stream(false), order.stream(false));
        let data = bytes(0, 64);
        assert!(writes(&mut order, a, "one", &data).is_empty());
        assert!(writes(&mut order, a, "two", &data).is_empty());
        order.host_waits_for(a);
        assert!(reads(&mut order, a, "three", &data).is_empty());
        assert!(reads(&mut order, b, "four", &data).is_empty());
        let races = writes(&mut order, b, "five", &data);
        assert_eq!(races.len(), 1, "{races:?}");
        assert_eq!((races[0].earlier.name.as_str(), races[0].earlier_writes), ("three", false));
    }

    #[test]
    fn other_bytes_do_not_race() {
        let mut order = Order::default();
        let (a, b) = (order.stream(false), order.stream(false));
        assert!(writes(&mut order, a, "one", &bytes(0, 64)).is_empty());
        assert!(writes(&mut order, b, "two", &bytes(64, 64)).is_empty());
        let races = writes(&mut order, b, "three", &bytes(63, 1));
        assert_eq!((races[0].start, races[0].bytes), (63, 1));
    }

    #[test]
    fn events_give_order_also_through_others() {
        let mut order = Order::default();
        let (a, b, c) = (order.stream(false), order.stream(false), order.stream(false));
        let data = bytes(0, 64);
        assert!(writes(&mut order, a, "one", &data).is_empty());
        let first = order.record(a);
        order.wait(b, &first);
        let second = order.record(b);
        order.wait(c, &second);
        assert!(writes(&mut order, c, "two", &data).is_empty());
        // What the first stream does after the event is not covered by it.
        assert_eq!(writes(&mut order, a, "three", &data).len(), 1);
    }

    #[test]
    fn the_default_stream_waits_for_blocking_streams_only() {
        let mut order = Order::default();
        let (blocking, other) = (order.stream(true), order.stream(false));
        let data = bytes(0, 64);
        assert!(writes(&mut order, blocking, "one", &data).is_empty());
        assert!(writes(&mut order, Order::DEFAULT, "two", &data).is_empty());
        assert!(writes(&mut order, blocking, "three", &data).is_empty());
        assert_eq!(writes(&mut order, other, "four", &data).len(), 1);
        let mut order = Order::default();
        let other = order.stream(false);
        assert!(writes(&mut order, Order::DEFAULT, "one", &data).is_empty());
        assert_eq!(reads(&mut order, other, "two", &data).len(), 1);
    }

    #[test]
    fn the_host_orders_what_it_waits_for() {
        let mut order = Order::default();
        let (a, b) = (order.stream(false), order.stream(false));
        let data = bytes(0, 64);
        assert!(writes(&mut order, a, "one", &data).is_empty());
        let event = order.record(a);
        assert_eq!(order.host_touches("the host", &Touches { reads: data.clone(), ..Touches::default() }).len(), 1);
        order.host_waits(&event);
        assert!(order.host_touches("the host", &Touches { reads: data.clone(), ..Touches::default() }).is_empty());
        assert!(writes(&mut order, b, "two", &data).is_empty(), "given after the host had waited");
        order.host_waits_for_all();
        assert!(writes(&mut order, a, "three", &data).is_empty());
    }

    #[test]
    fn the_host_may_not_write_what_is_being_read() {
        let mut order = Order::default();
        let data = bytes(128, 4);
        assert!(reads(&mut order, Order::DEFAULT, "copy", &data).is_empty());
        assert!(order.host_touches("the host", &Touches { reads: data.clone(), ..Touches::default() }).is_empty());
        assert_eq!(order.host_touches("the host", &Touches { writes: data.clone(), ..Touches::default() }).len(), 1);
    }

    #[test]
    fn what_is_not_known_to_have_ended_is_unsettled() {
        let mut order = Order::default();
        assert!(writes(&mut order, Order::DEFAULT, "one", &bytes(0, 8)).is_empty());
        assert!(writes(&mut order, Order::DEFAULT, "two", &bytes(8, 8)).is_empty());
        assert!(reads(&mut order, Order::DEFAULT, "three", &bytes(100, 8)).is_empty());
        assert_eq!(order.unsettled(), bytes(0, 16));
        order.host_waits_for(Order::DEFAULT);
        assert_eq!(order.unsettled(), Ranges::default());
    }

    #[test]
    fn freed_memory_is_forgotten() {
        let mut order = Order::default();
        let (a, b) = (order.stream(false), order.stream(false));
        assert!(writes(&mut order, a, "one", &bytes(0, 64)).is_empty());
        order.forget(16, 32);
        assert!(writes(&mut order, b, "two", &bytes(16, 32)).is_empty());
        let races = writes(&mut order, b, "two", &bytes(0, 64));
        assert_eq!(races.len(), 1, "once for each earlier piece of work: {races:?}");
    }

    #[test]
    fn lanes_have_words() {
        assert_eq!(Order::DEFAULT.to_string(), "the default stream");
        assert_eq!(Order::default().stream(true).to_string(), "stream 1");
    }
}
