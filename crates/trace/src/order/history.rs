//! Who touched which bytes last.

use super::Lane;
use super::clock::Clock;
use super::ranges::Ranges;
use super::touches::Touches;
use crate::place::HostPlace;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Segments that are remembered; beyond that, nothing more is. A program that scatters its writes that widely is not
/// followed to the end, rather than slowed down without end.
const MOST: usize = 1 << 18;

/// Who touches bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// Work of a stream.
    Stream(Lane),
    /// The host itself.
    Host,
}

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whose.
    pub by: Actor,
    /// What it is called in messages.
    pub name: String,
    /// The call of the host that asked for it, where that is known.
    pub place: Option<HostPlace>,
    /// Its number in its stream.
    pub(super) time: u64,
}

/// Two pieces of work that touch the same bytes without order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The one that came first in this run.
    pub earlier: Access,
    /// Whether that one writes.
    pub earlier_writes: bool,
    /// Whether the one that came later writes.
    pub later_writes: bool,
    /// The first byte that both touch.
    pub start: u64,
    /// How many bytes both touch.
    pub bytes: u64,
}

/// Bytes with the same history.
#[derive(Clone, Debug, Default)]
struct Segment {
    end: u64,
    /// The last that wrote them, and whether with an atomic operation.
    write: Option<(Arc<Access>, bool)>,
    /// Those that read them since, the last of each stream.
    reads: Vec<Arc<Access>>,
}

/// What is done to bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Read,
    Write,
    Atomic,
}

/// The last accesses of all bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// By their first byte; they do not overlap.
    segments: BTreeMap<u64, Segment>,
}

impl Access {
    /// Whether it is known to have ended.
    fn has_ended(&self, clock: &Clock) -> bool {
        match self.by {
            Actor::Stream(lane) => self.time <= clock.of(lane.0),
            // The host does one thing after the other, and gives work afterwards.
            Actor::Host => true,
        }
    }
}

impl History {
    /// Adds an access, and returns what it races with. `clock` is what is known to have ended before it.
    pub(super) fn touch(&mut self, access: &Access, clock: &Clock, touches: &Touches) -> Vec<Race> {
        let mut races = Vec::new();
        let own = Arc::new(access.clone());
        let deeds = [(&touches.reads, Deed::Read), (&touches.writes, Deed::Write), (&touches.atomics, Deed::Atomic)];
        for (ranges, deed) in deeds {
            ranges.iter().for_each(|range| self.find(clock, range, deed, &mut races));
        }
        for (ranges, deed) in deeds {
            if access.by != Actor::Host && self.segments.len() < MOST {
                ranges.iter().for_each(|range| self.add(&own, clock, range, deed));
            }
        }
        races
    }

    /// Looks for accesses of a range that are without order.
    fn find(&self, clock: &Clock, (start, end): (u64, u64), deed: Deed, races: &mut Vec<Race>) {
        for (&first, segment) in self.over(start, end) {
            let both = (start.max(first), end.min(segment.end));
            let mut meet = |other: &Arc<Access>, earlier_writes: bool| {
                if other.has_ended(clock) {
                    return;
                }
                match races.iter_mut().find(|race| race.earlier == **other) {
                    Some(race) => race.bytes += both.1 - both.0,
                    None => races.push(Race {
                        earlier: (**other).clone(),
                        earlier_writes,
                        later_writes: deed != Deed::Read,
                        start: both.0,
                        bytes: both.1 - both.0,
                    }),
                }
            };
            if let Some((write, atomic)) = &segment.write
                && !(*atomic && deed == Deed::Atomic)
            {
                meet(write, true);
            }
            if deed != Deed::Read {
                segment.reads.iter().for_each(|other| meet(other, false));
            }
        }
    }

    /// Notes an access of a range.
    fn add(&mut self, own: &Arc<Access>, clock: &Clock, (start, end): (u64, u64), deed: Deed) {
        self.cut(start);
        self.cut(end);
        let mut at = start;
        while at < end {
            // Up to the next segment that is known, nobody has touched the bytes.
            let next = self.segments.range(at..end).next().map_or(end, |(&first, _)| first);
            let segment = match next == at {
                true => self.segments.get_mut(&at).expect("one begins there"),
                false => self.segments.entry(at).or_insert(Segment { end: next, ..Segment::default() }),
            };
            if deed == Deed::Read {
                // A read that has ended before this one has ended before all that come after this one.
                segment.reads.retain(|read| read.by != own.by && !read.has_ended(clock));
                segment.reads.push(Arc::clone(own));
            } else {
                segment.write = Some((Arc::clone(own), deed == Deed::Atomic));
                segment.reads.clear();
            }
            at = segment.end;
        }
        self.join(start, end);
    }

    /// Joins segments with the same history, so that repeated work does not cut memory into ever smaller pieces.
    fn join(&mut self, start: u64, end: u64) {
        let before = self.segments.range(..start).next_back().map_or(start, |(&first, _)| first);
        let firsts: Vec<u64> = self.segments.range(before..=end).map(|(&first, _)| first).collect();
        let mut last: Option<u64> = None;
        for first in firsts {
            let joins = last.is_some_and(|last| {
                let (a, b) = (&self.segments[&last], &self.segments[&first]);
                a.end == first && same_history(a, b)
            });
            match last {
                Some(last) if joins => {
                    let gone = self.segments.remove(&first).map_or(0, |segment| segment.end);
                    if let Some(segment) = self.segments.get_mut(&last) {
                        segment.end = gone;
                    }
                }
                _ => last = Some(first),
            }
        }
    }

    /// Makes a segment begin at an address, if one covers it.
    fn cut(&mut self, at: u64) {
        let Some((_, segment)) = self.segments.range_mut(..at).next_back() else { return };
        if segment.end > at {
            let rest = Segment { end: segment.end, write: segment.write.clone(), reads: segment.reads.clone() };
            segment.end = at;
            self.segments.insert(at, rest);
        }
    }

    /// The segments that a range meets.
    fn over(&self, start: u64, end: u64) -> impl Iterator<Item = (&u64, &Segment)> {
        let first = self.segments.range(..=start).next_back().map_or(start, |(&first, _)| first);
        self.segments.range(first..end).filter(move |(_, segment)| segment.end > start)
    }

    /// Forgets a range.
    pub(super) fn clear(&mut self, start: u64, bytes: u64) {
        let end = start.saturating_add(bytes);
        self.cut(start);
        self.cut(end);
        let gone: Vec<u64> = self.segments.range(start..end).map(|(&first, _)| first).collect();
        gone.iter().for_each(|first| {
            self.segments.remove(first);
        });
    }

    /// Forgets everything: all of it has ended.
    pub(super) fn forget(&mut self) {
        self.segments.clear();
    }

    /// The bytes whose last write is not known to have ended.
    pub(super) fn unsettled(&self, clock: &Clock) -> Ranges {
        let open = |segment: &Segment| segment.write.as_ref().is_some_and(|(write, _)| !write.has_ended(clock));
        let open = self.segments.iter().filter(|(_, segment)| open(segment));
        open.map(|(&first, segment)| (first, segment.end - first)).collect()
    }
}

fn same_history(a: &Segment, b: &Segment) -> bool {
    let same = |a: &Arc<Access>, b: &Arc<Access>| Arc::ptr_eq(a, b);
    let writes = match (&a.write, &b.write) {
        (Some((a, x)), Some((b, y))) => same(a, b) && x == y,
        (None, None) => true,
        _ => false,
    };
    writes && a.reads.len() == b.reads.len() && a.reads.iter().zip(&b.reads).all(|(a, b)| same(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(lane: usize, time: u64) -> Access {
        Access { by: Actor::Stream(Lane(lane)), name: format!("{lane}.{time}"), place: None, time }
    }

    fn touches(reads: &[(u64, u64)], writes: &[(u64, u64)]) -> Touches {
        let ranges = |all: &[(u64, u64)]| all.iter().copied().collect();
        Touches { reads: ranges(reads), writes: ranges(writes), ..Touches::default() }
    }

    #[test]
    fn repeated_work_does_not_cut_memory_up() {
        let (mut history, mut clock) = (History::default(), Clock::default());
        for time in 1..50 {
            clock.advance(0);
            let parts: Vec<(u64, u64)> = (0..8).map(|at| (64 * at, 64)).collect();
            let races = history.touch(&access(0, time), &clock, &touches(&[(256, 64)], &parts));
            assert!(races.is_empty(), "{races:?}");
        }
        assert_eq!(history.segments.len(), 1, "{:?}", history.segments);
    }

    #[test]
    fn parts_of_a_range_keep_their_own_history() {
        let (mut history, clock) = (History::default(), Clock::default());
        history.touch(&access(1, 1), &clock, &touches(&[], &[(0, 100)]));
        history.touch(&access(2, 1), &clock, &touches(&[(40, 20)], &[]));
        let races = history.touch(&access(3, 1), &clock, &touches(&[], &[(50, 30)]));
        let told: Vec<_> =
            races.iter().map(|r| (r.earlier.name.as_str(), r.start, r.bytes, r.earlier_writes)).collect();
        assert_eq!(told, [("1.1", 50, 30, true), ("2.1", 50, 10, false)]);
    }

    #[test]
    fn a_piece_of_work_does_not_race_with_itself() {
        let (mut history, clock) = (History::default(), Clock::default());
        assert!(history.touch(&access(1, 1), &clock, &touches(&[(0, 8)], &[(0, 8)])).is_empty());
    }

    #[test]
    fn atomics_race_with_all_but_atomics() {
        let (mut history, clock) = (History::default(), Clock::default());
        let atomics = Touches { atomics: [(0, 4)].into_iter().collect(), ..Touches::default() };
        assert!(history.touch(&access(1, 1), &clock, &atomics).is_empty());
        assert!(history.touch(&access(2, 1), &clock, &atomics).is_empty());
        assert_eq!(history.touch(&access(3, 1), &clock, &touches(&[(0, 4)], &[])).len(), 1);
        assert_eq!(history.touch(&access(1, 2), &clock, &atomics).len(), 1, "the read before it");
    }
}
