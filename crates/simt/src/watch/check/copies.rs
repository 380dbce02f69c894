//! `cp.async`: a write that happens some time between its instruction and the wait for it.
//!
//! It is taken to happen at both: at the instruction, because it may overwrite what others still read, and at the wait,
//! because nobody may read it before. Only from then on do the bytes count as written.

use super::Checker;
use super::race::Kind;
use super::runs::{Run, runs};
use crate::exec::Warp;
use crate::lanes::lanes_of;
use crate::lanes::mbarrier::BulkCopy;
use crate::watch::event::{Access, CopyLanes};

/// Copies of a warp that are followed at once.
const MOST: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
struct Copy {
    pc: u32,
    lane: u32,
    /// Its group in its thread's count, once committed.
    group: Option<u32>,
    to: u64,
    bytes: u32,
}

/// The copies of a warp that are under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    pending: Vec<Copy>,
    committed: [u32; 32],
}

impl Copies {
    pub(super) fn clear(&mut self) {
        self.pending.clear();
        self.committed = [0; 32];
    }

    pub(super) fn commit(&mut self, mask: u32) {
        for copy in self.pending.iter_mut().filter(|c| c.group.is_none() && mask >> c.lane & 1 == 1) {
            copy.group = Some(self.committed[copy.lane as usize]);
        }
        for lane in lanes_of(mask) {
            self.committed[lane] += 1;
        }
    }

    /// Takes out the copies that a wait for all but so many groups completes.
    fn due(&mut self, mask: u32, but: Option<u32>) -> Vec<Copy> {
        let committed = self.committed;
        let is_due = |copy: &mut Copy| {
            let done = |n: u32| copy.group.is_some_and(|g| g < committed[copy.lane as usize].saturating_sub(n));
            mask >> copy.lane & 1 == 1 && but.is_none_or(done)
        };
        self.pending.extract_if(.., is_due).collect()
    }
}

impl Checker<'_> {
    /// `cp.async`.
    pub(super) fn copy_starts(&mut self, warp: &Warp<'_>, pc: u32, bytes: u32, mask: u32, copies: &CopyLanes) {
        let level = self.plan.mode.level;
        for size in [4, 8, 16] {
            let lanes = lanes_of(mask).filter(|&l| copies.valid[l] == size).fold(0, |m, l| m | 1 << l);
            runs(level, lanes, &copies.from, size, |run| {
                self.global_run(warp, pc, (mask, &copies.from), run, Kind::READ, None);
            });
        }
        // Fewer bytes than the copy is long: lane by lane.
        for lane in lanes_of(mask).filter(|&l| !matches!(copies.valid[l], 0 | 4 | 8 | 16)) {
            for byte in 0..u64::from(copies.valid[lane]) {
                let run = Run::one(lane as u32, copies.from[lane].wrapping_add(byte), 1);
                self.global_run(warp, pc, (mask, &copies.from), run, Kind::READ, None);
            }
        }
        let limits = self.limits(warp, pc);
        runs(level, mask, &copies.to, bytes, |run| {
            self.strays(warp, pc, run, limits, |checker, run| {
                checker.shared_race(warp, pc, (mask, &copies.to), run, Kind::WRITE, None);
            });
        });
        let pending = &mut self.block(warp).copies[warp.index as usize].pending;
        if pending.len() < MOST {
            pending.extend(lanes_of(mask).map(|lane| Copy {
                pc,
                lane: lane as u32,
                group: None,
                to: copies.to[lane],
                bytes,
            }));
        }
    }

    /// `cp.async.bulk`: taken to happen at its instruction. Whoever has not waited for its object has no order with it.
    pub(super) fn bulk_starts(&mut self, warp: &Warp<'_>, pc: u32, lane: u32, copy: &BulkCopy, object: &Access) {
        let limits = self.limits(warp, pc);
        for (first, bytes) in powers_of_two(copy.bytes as u32) {
            let (from, to) = (copy.from + u64::from(first), copy.to + u64::from(first));
            self.global_run(warp, pc, (1 << lane, &[from; 32]), Run::one(lane, from, bytes), Kind::READ, None);
            self.strays(warp, pc, Run::one(lane, to, bytes), limits, |checker, run| {
                if checker.plan.checks.init {
                    checker.block(warp).written.set(to, bytes.into());
                }
                checker.shared_race(warp, pc, (1 << lane, &[to; 32]), run, Kind::WRITE, None);
            });
        }
        let told = Run::one(lane, copy.object, object.bytes);
        self.shared_race(warp, pc, (1 << lane, &[copy.object; 32]), told, Kind::of(object), Some(object));
    }

    /// `cp.async.wait_group`, `cp.async.wait_all`.
    pub(super) fn copies_end(&mut self, warp: &Warp<'_>, mask: u32, but: Option<u32>) {
        let due = self.block(warp).copies[warp.index as usize].due(mask, but);
        for copy in due {
            let run = Run::one(copy.lane, copy.to, copy.bytes);
            if self.plan.checks.init {
                self.block(warp).written.set(copy.to, copy.bytes.into());
            }
            let addresses = [copy.to; 32];
            self.shared_race(warp, copy.pc, (1 << copy.lane, &addresses), run, Kind::WRITE, None);
        }
    }
}

/// Pieces of a range, first byte and length: an access has a power of two of bytes, a bulk copy any number.
fn powers_of_two(bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..u32::BITS).rev().filter(move |bit| bytes >> bit & 1 == 1).map(move |bit| {
        let above = bytes.checked_shr(bit + 1).map_or(0, |high| high << (bit + 1));
        (above, 1 << bit)
    })
}

#[cfg(test)]
mod tests {
    use super::powers_of_two;

    #[test]
    fn pieces_make_up_the_whole() {
        assert_eq!(powers_of_two(49152).collect::<Vec<_>>(), [(0, 32768), (32768, 16384)]);
        assert_eq!(powers_of_two(16).collect::<Vec<_>>(), [(0, 16)]);
        assert_eq!(powers_of_two(0).count(), 0);
        let mut next = 0;
        for (first, bytes) in powers_of_two(0xffff_fff0) {
            assert_eq!(first, next);
            next += bytes;
        }
        assert_eq!(next, 0xffff_fff0);
    }
}
