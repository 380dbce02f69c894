//! Divergence and reconvergence, with forward progress.
//!
//! A warp is a set of *splits*: groups of lanes that share a program counter. It starts as one. When a branch sends its
//! lanes both ways, the warp makes a *join* at the branch's immediate post-dominator, the first instruction that every
//! path from the branch must pass, and continues with two splits that belong to it. A split that reaches its join's
//! instruction disappears into the join; when all lanes that the join expects have arrived, they continue together, as
//! one split of the join's parent. A loop whose lanes leave one by one meets the same post-dominator each time and
//! keeps using one join. Exiting lanes are removed from every join.
//!
//! A GPU waits at a join for speed, not for correctness, and this must never stop a program: since compute capability
//! 7.0 every thread makes progress. A lane that holds a lock and waits at a join for lanes that spin on that lock would
//! wait forever. So lanes may be *released* from a join before it is complete; they then run as a split of their own
//! until the parent's join. This happens when the running split only polls memory for a while (or runs for very long),
//! and when nothing else in the block could run.
//!
//! Warp-wide operations (`shfl.sync`, `bar.warp.sync`, ...) wait for the lanes their mask names: a split that arrives
//! early is parked, and the one that completes the set executes the operation for all.

use super::Warp;
use super::split::{Join, NO_JOIN, NO_PC, RETURN, Split, Wait};

impl Warp<'_> {
    /// Splits the running lanes: `taken` go to `target`, the others to the next instruction; both meet at `rpc`.
    pub(crate) fn diverge(&mut self, taken: u32, target: u32, rpc: u32) {
        let other = self.mask & !taken;
        let join = self.join_at(rpc);
        let mut runnable = [(other, self.pc + 1), (taken, target)].into_iter().filter(|&(mask, pc)| {
            let arrives = pc == rpc && join != NO_JOIN;
            if arrives {
                self.joins.joins[join as usize].arrived |= mask;
            }
            !arrives
        });
        let first = runnable.next();
        let second = runnable.next();
        drop(runnable);
        if let Some((mask, pc)) = second {
            self.splits.push(Split { pc, mask, frame: self.frame, join, wait: Wait::Nothing });
        }
        // Branch target and next instruction differ, so at least one of them is not the join.
        if let Some((mask, pc)) = first {
            (self.mask, self.pc, self.join) = (mask, pc, join);
            self.update_stop();
        }
    }

    /// Splits the running lanes by an indirect branch into one group for each target.
    pub(crate) fn scatter(&mut self, groups: &[(u32, u32)], rpc: u32) {
        let join = self.join_at(rpc);
        let mut current = None;
        // One group has to continue even if all of them are already at the join: it arrives by itself.
        for (n, &(mask, pc)) in groups.iter().enumerate() {
            if pc == rpc && join != NO_JOIN && (current.is_some() || n + 1 < groups.len()) {
                self.joins.joins[join as usize].arrived |= mask;
            } else if current.is_none() {
                current = Some((mask, pc));
            } else {
                self.splits.push(Split { pc, mask, frame: self.frame, join, wait: Wait::Nothing });
            }
        }
        if let Some((mask, pc)) = current {
            (self.mask, self.pc, self.join) = (mask, pc, join);
            self.update_stop();
        }
    }

    /// The join for lanes of the running split that diverge now: the current one if it is at the same place.
    fn join_at(&mut self, rpc: u32) -> u32 {
        // In the kernel itself paths that meet only at its end need no join: lanes end one by one.
        if rpc == RETURN && self.frame == 0 {
            return self.join;
        }
        if let Some(join) = self.joins.joins.get(self.join as usize)
            && (join.pc, join.frame) == (rpc, self.frame)
        {
            return self.join;
        }
        let (frame, parent, expected) = (self.frame, self.join, self.mask);
        self.joins.add(Join { pc: rpc, frame, parent, expected, arrived: 0 })
    }

    /// The running split has reached its join. False when it must wait there and something else has to run.
    pub(crate) fn reconverge(&mut self) -> bool {
        while self.pc == self.stop {
            if !self.arrive() {
                return false;
            }
        }
        true
    }

    /// The running lanes arrive at their join; true if they are the last and continue for all.
    fn arrive(&mut self) -> bool {
        let join = &mut self.joins.joins[self.join as usize];
        join.arrived |= self.mask;
        if join.arrived != join.expected {
            return false;
        }
        self.mask = join.expected;
        self.join = join.parent;
        (join.expected, join.arrived) = (0, 0);
        self.update_stop();
        true
    }

    /// The running lanes return from their function: true if all lanes that diverged inside it are together.
    pub(crate) fn arrive_at_return(&mut self) -> bool {
        while let Some(join) = self.joins.joins.get(self.join as usize) {
            if (join.pc, join.frame) != (RETURN, self.frame) {
                break;
            }
            if !self.arrive() {
                return false;
            }
        }
        true
    }

    /// Some of the running lanes return, the others continue.
    pub(crate) fn part_at_return(&mut self, returning: u32) {
        let join = self.join_at(RETURN);
        self.joins.joins[join as usize].arrived |= returning;
        self.mask &= !returning;
        self.join = join;
        self.update_stop();
    }

    /// Where the running split has to stop for its join.
    pub(crate) fn update_stop(&mut self) {
        self.stop = match self.joins.joins.get(self.join as usize) {
            Some(join) if join.frame == self.frame => join.pc,
            _ => NO_PC,
        };
    }

    /// Removes lanes that have exited from every join and split.
    pub(crate) fn strike(&mut self, lanes: u32) {
        for at in 0..self.joins.joins.len() {
            let join = &mut self.joins.joins[at];
            if join.expected & lanes == 0 {
                continue;
            }
            join.expected &= !lanes;
            join.arrived &= !lanes;
            if join.expected != 0 && join.arrived == join.expected {
                self.release(at as u32);
            }
        }
    }

    /// Lets the lanes that have arrived at a join continue without the others.
    fn release(&mut self, at: u32) {
        let join = &mut self.joins.joins[at as usize];
        let pc = if join.pc == RETURN {
            let function = self.frames.get(join.frame).function;
            self.launch.image.functions[function as usize].end
        } else {
            join.pc
        };
        let split = Split { pc, mask: join.arrived, frame: join.frame, join: join.parent, wait: Wait::Nothing };
        join.expected &= !join.arrived;
        join.arrived = 0;
        self.splits.push(split);
    }

    /// Releases lanes from the innermost join that holds any; false when none does.
    pub(crate) fn release_one(&mut self) -> bool {
        // Joins are made from the outside in, but their slots are recycled: the innermost is one that is not an
        // ancestor of another waiting join. Any choice is correct; this one keeps lanes together longest.
        let waiting = |j: &Join| j.expected != 0 && j.arrived != 0;
        let candidate = (0..self.joins.joins.len()).rev().find(|&at| {
            waiting(&self.joins.joins[at]) && !self.joins.joins.iter().any(|j| waiting(j) && j.parent == at as u32)
        });
        match candidate {
            Some(at) => {
                self.release(at as u32);
                true
            }
            None => false,
        }
    }

    /// Whether lanes are waiting at some join.
    pub(crate) fn lanes_wait_at_joins(&self) -> bool {
        self.joins.joins.iter().any(|j| j.expected != 0 && j.arrived != 0)
    }

    /// The lanes that wait at joins.
    pub(crate) fn at_joins(&self) -> u32 {
        self.joins.joins.iter().filter(|j| j.expected != 0).fold(0, |lanes, j| lanes | j.arrived)
    }

    /// Sets the running split aside.
    pub(crate) fn park(&mut self, wait: Wait) {
        self.splits.push(Split { pc: self.pc, mask: self.mask, frame: self.frame, join: self.join, wait });
        self.mask = 0;
    }

    /// Resumes the first split that can run; false if there is none.
    pub(crate) fn pick(&mut self) -> bool {
        loop {
            let Some(at) = (0..self.splits.len()).find(|&at| self.can_run(&self.splits[at])) else {
                self.mask = 0;
                return false;
            };
            let split = self.splits.remove(at);
            self.resume(split);
            // A split may be resumed right where it has to wait for others.
            if self.reconverge() {
                return true;
            }
        }
    }

    fn resume(&mut self, split: Split) {
        self.pc = split.pc;
        self.mask = split.mask;
        self.join = split.join;
        self.enter_frame(split.frame);
        if let Wait::Barrier { id, generation, result } = split.wait {
            self.finish_barrier(id, generation, result);
            self.pc += 1;
        }
        self.update_stop();
    }

    /// Whether a split can continue.
    pub(crate) fn can_run(&self, split: &Split) -> bool {
        match split.wait {
            Wait::Nothing => true,
            Wait::Barrier { id, generation, .. } => self.barrier(id).generation != generation,
            Wait::Lanes { need, .. } => {
                let there = self.gathered(split);
                need & self.live & !there == 0
            }
        }
    }

    /// The lanes that are parked at the same warp-wide operation as this split, including its own.
    fn gathered(&self, split: &Split) -> u32 {
        let Wait::Lanes { anywhere, .. } = split.wait else { return 0 };
        self.splits.iter().fold(0, |lanes, s| match s.wait {
            Wait::Lanes { have, anywhere: other, .. }
                if (s.pc, s.frame) == (split.pc, split.frame) || (anywhere && other) =>
            {
                lanes | have
            }
            _ => lanes,
        })
    }

    /// The running split is at a warp-wide operation with lanes `have`, which needs the lanes `need`. Returns the
    /// lanes to execute it for, or `None` when the split was parked to wait for others.
    pub(crate) fn gather(&mut self, have: u32, need: u32, anywhere: bool) -> Option<u32> {
        let need = need & self.live;
        if need & !have == 0 {
            self.together = have;
            return Some(have);
        }
        self.park(Wait::Lanes { need, have, anywhere });
        let me = self.splits[self.splits.len() - 1];
        let there = self.gathered(&me);
        if need & !there != 0 {
            return None;
        }
        self.splits.pop();
        self.mask = me.mask;
        let (pc, frame) = (self.pc, self.frame);
        for split in &mut self.splits {
            let Wait::Lanes { anywhere: other, .. } = split.wait else { continue };
            if (split.pc, split.frame) == (pc, frame) || (anywhere && other) {
                split.wait = Wait::Nothing;
                split.pc += 1;
            }
        }
        self.together = there;
        Some(there)
    }
}
