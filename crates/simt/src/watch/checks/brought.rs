//! The operands of lanes at a warp-wide operation.

use crate::image::event::{CollectiveKind, Event};
use crate::lanes::{Op, collective, lanes_of};
use crate::warp::Warp;

/// The operands of lanes at a warp-wide operation, by lane.
#[derive(Clone, Debug)]
pub(super) struct Brought {
    /// The lanes that each names.
    pub(super) masks: [u32; 32],
    /// For a shuffle: the lane that each takes a value from.
    pub(super) sources: [u32; 32],
    /// Whether they name lanes at all: the forms before compute capability 7.0 do not.
    pub(super) masked: bool,
}

impl Brought {
    /// The operands of lanes at an operation; `None` if it has neither masks nor sources.
    pub(super) fn of(warp: &Warp<'_>, op: &Op, event: &Event, mask: u32) -> Option<Self> {
        let (masked, shuffles) = match event {
            Event::WarpBarrier => (true, false),
            Event::Collective(c) if c.kind == CollectiveKind::Matrix => return None,
            Event::Collective(c) => (c.masked, c.kind == CollectiveKind::Shuffle),
            _ => return None,
        };
        // SAFETY: the warp is at the instruction, which is one of those that have these operands.
        unsafe {
            Some(Self {
                masks: if masked { collective::masks(warp, op) } else { [mask; 32] },
                sources: if shuffles { collective::sources(warp, op) } else { [0; 32] },
                masked,
            })
        }
    }

    /// More lanes arrive at the same operation.
    pub(super) fn join(&mut self, mask: u32, others: &Self) {
        for lane in lanes_of(mask) {
            (self.masks[lane], self.sources[lane]) = (others.masks[lane], others.sources[lane]);
        }
    }
}
