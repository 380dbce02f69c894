//! Accesses, as observers see them.

use std::ops::Deref;

use super::instruction::Instruction;
use crate::image::event::Direction;
use crate::lanes::region::{self, Region};
use crate::memory::{self, Window};

/// What an access does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// It reads, writes and returns what it read.
    Atomic,
    /// It reads and writes, and returns nothing.
    Reduction,
}

impl AccessKind {
    /// Whether lanes receive what was read.
    pub fn reads(self) -> bool {
        matches!(self, Self::Load | Self::Atomic)
    }

    /// Whether memory is changed.
    pub fn writes(self) -> bool {
        self != Self::Load
    }
}

impl From<Direction> for AccessKind {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Load => Self::Load,
            Direction::Store => Self::Store,
            Direction::Atomic => Self::Atomic,
            Direction::Reduction => Self::Reduction,
        }
    }
}

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Buffers and `__device__` variables.
    Global,
    /// The block's memory.
    Shared,
    /// The thread's own memory.
    Local,
    /// `__constant__` variables.
    Constant,
    /// The kernel's parameters, and those of calls.
    Parameter,
}

/// An access of a warp's lanes to one state space.
///
/// It is also the [`Instruction`] that makes it: `access.place()`, `access.lanes()`.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    pub(super) at: Instruction<'a>,
    pub(super) kind: AccessKind,
    pub(super) space: Space,
    pub(super) bytes: u32,
    pub(super) addresses: &'a [u64; 32],
}

impl<'a> Access<'a> {
    /// What it does.
    pub fn kind(&self) -> AccessKind {
        self.kind
    }

    /// Where.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Bytes that each lane touches.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Where each lane's access starts: a device address, or an offset in shared or local memory. Entries of lanes that
    /// take no part are meaningless.
    pub fn addresses(&self) -> &'a [u64; 32] {
        self.addresses
    }

    /// The bytes that a lane receives: those that memory holds now. If blocks race, it may receive others. `None` for a
    /// lane that takes no part, for a store or reduction, and if the access will fault.
    pub fn loaded(&self, lane: u32) -> Option<Vec<u8>> {
        if !self.kind.reads() || self.at.mask.checked_shr(lane)? & 1 == 0 {
            return None;
        }
        let (warp, len) = (self.at.warp, u64::from(self.bytes));
        let (lane, address) = (lane as usize, self.addresses[lane as usize]);
        let host = match self.space {
            Space::Shared => region::Shared::host(warp, lane, address, len),
            Space::Local => region::Local::host(warp, lane, address, len),
            Space::Parameter if memory::window(address) != Window::Param => {
                region::Local::host(warp, lane, address, len)
            }
            Space::Global | Space::Constant | Space::Parameter => region::Global::host(warp, lane, address, len),
        }?;
        // SAFETY: `host` vouches for that many bytes. Other blocks may write them at the same time, as on a GPU; they are
        // read one by one, and each is then either one.
        Some((0..self.bytes as usize).map(|at| unsafe { host.add(at).read() }).collect())
    }
}

impl<'a> Deref for Access<'a> {
    type Target = Instruction<'a>;

    fn deref(&self) -> &Instruction<'a> {
        &self.at
    }
}
