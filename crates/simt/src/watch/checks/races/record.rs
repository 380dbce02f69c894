//! Records: what is known about a granule whose history does not fit into a cell.
//!
//! A list of accesses, none of which is over for all the others: atomics and volatile accesses next to plain ones, and
//! more than two open reads if order may come from less than full barriers. An entry holds all lanes of a warp that did
//! the same at the same time.

use super::clock::Judge;
use super::stamp::NEXT_LANE;
use crate::lanes::lanes_of;
use crate::watch::checks::kind::Kind;

/// Entries of a record if order comes only from full barriers: those of a few warps find every race.
const FEW: usize = 8;
/// Entries otherwise.
const MANY: usize = 128;

/// Lanes of a warp that did the same at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Of lane 0.
    pub(super) stamp: u64,
    pub(super) lanes: u32,
    pub(super) kind: Kind,
    /// When it last occurred, in the record's own count.
    pub(super) last: u64,
}

impl Entry {
    /// One thread's access.
    pub(super) fn one(stamp: u64, kind: Kind) -> Self {
        let lane = stamp / NEXT_LANE % 32;
        Self::of(stamp - lane * NEXT_LANE, 1 << lane, kind)
    }

    /// The same access of several lanes; the stamp is that of lane 0.
    pub(super) fn of(stamp: u64, lanes: u32, kind: Kind) -> Self {
        Self { stamp, lanes, kind, last: 0 }
    }

    fn stamps(self) -> impl Iterator<Item = (u32, u64)> {
        lanes_of(self.lanes).map(move |lane| (1 << lane, self.stamp + lane as u64 * NEXT_LANE))
    }
}

/// A race: the stamps and kinds of the earlier and of the later access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Race {
    pub(crate) old: (u64, Kind),
    pub(crate) new: (u64, Kind),
}

impl Race {
    /// Whether it is none, but two strong accesses that count on the lanes of a warp to run in step.
    pub(crate) fn is_in_step(&self) -> bool {
        self.old.1.in_step(self.new.1) && !self.old.1.conflicts(self.new.1, true)
    }

    /// Whether both are stores, none an atomic.
    pub(crate) fn is_plain_writes(&self) -> bool {
        [self.old.1, self.new.1].iter().all(|kind| kind.write && !kind.atomic)
    }
}

/// The open accesses of a granule.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    entries: Vec<Entry>,
    accesses: u64,
}

impl Record {
    /// Of a cell: the last write and up to two reads.
    pub(super) fn of(write: u64, reads: [u64; 2]) -> Self {
        let write = (write != 0).then(|| Entry::one(write, Kind::WRITE));
        let reads = reads.into_iter().filter(|&r| r != 0).map(|r| Entry::one(r, Kind::READ));
        Self { entries: write.into_iter().chain(reads).collect(), accesses: 0 }
    }

    /// The cell that says the same, if there is one: the last write and two reads.
    pub(super) fn cell(&self) -> Option<(u64, [u64; 2])> {
        let (mut write, mut reads, mut count) = (0, [0; 2], 0);
        for entry in &self.entries {
            if entry.kind.strong || entry.lanes.count_ones() != 1 {
                return None;
            }
            let (_, stamp) = entry.stamps().next()?;
            if entry.kind.write {
                if write != 0 {
                    return None;
                }
                write = stamp;
            } else {
                *reads.get_mut(count)? = stamp;
                count += 1;
            }
        }
        Some((write, reads))
    }

    /// An access by lanes of a warp, all at the same instruction; returns one race if there is any, else two accesses
    /// that count on lanes in step ([`Race::is_in_step`]), if there are any.
    pub(super) fn access(&mut self, new: Entry, judge: &Judge<'_>) -> Option<Race> {
        let (mut race, mut in_step) = (None, None);
        self.accesses += 1;
        let new = Entry { last: self.accesses, ..new };
        // Accesses that cannot race with anything here only have to be recorded.
        let alike = self.entries.iter().all(|e| e.kind == new.kind) && !new.kind.conflicts(new.kind, false);
        if !alike || judge.lists {
            for at in 0..self.entries.len() {
                let entry = self.entries[at];
                let mut over = 0;
                let conflicting = new.kind.conflicts(entry.kind, judge.same_block(entry.stamp, new.stamp))
                    && !self.observed(&entry, &new, judge);
                let warned = new.kind.in_step(entry.kind) && judge.distance(entry.stamp, new.stamp) == 0;
                for (bit, old) in entry.stamps() {
                    let mut before_all = true;
                    for (_, mine) in new.stamps() {
                        let ordered = judge.ordered(old, mine);
                        before_all &= ordered;
                        let further = |race: &Race| judge.distance(old, mine) > judge.distance(race.old.0, race.new.0);
                        if conflicting && !ordered && race.as_ref().is_none_or(further) {
                            race = Some(Race { old: (old, entry.kind), new: (mine, new.kind) });
                        }
                        if warned && !ordered && in_step.is_none() {
                            in_step = Some(Race { old: (old, entry.kind), new: (mine, new.kind) });
                        }
                    }
                    if before_all {
                        over |= bit;
                    }
                }
                if new.kind.subsumes(entry.kind) {
                    self.entries[at].lanes &= !over;
                }
            }
            self.entries.retain(|e| e.lanes != 0);
        }
        // Lanes of one instruction race among themselves.
        if race.is_none() && new.lanes.count_ones() > 1 && new.kind.conflicts(new.kind, true) {
            let mut lanes = new.stamps();
            if let (Some((_, old)), Some((_, last))) = (lanes.next(), lanes.last()) {
                race = Some(Race { old: (old, new.kind), new: (last, new.kind) });
            }
        }
        self.note(new, judge);
        race.or(in_step.filter(Race::is_in_step))
    }

    /// Whether a strong write was seen by a strong read that comes before the new access. The model orders the write
    /// itself, not what came before it, without any fence: a thread that has seen a flag may clear it.
    fn observed(&self, write: &Entry, new: &Entry, judge: &Judge<'_>) -> bool {
        if !write.kind.strong || !write.kind.write {
            return false;
        }
        self.entries.iter().any(|read| {
            let reads = read.kind.strong && (!read.kind.write || read.kind.atomic) && read.last > write.last;
            reads
                && !write.kind.conflicts(read.kind, judge.same_block(write.stamp, read.stamp))
                && new.stamps().all(|(_, mine)| read.stamps().any(|(_, seen)| judge.ordered(seen, mine)))
        })
    }

    fn note(&mut self, new: Entry, judge: &Judge<'_>) {
        let same = self.entries.iter_mut().find(|e| e.stamp == new.stamp && e.kind == new.kind);
        if let Some(entry) = same {
            entry.lanes |= new.lanes;
            entry.last = new.last;
        } else if self.entries.len() < if judge.lists && !judge.crowded { MANY } else { FEW } {
            self.entries.push(new);
        } else {
            // Entries that are over for this one make room.
            let over = self
                .entries
                .iter()
                .position(|e| new.kind.subsumes(e.kind) && e.stamps().all(|(_, old)| judge.ordered(old, new.stamp)));
            // With this many others, some are as far away as this one; a plain access is worth more than an atomic.
            let at = over.or_else(|| (!new.kind.strong).then_some(self.entries.len() - 1));
            if let Some(at) = at {
                self.entries[at] = new;
            }
        }
    }
}
