//! What the interpreter reports of a watched launch.
//!
//! [`Warp`] executes through a loop that is compiled once for each kind of observer. `()` observes nothing and its loop
//! contains none of these calls.
//!
//! Each host thread has its own observer. It runs the blocks one after the other, but a block that only polls memory
//! may be set aside while others run. So the state of a block is kept by [`BlockState::slot`], a small number that no
//! other unfinished block of that host thread has.

use crate::image::event::{Access, BlockBarrier, CopyLanes, Event, Order, Scope};
use crate::lanes::{Level, Op};
use crate::warp::{BlockState, BulkCopy, ClusterState, Trouble, Warp};

/// Hears of what warps do. Unless stated otherwise, a call comes before the instruction has taken effect, and the warp
/// is at the instruction that `pc` names.
#[allow(unused_variables, reason = "an observer takes what it needs")]
pub(crate) trait Watcher {
    /// Whether there is anything to report.
    const ACTIVE: bool = true;
    /// Whether it wants to hear of barriers, warp-wide operations, fences, copies' groups and exits.
    const SYNC: bool = true;

    /// What to compile the loop for.
    fn level(&self) -> Level {
        Level::Base
    }

    /// A block is about to start.
    fn block_starts(&mut self, block: &BlockState) {}

    /// Every thread of a block has exited, or one has faulted.
    fn block_ends(&mut self, block: &BlockState) {}

    /// An instruction is executed for the lanes of `mask`, which is empty if the guard is off for all.
    fn step(&mut self, pc: u32, mask: u32) {}

    /// Like [`Self::step`], for observers that look at the warp.
    #[inline(always)]
    fn executes(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {}

    /// Whether it wants to hear more of the instruction than [`Self::step`].
    fn wants(&self, pc: u32) -> bool {
        true
    }

    /// An instruction is executed for the lanes of `mask`; true if there is more to report.
    ///
    /// # Safety
    /// `op` must be the instruction at `pc`, and the warp must be at it.
    #[inline(always)]
    unsafe fn brief(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, mask: u32) -> bool {
        self.step(pc, mask);
        self.executes(warp, pc, mask);
        mask != 0 && self.wants(pc)
    }

    /// Like [`Self::access`], but before the addresses are computed: for observers with a shortcut to them.
    ///
    /// # Safety
    /// `op` must be the instruction that makes the access, and the warp must be at it.
    #[inline(always)]
    unsafe fn accesses(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, access: &Access, mask: u32) {
        // SAFETY: passed on to the caller.
        let addresses = unsafe { access.addresses(warp, op) };
        self.access(warp, pc, access, access.bytes, mask, &addresses);
    }

    /// Memory is accessed by the lanes of `mask`, each at its address (see [`Access::addresses`]) and `bytes` long.
    /// That is [`Access::bytes`], except for `wmma`, whose elements are reported register by register.
    fn access(&mut self, warp: &Warp<'_>, pc: u32, access: &Access, bytes: u32, mask: u32, addresses: &[u64; 32]) {}

    /// `cp.async` starts copies of `bytes` bytes.
    fn copy(&mut self, warp: &Warp<'_>, pc: u32, bytes: u32, mask: u32, copies: &CopyLanes) {}

    /// `cp.async.bulk` of a lane: it reads, writes, and signals completion by an access to its object.
    fn bulk_copy(&mut self, warp: &Warp<'_>, pc: u32, lane: u32, copy: &BulkCopy, object: &Access) {}

    /// `cp.async.commit_group`.
    fn copy_commit(&mut self, warp: &Warp<'_>, mask: u32) {}

    /// `cp.async.wait_group`: all groups but the last `pending` are complete after it; all copies, committed or not,
    /// for `None`.
    fn copy_wait(&mut self, warp: &Warp<'_>, mask: u32, pending: Option<u32>) {}

    /// Memory that it holds for blocks that have not ended, in bytes.
    fn footprint(&self) -> usize {
        0
    }

    /// Lanes are at a conditional branch or branch table; those of `mask` take it, the warp's others do not.
    fn branches(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {}

    /// Lanes have entered a function; reported afterwards.
    fn called(&mut self, warp: &Warp<'_>, function: u32) {}

    /// A conditional branch or branch table was executed; reported afterwards.
    fn branched(&mut self, pc: u32, divergent: bool) {}

    /// Lanes arrive at a barrier of the block. `count` is the number of threads that it is for, if the instruction
    /// says.
    fn arrives(&mut self, warp: &Warp<'_>, pc: u32, barrier: BlockBarrier, id: u32, count: Option<u32>, mask: u32) {}

    /// A barrier is complete: all lanes that have arrived since its last completion continue. Comes after the arrival
    /// or exit that completed it.
    fn barrier_completes(&mut self, block: &BlockState, id: u32) {}

    /// Lanes arrive at the barrier of their cluster.
    fn cluster_arrives(&mut self, pc: u32) {}

    /// The barrier of a cluster is complete. Comes after the arrival or exit that completed it.
    fn cluster_completes(&mut self, cluster: &ClusterState) {}

    /// Lanes are at `bar.warp.sync` or a warp-wide operation; `members` is the union of their member masks.
    fn gathers(&mut self, warp: &Warp<'_>, pc: u32, event: &Event, mask: u32, members: u32) {}

    /// `lanes` executed `bar.warp.sync` or a warp-wide operation together; reported afterwards.
    fn gathered(&mut self, warp: &Warp<'_>, pc: u32, event: &Event, lanes: u32) {}

    /// Lanes divide integers by zero.
    fn divides_by_zero(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {}

    /// `fence`, `membar`.
    fn fence(&mut self, warp: &Warp<'_>, pc: u32, order: Order, scope: Scope, mask: u32) {}

    /// Lanes end.
    fn exits(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {}

    /// A lane's access failed for its address. True if the kernel is to go on as if it had read zero or written
    /// nothing; else it ends here.
    fn passes(&mut self, warp: &Warp<'_>, trouble: &Trouble) -> bool {
        false
    }

    /// No thread of the block can continue: warp, program counter and lanes of those that wait.
    fn deadlocks(&mut self, block: &BlockState, waiting: &[(u32, u32, u32)]) {}
}

/// The plain emulator.
impl Watcher for () {
    const ACTIVE: bool = false;
    const SYNC: bool = false;

    #[inline(always)]
    fn wants(&self, _: u32) -> bool {
        false
    }

    #[inline(always)]
    unsafe fn accesses(&mut self, _: &Warp<'_>, _: &Op, _: u32, _: &Access, _: u32) {}
}

/// Two observers of one launch.
impl<A: Watcher, B: Watcher> Watcher for (A, B) {
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;
    const SYNC: bool = A::SYNC || B::SYNC;

    fn level(&self) -> Level {
        if A::ACTIVE { self.0.level() } else { self.1.level() }
    }

    fn block_starts(&mut self, block: &BlockState) {
        self.0.block_starts(block);
        self.1.block_starts(block);
    }

    fn block_ends(&mut self, block: &BlockState) {
        self.0.block_ends(block);
        self.1.block_ends(block);
    }

    #[inline(always)]
    fn step(&mut self, pc: u32, mask: u32) {
        self.0.step(pc, mask);
        self.1.step(pc, mask);
    }

    #[inline(always)]
    fn executes(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        self.0.executes(warp, pc, mask);
        self.1.executes(warp, pc, mask);
    }

    #[inline(always)]
    fn wants(&self, pc: u32) -> bool {
        self.0.wants(pc) || self.1.wants(pc)
    }

    /// A single observer has its own shortcut.
    #[inline(always)]
    unsafe fn brief(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, mask: u32) -> bool {
        // SAFETY: passed on to the caller.
        unsafe {
            if !B::ACTIVE {
                return self.0.brief(warp, op, pc, mask);
            }
            if !A::ACTIVE {
                return self.1.brief(warp, op, pc, mask);
            }
        }
        self.step(pc, mask);
        self.executes(warp, pc, mask);
        mask != 0 && self.wants(pc)
    }

    #[inline(always)]
    unsafe fn accesses(&mut self, warp: &Warp<'_>, op: &Op, pc: u32, access: &Access, mask: u32) {
        // SAFETY: passed on to the caller.
        unsafe {
            self.0.accesses(warp, op, pc, access, mask);
            self.1.accesses(warp, op, pc, access, mask);
        }
    }

    #[inline(always)]
    fn access(&mut self, warp: &Warp<'_>, pc: u32, access: &Access, bytes: u32, mask: u32, addresses: &[u64; 32]) {
        self.0.access(warp, pc, access, bytes, mask, addresses);
        self.1.access(warp, pc, access, bytes, mask, addresses);
    }

    fn copy(&mut self, warp: &Warp<'_>, pc: u32, bytes: u32, mask: u32, copies: &CopyLanes) {
        self.0.copy(warp, pc, bytes, mask, copies);
        self.1.copy(warp, pc, bytes, mask, copies);
    }

    fn bulk_copy(&mut self, warp: &Warp<'_>, pc: u32, lane: u32, copy: &BulkCopy, object: &Access) {
        self.0.bulk_copy(warp, pc, lane, copy, object);
        self.1.bulk_copy(warp, pc, lane, copy, object);
    }

    fn copy_commit(&mut self, warp: &Warp<'_>, mask: u32) {
        self.0.copy_commit(warp, mask);
        self.1.copy_commit(warp, mask);
    }

    fn copy_wait(&mut self, warp: &Warp<'_>, mask: u32, pending: Option<u32>) {
        self.0.copy_wait(warp, mask, pending);
        self.1.copy_wait(warp, mask, pending);
    }

    fn footprint(&self) -> usize {
        self.0.footprint() + self.1.footprint()
    }

    fn branches(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        self.0.branches(warp, pc, mask);
        self.1.branches(warp, pc, mask);
    }

    fn called(&mut self, warp: &Warp<'_>, function: u32) {
        self.0.called(warp, function);
        self.1.called(warp, function);
    }

    fn branched(&mut self, pc: u32, divergent: bool) {
        self.0.branched(pc, divergent);
        self.1.branched(pc, divergent);
    }

    fn arrives(&mut self, warp: &Warp<'_>, pc: u32, barrier: BlockBarrier, id: u32, count: Option<u32>, mask: u32) {
        self.0.arrives(warp, pc, barrier, id, count, mask);
        self.1.arrives(warp, pc, barrier, id, count, mask);
    }

    fn barrier_completes(&mut self, block: &BlockState, id: u32) {
        self.0.barrier_completes(block, id);
        self.1.barrier_completes(block, id);
    }

    fn cluster_arrives(&mut self, pc: u32) {
        self.0.cluster_arrives(pc);
        self.1.cluster_arrives(pc);
    }

    fn cluster_completes(&mut self, cluster: &ClusterState) {
        self.0.cluster_completes(cluster);
        self.1.cluster_completes(cluster);
    }

    fn gathers(&mut self, warp: &Warp<'_>, pc: u32, event: &Event, mask: u32, members: u32) {
        self.0.gathers(warp, pc, event, mask, members);
        self.1.gathers(warp, pc, event, mask, members);
    }

    fn gathered(&mut self, warp: &Warp<'_>, pc: u32, event: &Event, lanes: u32) {
        self.0.gathered(warp, pc, event, lanes);
        self.1.gathered(warp, pc, event, lanes);
    }

    fn fence(&mut self, warp: &Warp<'_>, pc: u32, order: Order, scope: Scope, mask: u32) {
        self.0.fence(warp, pc, order, scope, mask);
        self.1.fence(warp, pc, order, scope, mask);
    }

    fn exits(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        self.0.exits(warp, pc, mask);
        self.1.exits(warp, pc, mask);
    }

    fn divides_by_zero(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        self.0.divides_by_zero(warp, pc, mask);
        self.1.divides_by_zero(warp, pc, mask);
    }

    fn passes(&mut self, warp: &Warp<'_>, trouble: &Trouble) -> bool {
        let first = self.0.passes(warp, trouble);
        self.1.passes(warp, trouble) || first
    }

    fn deadlocks(&mut self, block: &BlockState, waiting: &[(u32, u32, u32)]) {
        self.0.deadlocks(block, waiting);
        self.1.deadlocks(block, waiting);
    }
}
