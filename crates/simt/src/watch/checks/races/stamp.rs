//! Stamps: who touched a piece of memory, when and where, in one word.
//!
//! From the top: a flag, the block, the block's time, the thread, and the site (a number for the instruction). Block
//! and time share 39 bits, divided by how many blocks the launch has. A stamp of zero is nobody: time starts at 1.

/// Bits of the site.
pub(super) const SITE_BITS: u32 = 14;
/// Bits of the thread's number in its block.
const THREAD_BITS: u32 = 10;
/// Where block and time start.
const TIME_SHIFT: u32 = SITE_BITS + THREAD_BITS;
/// Bits for block and time together.
const MIDDLE_BITS: u32 = 63 - TIME_SHIFT;
/// Set in a cell's write stamp when the cell's history did not fit and is in a record.
pub(super) const EXPANDED: u64 = 1 << 63;
/// Sites with a number of their own; all further ones share the last.
pub(super) const SITES: u32 = 1 << SITE_BITS;
/// One lane further.
pub(super) const NEXT_LANE: u64 = 1 << SITE_BITS;
/// The bits that tell the warp in its block.
pub(super) const WARP_BITS: u64 = 31 << (SITE_BITS + 5);
/// The bits of the thread.
const THREAD_MASK: u64 = 1023 << SITE_BITS;

/// How the bits of stamps are divided in a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    time_bits: u32,
    block_mask: u64,
    time_mask: u64,
}

/// What a stamp says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) block: u64,
    pub(crate) time: u64,
    pub(crate) thread: u32,
    pub(crate) site: u32,
}

impl Layout {
    /// For that many blocks. More than 2^24 of them share numbers, so that there is room for time; no launch on the
    /// emulator runs long enough for two that share one.
    pub(crate) fn new(blocks: u64) -> Self {
        let block_bits = (64 - blocks.saturating_sub(1).leading_zeros()).min(24);
        let time_bits = MIDDLE_BITS - block_bits;
        let block_mask = ((1 << block_bits) - 1) << (TIME_SHIFT + time_bits);
        Self { time_bits, block_mask, time_mask: ((1 << time_bits) - 1) << TIME_SHIFT }
    }

    /// The latest time that fits.
    pub(super) fn last_time(self) -> u64 {
        (1 << self.time_bits) - 1
    }

    /// The stamp of a block's thread 0 at time 0.
    pub(super) fn block(self, block: u64) -> u64 {
        block << (TIME_SHIFT + self.time_bits) & self.block_mask
    }

    /// A time, in the place it has in stamps.
    pub(super) fn time(self, time: u64) -> u64 {
        time.min(self.last_time()) << TIME_SHIFT
    }

    pub(crate) fn parts(self, stamp: u64) -> Parts {
        Parts {
            block: (stamp & self.block_mask) >> (TIME_SHIFT + self.time_bits),
            time: (stamp & self.time_mask) >> TIME_SHIFT,
            thread: ((stamp & THREAD_MASK) >> SITE_BITS) as u32,
            site: stamp as u32 & (SITES - 1),
        }
    }
}

/// The thread's place in stamps.
pub(super) fn thread(thread: u32) -> u64 {
    u64::from(thread) << SITE_BITS
}

/// What one warp knows of the order of stamps by itself: enough for nearly every access.
///
/// A stamp is settled when it is of this block and before the block's last full barrier, or of this warp and before
/// its last full `bar.warp.sync`, or of the thread itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Horizon {
    block_mask: u64,
    warp_mask: u64,
    time_mask: u64,
    block_time: u64,
    warp_time: u64,
}

impl Horizon {
    /// Times are those of the last full barriers of the block and of the warp.
    pub(super) fn new(layout: Layout, block_time: u64, warp_time: u64) -> Self {
        Self {
            block_mask: layout.block_mask,
            warp_mask: layout.block_mask | WARP_BITS,
            time_mask: layout.time_mask,
            block_time: layout.time(block_time),
            warp_time: layout.time(warp_time),
        }
    }

    /// Whether an access with the stamp `old` is over for the thread of `mine`.
    #[inline(always)]
    pub(super) fn settled(&self, old: u64, mine: u64) -> bool {
        let apart = old ^ mine;
        let time = old & self.time_mask;
        let in_block = (apart & self.block_mask == 0) & (time <= self.block_time);
        let in_warp = (apart & self.warp_mask == 0) & (time <= self.warp_time);
        let own = apart & (self.block_mask | THREAD_MASK) == 0;
        (old == 0) | in_block | in_warp | own
    }

    /// Whether two stamps are of different warps.
    #[inline(always)]
    pub(super) fn other_warp(&self, a: u64, b: u64) -> bool {
        (a ^ b) & self.warp_mask != 0
    }

    /// Whether two stamps are of different blocks.
    #[inline(always)]
    pub(super) fn other_block(&self, a: u64, b: u64) -> bool {
        (a ^ b) & self.block_mask != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_hold_what_went_in() {
        for blocks in [1, 2, 65536, 1 << 30] {
            let layout = Layout::new(blocks);
            let block = (blocks - 1) & 0xff_ffff;
            let stamp = layout.block(block) | layout.time(77) | thread(1023) | 5;
            assert_eq!(layout.parts(stamp), Parts { block, time: 77, thread: 1023, site: 5 }, "{blocks}");
            assert_eq!(stamp & EXPANDED, 0);
            assert!(layout.last_time() >= (1 << 15) - 1);
        }
    }

    #[test]
    fn times_stop_at_the_last_one() {
        let layout = Layout::new(1 << 24);
        let stamp = layout.time(u64::MAX);
        assert_eq!(layout.parts(stamp).time, layout.last_time());
        assert_eq!(layout.parts(stamp).block, 0);
    }

    #[test]
    fn barriers_settle_their_block_and_warp() {
        let layout = Layout::new(100);
        let at = |block: u64, time: u64, t: u32| layout.block(block) | layout.time(time) | thread(t);
        let mine = at(7, 20, 40);
        let horizon = Horizon::new(layout, 10, 15);
        assert!(horizon.settled(0, mine));
        assert!(horizon.settled(at(7, 10, 99), mine), "before the block's barrier");
        assert!(!horizon.settled(at(7, 11, 99), mine), "after it, another warp");
        assert!(horizon.settled(at(7, 15, 63), mine), "before the warp's barrier");
        assert!(!horizon.settled(at(7, 16, 63), mine), "after it, another lane");
        assert!(horizon.settled(at(7, 20, 40), mine), "itself");
        assert!(!horizon.settled(at(6, 1, 40), mine), "another block");
    }
}
