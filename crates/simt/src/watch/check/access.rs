//! Accesses, handed to the checks of their memory.

use super::Checker;
use super::bounds::Bounds;
use super::findings::Sighting;
use super::race::{Kind, Parts};
use super::runs::{Run, runs};
use super::words;
use crate::exec::Warp;
use crate::fault::FaultKind;
use crate::lanes::lanes_of;
use crate::lanes::region::{self, Region};
use crate::watch::event::{Access, Direction};
use crate::watch::{FindingKind, MemorySpace, Severity};

/// `.local` variables larger than this are not followed.
const LARGE_LOCAL: u32 = 64 << 10;

/// How often a store is waited for before its value is held to be another one.
const PATIENCE: usize = 1000;

/// The lanes of an instruction and their addresses.
type Lanes<'a> = (u32, &'a [u64; 32]);

impl Checker<'_> {
    /// Lanes access shared memory, at these offsets.
    pub(super) fn shared(&mut self, warp: &Warp<'_>, pc: u32, access: &Access, bytes: u32, mask: u32, at: &[u64; 32]) {
        let kind = Kind::of(access);
        let limits = self.limits(warp, pc);
        runs(self.plan.mode.level, mask, at, bytes, |run| {
            if limits.is_some_and(|limits| !run.is_inside(limits)) {
                self.strays(warp, pc, run, limits, |checker, run| {
                    checker.shared_run(warp, pc, (mask, at), run, kind, access);
                });
            } else {
                self.shared_run(warp, pc, (mask, at), run, kind, access);
            }
        });
    }

    /// A run of lanes accesses shared memory.
    #[inline(always)]
    fn shared_run(&mut self, warp: &Warp<'_>, pc: u32, lanes: Lanes<'_>, run: Run, kind: Kind, access: &Access) {
        // What lies outside stops the kernel.
        if run.address.saturating_add(run.len()) > u64::from(warp.shared_len) {
            return;
        }
        if self.plan.checks.init {
            let written = &mut self.blocks[warp.block().slot as usize].written;
            let missing = match access.direction {
                Direction::Store => Vec::new(),
                _ => run.elements(|start, len| written.first_clear(start, len)),
            };
            if kind.write {
                written.set(run.address, run.len());
            }
            for element in missing {
                self.unwritten(warp, pc, run, element, MemorySpace::Shared, None);
            }
        }
        self.shared_race(warp, pc, lanes, run, kind, Some(access));
    }

    /// Looks for races of a run in shared memory.
    #[inline(always)]
    pub(super) fn shared_race(
        &mut self,
        warp: &Warp<'_>,
        pc: u32,
        lanes: Lanes<'_>,
        run: Run,
        kind: Kind,
        access: Option<&Access>,
    ) {
        let (plan, slot) = (self.plan, warp.block().slot as usize);
        let Some(races) = &mut self.blocks[slot].races else { return };
        if run.address.saturating_add(run.len()) > u64::from(warp.shared_len) {
            return;
        }
        if races.clock.is_spent() {
            self.lost = true;
            return;
        }
        races.shared(plan.mode, warp.index, plan.site(pc), run, kind, &mut self.found);
        if !self.found.is_empty() {
            self.report_races(warp, lanes, MemorySpace::Shared, None, access);
        }
        if plan.mode.flags
            && kind.is_strong()
            && let (Some(access), Some(races)) = (access, &mut self.blocks[slot].races)
        {
            self.lost |= !races.flags(warp.index, access, run, None);
        }
    }

    /// Lanes access global memory.
    pub(super) fn global(&mut self, warp: &Warp<'_>, pc: u32, access: &Access, bytes: u32, mask: u32, at: &[u64; 32]) {
        let kind = Kind::of(access);
        let limits = self.limits(warp, pc);
        runs(self.plan.mode.level, mask, at, bytes, |run| {
            if limits.is_some_and(|limits| !run.is_inside(limits)) {
                self.strays(warp, pc, run, limits, |checker, run| {
                    checker.global_run(warp, pc, (mask, at), run, kind, Some(access));
                });
            } else {
                self.global_run(warp, pc, (mask, at), run, kind, Some(access));
            }
        });
    }

    /// A run of lanes accesses global memory.
    #[inline(always)]
    pub(super) fn global_run(
        &mut self,
        warp: &Warp<'_>,
        pc: u32,
        lanes: Lanes<'_>,
        run: Run,
        kind: Kind,
        access: Option<&Access>,
    ) {
        let Some(view) = self.view(pc, run) else { return };
        let plan = self.plan;
        let offset = run.address - plan.launch.views[view].base;
        if plan.checks.init
            && let Some(validity) = plan.validities[view]
            && !validity.is_whole()
        {
            if !kind.write || kind.atomic {
                let base = plan.launch.views[view].base;
                let missing = |start: u64, len: u64| Some(validity.first_unwritten(start - base, len)? + base);
                for element in run.elements(missing) {
                    self.unwritten(warp, pc, run, element, MemorySpace::Global, Some(view));
                }
            }
            if kind.write {
                validity.write(offset, run.len());
            }
        }
        let slot = warp.block().slot as usize;
        let (Some(races), Some(shadow)) = (&self.blocks[slot].races, &plan.shadow) else { return };
        if self.lost || races.clock.is_spent() {
            self.lost = true;
            return;
        }
        let followed =
            races.global(plan.mode, warp.index, plan.site(pc), (run, view, offset), kind, (shadow, &mut self.found));
        self.lost |= !followed;
        if !self.found.is_empty() {
            self.report_races(warp, lanes, MemorySpace::Global, Some(view), access);
        }
        if plan.mode.flags
            && kind.is_strong()
            && let (Some(access), Some(races)) = (access, &mut self.blocks[slot].races)
        {
            self.lost |= !races.flags(warp.index, access, run, Some(&mut self.flags));
        }
    }

    /// The allocation that holds a run, as a number among the views.
    #[inline(always)]
    fn view(&mut self, pc: u32, run: Run) -> Option<usize> {
        let views = &self.plan.launch.views;
        let end = run.address.checked_add(run.len())?;
        let hint = &mut self.hints[pc as usize];
        if let Some(view) = views.get(*hint as usize)
            && view.base <= run.address
            && end <= view.end
        {
            return Some(*hint as usize);
        }
        let at = views.partition_point(|v| v.base <= run.address).checked_sub(1)?;
        (end <= views[at].end).then(|| {
            *hint = at as u32;
            at
        })
    }

    /// Lanes access local memory, at these offsets.
    pub(super) fn local(&mut self, warp: &Warp<'_>, pc: u32, access: &Access, bytes: u32, mask: u32, at: &[u64; 32]) {
        let limits = self.limits(warp, pc);
        self.entered(warp);
        let slot = warp.block().slot as usize;
        for lane in lanes_of(mask) {
            let (address, len) = (at[lane], u64::from(bytes));
            let run = Run::one(lane as u32, address, bytes);
            if limits.is_some_and(|limits| !run.is_inside(limits)) {
                self.strays(warp, pc, run, limits, |_, _| {});
                continue;
            }
            if !self.plan.checks.init {
                continue;
            }
            if address.saturating_add(len) > u64::from(warp.local_stride) {
                continue;
            }
            let local = &mut self.blocks[slot].local[warp.index as usize];
            let missing = local.first_unwritten(lane, address, len).filter(|_| access.direction != Direction::Store);
            if access.direction.writes() {
                local.write(lane, address, len);
            }
            if missing.is_some() {
                self.unwritten(warp, pc, run, address, MemorySpace::Local, None);
            }
        }
    }

    /// The kernel's own local variables are unwritten when a warp starts.
    pub(super) fn entered(&mut self, warp: &Warp<'_>) {
        let slot = warp.block().slot as usize;
        let local = &mut self.blocks[slot].local[warp.index as usize];
        if !std::mem::replace(&mut local.entered, true) {
            for &(_, start, size) in &warp.launch.program.functions[warp.launch.entry as usize].locals {
                local.declare(u32::MAX, start.into(), size.min(LARGE_LOCAL).into());
            }
        }
    }

    /// The local variables of a function are unwritten when lanes enter it.
    pub(super) fn declare(&mut self, warp: &Warp<'_>, function: u32, mask: u32) {
        let slot = warp.block().slot as usize;
        let local = &mut self.blocks[slot].local[warp.index as usize];
        for &(_, start, size) in &warp.launch.program.functions[function as usize].locals {
            local.declare(mask, u64::from(warp.local_base) + u64::from(start), size.min(LARGE_LOCAL).into());
        }
    }

    /// Where the accesses of an instruction must stay, where its address says.
    #[inline(always)]
    pub(super) fn limits(&self, warp: &Warp<'_>, pc: u32) -> Option<(u64, u64)> {
        let base = u64::from(warp.local_base);
        Some(match *self.plan.bounds.get(pc as usize)?.as_ref()? {
            Bounds::Shared(start, end) => (start, end),
            Bounds::Local(start, end) => (start + base, end + base),
            Bounds::Global(view) => (self.plan.launch.views[view].base, self.plan.launch.views[view].end),
        })
    }

    /// Some lanes of a run leave the variable or buffer that their addresses are based on. The others go on one by one;
    /// what these touch by mistake is not held against anybody.
    #[cold]
    pub(super) fn strays(
        &mut self,
        warp: &Warp<'_>,
        pc: u32,
        run: Run,
        limits: Option<(u64, u64)>,
        mut inside: impl FnMut(&mut Self, Run),
    ) {
        for lane in lanes_of(run.mask) {
            let along = if run.same { 0 } else { (lane as u64 - u64::from(run.lane)) * u64::from(run.bytes) };
            let one = Run::one(lane as u32, run.address.wrapping_add(along), run.bytes);
            match limits.filter(|&limits| !one.is_inside(limits)) {
                Some(limits) => self.out_of_bounds(warp, pc, one, limits),
                None => inside(self, one),
            }
        }
    }

    fn out_of_bounds(&mut self, warp: &Warp<'_>, pc: u32, run: Run, (start, end): (u64, u64)) {
        let plan = self.plan;
        let Some(Some(bounds)) = plan.bounds.get(pc as usize) else { return };
        let linear = self.block(warp).linear;
        let (space, object) = match bounds {
            Bounds::Shared(..) => {
                let variable = plan.shared.iter().find(|v| (v.start, v.end) == (start, end));
                (MemorySpace::Shared, variable.map(|v| v.name.clone()))
            }
            Bounds::Local(..) => (MemorySpace::Local, None),
            Bounds::Global(view) => (MemorySpace::Global, plan.views.get(*view).cloned().flatten()),
        };
        let seen = Sighting {
            kind: FindingKind::Fault(FaultKind::OutOfBounds),
            severity: Severity::Error,
            at: (pc, (linear, warp.index * 32 + run.lane)),
            other: None,
            space: Some(space),
            address: Some(run.address),
            place: place(linear, space, run.address),
        };
        self.findings.note(plan.launch.program, seen, |seen| {
            words::out_of_bounds(plan, seen, object, run.bytes, run.address, (start, end))
        });
    }

    #[cold]
    fn unwritten(&mut self, warp: &Warp<'_>, pc: u32, run: Run, address: u64, space: MemorySpace, view: Option<usize>) {
        let plan = self.plan;
        let linear = self.block(warp).linear;
        let lane = run.lane_at(address);
        let seen = Sighting {
            kind: FindingKind::Uninitialized,
            severity: Severity::Error,
            at: (pc, (linear, warp.index * 32 + lane)),
            other: None,
            space: Some(space),
            address: Some(address),
            place: place(linear, space, address),
        };
        let bytes = run.bytes;
        self.findings.note(plan.launch.program, seen, |seen| words::uninitialized(plan, seen, view, bytes));
    }

    #[cold]
    pub(super) fn report_races(
        &mut self,
        warp: &Warp<'_>,
        (mask, at): Lanes<'_>,
        space: MemorySpace,
        view: Option<usize>,
        access: Option<&Access>,
    ) {
        let (plan, program) = (self.plan, self.plan.launch.program);
        let linear = self.block(warp).linear;
        let mut found = std::mem::take(&mut self.found);
        if self.block(warp).broken {
            found.clear();
        }
        for (place_, race) in found.drain(..) {
            let base = view.map_or(0, |view| plan.launch.views[view].base);
            let address = base + place_ as u64;
            let who = |stamp: u64| {
                let Parts { block, thread, site, .. } = plan.mode.layout.parts(stamp);
                // Stamps hold the low bits of a block's number.
                let block = if space == MemorySpace::Shared { linear } else { block };
                (plan.pc(site), (block, thread))
            };
            let (old, new) = (who(race.old.0), who(race.new.0));
            let agree = || {
                access.is_some_and(|access| {
                    let lanes = (old, new, mask, at);
                    // SAFETY: the warp is at the instruction that the access was made from.
                    race.is_plain_writes() && unsafe { same_value(warp, access, lanes, (space, address), linear) }
                })
            };
            // The other block's store may be under way on another host thread.
            let patience =
                if old.1.0 == linear || self.findings.is_race_error(program, old.0, new.0) { 0 } else { PATIENCE };
            let waits = race.is_plain_writes() && access.is_some();
            let harmless = agree()
                || waits
                    && (0..patience).any(|_| {
                        std::thread::yield_now();
                        agree()
                    });
            let seen = Sighting {
                kind: FindingKind::Race,
                severity: if harmless { Severity::Warning } else { Severity::Error },
                at: new,
                other: Some(old),
                space: Some(space),
                address: Some(address),
                place: place(linear, space, address),
            };
            self.findings.note(program, seen, |seen| words::race(plan, seen, view, race));
        }
        self.found = found;
    }
}

/// Tells places apart: shared and local memory are each block's own.
fn place(block: u64, space: MemorySpace, address: u64) -> u64 {
    if space == MemorySpace::Global { address } else { block << 24 ^ address }
}

/// Where bytes of shared or global memory are on the host.
fn host(warp: &Warp<'_>, space: MemorySpace, address: u64, len: u64) -> Option<*mut u8> {
    match space {
        MemorySpace::Shared => region::Shared::range(warp, address, len),
        _ => region::Global::range(warp, address, len),
    }
}

/// Who wrote before, who writes now, and the lanes of the instruction that writes.
type Writers<'a> = ((u32, (u64, u32)), (u32, (u64, u32)), u32, &'a [u64; 32]);

/// Whether a store writes what was written there before.
///
/// # Safety
/// The warp must be at the instruction that the access was made from.
unsafe fn same_value(
    warp: &Warp<'_>,
    access: &Access,
    (old, new, mask, at): Writers<'_>,
    (space, address): (MemorySpace, u64),
    block: u64,
) -> bool {
    let lane = (new.1.1 % 32) as usize;
    // SAFETY: by contract.
    let Some(mine) = (unsafe { access.stored(warp, lane) }) else { return false };
    let other = (old.1.1 % 32) as usize;
    let together = old.0 == new.0 && old.1.0 == block && old.1.1 / 32 == new.1.1 / 32 && other != lane;
    if together && mask >> other & 1 == 1 && at[other] == at[lane] {
        // Two lanes of this instruction: all that write here must agree.
        return lanes_of(mask).filter(|&l| at[l] == at[lane]).all(|l| {
            // SAFETY: by contract.
            unsafe { access.stored(warp, l) }.as_ref() == Some(&mine)
        });
    }
    let from = address.saturating_sub(at[lane]) as usize;
    let len = mine.len().saturating_sub(from).min(4);
    let there = host(warp, space, at[lane] + from as u64, len as u64);
    // SAFETY: `host` vouches for that many bytes.
    let there = there.map(|there| unsafe { std::slice::from_raw_parts(there, len) });
    there.is_some_and(|there| mine.get(from..from + len) == Some(there))
}
