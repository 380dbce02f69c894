//! Accesses, analysed once for all checks.

use super::checker::Checker;
use super::kind::Kind;
use super::runs::{Run, runs};
use super::scene::At;
use crate::lanes::lanes_of;
use crate::warp::rank_and_offset;

impl Checker<'_> {
    /// Lanes access shared memory, at these offsets.
    pub(super) fn shared(&mut self, at: &At<'_>, bytes: u32, addresses: &[u64; 32]) {
        let kind = at.access.map_or(Kind::READ, Kind::of);
        let limits = self.suite.limits(at.warp, at.pc);
        let mut near = at.mask;
        if at.warp.cluster().blocks.len() > 1 {
            near = self.distant(at, bytes, addresses, kind, limits);
        }
        runs(self.scene.plan.level, near, addresses, bytes, |run| {
            if limits.is_some_and(|limits| !run.is_inside(limits)) {
                self.strays(at, run, limits, |checker, run| checker.shared_run(at, run, kind));
            } else {
                self.shared_run(at, run, kind);
            }
        });
    }

    /// The lanes that access the shared memory of other blocks of the cluster; returns the others.
    fn distant(
        &mut self,
        at: &At<'_>,
        bytes: u32,
        addresses: &[u64; 32],
        kind: Kind,
        limits: Option<(u64, u64)>,
    ) -> u32 {
        let mut near = at.mask;
        for lane in lanes_of(at.mask) {
            let Some((rank, offset)) = rank_and_offset(addresses[lane]) else { continue };
            near &= !(1 << lane);
            let run = Run::one(lane as u32, offset, bytes);
            match limits.filter(|&limits| !run.is_inside(limits)) {
                Some(limits) => self.suite.strays(&mut self.scene, at, run, limits),
                None => self.distant_run(at, rank, run, kind),
            }
        }
        near
    }

    /// A lane accesses the shared memory of the block of that rank.
    pub(super) fn distant_run(&mut self, at: &At<'_>, rank: u32, run: Run, kind: Kind) {
        if let Some(block) = at.warp.cluster().blocks.get(rank as usize).filter(|_| is_inside_shared(at, run)) {
            self.suite.distant(&mut self.scene, at, block.slot as usize, run, kind);
        }
    }

    /// A run of lanes accesses shared memory.
    #[inline(always)]
    fn shared_run(&mut self, at: &At<'_>, run: Run, kind: Kind) {
        if is_inside_shared(at, run) {
            self.suite.shared(&mut self.scene, at, run, kind);
        }
    }

    /// Lanes access global memory.
    pub(super) fn global(&mut self, at: &At<'_>, bytes: u32, addresses: &[u64; 32]) {
        let kind = at.access.map_or(Kind::READ, Kind::of);
        let limits = self.suite.limits(at.warp, at.pc);
        runs(self.scene.plan.level, at.mask, addresses, bytes, |run| {
            if limits.is_some_and(|limits| !run.is_inside(limits)) {
                self.strays(at, run, limits, |checker, run| checker.global_run(at, run, kind));
            } else {
                self.global_run(at, run, kind);
            }
        });
    }

    /// A run of lanes accesses global memory.
    #[inline(always)]
    pub(super) fn global_run(&mut self, at: &At<'_>, run: Run, kind: Kind) {
        let Some(view) = self.view(at.pc, run) else { return };
        let offset = run.address - self.scene.plan.launch.views[view].base;
        self.suite.global(&mut self.scene, at, run, kind, (view, offset));
    }

    /// The allocation that holds a run, as a number among the views.
    #[inline(always)]
    fn view(&mut self, pc: u32, run: Run) -> Option<usize> {
        let views = self.scene.plan.launch.views;
        let end = run.address.checked_add(run.len())?;
        let hint = &mut self.hints[pc as usize];
        if let Some(view) = views.get(*hint as usize)
            && view.base <= run.address
            && end <= view.end
        {
            return Some(*hint as usize);
        }
        let at = views.partition_point(|v| v.base <= run.address).checked_sub(1)?;
        (end <= views[at].end).then(|| {
            *hint = at as u32;
            at
        })
    }

    /// Lanes access local memory, at these offsets.
    pub(super) fn local(&mut self, at: &At<'_>, bytes: u32, addresses: &[u64; 32]) {
        let limits = self.suite.limits(at.warp, at.pc);
        for lane in lanes_of(at.mask) {
            let run = Run::one(lane as u32, addresses[lane], bytes);
            match limits.filter(|&limits| !run.is_inside(limits)) {
                Some(limits) => self.suite.strays(&mut self.scene, at, run, limits),
                None => self.suite.local(&mut self.scene, at, run),
            }
        }
    }

    /// Some lanes of a run leave the variable or buffer that their addresses are based on. The others are handled one
    /// by one; memory that is touched by mistake is not reported again.
    #[cold]
    pub(super) fn strays(
        &mut self,
        at: &At<'_>,
        run: Run,
        limits: Option<(u64, u64)>,
        mut inside: impl FnMut(&mut Self, Run),
    ) {
        for lane in lanes_of(run.mask) {
            let along = if run.same { 0 } else { (lane as u64 - u64::from(run.lane)) * u64::from(run.bytes) };
            let one = Run::one(lane as u32, run.address.wrapping_add(along), run.bytes);
            match limits.filter(|&limits| !one.is_inside(limits)) {
                Some(limits) => self.suite.strays(&mut self.scene, at, one, limits),
                None => inside(self, one),
            }
        }
    }
}

/// Whether a run lies in shared memory. One that does not stops the kernel.
#[inline(always)]
pub(super) fn is_inside_shared(at: &At<'_>, run: Run) -> bool {
    run.address.saturating_add(run.len()) <= u64::from(at.warp.shared_len)
}
