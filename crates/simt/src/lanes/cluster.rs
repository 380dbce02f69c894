//! Clusters: their barrier, and addresses in the shared memory of their blocks.

use super::{Flow, Op, lanes_of};
use crate::warp::{CLUSTER_BARRIER, Warp, address_in, rank_and_offset};

/// `barrier.cluster.arrive`.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn cluster_arrive(warp: &mut Warp<'_>, _: &Op, mask: u32) -> Flow {
    let cluster = warp.cluster_mut();
    let generation = cluster.barrier.arrive(mask.count_ones(), 0, None, cluster.live);
    for lane in lanes_of(mask) {
        warp.arrived[lane] = generation;
    }
    Flow::Next
}

/// `barrier.cluster.wait`.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn cluster_wait(warp: &mut Warp<'_>, _: &Op, mask: u32) -> Flow {
    // A barrier cannot be completed twice without a lane that has yet to wait for it.
    let generation = warp.cluster().barrier.generation;
    if lanes_of(mask).all(|lane| warp.arrived[lane] != generation) {
        return Flow::Next;
    }
    if mask != warp.mask {
        let rest = warp.mask & !mask;
        warp.scatter(&[(mask, warp.pc), (rest, warp.pc + 1)], warp.pc + 1);
    }
    warp.wait_at_barrier(CLUSTER_BARRIER, generation, None)
}

/// `mapa`: the address in the block whose rank is in `b` of what is at the address in `a` here; `aux` is the width of
/// both addresses.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn map_address(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let own = warp.block().rank;
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose slots of these widths.
        unsafe {
            let rank = *warp.slot::<u32>(op.b).add(lane);
            let (window, address) = if op.aux == 8 {
                let address = *warp.slot::<u64>(op.a).add(lane);
                (address & !u64::from(u32::MAX), address as u32)
            } else {
                (0, *warp.slot::<u32>(op.a).add(lane))
            };
            let there = address_in(rank, address);
            // A block's own memory has one address only.
            let there = if rank == own { there & 0xff_ffff } else { there };
            if op.aux == 8 {
                *warp.slot::<u64>(op.d).add(lane) = window | u64::from(there);
            } else {
                *warp.slot::<u32>(op.d).add(lane) = there;
            }
        }
    }
    Flow::Next
}

/// `getctarank`: the rank of the block whose shared memory the address in `a` is in; `aux` is the address's width.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn block_rank(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let own = warp.block().rank;
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose slots of these widths.
        unsafe {
            let address =
                if op.aux == 8 { *warp.slot::<u64>(op.a).add(lane) as u32 } else { *warp.slot::<u32>(op.a).add(lane) };
            *warp.slot::<u32>(op.d).add(lane) = rank_and_offset(address.into()).map_or(own, |(rank, _)| rank);
        }
    }
    Flow::Next
}
