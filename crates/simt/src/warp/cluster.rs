//! What the blocks of a cluster share: a barrier, and each other's shared memory.
//!
//! A block addresses its own shared memory by offsets. `mapa` turns an offset into an address in another block of the
//! cluster: the offset with that block's rank, counted from one, above it.

use super::barrier::Barrier;
use super::block::BulkCopy;

/// Bits of an address in a cluster's shared memory that are the offset in a block's.
const OFFSET_BITS: u32 = 24;

/// The barrier of the cluster, among the barriers that a warp can wait at.
pub(crate) const CLUSTER_BARRIER: u32 = 16;

/// What the blocks of a cluster share. A launch without clusters has clusters of one block.
pub(crate) struct ClusterState {
    pub(crate) barrier: Barrier,
    /// Threads that have not exited.
    pub(crate) live: u32,
    /// The blocks, by rank.
    pub(crate) blocks: Vec<Member>,
}

/// A block, as the others of its cluster see it.
pub(crate) struct Member {
    /// The block's slot among those of its host thread.
    pub(crate) slot: u32,
    /// Threads that have not exited.
    pub(crate) live: u32,
    /// Its shared memory, as long as that of any other block.
    pub(crate) shared: *mut u8,
    /// Bulk copies in flight to it.
    pub(crate) bulks: Vec<BulkCopy>,
}

/// The address of an offset in the shared memory of the block of that rank.
pub(crate) fn address_in(rank: u32, offset: u32) -> u32 {
    rank.wrapping_add(1) << OFFSET_BITS | offset & ((1 << OFFSET_BITS) - 1)
}

/// The rank and the offset of an address in another block's shared memory; `None` if it is in the block's own.
#[inline(always)]
pub(crate) fn rank_and_offset(address: u64) -> Option<(u32, u64)> {
    let rank = u32::try_from(address >> OFFSET_BITS).ok()?.checked_sub(1)?;
    Some((rank, address & ((1 << OFFSET_BITS) - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_rank_and_offset() {
        for rank in [0, 1, 7, 15] {
            let address = address_in(rank, 0x3_1234);
            assert_eq!(rank_and_offset(address.into()), Some((rank, 0x3_1234)));
            assert_eq!(address_in(0, address), address_in(0, 0x3_1234), "mapped twice");
        }
        assert_eq!(rank_and_offset(0xff_ffff), None);
    }
}
