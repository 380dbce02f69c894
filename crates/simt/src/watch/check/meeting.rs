//! Meetings: barriers of the block and operations of a warp, and who is missing.

use super::Checker;
use super::findings::Sighting;
use super::words::{self, Why};
use crate::exec::{BlockState, Warp};
use crate::fault::FaultKind;
use crate::lanes::{collective, lanes_of};
use crate::watch::event::{BlockBarrier, CollectiveKind, Event};
use crate::watch::{FindingKind, Severity};

/// Lanes that have come to a barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) warp: u32,
    pub(super) pc: u32,
    pub(super) mask: u32,
    /// The number of threads that the instruction says.
    pub(super) count: Option<u32>,
    pub(super) barrier: BlockBarrier,
    /// When, in the block's time.
    pub(super) time: u64,
}

/// Lanes of a warp that went around a meeting since the block's last barrier: once, and more than once.
#[derive(Clone, Copy, Debug, Default)]
struct Detoured {
    generation: u32,
    once: u32,
    again: u32,
}

/// What lanes brought to a warp-wide operation.
#[derive(Clone, Debug)]
struct Brought {
    masks: [u32; 32],
    sources: [u32; 32],
    members: u32,
}

/// Who has come where in a block.
#[derive(Debug)]
pub(super) struct Meetings {
    arrivals: [Vec<Arrival>; 16],
    /// Barriers of all threads so far.
    generation: u32,
    /// By meeting and warp.
    detoured: Vec<Detoured>,
    warps: usize,
    any_detour: bool,
    brought: Vec<Option<Box<Brought>>>,
}

impl Meetings {
    pub(super) fn new(warps: usize, sites: usize) -> Self {
        Self {
            arrivals: Default::default(),
            generation: 1,
            detoured: vec![Detoured::default(); warps * sites],
            warps,
            any_detour: false,
            brought: vec![None; warps],
        }
    }

    pub(super) fn start(&mut self) {
        self.arrivals.iter_mut().for_each(Vec::clear);
        // Detours of the block before are of an older generation.
        self.generation = self.generation.wrapping_add(1);
        self.any_detour = false;
    }

    pub(super) fn arrive(&mut self, id: u32, arrival: Arrival) {
        if let Some(arrivals) = self.arrivals.get_mut(id as usize) {
            arrivals.push(arrival);
        }
    }

    /// Lanes go around a meeting.
    pub(super) fn detour(&mut self, site: usize, warp: u32, lanes: u32) {
        let Some(entry) = self.detoured.get_mut(site * self.warps + warp as usize) else { return };
        if entry.generation != self.generation {
            *entry = Detoured { generation: self.generation, ..Detoured::default() };
        }
        entry.again |= entry.once & lanes;
        entry.once |= lanes;
        self.any_detour = true;
    }

    fn detoured(&self, site: usize, warp: usize) -> Detoured {
        match self.detoured.get(site * self.warps + warp) {
            Some(entry) if entry.generation == self.generation => *entry,
            _ => Detoured::default(),
        }
    }

    /// The first thread that went around a meeting more often than one of those who came to it, and is not there.
    /// `come` says which lanes of a warp are there.
    fn missing(&self, site: usize, warps: std::ops::Range<usize>, come: impl Fn(usize) -> u32) -> Option<u32> {
        let (mut not_once, mut not_again) = (false, false);
        for warp in warps.clone() {
            let (there, d) = (come(warp), self.detoured(site, warp));
            not_once |= there & !d.once != 0;
            not_again |= there & !d.again != 0;
        }
        warps.into_iter().find_map(|warp| {
            let d = self.detoured(site, warp);
            let more = if not_once {
                d.once
            } else if not_again {
                d.again
            } else {
                0
            };
            let missing = more & !come(warp);
            (missing != 0).then(|| warp as u32 * 32 + missing.trailing_zeros())
        })
    }
}

impl Checker<'_> {
    /// A barrier of the block is complete.
    pub(super) fn barrier(&mut self, state: &BlockState, id: u32) {
        let slot = state.slot as usize;
        let arrivals = std::mem::take(&mut self.blocks[slot].meetings.arrivals[id as usize]);
        let all = !arrivals.iter().any(|a| a.barrier.counted || a.barrier.arrive);
        if self.plan.checks.sync {
            self.check_barrier(slot, id, &arrivals, all);
        }
        let block = &mut self.blocks[slot];
        if let Some(races) = &mut block.races {
            let threads: u32 = arrivals.iter().map(|a| a.mask.count_ones()).sum();
            let arrive_only = arrivals.iter().any(|a| a.barrier.arrive);
            if all || threads >= state.live && !arrive_only {
                races.block_meets();
            } else {
                let come: Vec<(u32, u32, u64)> = arrivals.iter().map(|a| (a.warp, a.mask, a.time)).collect();
                let waited = arrivals.iter().filter(|a| !a.barrier.arrive);
                let go: Vec<(u32, u32)> = waited.map(|a| (a.warp, a.mask)).collect();
                races.clock.some_meet(&come, &go);
            }
        }
        if all {
            block.meetings.generation = block.meetings.generation.wrapping_add(1);
            block.meetings.any_detour = false;
        }
        let mut arrivals = arrivals;
        arrivals.clear();
        block.meetings.arrivals[id as usize] = arrivals;
    }

    fn check_barrier(&mut self, slot: usize, id: u32, arrivals: &[Arrival], all: bool) {
        let Some(first) = arrivals.first() else { return };
        let linear = self.blocks[slot].linear;
        let who = |a: &Arrival| (a.pc, (linear, a.warp * 32 + a.mask.trailing_zeros()));
        if let Some(other) = arrivals.iter().find(|a| a.count != first.count) {
            self.blocks[slot].broken = true;
            self.diverges(who(other), Some(who(first)), Why::Counts(id, first.count, other.count));
        } else if let Some(other) = arrivals.iter().find(|a| all && a.barrier.aligned && a.pc != first.pc) {
            self.blocks[slot].broken = true;
            self.diverges(who(other), Some(who(first)), Why::TwoBarriers);
        } else if all && self.blocks[slot].meetings.any_detour {
            let Some(&site) = self.plan.meetings.get(&first.pc) else { return };
            let meetings = &self.blocks[slot].meetings;
            let come = |warp: usize| {
                let here = arrivals.iter().filter(|a| a.warp as usize == warp);
                here.fold(0, |mask, a| mask | a.mask)
            };
            if let Some(thread) = meetings.missing(site, 0..meetings.warps, come) {
                self.blocks[slot].broken = true;
                self.diverges(who(first), None, Why::Bypassed(thread));
            }
        }
    }

    /// Lanes come to a warp-wide operation.
    pub(super) fn lanes_come(&mut self, warp: &Warp<'_>, pc: u32, event: &Event, mask: u32, members: u32) {
        let op = &warp.launch.program.code[pc as usize];
        let (masked, shuffles) = match event {
            Event::WarpBarrier => (true, false),
            Event::Collective(c) if c.kind == CollectiveKind::Matrix => return,
            Event::Collective(c) => (c.masked, c.kind == CollectiveKind::Shuffle),
            _ => return,
        };
        // A whole warp in the name of a whole warp is what nearly all of them are.
        // SAFETY: the warp is at the instruction, which is one of those that have these operands.
        let (masks, sources) = unsafe {
            let masks = if masked { collective::masks(warp, op) } else { [mask; 32] };
            (masks, if shuffles { collective::sources(warp, op) } else { [0; 32] })
        };
        let slot = warp.block().slot as usize;
        let linear = self.blocks[slot].linear;
        let thread = |lane: usize| (pc, (linear, warp.index * 32 + lane as u32));
        if masked && self.plan.checks.sync {
            if let Some(lane) = lanes_of(mask).find(|&lane| masks[lane] >> lane & 1 == 0) {
                self.diverges(thread(lane), None, Why::NotInMask);
            } else {
                // Lanes that name each other must name the same set.
                let odd = lanes_of(mask).find_map(|lane| {
                    let named = masks[lane] & mask;
                    lanes_of(named).find(|&other| masks[other] != masks[lane]).map(|other| (lane, other))
                });
                if let Some((lane, other)) = odd {
                    self.diverges(thread(lane), Some(thread(other)), Why::MasksDiffer);
                }
            }
        }
        let brought = &mut self.blocks[slot].meetings.brought[warp.index as usize];
        match brought {
            Some(there) => {
                for lane in lanes_of(mask) {
                    (there.masks[lane], there.sources[lane]) = (masks[lane], sources[lane]);
                }
                there.members |= members;
            }
            None => *brought = Some(Box::new(Brought { masks, sources, members })),
        }
    }

    /// Lanes have executed a warp-wide operation together.
    pub(super) fn lanes_meet(&mut self, warp: &Warp<'_>, pc: u32, event: &Event, lanes: u32) {
        let (slot, index) = (warp.block().slot as usize, warp.index);
        if matches!(event, Event::WarpBarrier)
            && let Some(races) = &mut self.blocks[slot].races
        {
            if lanes & warp.live() == warp.live() {
                races.clock.warp_meets(index);
            } else {
                let time = races.clock.tick();
                races.clock.some_meet(&[(index, lanes, time)], &[(index, lanes)]);
            }
        }
        let Some(brought) = self.blocks[slot].meetings.brought[index as usize].take() else { return };
        let linear = self.blocks[slot].linear;
        let thread = |lane: usize| (pc, (linear, index * 32 + lane as u32));
        if self.plan.checks.sync
            && self.blocks[slot].meetings.any_detour
            && let Some(&site) = self.plan.meetings.get(&pc)
        {
            let warp = index as usize;
            let named = lanes_of(lanes).fold(0, |named, lane| named | brought.masks[lane]);
            let meetings = &self.blocks[slot].meetings;
            let missing = meetings.missing(site, warp..warp + 1, |_| lanes).filter(|t| named >> (t % 32) & 1 == 1);
            if let Some(missing) = missing {
                self.diverges(thread(lanes.trailing_zeros() as usize), None, Why::LaneBypassed(missing));
            }
        }
        if matches!(event, Event::Collective(c) if c.kind == CollectiveKind::Shuffle) {
            // What lanes get that are not in their own mask is the smaller part of that mistake.
            for lane in lanes_of(lanes).filter(|&lane| brought.masks[lane] >> lane & 1 == 1) {
                let source = brought.sources[lane];
                let named = brought.masks[lane] >> source & 1 == 1;
                if lanes >> source & 1 == 0 || !named {
                    let chosen = collective::is_indexed(&warp.launch.program.code[pc as usize]);
                    self.empty_lane(thread(lane), source, named, chosen);
                    break;
                }
            }
        }
    }

    #[cold]
    fn diverges(&mut self, at: (u32, (u64, u32)), other: Option<(u32, (u64, u32))>, why: Why) {
        let plan = self.plan;
        let seen = Sighting {
            kind: FindingKind::BarrierDivergence,
            severity: Severity::Error,
            at,
            other,
            space: None,
            address: None,
            place: at.1.0 << 10 ^ u64::from(at.1.1),
        };
        self.findings.note(plan.launch.program, seen, |seen| why.words(plan, seen));
    }

    #[cold]
    fn empty_lane(&mut self, at: (u32, (u64, u32)), source: u32, named: bool, chosen: bool) {
        let plan = self.plan;
        let seen = Sighting {
            kind: FindingKind::Uninitialized,
            // A step past the last lane of the mask is common where nobody uses what it gives.
            severity: if named || chosen { Severity::Error } else { Severity::Warning },
            at,
            other: None,
            space: None,
            address: None,
            place: at.1.0 << 10 ^ u64::from(at.1.1),
        };
        self.findings.note(plan.launch.program, seen, |seen| words::empty_lane(plan, seen, source, named));
    }

    /// Nobody can go on.
    pub(super) fn deadlock(&mut self, state: &BlockState, waiting: &[(u32, u32, u32)]) {
        let plan = self.plan;
        let mut waiting = waiting.to_vec();
        waiting.sort_unstable();
        let Some(&(warp, pc, lanes)) = waiting.first() else { return };
        let linear = self.blocks[state.slot as usize].linear;
        let who = |(warp, pc, lanes): (u32, u32, u32)| (pc, (linear, warp * 32 + lanes.trailing_zeros()));
        let seen = Sighting {
            kind: FindingKind::Fault(FaultKind::Deadlock),
            severity: Severity::Error,
            at: who((warp, pc, lanes)),
            other: waiting.iter().find(|w| w.1 != pc).map(|&w| who(w)),
            space: None,
            address: None,
            place: linear,
        };
        self.findings.note(plan.launch.program, seen, |seen| words::deadlock(plan, seen, &waiting, state));
    }
}
