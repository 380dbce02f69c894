//! Counting what a hardware profiler counts.
//!
//! Each host thread has a [`Count`]; they are summed when the launch has ended. Executions are counted by instruction;
//! accesses are recorded as [`pattern`]s and evaluated by the rules of [`lanes`] at the end.

mod follow;
pub(super) mod lanes;
mod pattern;
mod site;

use super::record::{Recorder, Wanted};
use crate::exec::Watcher;
use crate::image::event::{Access, BlockBarrier, CopyLanes, Event};
use crate::lanes::{FULL, Level, Op, lanes_of};
use crate::program::Program;
use crate::report::{Counters, InstructionProfile, Profile};
use crate::warp::{BlockState, Warp};
use follow::Leaders;
use pattern::{NO_PATTERN, Patterns, Word};
use site::{Memory, Route, Site, Sites};

/// No site: the instruction does nothing to memory.
const NO_SITE: u32 = u32::MAX;

/// What there is to count of an instruction besides its executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nothing,
    /// An access that another one is counted for.
    Follower,
    /// An access by a register of 32-bit lanes to shared memory.
    Narrow,
    /// An access by a register of 64-bit lanes to shared or global memory.
    Wide,
    /// `bra`.
    Branch,
    /// A barrier of the block.
    Barrier,
    /// Another access, a branch table.
    Other,
}

/// How often an instruction was executed.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// By warps.
    executions: u64,
    /// Lanes that took no part, over all executions.
    idle: u64,
    /// Branches at which lanes diverged, barriers that a warp arrived at.
    special: u64,
    /// The pattern of its last access.
    pattern: u32,
    kind: Kind,
}

/// The counters of one host thread.
pub(crate) struct Count<'p> {
    program: &'p Program,
    level: Level,
    steps: Vec<Step>,
    /// Where the accesses of each instruction are in the list of sites.
    site_of: Vec<u32>,
    sites: Sites,
    narrow: Patterns<u32>,
    wide: Patterns<u64>,
    /// Records blocks, if that is wanted, and whether one of them is running.
    recorder: Option<Box<Recorder>>,
    recording: bool,
}

impl<'p> Count<'p> {
    /// Counters that record the wanted blocks too.
    pub(crate) fn recording(program: &'p Program, wanted: Option<&Wanted>) -> Self {
        Self { recorder: wanted.map(|wanted| Box::new(Recorder::new(wanted))), ..Self::new(program) }
    }

    pub(crate) fn new(program: &'p Program) -> Self {
        let mut sites = Sites::default();
        let mut site_of = Vec::with_capacity(program.events.len());
        let leaders = program.analysis(Leaders::of);
        let steps = (0..).zip(&program.events).map(|(pc, event)| {
            let first = sites.len();
            sites.extend(Site::of(event));
            site_of.push(if sites.len() > first { first as u32 } else { NO_SITE });
            let kind = match (sites.get(first as u32).map(|s| s.route), event) {
                (Some(route @ (Route::Narrow | Route::Wide)), _) => match leaders.get(pc) {
                    Some(leader) => {
                        let offset = |pc: u32| program.code[pc as usize].imm;
                        sites.follow(site_of[leader as usize], first as u32, offset(pc).wrapping_sub(offset(leader)));
                        Kind::Follower
                    }
                    None if route == Route::Narrow => Kind::Narrow,
                    None => Kind::Wide,
                },
                (None, Event::Branch) => Kind::Branch,
                (None, Event::Barrier(_) | Event::ClusterArrive) => Kind::Barrier,
                (Some(Route::Any), _) | (None, Event::BranchTable) => Kind::Other,
                (None, _) => Kind::Nothing,
            };
            Step { executions: 0, idle: 0, special: 0, pattern: NO_PATTERN, kind }
        });
        let steps = steps.collect();
        let (narrow, wide) = (Patterns::new(sites.len()), Patterns::new(sites.len()));
        Self { program, level: Level::detect(), steps, site_of, sites, narrow, wide, recorder: None, recording: false }
    }

    /// What all host threads have counted together.
    pub(crate) fn profile(mut counts: Vec<Self>, wanted: Option<&Wanted>) -> Profile {
        let Some(program) = counts.first().map(|c| c.program) else { return Profile::default() };
        let run: u64 = counts.iter().filter_map(|count| count.recorder.as_ref()).map(|r| r.started()).sum();
        let (all, run) = wanted.map_or((1, 1), |wanted| (wanted.all(), run.max(1)));
        let recorders = counts.iter_mut().filter_map(|count| count.recorder.take()).map(|recorder| *recorder).collect();
        let recording = wanted.map(|wanted| Box::new(Recorder::join(recorders, wanted, program)));
        let mut by_instruction = vec![Counters::default(); program.code.len()];
        for mut count in counts {
            count.settle();
            for (pc, counters) in by_instruction.iter_mut().enumerate() {
                *counters += &count.counters(pc);
            }
        }
        if all != run {
            by_instruction.iter_mut().for_each(|counters| *counters = counters.scaled(all, run));
        }
        let mut profile = Profile { recording, ..Profile::default() };
        for (pc, counters) in by_instruction.into_iter().enumerate().filter(|(_, c)| c.warp_instructions > 0) {
            profile.total += &counters;
            let (function, ptx_line, source) = program.image.location(pc as u32);
            profile.instructions.push(InstructionProfile { function, ptx_line, source, counters });
        }
        profile
    }

    /// Evaluates what is left in the patterns.
    fn settle(&mut self) {
        let Self { sites, narrow, wide, .. } = self;
        let mut forget = |site: u32, tag: u32, mask: u32, addresses: &[u64; 32], times: u64| {
            sites.add(site, tag, mask, addresses, times);
        };
        narrow.forget_all(&mut forget);
        wide.forget_all(&mut forget);
    }

    /// The counters of an instruction.
    fn counters(&self, pc: usize) -> Counters {
        let step = &self.steps[pc];
        let mut counters = Counters {
            warp_instructions: step.executions,
            thread_instructions: 32 * step.executions - step.idle,
            ..Counters::default()
        };
        let event = &self.program.events[pc];
        match event {
            Event::Branch | Event::BranchTable => {
                (counters.branches, counters.divergent_branches) = (step.executions, step.special);
            }
            Event::Barrier(_) | Event::ClusterArrive => counters.barriers = step.special,
            _ => {}
        }
        let sites = if matches!(event, Event::Copy(_)) { 2 } else { 1 };
        for site in self.sites.from(self.site_of[pc]).iter().take(sites) {
            counters += &site.counters;
        }
        counters
    }

    /// Records an access by the addresses in a register.
    ///
    /// # Safety
    /// `op` must be the instruction at `pc`, of kind `Narrow` or `Wide`, and the warp must be at it.
    #[inline(always)]
    unsafe fn by_register(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, mask: u32) {
        let Self { steps, site_of, sites, narrow, wide, .. } = self;
        let step = &mut steps[pc as usize];
        let first = mask.trailing_zeros() as usize & 31;
        if step.kind == Kind::Narrow {
            // SAFETY: by contract the operand is a slot of 32-bit lanes.
            let addresses = unsafe { &*warp.slot::<[u32; 32]>(op.a) };
            let address = addresses[first].wrapping_add(op.imm as u32) as usize;
            if !narrow.again(step.pattern, mask, addresses, address) {
                step.pattern = differently(narrow, sites, site_of[pc as usize], mask, addresses, address);
            }
        } else {
            // SAFETY: by contract the operand is a slot of 64-bit lanes.
            let addresses = unsafe { &*warp.slot::<[u64; 32]>(op.a) };
            let address = addresses[first].wrapping_add(op.imm as u64) as usize;
            if !wide.again(step.pattern, mask, addresses, address) {
                step.pattern = differently(wide, sites, site_of[pc as usize], mask, addresses, address);
            }
        }
    }

    /// Records an access to a memory by device addresses or offsets.
    fn by_address(&mut self, site: u32, tag: u32, mask: u32, addresses: &[u64; 32]) {
        let address = addresses[mask.trailing_zeros() as usize & 31] as usize;
        let Self { sites, wide, .. } = self;
        wide.note(site, tag, mask, addresses, address, &mut |site, tag, mask, addresses, times| {
            sites.add(site, tag, mask, addresses, times);
        });
    }

    /// Records an access whose lanes go to different memories: one for each of them.
    #[cold]
    fn several_memories(&mut self, site: u32, bytes: u32, mask: u32, addresses: &[u64; 32]) {
        for memory in Memory::ALL {
            let lanes = lanes_where(mask, |lane| Memory::of(addresses[lane]) == Some(memory));
            if lanes != 0 {
                self.sites.add(site, memory.tag(bytes), lanes, addresses, 1);
            }
        }
    }
}

/// Records an access of an instruction whose last one had another pattern.
#[cold]
fn differently<W: Word>(
    patterns: &mut Patterns<W>,
    sites: &mut Sites,
    site: u32,
    mask: u32,
    addresses: &[W; 32],
    address: usize,
) -> u32 {
    let tag = sites.tag(site);
    patterns.note(site, tag, mask, addresses, address, &mut |site, tag, mask, addresses, times| {
        sites.add(site, tag, mask, addresses, times);
    })
}

/// The lanes of a mask for which something holds.
fn lanes_where(mask: u32, holds: impl Fn(usize) -> bool) -> u32 {
    lanes_of(mask).filter(|&lane| holds(lane)).fold(0, |lanes, lane| lanes | 1 << lane)
}

impl Watcher for Count<'_> {
    const SYNC: bool = false;

    fn level(&self) -> Level {
        self.level
    }

    fn block_starts(&mut self, block: &BlockState) {
        if let Some(recorder) = &mut self.recorder {
            self.recording = recorder.block_starts(block);
        }
    }

    fn block_ends(&mut self, block: &BlockState) {
        if let Some(recorder) = &mut self.recorder {
            self.recording = recorder.block_ends(block);
        }
    }

    #[inline(always)]
    fn step(&mut self, pc: u32, mask: u32) {
        let step = &mut self.steps[pc as usize];
        step.executions += 1;
        if mask != FULL {
            step.idle += u64::from(mask.count_zeros());
        }
    }

    #[inline(always)]
    fn wants(&self, pc: u32) -> bool {
        !matches!(self.steps[pc as usize].kind, Kind::Nothing | Kind::Follower)
    }

    #[inline(always)]
    unsafe fn brief(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, mask: u32) -> bool {
        self.step(pc, mask);
        if self.recording
            && let Some(recorder) = &mut self.recorder
        {
            // SAFETY: passed on to the caller.
            unsafe { recorder.step(self.program, warp, op, pc, mask) };
        }
        let step = &mut self.steps[pc as usize];
        match step.kind {
            Kind::Nothing | Kind::Follower => false,
            _ if mask == 0 => false,
            Kind::Branch => {
                step.special += u64::from(mask != warp.mask && op.imm as u32 != pc + 1);
                false
            }
            Kind::Barrier => {
                step.special += 1;
                false
            }
            Kind::Other => true,
            Kind::Narrow | Kind::Wide => {
                // SAFETY: passed on to the caller.
                unsafe { self.by_register(warp, op, pc, mask) };
                false
            }
        }
    }

    unsafe fn accesses(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, access: &Access, mask: u32) {
        // SAFETY: passed on to the caller.
        unsafe {
            match self.steps[pc as usize].kind {
                Kind::Follower => {}
                Kind::Narrow | Kind::Wide => self.by_register(warp, op, pc, mask),
                _ => {
                    let addresses = access.addresses(warp, op);
                    self.access(warp, pc, access, access.bytes, mask, &addresses);
                }
            }
        }
    }

    fn access(&mut self, warp: &Warp<'_>, pc: u32, _: &Access, bytes: u32, mask: u32, addresses: &[u64; 32]) {
        if self.recording
            && let Some(recorder) = &mut self.recorder
        {
            recorder.piece(self.program, warp, pc, bytes, mask, addresses);
        }
        let site = self.site_of[pc as usize];
        let Some(known) = self.sites.get(site) else { return };
        let memory = known.memory.or_else(|| {
            let memory = Memory::of(addresses[mask.trailing_zeros() as usize & 31]);
            memory.filter(|_| lanes_where(mask, |lane| Memory::of(addresses[lane]) == memory) == mask)
        });
        match memory {
            Some(memory) => self.by_address(site, memory.tag(bytes), mask, addresses),
            None => self.several_memories(site, bytes, mask, addresses),
        }
    }

    fn copy(&mut self, warp: &Warp<'_>, pc: u32, bytes: u32, mask: u32, copies: &CopyLanes) {
        if self.recording
            && let Some(recorder) = &mut self.recorder
        {
            recorder.copies(warp, pc, bytes, mask, copies);
        }
        let site = self.site_of[pc as usize];
        // A copy that reads nothing only writes zeros.
        let reading = lanes_where(mask, |lane| copies.valid[lane] > 0);
        if reading != 0 {
            self.by_address(site, Memory::Global.tag(bytes), reading, &copies.from);
        }
        self.by_address(site + 1, Memory::Shared.tag(bytes), mask, &copies.to);
    }

    #[inline(always)]
    fn branched(&mut self, pc: u32, divergent: bool) {
        self.steps[pc as usize].special += u64::from(divergent);
    }

    fn arrives(&mut self, _: &Warp<'_>, pc: u32, _: BlockBarrier, _: u32, _: Option<u32>, _: u32) {
        self.steps[pc as usize].special += 1;
    }

    fn cluster_arrives(&mut self, pc: u32) {
        self.steps[pc as usize].special += 1;
    }
}
