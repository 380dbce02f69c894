//! The order of a program's work, followed so that work without order is found.
//!
//! Work is done in the order in which the program asks for it, which is one of those that are legal; what another order
//! could have changed is found by [`Order`]. Which bytes a kernel touches is heard of while it runs, and only once there
//! are streams, or memory that the host shares: other programs pay nothing.

use std::collections::{HashMap, HashSet};

use warpwise_trace::order::{Actor, Clock, Lane, Order, Race, Ranges, Touches};
use warpwise_trace::{Finding, HostKind, HostPlace};

use crate::error::{Error, Outcome};
use crate::guard::{self, PAGE};
use crate::memory::Kind;
use crate::state::State;

/// Rows of a copy that are followed.
const MOST_ROWS: u64 = 4096;

/// What is known of the order.
#[derive(Default)]
pub(crate) struct Following {
    order: Order,
    /// The streams that have done work.
    lanes: HashMap<u64, Lane>,
    /// What events mark.
    events: HashMap<u64, Clock>,
    /// Memory that host and device share, which has pages of its own: where it starts, and the bytes of its pages.
    pages: HashMap<u64, usize>,
    /// The stream whose work is being done.
    now: Option<u64>,
    /// What was told: the two calls.
    told: HashSet<(HostPlace, Option<HostPlace>)>,
}

impl State {
    /// Whether the order is followed at all.
    fn follows(&self) -> bool {
        self.trace.wants_places()
    }

    /// Whether the bytes that a launch touches are to be heard of.
    pub(crate) fn listens(&self) -> bool {
        self.following.now.is_some() && (self.following.order.has_streams() || !self.following.pages.is_empty())
    }

    fn lane(&mut self, stream: u64) -> Lane {
        let found = self.streams.get(stream);
        let (is_default, blocking) = found.map_or((true, true), |stream| (stream.is_default, stream.is_blocking()));
        let Following { order, lanes, .. } = &mut self.following;
        if is_default { Order::DEFAULT } else { *lanes.entry(stream).or_insert_with(|| order.stream(blocking)) }
    }

    /// Work of a stream is about to be done.
    pub(crate) fn work_begins(&mut self, stream: u64) {
        if self.follows() {
            self.hear_host();
            guard::open();
            self.lane(stream);
            self.following.now = Some(stream);
        }
    }

    /// What the work that is being done touches.
    pub(crate) fn work_touches(&mut self, name: &str, touches: &Touches) {
        let Some(stream) = self.following.now.filter(|_| self.listens()) else { return };
        let lane = self.lane(stream);
        let place = HostPlace::here();
        for race in self.following.order.work_at(lane, name, Some(place.clone()), touches) {
            let message = self.words(name, lane, &race);
            self.tell(HostKind::StreamRace, message, place.clone(), race);
        }
    }

    /// The work is done.
    pub(crate) fn work_ends(&mut self) {
        if self.following.now.take().is_some() {
            self.close();
        }
    }

    /// Notes an event on a stream.
    pub(crate) fn event_is_recorded(&mut self, event: u64, stream: u64) {
        if self.follows() {
            let lane = self.lane(stream);
            let clock = self.following.order.record(lane);
            self.following.events.insert(event, clock);
        }
    }

    /// A stream waits for an event.
    pub(crate) fn stream_waits(&mut self, stream: u64, event: u64) {
        if self.follows() {
            let lane = self.lane(stream);
            if let Some(clock) = self.following.events.get(&event) {
                self.following.order.wait(lane, clock);
            }
        }
    }

    /// The host knows that an event has happened.
    pub(crate) fn host_waits_for_event(&mut self, event: u64) {
        self.host_learns(|state| {
            if let Some(clock) = state.following.events.get(&event) {
                state.following.order.host_waits(clock);
            }
        });
    }

    /// The host knows that all work of a stream is done.
    pub(crate) fn host_waits_for_stream(&mut self, stream: u64) {
        self.host_learns(|state| {
            let lane = state.lane(stream);
            state.following.order.host_waits_for(lane);
        });
    }

    /// The host knows that all work is done.
    pub(crate) fn host_waits_for_all(&mut self) {
        self.host_learns(|state| state.following.order.host_waits_for_all());
    }

    /// What a copy touches: its sides, the bytes, rows and slices of it, and how far rows and slices of each side are
    /// apart. Pageable memory is copied before the call returns, and is the host's again.
    pub(crate) fn copy_touches(&mut self, from: u64, to: u64, size: [u64; 3], apart: [u64; 4]) {
        if self.listens() {
            let [from_row, from_slice, to_row, to_slice] = apart;
            let reads = self.box_of(from, size, [from_row, from_slice]);
            let writes = self.box_of(to, size, [to_row, to_slice]);
            self.work_touches("a copy", &Touches { reads, writes, ..Touches::default() });
        }
    }

    /// What a fill touches: rows of so many bytes.
    pub(crate) fn set_touches(&mut self, to: u64, pitch: u64, row: u64, height: u64) {
        if self.listens() {
            let writes = self.box_of(to, [row, height, 1], [pitch, 0]);
            self.work_touches("a memset", &Touches { writes, ..Touches::default() });
        }
    }

    /// The bytes of a box in an allocation.
    fn box_of(&self, start: u64, [width, rows, slices]: [u64; 3], [row, slice]: [u64; 2]) -> Ranges {
        if self.memory.find(start).is_none() || rows.saturating_mul(slices) > MOST_ROWS {
            return Ranges::default();
        }
        let of_slice = |z: u64| (0..rows).map(move |y| (start + z * slice + y * row, width));
        (0..slices).flat_map(of_slice).collect()
    }

    /// Whether memory of a kind gets pages of its own, so that it can be closed to the host.
    pub(crate) fn has_own_pages(&self, kind: Kind) -> bool {
        self.follows() && matches!(kind, Kind::Managed | Kind::Pinned)
    }

    /// Pages of their own for an allocation.
    pub(crate) fn own_pages(&mut self, bytes: u64) -> Outcome<u64> {
        let length = usize::try_from(bytes).ok().and_then(|bytes| bytes.max(1).checked_next_multiple_of(PAGE as usize));
        let length = length.ok_or(Error::OUT_OF_MEMORY)?;
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address that the system chooses.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), length, access, flags | libc::MAP_NORESERVE, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(Error::OUT_OF_MEMORY);
        }
        self.following.pages.insert(base as u64, length);
        Ok(base as u64)
    }

    /// An allocation is freed: nobody minds any more who touched it.
    pub(crate) fn order_forgets(&mut self, base: u64, bytes: u64) {
        self.host_learns(|state| state.following.order.forget(base, bytes));
        if let Some(length) = self.following.pages.remove(&base) {
            // SAFETY: pages that `own_pages` mapped for this allocation, which the machine has forgotten.
            unsafe { libc::munmap(base as *mut libc::c_void, length) };
        }
    }

    fn host_learns(&mut self, learn: impl FnOnce(&mut Self)) {
        if self.follows() {
            self.hear_host();
            guard::open();
            learn(self);
            self.close();
        }
    }

    /// Tells what the host did to memory that it should have waited for.
    pub(crate) fn hear_host(&mut self) {
        for seen in guard::seen() {
            let touches = if seen.writes { Touches::writing } else { Touches::reading }(seen.address, 1);
            let Some(race) = self.following.order.host_touches("the host", &touches).into_iter().next() else {
                continue;
            };
            let Some((base, allocation)) = self.memory.find(seen.address) else { continue };
            let what = if allocation.kind == Kind::Managed { "managed" } else { "pinned" };
            let (verb, at, bytes) =
                (if seen.writes { "writes" } else { "reads" }, seen.address - base, allocation.bytes);
            let message = format!(
                "the host {verb} byte {at} of {bytes} bytes of {what} memory, which {} may still be writing",
                actor(&race)
            );
            self.tell(HostKind::HostRace, message, seen.stack.place(), race);
        }
    }

    /// What two pieces of work do to the same bytes.
    fn words(&self, name: &str, lane: Lane, race: &Race) -> String {
        let verb = |writes: bool| if writes { "writes" } else { "reads" };
        let (later, earlier) = (verb(race.later_writes), verb(race.earlier_writes));
        let bytes = if race.bytes == 1 { "a byte".to_owned() } else { format!("{} bytes", race.bytes) };
        let place = self.memory.find(race.start).map_or(String::new(), |(base, allocation)| {
            format!(", from byte {} on of an allocation of {}", race.start - base, allocation.bytes)
        });
        format!("{name} on {lane} {later} {bytes} that {} {earlier}{place}, with no order between them", actor(race))
    }

    fn tell(&mut self, kind: HostKind, message: String, place: HostPlace, race: Race) {
        if self.following.told.insert((place.clone(), race.earlier.place.clone())) {
            let finding = Finding { other_host: race.earlier.place, ..Finding::of_host(kind, message, Some(place)) };
            self.trace.finding(finding);
        }
    }

    /// Closes what the host must not touch: pages of shared memory, every byte of which is being written.
    fn close(&mut self) {
        if self.following.pages.is_empty() {
            return;
        }
        let unsettled = self.following.order.unsettled();
        let mut pages = Vec::new();
        for (start, end) in unsettled.iter() {
            let Some((base, allocation)) = self.memory.find(start) else { continue };
            if !self.following.pages.contains_key(&base) {
                continue;
            }
            let last = base + allocation.bytes;
            let first = start.next_multiple_of(PAGE);
            // The end of the allocation is the end of what matters in its last page.
            let end = if end >= last { last.next_multiple_of(PAGE) } else { end / PAGE * PAGE };
            if first < end {
                pages.push((first, end));
            }
        }
        guard::close(pages);
    }
}

/// What an earlier piece of work is.
fn actor(race: &Race) -> String {
    match race.earlier.by {
        Actor::Stream(lane) => format!("{} on {lane}", race.earlier.name),
        Actor::Host => "the host".to_owned(),
    }
}
