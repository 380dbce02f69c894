//! Synchronisation: barriers and warp-wide operations that not all of their threads reach together.

mod calls;
mod code;
mod conditions;
mod detours;
mod exits;
mod gone;
mod missing;
mod texts;
mod words;

use std::collections::HashMap;

use super::arrival::Arrival;
use super::brought::Brought;
use super::check::{Check, CheckEntry};
use super::findings::{Sighting, Who};
use super::plan::Plan;
use super::scene::{At, Scene};
use crate::image::event::Event;
use crate::lanes::lanes_of;
use crate::program::Program;
use crate::report::{FindingKind, Severity};
use crate::warp::{BlockState, Warp};
use calls::Calls;
use detours::{Detour, detours};
use exits::exits;
use gone::Gone;
use missing::Missing;
use texts::Texts;
use words::Why;

/// A barrier or warp operation that not all of its threads reach together.
const BARRIER_DIVERGENCE: FindingKind = FindingKind::new("barrier_divergence", Severity::Error);

pub(super) const ENTRY: CheckEntry =
    CheckEntry::new("sync", "barriers and warp operations that not all of their threads reach", &[BARRIER_DIVERGENCE]);

/// Branches around barriers and warp-wide operations, by program counter: those whose sides meet again, and those by
/// which threads exit.
struct Detours(Vec<(u32, Detour)>, Vec<(u32, Detour)>);

impl Detours {
    fn of(program: &Program) -> Self {
        let (calls, mut texts) = (Calls::new(program), Texts::new(program));
        let detours = detours(program, &calls, &mut texts);
        Self(detours, exits(program, &calls, &mut texts))
    }
}

/// The branches of a launch that go around barriers and warp-wide operations.
pub(crate) struct Prepared {
    /// What lanes go around.
    detours: Branches,
    /// The barriers that lanes which exit leave behind.
    exits: Branches,
}

/// Branches, and what their lanes go around.
#[derive(Default)]
struct Branches {
    /// By program counter.
    sides: Vec<Option<Box<Sides>>>,
    /// A number for each barrier or warp-wide operation that some branch goes around.
    meetings: HashMap<u32, usize>,
}

/// The meetings, by number, that lanes go around at a branch: those that take it, and those that do not.
#[derive(Clone, Debug)]
struct Sides {
    taken: Vec<usize>,
    passed: Vec<usize>,
}

impl Branches {
    /// Those of a launch.
    fn new(plan: &Plan<'_>, around: &[(u32, Detour)]) -> Self {
        let mut branches = Self::default();
        for (pc, detour) in around.iter().filter(|(pc, _)| plan.ranges.iter().any(|r| r.contains(pc))) {
            branches.sides.resize(plan.program.events.len(), None);
            let mut numbers = |pcs: &[u32]| -> Vec<usize> {
                let mut number = |&pc: &u32| {
                    let next = branches.meetings.len();
                    *branches.meetings.entry(pc).or_insert(next)
                };
                pcs.iter().map(&mut number).collect()
            };
            let sides = Sides { taken: numbers(&detour.taken), passed: numbers(&detour.passed) };
            branches.sides[*pc as usize] = Some(Box::new(sides));
        }
        branches
    }

    fn has(&self, pc: u32) -> bool {
        self.sides.get(pc as usize).is_some_and(Option::is_some)
    }

    /// Tells the meetings that lanes of a warp at a branch go around, and which of them do.
    #[inline]
    fn around(&self, warp: &Warp<'_>, pc: u32, taken: u32, mut tell: impl FnMut(usize, u32)) {
        let Some(sides) = self.sides.get(pc as usize).and_then(Option::as_deref) else { return };
        for (meetings, lanes) in [(&sides.taken, taken), (&sides.passed, warp.mask & !taken)] {
            if lanes != 0 {
                meetings.iter().for_each(|&meeting| tell(meeting, lanes));
            }
        }
    }
}

/// The check.
pub(super) struct Sync<'p> {
    prepared: &'p Prepared,
    warps: usize,
    /// By slot.
    blocks: Vec<(Missing, Gone)>,
}

impl<'p> Check<'p> for Sync<'p> {
    type Prepared = Prepared;

    fn prepare(plan: &Plan<'p>) -> Prepared {
        let around = plan.program.analysis(Detours::of);
        Prepared { detours: Branches::new(plan, &around.0), exits: Branches::new(plan, &around.1) }
    }

    fn new(plan: &'p Plan<'p>, prepared: &'p Prepared) -> Self {
        Self { prepared, warps: plan.warps(), blocks: Vec::new() }
    }

    fn wants(prepared: &Prepared, pc: u32, event: &Event) -> bool {
        match event {
            Event::Barrier(_) | Event::WarpBarrier | Event::Collective(_) | Event::Exit | Event::Return => true,
            Event::Branch => prepared.detours.has(pc) || prepared.exits.has(pc),
            _ => false,
        }
    }

    fn block_starts(&mut self, block: &BlockState) {
        let slot = block.slot as usize;
        while self.blocks.len() <= slot {
            let Prepared { detours, exits } = self.prepared;
            let missing = Missing::new(self.warps, detours.meetings.len());
            self.blocks.push((missing, Gone::new(self.warps, exits.meetings.len())));
        }
        let (missing, gone) = &mut self.blocks[slot];
        missing.restart();
        gone.restart();
    }

    fn branches(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        let (missing, gone) = &mut self.blocks[warp.block().slot as usize];
        let Prepared { detours, exits } = self.prepared;
        detours.around(warp, pc, mask, |meeting, lanes| missing.detour(meeting, warp.index, lanes));
        exits.around(warp, pc, mask, |meeting, lanes| gone.leave(meeting, warp.index, lanes, pc));
    }

    fn meets(&mut self, scene: &mut Scene<'p>, block: &BlockState, id: u32, arrivals: &[Arrival], whole: bool) {
        let (missing, gone) = &mut self.blocks[block.slot as usize];
        let broken = &mut scene.broken[block.slot as usize];
        if let Some((at, other, why)) = barrier(&self.prepared.detours, missing, block.linear, id, arrivals, whole) {
            *broken = true;
            diverges(scene, at, other, why);
        } else if whole
            && !*broken
            && let Some((arrival, left)) = gone.first(&self.prepared.exits.meetings, arrivals)
        {
            let who = |pc: u32, thread: u32| (pc, (block.linear, thread));
            let at = who(arrival.pc, arrival.warp * 32 + arrival.mask.trailing_zeros());
            diverges(scene, at, Some(who(left.branch, left.thread)), Why::Exited);
        }
        if whole {
            missing.restart();
        }
    }

    fn lanes_come(&mut self, scene: &mut Scene<'p>, at: &At<'_>, masks: Option<&[u32; 32]>) {
        let Some(masks) = masks else { return };
        let thread = |lane: usize| (at.pc, at.thread(lane as u32));
        if let Some(lane) = lanes_of(at.mask).find(|&lane| masks[lane] >> lane & 1 == 0) {
            diverges(scene, thread(lane), None, Why::NotInMask);
            return;
        }
        // Lanes that name each other must name the same set.
        let odd = lanes_of(at.mask).find_map(|lane| {
            let named = masks[lane] & at.mask;
            lanes_of(named).find(|&other| masks[other] != masks[lane]).map(|other| (lane, other))
        });
        if let Some((lane, other)) = odd {
            diverges(scene, thread(lane), Some(thread(other)), Why::MasksDiffer);
        }
    }

    fn lanes_meet(&mut self, scene: &mut Scene<'p>, at: &At<'_>, _: &Event, brought: Option<&Brought>) {
        let (missing, _) = &self.blocks[at.slot()];
        let (Some(brought), true) = (brought, missing.any()) else { return };
        let Some(&site) = self.prepared.detours.meetings.get(&at.pc) else { return };
        let (warp, lanes) = (at.warp.index as usize, at.mask);
        let named = lanes_of(lanes).fold(0, |named, lane| named | brought.masks[lane]);
        let missing = missing.first(site, warp..warp + 1, |_| lanes).filter(|t| named >> (t % 32) & 1 == 1);
        if let Some(missing) = missing {
            diverges(scene, (at.pc, at.thread(lanes.trailing_zeros())), None, Why::LaneBypassed(missing));
        }
    }
}

/// An instruction and one of its threads.
type Thread = (u32, Who);

/// What is wrong with a barrier that is complete.
fn barrier(
    detours: &Branches,
    missing: &Missing,
    linear: u64,
    id: u32,
    arrivals: &[Arrival],
    whole: bool,
) -> Option<(Thread, Option<Thread>, Why)> {
    let first = arrivals.first()?;
    let who = |a: &Arrival| (a.pc, (linear, a.warp * 32 + a.mask.trailing_zeros()));
    if let Some(other) = arrivals.iter().find(|a| a.count != first.count) {
        return Some((who(other), Some(who(first)), Why::Counts(id, first.count, other.count)));
    }
    if let Some(other) = arrivals.iter().find(|a| whole && a.barrier.aligned && a.pc != first.pc) {
        return Some((who(other), Some(who(first)), Why::TwoBarriers));
    }
    if !whole || !missing.any() {
        return None;
    }
    let come = |warp: usize| {
        let here = arrivals.iter().filter(|a| a.warp as usize == warp);
        here.fold(0, |mask, a| mask | a.mask)
    };
    let thread = missing.first(*detours.meetings.get(&first.pc)?, 0..missing.warps(), come)?;
    Some((who(first), None, Why::Bypassed(thread)))
}

#[cold]
fn diverges(scene: &mut Scene<'_>, at: Thread, other: Option<Thread>, why: Why) {
    let place = at.1.0 << 10 ^ u64::from(at.1.1);
    let severity = if matches!(why, Why::Exited) { Severity::Warning } else { BARRIER_DIVERGENCE.severity() };
    let seen = Sighting { other, severity, ..Sighting::new(BARRIER_DIVERGENCE, at, place) };
    scene.note(seen, |plan, seen| why.words(plan, seen));
}
