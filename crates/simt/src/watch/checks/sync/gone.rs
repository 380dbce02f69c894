//! Which threads left the kernel by a branch around a barrier that others wait at.

use std::collections::HashMap;

use crate::watch::checks::arrival::Arrival;

/// Lanes of a warp that left, and the branch by which the first of them did.
#[derive(Clone, Copy, Debug, Default)]
struct Lanes {
    lanes: u32,
    branch: u32,
}

/// A thread that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Left {
    /// Its number in the block.
    pub(super) thread: u32,
    /// The branch by which it left.
    pub(super) branch: u32,
}

/// The threads of a block that left: they never come to the barrier again.
#[derive(Debug)]
pub(super) struct Gone {
    /// By barrier and warp.
    left: Vec<Lanes>,
    warps: usize,
    any: bool,
}

impl Gone {
    pub(super) fn new(warps: usize, sites: usize) -> Self {
        Self { left: vec![Lanes::default(); warps * sites], warps, any: false }
    }

    /// A block starts.
    pub(super) fn restart(&mut self) {
        if std::mem::take(&mut self.any) {
            self.left.fill(Lanes::default());
        }
    }

    /// Lanes leave a barrier behind at a branch.
    pub(super) fn leave(&mut self, site: usize, warp: u32, lanes: u32, branch: u32) {
        let Some(left) = self.left.get_mut(site * self.warps + warp as usize) else { return };
        if left.lanes == 0 {
            left.branch = branch;
        }
        left.lanes |= lanes;
        self.any = true;
    }

    /// Of a barrier that is complete: an arrival at it, and the first thread that left it behind. `sites` are the
    /// numbers of barriers.
    pub(super) fn first<'a>(
        &self,
        sites: &HashMap<u32, usize>,
        arrivals: &'a [Arrival],
    ) -> Option<(&'a Arrival, Left)> {
        let first = arrivals.first().filter(|_| self.any)?;
        let site = *sites.get(&first.pc)?;
        (0..self.warps).find_map(|warp| {
            let left = self.left[site * self.warps + warp];
            // On the other side it may have come to a barrier of the same number.
            let there = arrivals.iter().filter(|a| a.warp as usize == warp).fold(0, |lanes, a| lanes | a.mask);
            let missing = left.lanes & !there;
            let thread = warp as u32 * 32 + missing.trailing_zeros();
            (missing != 0).then_some((first, Left { thread, branch: left.branch }))
        })
    }
}
