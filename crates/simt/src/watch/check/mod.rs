//! Checks: what is wrong with a kernel that nevertheless runs.
//!
//! A [`Checker`] observes the blocks of one host thread. What it looks for is in a [`Plan`]; what it knows of a block is
//! in a [`BlockChecks`]; what it finds goes to [`findings`]. One file is one idea: [`race`] (accesses without order),
//! [`bounds`] and [`provenance`] (accesses outside of what was meant), [`init`] (reads of what nobody wrote),
//! [`meeting`] and [`detours`] (barriers and warp-wide operations that some threads miss).

mod access;
mod bounds;
mod copies;
mod detours;
mod findings;
mod init;
mod meeting;
mod names;
mod plan;
mod provenance;
mod race;
mod repeats;
mod runs;
mod words;

pub(crate) use detours::{Detour, detours};
pub(crate) use names::plain_name;
pub(crate) use plan::{Plan, is_sequential};
pub(crate) use provenance::{Base, bases};

use copies::Copies;
use findings::Findings;
use init::{Bits, LocalBits};
use meeting::Meetings;
use race::{BlockRaces, Flags, Found};
use repeats::Repeats;

use super::event::{Access, BlockBarrier, CopyLanes, Declared, Event, Order, Scope};
use super::observer::Observer;
use crate::exec::{BlockState, Warp};
use crate::fault::Fault;
use crate::lanes::Op;
use crate::lanes::mbarrier::BulkCopy;
use crate::launch::Report;
use crate::memory::{self, Window};

/// What is known of a block that runs.
struct BlockChecks {
    linear: u64,
    /// A barrier did not hold its threads together: whatever races from there on races because of that.
    broken: bool,
    races: Option<BlockRaces>,
    /// Bytes of shared memory that somebody has written.
    written: Bits,
    /// By warp.
    local: Vec<LocalBits>,
    copies: Vec<Copies>,
    meetings: Meetings,
}

impl BlockChecks {
    fn new(plan: &Plan<'_>) -> Self {
        let (checks, warps) = (plan.checks, plan.warps());
        let shared = plan.launch.shared_bytes;
        Self {
            linear: 0,
            broken: false,
            races: checks.races.then(|| BlockRaces::new(plan.mode, plan.launch.threads(), shared)),
            written: Bits::new(if checks.init { shared } else { 0 }),
            local: vec![LocalBits::default(); warps],
            copies: vec![Copies::default(); warps],
            meetings: Meetings::new(warps, plan.meetings.len()),
        }
    }

    fn start(&mut self, linear: u64) {
        (self.linear, self.broken) = (linear, false);
        if let Some(races) = &mut self.races {
            races.start(linear);
        }
        self.written.clear();
        self.local.iter_mut().for_each(LocalBits::restart);
        self.copies.iter_mut().for_each(Copies::clear);
        self.meetings.start();
    }
}

/// The checks of one host thread.
pub(crate) struct Checker<'p> {
    plan: &'p Plan<'p>,
    /// By slot.
    blocks: Vec<BlockChecks>,
    findings: Findings,
    /// Races of the access under way.
    found: Vec<Found>,
    /// Which allocation each instruction hit last.
    hints: Vec<u32>,
    repeats: Repeats,
    /// What strong writes to global memory told; used where there is one host thread only.
    flags: Flags,
    /// Memory for checking races ran out.
    lost: bool,
}

impl<'p> Checker<'p> {
    pub(crate) fn new(plan: &'p Plan<'p>) -> Self {
        Self {
            plan,
            blocks: Vec::new(),
            findings: Findings::default(),
            found: Vec::new(),
            hints: vec![0; plan.launch.program.code.len()],
            repeats: Repeats::new(plan.mode.level, plan.launch.program),
            flags: Flags::default(),
            lost: false,
        }
    }

    fn block(&mut self, warp: &Warp<'_>) -> &mut BlockChecks {
        &mut self.blocks[warp.block().slot as usize]
    }
}

/// Adds what the checkers of a launch found to its outcome.
pub(crate) fn conclude<'p>(
    plan: &Plan<'_>,
    checkers: impl Iterator<Item = Checker<'p>>,
    outcome: Result<Report, Fault>,
) -> Result<Report, Fault> {
    let mut findings = Findings::default();
    let mut lost = false;
    for checker in checkers {
        findings.merge(checker.findings);
        lost |= checker.lost;
    }
    if let Err(fault) = &outcome {
        words::note_fault(plan, &mut findings, fault);
    }
    let threads = plan.launch.block;
    let findings = findings.list(plan.launch.program, |(block, thread)| {
        let [x, y, _] = threads;
        (plan.launch.block_at(block), [thread % x, thread / x % y, thread / x / y])
    });
    let notes = if lost { vec![words::LOST.to_owned()] } else { Vec::new() };
    match outcome {
        Ok(report) => Ok(Report { findings, notes, ..report }),
        Err(fault) => Err(Fault { findings, ..fault }),
    }
}

impl Observer for Checker<'_> {
    fn block_starts(&mut self, block: &BlockState) {
        let slot = block.slot as usize;
        while self.blocks.len() <= slot {
            self.blocks.push(BlockChecks::new(self.plan));
        }
        self.blocks[slot].start(block.linear);
    }

    fn footprint(&self) -> usize {
        // Cells for every byte of shared memory, clocks for every thread, reads that are put off.
        self.plan.launch.shared_bytes as usize * 24 + self.plan.launch.threads() as usize * 256 + BlockRaces::READS
    }

    #[inline(always)]
    fn wants(&self, pc: u32) -> bool {
        self.plan.wants[pc as usize]
    }

    #[inline(always)]
    unsafe fn accesses(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, access: &Access, mask: u32) {
        // SAFETY: passed on to the caller.
        unsafe {
            if !self.repeated(warp, op, pc, access, mask) {
                self.access(warp, pc, access, access.bytes, mask, &access.addresses(warp, op));
            }
        }
    }

    fn access(&mut self, warp: &Warp<'_>, pc: u32, access: &Access, bytes: u32, mask: u32, addresses: &[u64; 32]) {
        match access.space {
            Declared::Shared => self.shared(warp, pc, access, bytes, mask, addresses),
            Declared::Global => self.global(warp, pc, access, bytes, mask, addresses),
            Declared::Local => self.local(warp, pc, access, bytes, mask, addresses),
            // Nobody can write there; parameters of calls are the calling convention's business.
            Declared::Const | Declared::Param => {}
            Declared::Generic => {
                let mut windows = [0u32; 3];
                for lane in crate::lanes::lanes_of(mask) {
                    let window = match memory::window(addresses[lane]) {
                        Window::Shared => 0,
                        Window::Local => 1,
                        Window::Const | Window::Param => continue,
                        Window::Other => 2,
                    };
                    windows[window] |= 1 << lane;
                }
                let [shared, local, global] = windows;
                if shared != 0 {
                    let offsets = addresses.map(|a| a.wrapping_sub(memory::SHARED));
                    self.shared(warp, pc, access, bytes, shared, &offsets);
                }
                if local != 0 {
                    let offsets = addresses.map(|a| a.wrapping_sub(memory::LOCAL));
                    self.local(warp, pc, access, bytes, local, &offsets);
                }
                if global != 0 {
                    self.global(warp, pc, access, bytes, global, addresses);
                }
            }
        }
    }

    fn copy(&mut self, warp: &Warp<'_>, pc: u32, bytes: u32, mask: u32, copies: &CopyLanes) {
        self.copy_starts(warp, pc, bytes, mask, copies);
    }

    fn bulk_copy(&mut self, warp: &Warp<'_>, pc: u32, lane: u32, copy: &BulkCopy, object: &Access) {
        self.bulk_starts(warp, pc, lane, copy, object);
    }

    fn copy_commit(&mut self, warp: &Warp<'_>, mask: u32) {
        self.block(warp).copies[warp.index as usize].commit(mask);
    }

    fn copy_wait(&mut self, warp: &Warp<'_>, mask: u32, pending: Option<u32>) {
        self.copies_end(warp, mask, pending);
    }

    fn branches(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        let Some(Some(sides)) = self.plan.detours.get(pc as usize) else { return };
        let block = &mut self.blocks[warp.block().slot as usize];
        for (sites, lanes) in [(&sides.taken, mask), (&sides.passed, warp.mask & !mask)] {
            for &site in sites.iter().filter(|_| lanes != 0) {
                block.meetings.detour(site, warp.index, lanes);
            }
        }
    }

    fn called(&mut self, warp: &Warp<'_>, function: u32) {
        self.entered(warp);
        self.declare(warp, function, warp.mask);
    }

    fn arrives(&mut self, warp: &Warp<'_>, pc: u32, barrier: BlockBarrier, id: u32, count: Option<u32>, mask: u32) {
        let block = self.block(warp);
        // Who arrives and goes on does later things at a later time; the others stand still until all are there.
        let time = block.races.as_mut().map_or(0, |races| match barrier.arrive || barrier.counted {
            true => races.clock.tick(),
            false => 0,
        });
        let arrival = meeting::Arrival { warp: warp.index, pc, mask, count, barrier, time };
        block.meetings.arrive(id, arrival);
    }

    fn barrier_completes(&mut self, block: &BlockState, id: u32) {
        self.barrier(block, id);
    }

    fn gathers(&mut self, warp: &Warp<'_>, pc: u32, event: &Event, mask: u32, members: u32) {
        if self.plan.checks.sync || self.plan.checks.init {
            self.lanes_come(warp, pc, event, mask, members);
        }
    }

    fn gathered(&mut self, warp: &Warp<'_>, pc: u32, event: &Event, lanes: u32) {
        self.lanes_meet(warp, pc, event, lanes);
    }

    fn fence(&mut self, warp: &Warp<'_>, _: u32, order: Order, scope: Scope, mask: u32) {
        if let Some(races) = &mut self.block(warp).races {
            races.clock.fence(warp.index, mask, race::reach(order, scope));
        }
    }

    fn deadlocks(&mut self, block: &BlockState, waiting: &[(u32, u32, u32)]) {
        self.deadlock(block, waiting);
    }
}
