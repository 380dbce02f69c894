//! Branches, calls, barriers and what ends a thread.

use std::sync::atomic::{Ordering, fence};

use super::region::NO_WORKSPACE;
use super::{Flow, Op, lanes_of};
use crate::image::Callee;
use crate::report::FaultKind;
use crate::warp::{Collect, Reduction, Warp};

/// `bra`: `imm` is the target. The mask holds the lanes whose guard lets them jump.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn branch(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    if mask == warp.mask || op.imm as u32 == warp.pc + 1 {
        warp.pc = op.imm as u32;
    } else {
        warp.diverge(mask, op.imm as u32, op.rpc);
    }
    Flow::Jump
}

/// `brx.idx`: `a` holds indices into the table `aux`.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn branch_indexed(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let table = &warp.launch.image.branch_tables[op.aux as usize];
    let mut groups: Vec<(u32, u32)> = Vec::new();
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose a 32-bit slot.
        let index = unsafe { *warp.slot::<u32>(op.a).add(lane) };
        let Some(&pc) = table.get(index as usize) else {
            let message = format!("indexed branch: index {index} is past the table of {} targets", table.len());
            return warp.fault(FaultKind::OutOfBounds, lane, message);
        };
        match groups.iter_mut().find(|(_, other)| *other == pc) {
            Some((lanes, _)) => *lanes |= 1 << lane,
            None => groups.push((1 << lane, pc)),
        }
    }
    if mask != warp.mask {
        groups.push((warp.mask & !mask, warp.pc + 1));
    }
    match groups[..] {
        [(_, pc)] => warp.pc = pc,
        _ => warp.scatter(&groups, op.rpc),
    }
    Flow::Jump
}

/// `call`.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn call(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let site = &warp.launch.image.call_sites[op.aux as usize];
    match &site.callee {
        Callee::Builtin(builtin) => warp.call_builtin(*builtin, site, mask),
        Callee::Unknown(name) => warp.fault(
            FaultKind::Unsupported,
            mask.trailing_zeros() as usize,
            format!("the module calls {name}, which it does not define and the emulator does not know"),
        ),
        Callee::Function(_) | Callee::Indirect(_) => warp.call(op.aux, mask),
    }
}

/// `ret`.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn ret(warp: &mut Warp<'_>, _: &Op, mask: u32) -> Flow {
    warp.ret(mask)
}

/// `exit`.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn exit(warp: &mut Warp<'_>, _: &Op, mask: u32) -> Flow {
    warp.exit(mask)
}

/// `trap`.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn trap(warp: &mut Warp<'_>, _: &Op, mask: u32) -> Flow {
    let more = if warp.launch.lacks_workspace() { NO_WORKSPACE } else { "" };
    warp.fault(FaultKind::Trap, mask.trailing_zeros() as usize, format!("the kernel executed trap{more}"))
}

/// An instruction that the emulator does not know.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn unsupported(warp: &mut Warp<'_>, _: &Op, mask: u32) -> Flow {
    let place = warp.launch.image.place(warp.pc);
    let text = place.map(|p| p.instruction).unwrap_or_default();
    let message = format!("the emulator does not support this instruction: {text}");
    warp.fault(FaultKind::Unsupported, mask.trailing_zeros() as usize, message)
}

/// `membar`, `fence`.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn memory_fence(warp: &mut Warp<'_>, _: &Op, _: u32) -> Flow {
    if warp.launch.parallel {
        fence(Ordering::SeqCst);
    }
    warp.poll();
    Flow::Next
}

/// `nanosleep`: gives others a turn soon.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn sleep(warp: &mut Warp<'_>, _: &Op, _: u32) -> Flow {
    warp.poll();
    Flow::Next
}

/// `mov` from a running counter: `imm` 0 `clock`, 1 `clock_hi`, 2 `clock64`, 3 `globaltimer`, 4 its low and 5 its high
/// half; `aux` is the width of the destination.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn read_counter(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let clock = warp.clock();
    let value = match op.imm {
        0 => clock & 0xffff_ffff,
        1 => clock >> 32,
        2 => clock,
        n => {
            let nanos = warp.launch.started.elapsed().as_nanos() as u64;
            match n {
                3 => nanos,
                4 => nanos & 0xffff_ffff,
                _ => nanos >> 32,
            }
        }
    };
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose a slot of that width.
        unsafe {
            if op.aux == 8 {
                *warp.slot::<u64>(op.d).add(lane) = value;
            } else {
                *warp.slot::<u32>(op.d).add(lane) = value as u32;
            }
        }
    }
    warp.poll();
    Flow::Next
}

/// `mov` of the address of a variable in the running activation's local memory: `imm` is its offset there.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn local_address(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let address = u64::from(warp.local_base).wrapping_add(op.imm as u64);
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose a slot of that width.
        unsafe {
            if op.aux == 8 {
                *warp.slot::<u64>(op.d).add(lane) = address;
            } else {
                *warp.slot::<u32>(op.d).add(lane) = address as u32;
            }
        }
    }
    Flow::Next
}

/// `bar`: what it does, packed into `aux`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BarrierKind {
    /// Arrives only, does not wait.
    pub(crate) arrive: bool,
    /// Combines a predicate.
    pub(crate) reduction: Option<Reduction>,
    /// The predicate is negated.
    pub(crate) negated: bool,
    /// The number of threads is given in `b`.
    pub(crate) counted: bool,
}

impl BarrierKind {
    pub(crate) fn pack(self) -> u32 {
        let reduction = match self.reduction {
            None => 0,
            Some(Reduction::Popc) => 1,
            Some(Reduction::And) => 2,
            Some(Reduction::Or) => 3,
        };
        reduction | u32::from(self.arrive) << 2 | u32::from(self.negated) << 3 | u32::from(self.counted) << 4
    }
}

/// The reduction of a packed [`BarrierKind`].
fn reduction_of(aux: u32) -> Option<Reduction> {
    match aux & 3 {
        1 => Some(Reduction::Popc),
        2 => Some(Reduction::And),
        3 => Some(Reduction::Or),
        _ => None,
    }
}

/// The number of the barrier that lanes are at, and the number of threads it is for, if the instruction says.
///
/// # Safety
/// As for [`barrier`].
pub(crate) unsafe fn barrier_operands(warp: &Warp<'_>, op: &Op, mask: u32) -> (u32, Option<u32>) {
    let first = mask.trailing_zeros() as usize;
    // SAFETY: the decoder chose 32-bit slots.
    let (id, count) = unsafe { (*warp.slot::<u32>(op.a).add(first), *warp.slot::<u32>(op.b).add(first)) };
    (id, (op.aux & 16 != 0).then_some(count))
}

/// `bar.sync`, `bar.arrive`, `bar.red`: `a` holds the barrier's number, `b` the number of threads, `c` the predicate.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn barrier(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let first = mask.trailing_zeros() as usize;
    // SAFETY: the decoder chose 32-bit slots and a predicate.
    let ((id, expected), pred) = unsafe { (barrier_operands(warp, op, mask), warp.pred(op.c)) };
    if id >= 16 {
        let message = format!("barrier {id} does not exist: a block has barriers 0 to 15");
        return warp.fault(FaultKind::Trap, first, message);
    }
    let mut threads = mask.count_ones();
    if expected.is_some() && mask == warp.live() {
        // A counted barrier counts whole warps: lanes that never existed or have exited are included.
        threads = 32;
    }
    let pred = if op.aux & 8 != 0 { !pred } else { pred };
    let holding = (pred & mask).count_ones();
    let block = warp.block_mut();
    let live = block.live;
    let generation = block.barriers[id as usize].arrive(threads, holding, expected, live);
    if op.aux & 4 != 0 {
        return Flow::Next;
    }
    if mask != warp.mask {
        // Lanes whose guard is off do not wait with the others: they diverge here and meet after the barrier.
        let rest = warp.mask & !mask;
        warp.scatter(&[(mask, warp.pc), (rest, warp.pc + 1)], warp.pc + 1);
    }
    let result = reduction_of(op.aux).map(|reduction| Collect { reduction, slot: op.d });
    warp.wait_at_barrier(id, generation, result)
}
