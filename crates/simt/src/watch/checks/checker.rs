//! The checks of a launch, run together.

use super::arrival::{Arrival, Arrivals, is_whole};
use super::brought::Brought;
use super::copies::Copies;
use super::plan::Plan;
use super::repeats::Repeats;
use super::runs::Run;
use super::scene::{At, Scene};
use super::{Checks, Prepared, Suite, words};
use crate::exec::{Job, Watcher};
use crate::image::event::{Access, BlockBarrier, CopyLanes, Declared, Direction, Event, Order, Scope};
use crate::lanes::{Op, lanes_of};
use crate::memory::{self, Window};
use crate::report::{Fault, FaultKind, Report};
use crate::warp::{BlockState, BulkCopy, ClusterState, Trouble, Warp};

/// A checked launch: what all host threads share.
pub(crate) struct Stage<'l> {
    pub(super) plan: Plan<'l>,
    prepared: Prepared<'l>,
    /// Whether checks are to hear of an instruction.
    wants: Vec<bool>,
}

impl<'l> Stage<'l> {
    pub(crate) fn new(job: &'l Job<'l>, checks: Checks) -> Self {
        let plan = Plan::new(job);
        let prepared = Prepared::new(&plan, checks);
        let events = &job.program.events;
        let mut wants = vec![false; events.len()];
        for pc in plan.ranges.iter().cloned().flatten() {
            wants[pc as usize] = prepared.wants(pc, &events[pc as usize]);
        }
        Self { plan, prepared, wants }
    }
}

/// What is in flight in a running block, whatever it is checked for.
struct Doings {
    arrivals: Arrivals,
    /// By warp.
    copies: Vec<Copies>,
    brought: Vec<Option<Box<Brought>>>,
    /// Accesses that were left out because of their address.
    left_out: u32,
}

/// Accesses that a block may leave out before it ends: a loop that waits for one of them would never end.
const LEFT_OUT: u32 = 1 << 16;

/// The checks of one host thread.
pub(crate) struct Checker<'p> {
    stage: &'p Stage<'p>,
    pub(super) scene: Scene<'p>,
    pub(super) suite: Suite<'p>,
    /// By slot.
    doings: Vec<Doings>,
    /// The allocation that each instruction hit last.
    pub(super) hints: Vec<u32>,
    pub(super) repeats: Repeats,
}

impl<'p> Checker<'p> {
    pub(crate) fn new(stage: &'p Stage<'p>) -> Self {
        let plan = &stage.plan;
        Self {
            stage,
            scene: Scene::new(plan),
            suite: Suite::new(plan, &stage.prepared),
            doings: Vec::new(),
            hints: vec![0; plan.program.code.len()],
            repeats: Repeats::new(plan.level, plan.program),
        }
    }

    /// Whether checks have been told already that a bad address is outside the object that it was meant for.
    fn strayed(&self, warp: &Warp<'_>, trouble: &Trouble) -> bool {
        let (Some(address), Some(limits)) = (trouble.address, self.suite.limits(warp, trouble.pc)) else {
            return false;
        };
        let bytes = match &self.scene.plan.program.events[trouble.pc as usize] {
            Event::Access(access) => access.bytes,
            // The bounds are those of its destination.
            Event::Copy(copy) if address < memory::LOCAL => copy.bytes,
            _ => return false,
        };
        let run = Run::one(trouble.lane as u32, words::offset(address), bytes);
        trouble.kind == FaultKind::OutOfBounds && !run.is_inside(limits)
    }

    /// The copies of a warp in flight.
    pub(super) fn copies(&mut self, warp: &Warp<'_>) -> &mut Copies {
        &mut self.doings[warp.block().slot as usize].copies[warp.index as usize]
    }
}

/// Adds what the checkers of a launch found to its outcome. Also returned is whether all of that is the same in
/// whatever order the blocks run.
pub(crate) fn conclude<'p>(
    stage: &Stage<'_>,
    checkers: impl Iterator<Item = Checker<'p>>,
    outcome: Result<Report, Fault>,
) -> (Result<Report, Fault>, bool) {
    let launch = stage.plan.launch;
    let mut findings = super::findings::Findings::default();
    let mut notes: Vec<String> = Vec::new();
    for checker in checkers {
        for note in checker.suite.notes() {
            if !notes.iter().any(|known| known == note) {
                notes.push(note.to_owned());
            }
        }
        findings.merge(checker.scene.findings);
    }
    if let Err(fault) = &outcome {
        words::note_fault(&stage.plan, &mut findings, fault);
    }
    let settled = outcome.is_ok() && findings.are_settled();
    let findings = findings.list(stage.plan.program, |(block, thread)| {
        let [x, y, _] = launch.block;
        (launch.block_at(block), [thread % x, thread / x % y, thread / x / y])
    });
    let outcome = match outcome {
        Ok(report) => Ok(Report { findings, notes, ..report }),
        Err(fault) => Err(Fault { findings, ..fault }),
    };
    (outcome, settled)
}

impl Watcher for Checker<'_> {
    fn block_starts(&mut self, block: &BlockState) {
        let (slot, warps) = (block.slot as usize, self.stage.plan.warps());
        while self.doings.len() <= slot {
            self.doings.push(Doings {
                arrivals: Arrivals::default(),
                copies: vec![Copies::default(); warps],
                brought: vec![None; warps],
                left_out: 0,
            });
            self.scene.broken.push(false);
        }
        let doings = &mut self.doings[slot];
        doings.arrivals.clear();
        doings.left_out = 0;
        doings.copies.iter_mut().for_each(Copies::clear);
        self.scene.broken[slot] = false;
        self.suite.block_starts(block);
    }

    fn footprint(&self) -> usize {
        self.suite.footprint(&self.stage.plan)
    }

    #[inline(always)]
    fn wants(&self, pc: u32) -> bool {
        self.stage.wants[pc as usize]
    }

    #[inline(always)]
    fn executes(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        if self.suite.follows() {
            self.suite.executes(&mut self.scene, warp, pc, mask);
        }
    }

    #[inline(always)]
    unsafe fn accesses(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, access: &Access, mask: u32) {
        // SAFETY: passed on to the caller.
        unsafe {
            if !self.repeated(warp, op, pc, access, mask) {
                self.access(warp, pc, access, access.bytes, mask, &access.addresses(warp, op));
            }
            if access.direction == Direction::Store && self.suite.follows() {
                let at = At { access: Some(access), ..At::new(warp, pc, mask) };
                self.suite.stores(&mut self.scene, &at, &access.addresses(warp, op));
            }
        }
    }

    fn access(&mut self, warp: &Warp<'_>, pc: u32, access: &Access, bytes: u32, mask: u32, addresses: &[u64; 32]) {
        let at = At { warp, pc, mask, access: Some(access), addresses: Some(addresses) };
        match access.space {
            Declared::Shared => self.shared(&at, bytes, addresses),
            Declared::Global => self.global(&at, bytes, addresses),
            Declared::Local => self.local(&at, bytes, addresses),
            // Nothing can write there; parameters of calls belong to the calling convention.
            Declared::Const | Declared::Param => {}
            Declared::Generic => {
                let mut windows = [0u32; 3];
                for lane in lanes_of(mask) {
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
                    self.shared(&At { mask: shared, addresses: Some(&offsets), ..at }, bytes, &offsets);
                }
                if local != 0 {
                    let offsets = addresses.map(|a| a.wrapping_sub(memory::LOCAL));
                    self.local(&At { mask: local, addresses: Some(&offsets), ..at }, bytes, &offsets);
                }
                if global != 0 {
                    self.global(&At { mask: global, ..at }, bytes, addresses);
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
        self.copies(warp).commit(mask);
    }

    fn copy_wait(&mut self, warp: &Warp<'_>, mask: u32, pending: Option<u32>) {
        self.copies_end(warp, mask, pending);
    }

    fn branches(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        self.suite.branches(warp, pc, mask);
    }

    fn called(&mut self, warp: &Warp<'_>, function: u32) {
        self.suite.called(warp, function);
    }

    fn arrives(&mut self, warp: &Warp<'_>, pc: u32, barrier: BlockBarrier, id: u32, count: Option<u32>, mask: u32) {
        let arrival = Arrival { warp: warp.index, pc, mask, count, barrier };
        self.doings[warp.block().slot as usize].arrivals.push(id, arrival);
        self.suite.arrives(warp, id, &arrival);
    }

    fn barrier_completes(&mut self, block: &BlockState, id: u32) {
        let slot = block.slot as usize;
        let arrivals = self.doings[slot].arrivals.take(id);
        self.suite.meets(&mut self.scene, block, id, &arrivals, is_whole(&arrivals));
        self.doings[slot].arrivals.reuse(id, arrivals);
    }

    fn cluster_completes(&mut self, cluster: &ClusterState) {
        self.suite.cluster_meets(cluster);
    }

    fn gathers(&mut self, warp: &Warp<'_>, pc: u32, event: &Event, mask: u32, _: u32) {
        let op = &self.scene.plan.program.code[pc as usize];
        let Some(new) = Brought::of(warp, op, event, mask) else { return };
        self.suite.lanes_come(&mut self.scene, &At::new(warp, pc, mask), Some(&new.masks).filter(|_| new.masked));
        match &mut self.doings[warp.block().slot as usize].brought[warp.index as usize] {
            Some(brought) => brought.join(mask, &new),
            empty => *empty = Some(Box::new(new)),
        }
    }

    fn gathered(&mut self, warp: &Warp<'_>, pc: u32, event: &Event, lanes: u32) {
        let brought = self.doings[warp.block().slot as usize].brought[warp.index as usize].take();
        self.suite.lanes_meet(&mut self.scene, &At::new(warp, pc, lanes), event, brought.as_deref());
    }

    fn fence(&mut self, warp: &Warp<'_>, _: u32, order: Order, scope: Scope, mask: u32) {
        self.suite.fence(warp, order, scope, mask);
    }

    fn divides_by_zero(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        self.suite.divides_by_zero(&mut self.scene, &At::new(warp, pc, mask));
    }

    /// A bad address is a finding, whatever a launch is checked for, and the kernel goes on without the access.
    fn passes(&mut self, warp: &Warp<'_>, trouble: &Trouble) -> bool {
        let left_out = &mut self.doings[warp.block().slot as usize].left_out;
        if *left_out >= LEFT_OUT {
            return false;
        }
        *left_out += 1;
        let who = At::new(warp, trouble.pc, 0).thread(trouble.lane as u32);
        if !self.strayed(warp, trouble) {
            words::note_bad_address(&mut self.scene, trouble, who);
        }
        true
    }

    /// No thread can continue: that is a finding, whatever a launch is checked for.
    fn deadlocks(&mut self, block: &BlockState, waiting: &[(u32, u32, u32)]) {
        words::note_deadlock(&mut self.scene, block, waiting);
    }
}
