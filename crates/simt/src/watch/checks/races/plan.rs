//! What checking a launch for races needs, computed before it starts and shared by all host threads.

use super::block::Mode;
use super::shadow::Shadow;
use super::stamp::Layout;
use crate::image::event::{Event, Order};
use crate::memory;
use crate::program::{Constant, Program};
use crate::watch::checks::plan::{Plan, code, reach};

/// Sites with a number of their own; all further instructions share the last.
const SITES: usize = 1 << 14;

/// The order that a launch uses, numbers of its instructions, and the cells of global memory.
pub(crate) struct Prepared {
    pub(super) mode: Mode,
    /// A number for each memory instruction, by program counter; and back.
    sites: Vec<u16>,
    pcs: Vec<u32>,
    pub(super) shadow: Shadow,
}

impl Prepared {
    pub(super) fn new(plan: &Plan<'_>) -> Self {
        let launch = plan.launch;
        let (sites, pcs) = number(plan.program, launch.entry);
        let order = order(plan.program, launch.entry);
        Self {
            mode: Mode {
                layout: Layout::new(launch.blocks()),
                level: plan.level,
                lists: order.partial || launch.cluster_blocks() > 1,
                flags: order.flags,
            },
            sites,
            pcs,
            shadow: Shadow::new(launch.views, |v| memory::is_global(v.base)),
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
}

/// Whether blocks may synchronise, so that a launch checked for races is run on one host thread.
pub(super) fn is_sequential(program: &Program, entry: u32) -> bool {
    order(program, entry).flags
}

/// Which kinds of order a kernel uses.
struct Synchronisation {
    /// Barriers of some threads only, or flags.
    partial: bool,
    /// Fences, acquire, release.
    flags: bool,
}

fn order(program: &Program, entry: u32) -> Synchronisation {
    let mut found = Synchronisation { partial: false, flags: false };
    for function in reach(program, entry) {
        let whole: Vec<u32> = program.image.functions[function as usize]
            .constants
            .iter()
            .filter(|(_, _, constant)| *constant == Constant::Bits(0xffff_ffff))
            .map(|&(slot, ..)| slot)
            .collect();
        for pc in code(program, function) {
            match &program.events[pc as usize] {
                Event::Fence(..) | Event::Phase(_) | Event::CopyArrive(_) => found.flags = true,
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
            || matches!(program.events[pc as usize], Event::CopyArrive(_))
        {
            sites[pc as usize] = pcs.len().min(SITES - 1) as u16;
            if pcs.len() < SITES {
                pcs.push(pc);
            }
        }
    }
    (sites, pcs)
}
