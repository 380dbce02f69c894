//! The observer trait.

use super::access::Access;
use super::barrier::Barrier;
use super::block::Block;
use super::copy::Copy;
use super::instruction::Instruction;

/// Hears of what the warps of a launch do.
///
/// Each host thread of a launch has its own observer, which hears of the blocks that this thread runs. It runs them one
/// after the other, but may set aside one that only polls memory, so an observer should keep the state of a block by
/// [`Block::number`]. Lanes of a warp that do the same thing are reported together. Unless stated otherwise, a call
/// comes before the instruction has taken effect.
#[allow(unused_variables, reason = "an observer takes what it needs")]
pub trait Observer {
    /// A block is about to start.
    fn block_starts(&mut self, block: &Block<'_>) {}

    /// Every thread of a block has exited, or one has faulted.
    fn block_ends(&mut self, block: &Block<'_>) {}

    /// An instruction is executed: every one, and before anything else is told of it. [`Instruction::mask`] is empty if
    /// the guard is off for all lanes. An instruction that waits for other lanes of its warp is executed again when they
    /// have come.
    fn executes(&mut self, at: &Instruction<'_>) {}

    /// Lanes load, store or do an atomic operation. An instruction that names no state space, and whose lanes access
    /// different ones, is reported once for each. Matrix loads and stores are reported in pieces, after they have taken
    /// effect.
    fn access(&mut self, access: &Access<'_>) {}

    /// A lane starts an asynchronous copy from global to shared memory: `cp.async`, `cp.async.bulk`.
    fn copy(&mut self, at: &Instruction<'_>, copy: &Copy) {}

    /// Lanes arrive at a barrier of their block, such as `__syncthreads()`.
    fn arrives(&mut self, at: &Instruction<'_>, barrier: &Barrier) {}

    /// A barrier is complete: all lanes that have arrived since its last completion continue. Comes after the arrival
    /// or exit that completed it.
    fn barrier_completes(&mut self, block: &Block<'_>, id: u32) {}

    /// Lanes are at a conditional branch or branch table. Those of [`Instruction::mask`] take it, the others of
    /// [`Instruction::running`] continue with the next instruction.
    fn branches(&mut self, at: &Instruction<'_>) {}

    /// The lanes of the branch that [`Self::branches`] told of went more than one way. Comes after it has taken effect.
    fn diverges(&mut self) {}

    /// Lanes end.
    fn exits(&mut self, at: &Instruction<'_>) {}
}

/// An observer chosen at run time.
impl<O: Observer + ?Sized> Observer for Box<O> {
    fn block_starts(&mut self, block: &Block<'_>) {
        (**self).block_starts(block);
    }

    fn block_ends(&mut self, block: &Block<'_>) {
        (**self).block_ends(block);
    }

    fn executes(&mut self, at: &Instruction<'_>) {
        (**self).executes(at);
    }

    fn access(&mut self, access: &Access<'_>) {
        (**self).access(access);
    }

    fn copy(&mut self, at: &Instruction<'_>, copy: &Copy) {
        (**self).copy(at, copy);
    }

    fn arrives(&mut self, at: &Instruction<'_>, barrier: &Barrier) {
        (**self).arrives(at, barrier);
    }

    fn barrier_completes(&mut self, block: &Block<'_>, id: u32) {
        (**self).barrier_completes(block, id);
    }

    fn branches(&mut self, at: &Instruction<'_>) {
        (**self).branches(at);
    }

    fn diverges(&mut self) {
        (**self).diverges();
    }

    fn exits(&mut self, at: &Instruction<'_>) {
        (**self).exits(at);
    }
}

/// An observer that someone else keeps.
impl<O: Observer + ?Sized> Observer for &mut O {
    fn block_starts(&mut self, block: &Block<'_>) {
        (**self).block_starts(block);
    }

    fn block_ends(&mut self, block: &Block<'_>) {
        (**self).block_ends(block);
    }

    fn executes(&mut self, at: &Instruction<'_>) {
        (**self).executes(at);
    }

    fn access(&mut self, access: &Access<'_>) {
        (**self).access(access);
    }

    fn copy(&mut self, at: &Instruction<'_>, copy: &Copy) {
        (**self).copy(at, copy);
    }

    fn arrives(&mut self, at: &Instruction<'_>, barrier: &Barrier) {
        (**self).arrives(at, barrier);
    }

    fn barrier_completes(&mut self, block: &Block<'_>, id: u32) {
        (**self).barrier_completes(block, id);
    }

    fn branches(&mut self, at: &Instruction<'_>) {
        (**self).branches(at);
    }

    fn diverges(&mut self) {
        (**self).diverges();
    }

    fn exits(&mut self, at: &Instruction<'_>) {
        (**self).exits(at);
    }
}
