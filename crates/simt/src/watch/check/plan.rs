//! What is looked for in a launch, worked out before it starts and shared by all host threads.

use std::collections::HashMap;
use std::ops::Range;

use super::bounds::{Bounds, bounds};
use super::detours::Detour;
use super::names::{self, SharedVariable};
use super::race::{Layout, Mode, Shadow};
use crate::exec::Context;
use crate::lanes::Level;
use crate::memory::{self, Validity};
use crate::program::{Constant, Program};
use crate::watch::Checks;
use crate::watch::event::{Event, Order};

/// Sites that have a number of their own; all further instructions share the last.
const SITES: usize = 1 << 14;

/// The plan of a checked launch.
pub(crate) struct Plan<'l> {
    pub(super) launch: &'l Context<'l>,
    pub(super) checks: Checks,
    pub(super) mode: Mode,
    /// Whether observers are to be told of an instruction.
    pub(super) wants: Vec<bool>,
    /// A number for each memory instruction, by program counter; and back.
    sites: Vec<u16>,
    pcs: Vec<u32>,
    pub(super) shadow: Option<Shadow>,
    pub(super) shared: Vec<SharedVariable>,
    /// Names of the allocations, by view.
    pub(super) views: Vec<Option<String>>,
    /// What is written of the allocations, by view.
    pub(super) validities: Vec<Option<&'l Validity>>,
    pub(super) bounds: Vec<Option<Bounds>>,
    /// By program counter: what branches go around.
    pub(super) detours: Vec<Option<Box<Sides>>>,
    /// A number for each barrier or warp-wide operation that some branch goes around.
    pub(super) meetings: HashMap<u32, usize>,
}

/// The meetings, by number, that lanes go around at a branch: those that take it, and those that do not.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    pub(super) taken: Vec<usize>,
    pub(super) passed: Vec<usize>,
}

impl<'l> Plan<'l> {
    pub(crate) fn new(launch: &'l Context<'l>, checks: Checks) -> Self {
        let program = launch.program;
        let kernel = program.kernels().iter().find(|k| k.function == launch.entry);
        let shared = kernel.map(|k| names::shared_variables(program, k, launch.shared_bytes)).unwrap_or_default();
        let (sites, pcs) = if checks.races { number(program, launch.entry) } else { (Vec::new(), Vec::new()) };
        let order = order(program, launch.entry);
        // A module may hold hundreds of kernels: only what this one can run is looked at.
        let ranges: Vec<_> = reach(program, launch.entry).map(|f| code(program, f)).collect();
        let around: &[(u32, Detour)] = if checks.sync { program.detours() } else { &[] };
        let mut meetings: HashMap<u32, usize> = HashMap::new();
        let mut detours = vec![None; if around.is_empty() { 0 } else { program.events.len() }];
        for (pc, detour) in around.iter().filter(|(pc, _)| ranges.iter().any(|r| r.contains(pc))) {
            let mut numbers = |pcs: &[u32]| -> Vec<usize> {
                let mut number = |&pc: &u32| {
                    let next = meetings.len();
                    *meetings.entry(pc).or_insert(next)
                };
                pcs.iter().map(&mut number).collect()
            };
            let sides = Sides { taken: numbers(&detour.taken), passed: numbers(&detour.passed) };
            detours[*pc as usize] = Some(Box::new(sides));
        }
        let is_detour = |pc: u32| detours.get(pc as usize).is_some_and(Option::is_some);
        let mut wants = vec![false; program.events.len()];
        for pc in ranges.iter().cloned().flatten() {
            wants[pc as usize] = wanted(&program.events[pc as usize], checks, is_detour(pc));
        }
        Self {
            checks,
            mode: Mode {
                layout: Layout::new(launch.blocks()),
                level: Level::detect(),
                lists: order.partial,
                flags: order.flags,
            },
            wants,
            sites,
            pcs,
            shadow: checks.races.then(|| Shadow::new(&launch.views, |v| v.base >= memory::GLOBAL)),
            bounds: if checks.memory { bounds(program, launch, &shared, &ranges) } else { Vec::new() },
            shared,
            views: kernel.map(|k| names::views(launch, k)).unwrap_or_default(),
            validities: launch
                .views
                .iter()
                .map(|v| launch.memory.allocation(v.base).map(|a| &a.validity).filter(|_| v.base >= memory::GLOBAL))
                .collect(),
            detours,
            meetings,
            launch,
        }
    }

    /// The number of a memory instruction.
    #[inline(always)]
    pub(super) fn site(&self, pc: u32) -> u32 {
        self.sites.get(pc as usize).copied().unwrap_or(0).into()
    }

    /// The instruction of that number.
    pub(super) fn pc(&self, site: u32) -> u32 {
        self.pcs.get(site as usize).copied().unwrap_or(0)
    }

    /// Warps of a block.
    pub(super) fn warps(&self) -> usize {
        self.launch.threads().div_ceil(32) as usize
    }
}

/// Whether blocks may synchronise, so that a launch checked for races is run on one host thread.
pub(crate) fn is_sequential(program: &Program, entry: u32) -> bool {
    order(program, entry).flags
}

/// Which kinds of order a kernel uses.
struct Synchronisation {
    /// Barriers of some threads only, or flags.
    partial: bool,
    /// Fences, acquire, release.
    flags: bool,
}

/// The functions that a kernel may run: itself and all that are no kernels.
fn reach(program: &Program, entry: u32) -> impl Iterator<Item = u32> {
    let kernels: Vec<u32> = program.kernels().iter().map(|k| k.function).collect();
    (0..program.functions.len() as u32).filter(move |f| *f == entry || !kernels.contains(f))
}

/// The instructions of a function, with the return that ends it.
fn code(program: &Program, function: u32) -> Range<u32> {
    let function = &program.functions[function as usize];
    function.start.map_or(0..0, |start| start..function.end + 1)
}

fn order(program: &Program, entry: u32) -> Synchronisation {
    let mut found = Synchronisation { partial: false, flags: false };
    for function in reach(program, entry) {
        let whole: Vec<u32> = program.functions[function as usize]
            .constants
            .iter()
            .filter(|(_, _, constant)| *constant == Constant::Bits(0xffff_ffff))
            .map(|&(slot, ..)| slot)
            .collect();
        for pc in code(program, function) {
            match &program.events[pc as usize] {
                Event::Fence(..) | Event::Phase(_) => found.flags = true,
                Event::Access(access) => {
                    found.flags |= matches!(access.order, Order::Acquire | Order::Release | Order::AcqRel);
                }
                Event::Barrier(barrier) => found.partial |= barrier.counted || barrier.arrive,
                Event::WarpBarrier => found.partial |= !whole.contains(&program.code[pc as usize].aux),
                _ => {}
            }
        }
    }
    found.partial |= found.flags;
    found
}

/// Numbers the memory instructions, those of the kernel first.
fn number(program: &Program, entry: u32) -> (Vec<u16>, Vec<u32>) {
    let mut sites = vec![0; program.code.len()];
    let mut pcs = Vec::new();
    let others = reach(program, entry).filter(|&f| f != entry);
    for pc in std::iter::once(entry).chain(others).flat_map(|f| code(program, f)) {
        if matches!(program.events[pc as usize], Event::Access(_) | Event::MatrixAccess(_) | Event::Copy(_))
            || matches!(program.events[pc as usize], Event::BulkCopy(_) | Event::Phase(_) | Event::Warpgroup(_))
        {
            sites[pc as usize] = pcs.len().min(SITES - 1) as u16;
            if pcs.len() < SITES {
                pcs.push(pc);
            }
        }
    }
    (sites, pcs)
}

fn wanted(event: &Event, checks: Checks, detour: bool) -> bool {
    match event {
        Event::Nothing => false,
        Event::Access(_)
        | Event::MatrixAccess(_)
        | Event::Copy(_)
        | Event::BulkCopy(_)
        | Event::Phase(_)
        | Event::Warpgroup(_) => checks.races || checks.memory || checks.init,
        Event::CopyCommit | Event::CopyWait(_) => checks.races || checks.init,
        Event::Barrier(_) | Event::WarpBarrier | Event::Exit | Event::Return => checks.races || checks.sync,
        Event::Collective(_) => checks.sync || checks.init,
        Event::Fence(..) => checks.races,
        Event::Branch => detour,
        Event::BranchTable => false,
        Event::Call => checks.init,
    }
}
