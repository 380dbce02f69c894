//! Splits and joins: lanes of a warp that have diverged, and where they meet again.

use super::barrier::Collect;

/// No join: the split is what remains of the whole warp.
pub(crate) const NO_JOIN: u32 = u32::MAX;
/// A program counter that no instruction has.
pub(crate) const NO_PC: u32 = u32::MAX;
/// The join point of branches whose paths meet only when the function returns.
pub(crate) const RETURN: u32 = u32::MAX - 1;

/// What a split waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Nothing: it can run.
    Nothing,
    /// A barrier's next generation.
    Barrier {
        /// Which of the block's barriers.
        id: u32,
        /// The generation it arrived in.
        generation: u32,
        /// The reduction, if any.
        result: Option<Collect>,
    },
    /// The other lanes of a warp-wide operation.
    Lanes {
        /// Lanes that must take part.
        need: u32,
        /// Lanes of this split that take part.
        have: u32,
        /// Whether the operation may pair with one at another instruction (`bar.warp.sync`).
        anywhere: bool,
    },
}

/// Lanes with one program counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub(crate) pc: u32,
    pub(crate) mask: u32,
    pub(crate) frame: u32,
    pub(crate) join: u32,
    pub(crate) wait: Wait,
}

/// A place where diverged lanes meet again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Join {
    pub(super) pc: u32,
    pub(super) frame: u32,
    pub(super) parent: u32,
    pub(super) expected: u32,
    pub(super) arrived: u32,
}

/// The joins of a warp; a slot with nothing expected is free.
#[derive(Default)]
pub(crate) struct Joins {
    pub(super) joins: Vec<Join>,
}

impl Joins {
    pub(super) fn add(&mut self, join: Join) -> u32 {
        if let Some(at) = self.joins.iter().position(|j| j.expected == 0) {
            self.joins[at] = join;
            return at as u32;
        }
        self.joins.push(join);
        self.joins.len() as u32 - 1
    }

    pub(crate) fn clear(&mut self) {
        self.joins.clear();
    }
}
