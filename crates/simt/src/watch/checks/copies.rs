//! `cp.async`: a write that happens at some time between its instruction and the wait for it.
//!
//! It is treated as happening at both: at the instruction, because it may overwrite what others still read, and at the
//! wait, because nothing may read it earlier. The bytes count as written only from then on.

use super::access::is_inside_shared;
use super::checker::Checker;
use super::kind::Kind;
use super::runs::{Run, runs};
use super::scene::At;
use crate::image::event::{Access, CopyLanes};
use crate::lanes::lanes_of;
use crate::warp::BulkCopy;
use crate::warp::Warp;

/// Copies of a warp that are tracked at once.
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

/// The copies of a warp in flight.
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

    /// Removes the copies that a wait for all but that many groups completes.
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
        let level = self.scene.plan.level;
        let from = At { addresses: Some(&copies.from), ..At::new(warp, pc, mask) };
        for size in [4, 8, 16] {
            let lanes = lanes_of(mask).filter(|&l| copies.valid[l] == size).fold(0, |m, l| m | 1 << l);
            runs(level, lanes, &copies.from, size, |run| self.global_run(&from, run, Kind::READ));
        }
        // Fewer bytes than the length of the copy: lane by lane.
        for lane in lanes_of(mask).filter(|&l| !matches!(copies.valid[l], 0 | 4 | 8 | 16)) {
            for byte in 0..u64::from(copies.valid[lane]) {
                let run = Run::one(lane as u32, copies.from[lane].wrapping_add(byte), 1);
                self.global_run(&from, run, Kind::READ);
            }
        }
        let limits = self.suite.limits(warp, pc);
        let to = At { addresses: Some(&copies.to), ..from };
        runs(level, mask, &copies.to, bytes, |run| {
            self.strays(&to, run, limits, |checker, run| {
                if is_inside_shared(&to, run) {
                    checker.suite.copy_starts(&mut checker.scene, &to, run);
                }
            });
        });
        let pending = &mut self.copies(warp).pending;
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

    /// `cp.async.bulk`: treated as happening at its instruction. A thread that has not waited for its object is not
    /// ordered with it.
    pub(super) fn bulk_starts(&mut self, warp: &Warp<'_>, pc: u32, lane: u32, copy: &BulkCopy, object: &Access) {
        let limits = self.suite.limits(warp, pc);
        for (first, bytes) in powers_of_two(copy.bytes as u32) {
            let (from, to) = (copy.from + u64::from(first), copy.to + u64::from(first));
            let at = At::new(warp, pc, 1 << lane);
            self.global_run(&At { addresses: Some(&[from; 32]), ..at }, Run::one(lane, from, bytes), Kind::READ);
            let at = At { addresses: Some(&[to; 32]), ..at };
            for rank in others(warp, copy) {
                self.distant_run(&at, rank, Run::one(lane, to, bytes), Kind::WRITE);
            }
            if !is_own(warp, copy) {
                continue;
            }
            self.strays(&at, Run::one(lane, to, bytes), limits, |checker, run| {
                if is_inside_shared(&at, run) {
                    checker.suite.copy_lands(&mut checker.scene, &at, run);
                }
            });
        }
        let told = Run::one(lane, copy.object, object.bytes);
        let addresses = [copy.object; 32];
        let at = At { access: Some(object), addresses: Some(&addresses), ..At::new(warp, pc, 1 << lane) };
        if is_inside_shared(&at, told) && is_own(warp, copy) {
            self.suite.copy_tells(&mut self.scene, &at, told, Kind::of(object));
        }
    }

    /// `cp.async.wait_group`, `cp.async.wait_all`.
    pub(super) fn copies_end(&mut self, warp: &Warp<'_>, mask: u32, but: Option<u32>) {
        for copy in self.copies(warp).due(mask, but) {
            let run = Run::one(copy.lane, copy.to, copy.bytes);
            let addresses = [copy.to; 32];
            let at = At { addresses: Some(&addresses), ..At::new(warp, copy.pc, 1 << copy.lane) };
            if is_inside_shared(&at, run) {
                self.suite.copy_lands(&mut self.scene, &at, run);
            }
        }
    }
}

/// Whether a bulk copy goes to the block that starts it.
fn is_own(warp: &Warp<'_>, copy: &BulkCopy) -> bool {
    copy.blocks.checked_shr(warp.block().rank).is_some_and(|bits| bits & 1 == 1)
}

/// The other blocks of the cluster that a bulk copy goes to, by rank.
fn others(warp: &Warp<'_>, copy: &BulkCopy) -> impl Iterator<Item = u32> {
    let own = warp.block().rank as usize;
    lanes_of(copy.blocks).filter(move |&rank| rank != own).map(|rank| rank as u32)
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
