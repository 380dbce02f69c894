//! Findings: the same mistake at the same lines is one finding, with a count.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::places::Places;
use crate::program::{Origin, Program};
use crate::report::Place;
use crate::report::{Finding, FindingKind, MemorySpace, Severity};

/// The most findings that are kept.
const MOST: usize = 100;

/// A thread of the launch: number of its block, number in the block.
pub(super) type Who = (u64, u32);

/// A mistake, as seen once.
#[derive(Clone, Debug)]
pub(super) struct Sighting {
    pub(super) kind: FindingKind,
    pub(super) severity: Severity,
    /// The instruction and its thread.
    pub(super) at: (u32, Who),
    /// The other instruction and its thread.
    pub(super) other: Option<(u32, Who)>,
    pub(super) space: Option<MemorySpace>,
    pub(super) address: Option<u64>,
    /// Used in the count: sightings at the same place are one.
    pub(super) place: u64,
}

impl Sighting {
    /// A mistake at an instruction of a thread, with the severity of its kind.
    pub(super) fn new(kind: FindingKind, at: (u32, Who), place: u64) -> Self {
        Self { kind, severity: kind.severity(), at, other: None, space: None, address: None, place }
    }
}

/// How far apart the two threads of a sighting are; the further, the more it takes to order them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    /// In one warp, or one thread only.
    Warp,
    Block,
    Grid,
}

impl Distance {
    fn of(seen: &Sighting) -> Self {
        let ((block, thread), (other_block, other)) = (seen.at.1, seen.other.unwrap_or(seen.at).1);
        match (block == other_block, thread / 32 == other / 32) {
            (false, _) => Self::Grid,
            (true, false) => Self::Block,
            (true, true) => Self::Warp,
        }
    }
}

/// Of several sightings, the one with the lowest block, thread and address represents all.
type Rank = (Who, u64, Option<Who>);
/// Advice is for the threads furthest apart: a barrier of a warp does not help two warps.
type AdviceRank = (bool, Reverse<Distance>, Rank);

#[derive(Clone, Debug)]
struct Entry {
    first: Sighting,
    rank: Rank,
    severity: Severity,
    object: Option<String>,
    message: String,
    advice: String,
    advice_rank: AdviceRank,
    places: Places,
}

/// What makes two sightings one finding: kind and lines.
type Key = (FindingKind, u64, u64);

/// The findings of one host thread.
#[derive(Debug, Default)]
pub(super) struct Findings {
    entries: HashMap<Key, Entry>,
    /// Something depends on the order in which blocks run: it was seen between two of them, or there was too much.
    unsettled: bool,
}

/// Object, message and advice of a finding.
pub(super) type Words = (Option<String>, String, String);

impl Findings {
    /// Records a sighting; `words` is called for its text only if it will be shown.
    pub(super) fn note(&mut self, program: &Program, seen: Sighting, words: impl FnOnce(&Sighting) -> Words) {
        let key = key(program, seen.kind, seen.at.0, seen.other.map(|(pc, _)| pc));
        let rank = (seen.at.1, seen.address.unwrap_or(0), seen.other.map(|(_, who)| who));
        let distance = Distance::of(&seen);
        self.unsettled |= distance == Distance::Grid;
        let advice_rank = (seen.severity == Severity::Warning, Reverse(distance), rank);
        match self.entries.get_mut(&key) {
            None => {
                if self.entries.len() >= MOST {
                    self.unsettled = true;
                    return;
                }
                let (object, message, advice) = words(&seen);
                let mut places = Places::default();
                places.insert(seen.place);
                let severity = seen.severity;
                let entry = Entry { severity, first: seen, rank, object, message, advice, advice_rank, places };
                self.entries.insert(key, entry);
            }
            Some(entry) => {
                entry.places.insert(seen.place);
                if seen.severity == Severity::Error {
                    entry.severity = Severity::Error;
                }
                let speaks = (seen.severity == Severity::Warning, rank)
                    < (entry.first.severity == Severity::Warning, entry.rank);
                let advises = advice_rank < entry.advice_rank;
                if !speaks && !advises {
                    return;
                }
                let (object, message, advice) = words(&seen);
                if advises {
                    (entry.advice, entry.advice_rank) = (advice, advice_rank);
                }
                if speaks {
                    (entry.object, entry.message) = (object, message);
                    (entry.first, entry.rank) = (seen, rank);
                }
            }
        }
    }

    /// Whether a mistake of two instructions is known to be an error.
    pub(super) fn is_error(&self, program: &Program, kind: FindingKind, pc: u32, other: u32) -> bool {
        let entry = self.entries.get(&key(program, kind, pc, Some(other)));
        entry.is_some_and(|entry| entry.severity == Severity::Error)
    }

    /// What is found next depends on the order in which blocks run.
    pub(super) fn unsettle(&mut self) {
        self.unsettled = true;
    }

    /// Whether they are the same in whatever order blocks run.
    pub(super) fn are_settled(&self) -> bool {
        !self.unsettled && self.entries.len() <= MOST && self.entries.values().all(|entry| entry.places.is_exact())
    }

    /// Whether there is any of that kind.
    pub(super) fn has(&self, kind: FindingKind) -> bool {
        self.entries.keys().any(|key| key.0 == kind)
    }

    /// Merges those of another host thread.
    pub(super) fn merge(&mut self, others: Self) {
        self.unsettled |= others.unsettled;
        for (key, other) in others.entries {
            match self.entries.get_mut(&key) {
                None => {
                    self.entries.insert(key, other);
                }
                Some(entry) => {
                    entry.places.extend(&other.places);
                    if other.severity == Severity::Error {
                        entry.severity = Severity::Error;
                    }
                    let order = |e: &Entry| (e.first.severity == Severity::Warning, e.rank);
                    let speaks = order(&other) < order(entry);
                    if other.advice_rank < entry.advice_rank {
                        (entry.advice, entry.advice_rank) = (other.advice, other.advice_rank);
                    }
                    if speaks {
                        (entry.object, entry.message) = (other.object, other.message);
                        (entry.first, entry.rank) = (other.first, other.rank);
                    }
                }
            }
        }
    }

    /// All of them, errors first, in the order of their lines.
    pub(super) fn list(self, program: &Program, who: impl Fn(Who) -> ([u32; 3], [u32; 3])) -> Vec<Finding> {
        let place = |(pc, thread): (u32, Who)| {
            let (block, thread) = who(thread);
            program.image.place(pc).map(|at| Box::new(Place { block, thread, ..at }))
        };
        let mut entries: Vec<(Key, Entry)> = self.entries.into_iter().collect();
        let kind = |key: &Key| key.0.name();
        entries.sort_by(|(a, x), (b, y)| {
            let order = |e: &Entry| e.severity == Severity::Warning;
            (order(x), a.1, a.2, kind(a), x.rank).cmp(&(order(y), b.1, b.2, kind(b), y.rank))
        });
        entries.truncate(MOST);
        entries
            .into_iter()
            .map(|(_, entry)| Finding {
                kind: entry.first.kind,
                severity: entry.severity,
                message: entry.message,
                advice: entry.advice,
                count: entry.places.count(),
                more: !entry.places.is_exact(),
                place: place(entry.first.at),
                other: entry.first.other.and_then(place),
                space: entry.first.space,
                object: entry.object,
                address: entry.first.address,
            })
            .collect()
    }
}

fn key(program: &Program, kind: FindingKind, pc: u32, other: Option<u32>) -> Key {
    let (a, b) = (line(program, pc), other.map_or(0, |pc| line(program, pc)));
    (kind, a.min(b), a.max(b))
}

/// A number for the line of an instruction: of the source if the module says, else of the PTX.
fn line(program: &Program, pc: u32) -> u64 {
    let Some(origin) = program.image.origins.get(pc as usize) else { return 1 << 63 };
    match origin.source() {
        Some(line) => u64::from(line.file) << 32 | u64::from(line.line),
        None => 1 << 62 | u64::from(origin.span.start),
    }
}

/// The name of a line in advice: `line 12`.
pub(super) fn line_name(program: &Program, pc: u32) -> String {
    let source = program.image.origins.get(pc as usize).and_then(Origin::source);
    match (source, program.image.place(pc)) {
        (Some(line), _) => format!("line {}", line.line),
        (None, Some(place)) => format!("PTX line {}", place.ptx_line),
        (None, None) => "an unknown line".to_owned(),
    }
}
