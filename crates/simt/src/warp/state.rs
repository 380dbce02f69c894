//! A warp: lane-wise registers, a program counter, a mask, and the loop that executes.

use super::barrier::{Barrier, Collect, Reduction};
use super::block::BlockState;
use super::buffer::Buffer;
use super::cluster::{CLUSTER_BARRIER, ClusterState};
use super::context::Context;
use super::copies::Copies;
use super::flow::Flow;
use super::frame::Frames;
use super::split::{Joins, NO_JOIN, NO_PC, Split, Wait};
use crate::lane::{LANES, lanes_of};
use crate::report::FaultKind;

/// Instructions that a warp may execute before others get a turn.
pub(crate) const QUANTUM: i64 = 1 << 15;
/// How much of that polling memory (an atomic, a volatile load, a fence) costs, so that waiting warps give way soon.
pub(crate) const POLL_COST: i64 = 256;
/// Turns without polling after which lanes that wait at a join are released anyway.
const PATIENCE: u32 = 64;

/// What a handler recorded about a fault.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) kind: FaultKind,
    pub(crate) message: String,
    pub(crate) lane: usize,
    pub(crate) pc: u32,
    pub(crate) address: Option<u64>,
}

impl Trouble {
    /// Whether an access failed for its address, and for nothing else.
    pub(crate) fn is_bad_address(&self) -> bool {
        self.address.is_some() && matches!(self.kind, FaultKind::OutOfBounds | FaultKind::Misaligned)
    }
}

/// Up to 32 threads that execute together.
pub(crate) struct Warp<'l> {
    /// Registers of the running frame.
    regs: *mut u8,
    pub(crate) pc: u32,
    /// Lanes that are running.
    pub(crate) mask: u32,
    /// The program counter at which the running split meets its join.
    pub(crate) stop: u32,
    pub(crate) join: u32,
    pub(crate) frame: u32,
    /// The rest of this turn.
    pub(crate) fuel: i64,
    /// Start of the running frame's part of local memory.
    pub(crate) local_base: u32,
    /// Bytes of local memory per thread.
    pub(crate) local_stride: u32,
    /// Local memory of lane 0.
    pub(crate) local_host: *mut u8,
    /// The block's shared memory.
    pub(crate) shared: *mut u8,
    pub(crate) shared_len: u32,
    pub(crate) launch: &'l Context<'l>,
    block: *mut BlockState,
    /// The view that each memory instruction hit last.
    pub(crate) hints: *mut u32,
    /// Lanes that have not exited.
    pub(crate) live: u32,
    /// Number in the block.
    pub(crate) index: u32,
    /// The barrier that the whole warp waits at: the common case, kept separately because it must be fast.
    pub(crate) waiting: Option<(u32, u32, Option<Collect>)>,
    pub(crate) splits: Vec<Split>,
    pub(crate) joins: Joins,
    pub(crate) frames: Frames,
    pub(crate) local: Buffer,
    pub(crate) trouble: Option<Box<Trouble>>,
    /// Whether it has run a block before.
    started: bool,
    /// Polls in this turn.
    pub(crate) polls: i64,
    /// Turns since the last change of lanes.
    turns: u32,
    /// Instructions executed.
    pub(crate) executed: u64,
    /// Fuel used in earlier turns: the warp's clock.
    pub(crate) elapsed: u64,
    /// Copies in flight: `cp.async` groups.
    pub(crate) copies: Copies,
    /// Lanes of the last warp-wide operation.
    pub(crate) together: u32,
    /// The generation of the cluster's barrier that each lane arrived in last.
    pub(crate) arrived: [u32; 32],
}

impl<'l> Warp<'l> {
    /// A warp of the block, ready to start its kernel. `hints` must have room for every instruction.
    pub(crate) fn new(launch: &'l Context<'l>, index: u32, hints: *mut u32) -> Self {
        let mut warp = Self {
            regs: std::ptr::null_mut(),
            pc: 0,
            mask: 0,
            stop: NO_PC,
            join: NO_JOIN,
            frame: 0,
            fuel: 0,
            local_base: 0,
            local_stride: 0,
            local_host: std::ptr::null_mut(),
            shared: std::ptr::null_mut(),
            shared_len: launch.shared_bytes,
            launch,
            block: std::ptr::null_mut(),
            hints,
            live: 0,
            index,
            waiting: None,
            splits: Vec::new(),
            joins: Joins::default(),
            frames: Frames::default(),
            local: Buffer::default(),
            trouble: None,
            started: false,
            polls: 0,
            turns: 0,
            executed: 0,
            elapsed: 0,
            copies: Default::default(),
            together: 0,
            arrived: [u32::MAX; 32],
        };
        let function = launch.entry;
        let template = &launch.templates[function as usize];
        let (frame, _) = warp.frames.take(function, template.len());
        let regs = &mut warp.frames.get_mut(frame).regs;
        regs.as_mut_slice().copy_from_slice(template.as_slice());
        warp
    }

    /// Puts the warp at the start of the kernel, in a block. The block must outlive the run.
    pub(crate) fn start(&mut self, block: *mut BlockState) -> bool {
        let image = self.launch.image;
        let function = &image.functions[self.launch.entry as usize];
        let threads = self.launch.threads() - self.index * LANES as u32;
        self.block = block;
        self.shared = self.block_mut().shared.as_mut_ptr();
        self.live = if threads >= 32 { u32::MAX } else { (1 << threads) - 1 };
        self.mask = self.live;
        self.join = NO_JOIN;
        self.stop = NO_PC;
        self.waiting = None;
        self.splits.clear();
        self.joins.clear();
        self.frames.reset();
        self.copies.clear();
        self.arrived = [u32::MAX; 32];
        self.turns = 0;
        self.frames.get_mut(0).local_base = 0;
        let fits = self.reserve_local(function.local_bytes);
        self.fill_specials(0, !self.started);
        self.started = true;
        self.enter_frame(0);
        self.pc = function.start.unwrap_or(function.end);
        fits
    }

    /// Makes a frame the running one.
    pub(crate) fn enter_frame(&mut self, frame: u32) {
        self.frame = frame;
        let f = self.frames.get_mut(frame);
        self.local_base = f.local_base;
        self.regs = f.regs.as_mut_ptr();
    }

    /// Fills the special registers of a frame; if it had them before, only those that change from block to block.
    pub(crate) fn fill_specials(&mut self, frame: u32, all: bool) {
        let image = self.launch.image;
        let function = self.frames.get(frame).function;
        let specials = image.functions[function as usize].specials.iter();
        for &(special, width, slot) in specials.filter(|(special, ..)| all || special.changes()) {
            let lanes = special.lanes(self);
            let regs = &mut self.frames.get_mut(frame).regs.as_mut_slice()[slot as usize..];
            if width == 4 {
                for (bytes, value) in regs.as_chunks_mut::<4>().0.iter_mut().zip(lanes) {
                    *bytes = (value as u32).to_le_bytes();
                }
            } else {
                for (bytes, value) in regs.as_chunks_mut::<8>().0.iter_mut().zip(lanes) {
                    *bytes = value.to_le_bytes();
                }
            }
        }
    }

    /// The lanes of a slot.
    #[inline(always)]
    pub(crate) fn slot<T>(&self, slot: u32) -> *mut T {
        self.regs.wrapping_add(slot as usize).cast()
    }

    /// The bits of a predicate.
    ///
    /// # Safety
    /// `slot` must be a predicate of the running frame.
    #[inline(always)]
    pub(crate) unsafe fn pred(&self, slot: u32) -> u32 {
        // SAFETY: predicates are aligned 32-bit slots of the frame.
        unsafe { *self.slot::<u32>(slot) }
    }

    /// Sets the bits of a predicate for the lanes of the mask.
    ///
    /// # Safety
    /// `slot` must be a predicate of the running frame.
    #[inline(always)]
    pub(crate) unsafe fn put_pred(&mut self, slot: u32, mask: u32, bits: u32) {
        // SAFETY: as above.
        unsafe {
            let p = self.slot::<u32>(slot);
            *p = *p & !mask | bits & mask;
        }
    }

    pub(crate) fn block(&self) -> &BlockState {
        // SAFETY: set in `start` to the state of the block that runs this warp, which outlives the run; only this
        // host thread touches it.
        unsafe { &*self.block }
    }

    pub(crate) fn block_mut(&mut self) -> &mut BlockState {
        // SAFETY: as above; no other reference is alive while a warp executes.
        unsafe { &mut *self.block }
    }

    pub(crate) fn cluster(&self) -> &ClusterState {
        // SAFETY: a block's cluster is set when the block is made and outlives it; only this host thread touches it.
        unsafe { &*self.block().cluster }
    }

    pub(crate) fn cluster_mut(&mut self) -> &mut ClusterState {
        // SAFETY: as above; no other reference is alive while a warp executes.
        unsafe { &mut *self.block().cluster }
    }

    /// A barrier that the warp can wait at: one of its block, or that of its cluster.
    pub(crate) fn barrier(&self, id: u32) -> &Barrier {
        if id == CLUSTER_BARRIER { &self.cluster().barrier } else { &self.block().barriers[id as usize] }
    }

    /// `blockIdx`.
    pub(crate) fn block_index(&self) -> [u32; 3] {
        self.block().index
    }

    /// `threadIdx` of a lane.
    pub(crate) fn thread_index(&self, lane: usize) -> [u32; 3] {
        let [x, y, _] = self.launch.block;
        let t = self.index * LANES as u32 + lane as u32;
        [t % x, t / x % y, t / x / y]
    }

    /// Lanes that have not exited.
    pub(crate) fn live(&self) -> u32 {
        self.live
    }

    /// Records a fault of a lane at the running instruction.
    #[cold]
    pub(crate) fn fault(&mut self, kind: FaultKind, lane: usize, message: String) -> Flow {
        self.trouble = Some(Box::new(Trouble { kind, message, lane, pc: self.pc, address: None }));
        Flow::Leave
    }

    /// Like [`Self::fault`], but with the address concerned.
    #[cold]
    pub(crate) fn fault_at(&mut self, kind: FaultKind, lane: usize, address: u64, message: String) -> Flow {
        self.trouble = Some(Box::new(Trouble { kind, message, lane, pc: self.pc, address: Some(address) }));
        Flow::Leave
    }

    /// Charges a turn for polling memory.
    #[inline(always)]
    pub(crate) fn poll(&mut self) {
        self.fuel -= POLL_COST;
        self.polls += 1;
    }

    /// A clock that never goes back: instructions, plus the cost of waiting.
    pub(crate) fn clock(&self) -> u64 {
        self.elapsed + (self.launch.quantum - self.fuel) as u64
    }

    /// Whether any split could continue.
    pub(crate) fn ready(&self) -> bool {
        match self.waiting {
            Some((id, generation, _)) => self.barrier(id).generation != generation,
            None => self.mask != 0 || self.splits.iter().any(|s| self.can_run(s)),
        }
    }

    /// The lanes that wait, group by group: where and which.
    pub(crate) fn waiters(&self) -> impl Iterator<Item = (u32, u32)> {
        let whole = self.waiting.map(|_| (self.pc, self.mask));
        whole.into_iter().chain(self.splits.iter().map(|s| (s.pc, s.mask)))
    }

    /// Where its lanes are: program counters and masks, of those that have not exited.
    pub(crate) fn positions(&self) -> impl Iterator<Item = (u32, u32)> {
        let running = (self.pc, self.mask & self.live);
        let apart = self.splits.iter().map(|s| (s.pc, s.mask & self.live));
        std::iter::once(running).chain(apart).filter(|&(_, mask)| mask != 0)
    }

    pub(crate) fn done(&self) -> bool {
        self.live == 0
    }

    /// Lanes end.
    pub(crate) fn exit(&mut self, lanes: u32) -> Flow {
        self.live &= !lanes;
        self.mask &= !lanes;
        self.turns = 0;
        self.strike(lanes);
        let block = self.block_mut();
        let (exited, rank) = (lanes.count_ones(), block.rank as usize);
        block.live -= exited;
        block.settle_barriers();
        let cluster = self.cluster_mut();
        cluster.live -= exited;
        cluster.blocks[rank].live -= exited;
        cluster.barrier.settle(cluster.live);
        if self.mask == 0 {
            return Flow::Leave;
        }
        self.pc += 1;
        Flow::Jump
    }

    /// The running lanes wait at a barrier, unless it is complete; then they take the result of a reduction.
    pub(crate) fn wait_at_barrier(&mut self, id: u32, generation: u32, result: Option<Collect>) -> Flow {
        if self.barrier(id).generation != generation {
            self.finish_barrier(id, generation, result);
            return Flow::Next;
        }
        if self.mask == self.live {
            self.waiting = Some((id, generation, result));
        } else {
            self.park(Wait::Barrier { id, generation, result });
        }
        Flow::Leave
    }

    /// The barrier that the running lanes waited for is complete: a reduction has its result.
    pub(crate) fn finish_barrier(&mut self, id: u32, generation: u32, result: Option<Collect>) {
        let Some(Collect { reduction, slot }) = result else { return };
        let value = self.barrier(id).result(generation, reduction);
        let lanes = self.mask;
        // SAFETY: the decoder gave `bar.red` a predicate destination for and/or, a 32-bit one for popc.
        unsafe {
            if reduction == Reduction::Popc {
                for lane in lanes_of(lanes) {
                    *self.slot::<u32>(slot).add(lane) = value;
                }
            } else {
                self.put_pred(slot, lanes, if value != 0 { u32::MAX } else { 0 });
            }
        }
    }

    /// The turn is over: another split goes first next time.
    pub(crate) fn give_way(&mut self) {
        self.turns += 1;
        let polling = self.polls > 16;
        if self.lanes_wait_at_joins() && (polling || self.turns.is_multiple_of(PATIENCE)) {
            self.release_one();
        }
        if !self.splits.is_empty() {
            self.park(Wait::Nothing);
            self.pick();
        }
    }
}
