//! What checks work on: the launch, the running blocks, and the findings so far.

use super::findings::{Findings, Sighting, Who, Words};
use super::plan::Plan;
use crate::image::event::Access;
use crate::report::{FindingKind, MemorySpace};
use crate::warp::Warp;

/// An instruction that a warp has reached, and what its lanes do.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) warp: &'a Warp<'a>,
    pub(super) pc: u32,
    /// The lanes that execute it.
    pub(super) mask: u32,
    /// What it does to memory; `None` if it is not a load, store or atomic of these lanes.
    pub(super) access: Option<&'a Access>,
    /// The lanes' addresses, if they have been computed: as for [`Access::addresses`].
    pub(super) addresses: Option<&'a [u64; 32]>,
}

impl<'a> At<'a> {
    /// An instruction that is not an access.
    pub(super) fn new(warp: &'a Warp<'a>, pc: u32, mask: u32) -> Self {
        Self { warp, pc, mask, access: None, addresses: None }
    }

    /// The number of the block among those that its host thread has not finished.
    #[inline(always)]
    pub(super) fn slot(&self) -> usize {
        self.warp.block().slot as usize
    }

    /// A thread of the warp.
    pub(super) fn thread(&self, lane: u32) -> Who {
        (self.warp.block().linear, self.warp.index * 32 + lane)
    }
}

/// What the checks of one host thread share.
pub(super) struct Scene<'p> {
    pub(super) plan: &'p Plan<'p>,
    pub(super) findings: Findings,
    /// By slot of the block: a barrier did not hold its threads together. Any later race is a consequence of that.
    pub(super) broken: Vec<bool>,
}

impl<'p> Scene<'p> {
    pub(super) fn new(plan: &'p Plan<'p>) -> Self {
        Self { plan, findings: Findings::default(), broken: Vec::new() }
    }

    /// Records a sighting; `words` is called for its text only if it will be shown.
    pub(super) fn note(&mut self, seen: Sighting, words: impl FnOnce(&Plan<'p>, &Sighting) -> Words) {
        let plan = self.plan;
        self.findings.note(plan.program, seen, |seen| words(plan, seen));
    }

    /// A sighting of a mistake in an access of a lane.
    pub(super) fn sighting(&self, kind: FindingKind, at: (u32, Who), space: MemorySpace, address: u64) -> Sighting {
        Sighting {
            kind,
            severity: kind.severity(),
            at,
            other: None,
            space: Some(space),
            address: Some(address),
            place: place(at.1.0, space, address),
        }
    }
}

/// Distinguishes places: each block has its own shared and local memory.
pub(super) fn place(block: u64, space: MemorySpace, address: u64) -> u64 {
    if space == MemorySpace::Global { address } else { block << 24 ^ address }
}
