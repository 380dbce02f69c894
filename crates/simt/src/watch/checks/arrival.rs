//! Arrivals at the barriers of a block.

use crate::image::event::BlockBarrier;

/// Lanes that have arrived at a barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) warp: u32,
    pub(super) pc: u32,
    pub(super) mask: u32,
    /// The number of threads that the instruction states.
    pub(super) count: Option<u32>,
    pub(super) barrier: BlockBarrier,
}

/// The arrivals at the sixteen barriers of a block since each was last complete.
#[derive(Debug, Default)]
pub(super) struct Arrivals([Vec<Arrival>; 16]);

impl Arrivals {
    pub(super) fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn push(&mut self, id: u32, arrival: Arrival) {
        if let Some(arrivals) = self.0.get_mut(id as usize) {
            arrivals.push(arrival);
        }
    }

    /// Takes out the arrivals at a barrier.
    pub(super) fn take(&mut self, id: u32) -> Vec<Arrival> {
        std::mem::take(&mut self.0[id as usize])
    }

    /// Returns what [`Self::take`] took, to reuse its memory.
    pub(super) fn reuse(&mut self, id: u32, mut arrivals: Vec<Arrival>) {
        arrivals.clear();
        self.0[id as usize] = arrivals;
    }
}

/// Whether a barrier with these arrivals is for all threads of the block.
pub(super) fn is_whole(arrivals: &[Arrival]) -> bool {
    !arrivals.iter().any(|a| a.barrier.counted || a.barrier.arrive)
}
