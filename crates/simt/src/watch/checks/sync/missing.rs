//! Which threads bypassed a meeting, so that it misses them.

use std::ops::Range;

/// Lanes of a warp that bypassed a meeting since the block's last barrier: once, and more than once.
#[derive(Clone, Copy, Debug, Default)]
struct Detoured {
    generation: u32,
    once: u32,
    again: u32,
}

/// The threads of a block that bypassed meetings since its last barrier of all threads.
#[derive(Debug)]
pub(super) struct Missing {
    /// Barriers of all threads so far.
    generation: u32,
    /// By meeting and warp.
    detoured: Vec<Detoured>,
    warps: usize,
    any: bool,
}

impl Missing {
    pub(super) fn new(warps: usize, sites: usize) -> Self {
        Self { generation: 1, detoured: vec![Detoured::default(); warps * sites], warps, any: false }
    }

    /// A block starts, or all of its threads have met: detours so far are of an older generation.
    pub(super) fn restart(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        self.any = false;
    }

    /// Warps of the block.
    pub(super) fn warps(&self) -> usize {
        self.warps
    }

    /// Whether any thread bypassed anything.
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// Lanes bypass a meeting.
    pub(super) fn detour(&mut self, site: usize, warp: u32, lanes: u32) {
        let Some(entry) = self.detoured.get_mut(site * self.warps + warp as usize) else { return };
        if entry.generation != self.generation {
            *entry = Detoured { generation: self.generation, ..Detoured::default() };
        }
        entry.again |= entry.once & lanes;
        entry.once |= lanes;
        self.any = true;
    }

    fn detoured(&self, site: usize, warp: usize) -> Detoured {
        match self.detoured.get(site * self.warps + warp) {
            Some(entry) if entry.generation == self.generation => *entry,
            _ => Detoured::default(),
        }
    }

    /// The first thread that bypassed a meeting more often than one of those who came to it, and is not there. `come`
    /// says which lanes of a warp are there.
    pub(super) fn first(&self, site: usize, warps: Range<usize>, come: impl Fn(usize) -> u32) -> Option<u32> {
        let (mut not_once, mut not_again) = (false, false);
        for warp in warps.clone() {
            let (there, d) = (come(warp), self.detoured(site, warp));
            not_once |= there & !d.once != 0;
            not_again |= there & !d.again != 0;
        }
        warps.into_iter().find_map(|warp| {
            let d = self.detoured(site, warp);
            let more = if not_once {
                d.once
            } else if not_again {
                d.again
            } else {
                0
            };
            let missing = more & !come(warp);
            (missing != 0).then(|| warp as u32 * 32 + missing.trailing_zeros())
        })
    }
}
