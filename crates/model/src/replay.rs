//! One multiprocessor, replayed: the warps of its resident blocks issue their recorded instructions in order, wait for
//! results, share pipes, caches and the way to memory.
//!
//! Time is kept in sixteenths of a cycle. Whatever serves one request after the other (a scheduler, a pipe, the path to
//! the second-level cache, memory) is a number: when it is free again.

use crate::cache::Cache;
use crate::code::{Cost, Kind, Pipe};
use crate::machine::Machine;
use crate::program::{COMMON, Prepared};
use crate::shares::Shares;
use crate::spin::Chain;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use warpwise_arch::{AccessAction, AccessSpace, RecordedAccess, RecordedStep};

/// Parts of a cycle.
pub(crate) const TICKS: f64 = 16.0;
/// Cycles of work that stores and loads may have queued on the way out before a warp has to wait.
const QUEUE: f64 = 1500.0;
/// Cycles of work that the memory pipe may have queued.
const PIPE_QUEUE: f64 = 24.0;

fn ticks(cycles: f64) -> u64 {
    (cycles * TICKS) as u64
}

/// Whether sectors lie at random: many of them, with gaps that differ.
fn is_scattered(sectors: &[u64]) -> bool {
    let gap = |pair: &[u64]| (pair[1] & !COMMON).abs_diff(pair[0] & !COMMON);
    let gaps = || sectors.windows(2).map(gap);
    let (least, most) = (gaps().min().unwrap_or(0), gaps().max().unwrap_or(0));
    sectors.len() >= 8 && least.max(4) * 4 < most
}

/// What the replay is told.
pub(crate) struct Setting<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) prepared: &'a Prepared,
    pub(crate) shares: &'a Shares,
    /// Blocks that are resident at once.
    pub(crate) resident: usize,
    /// Blocks to replay.
    pub(crate) blocks: usize,
    /// Sectors that the first-level cache holds.
    pub(crate) l1_sectors: usize,
}

/// What the replay found; times in cycles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// When each block ended, in order.
    pub(crate) ends: Vec<f64>,
    /// When everything had drained.
    pub(crate) drained: f64,
    pub(crate) busy: Busy,
    pub(crate) chain: Chain,
}

/// Cycles for which each part was busy, and what warps waited for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Busy {
    pub(crate) issue: f64,
    pub(crate) fp32: f64,
    pub(crate) int: f64,
    pub(crate) fp64: f64,
    pub(crate) special: f64,
    pub(crate) tensor: f64,
    pub(crate) memory_pipe: f64,
    pub(crate) l2: f64,
    pub(crate) dram: f64,
    pub(crate) atomics: f64,
    /// Sectors: asked of the first-level cache, missed, from memory.
    pub(crate) l1_asked: f64,
    pub(crate) l1_missed: f64,
    pub(crate) from_dram: f64,
    pub(crate) barrier_waits: f64,
    pub(crate) memory_waits: f64,
    pub(crate) starts: f64,
    /// Warps resident, integrated over time.
    pub(crate) warp_cycles: f64,
}

struct Warp {
    block: usize,
    /// The recorded block and warp.
    steps: (usize, usize),
    next: usize,
    ready: Vec<u64>,
    scheduler: usize,
    started: u64,
    copies: u64,
    waiting: bool,
    /// When it looked at what other blocks have written.
    looked: u64,
    /// How often its block was replayed before.
    again: u64,
}

struct BlockState {
    live: usize,
    warps: Vec<usize>,
    arrived: Vec<usize>,
    latest: u64,
    started: u64,
    slot: usize,
}

/// The multiprocessor.
pub(crate) struct Replay<'a> {
    set: &'a Setting<'a>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    warps: Vec<Warp>,
    blocks: Vec<BlockState>,
    idle: Vec<usize>,
    scheduler_free: Vec<u64>,
    pipe_free: Vec<[u64; 8]>,
    memory_free: u64,
    l2_free: u64,
    dram_free: u64,
    atomic_free: u64,
    barrier_free: u64,
    launch_free: u64,
    cache: Cache,
    begun: usize,
    next_scheduler: usize,
    outcome: Outcome,
}

impl<'a> Replay<'a> {
    pub(crate) fn run(set: &'a Setting<'a>) -> Outcome {
        let schedulers = set.machine.schedulers;
        let mut replay = Self {
            set,
            queue: BinaryHeap::new(),
            warps: Vec::new(),
            blocks: Vec::new(),
            idle: Vec::new(),
            scheduler_free: vec![0; schedulers],
            pipe_free: vec![[0; 8]; schedulers],
            memory_free: 0,
            l2_free: 0,
            dram_free: 0,
            atomic_free: 0,
            barrier_free: 0,
            launch_free: 0,
            cache: Cache::new(set.l1_sectors),
            begun: 0,
            next_scheduler: 0,
            outcome: Outcome::default(),
        };
        for slot in 0..set.resident.min(set.blocks) {
            replay.begin(0, slot);
        }
        replay.go();
        let drained = replay.l2_free.max(replay.dram_free).max(replay.atomic_free);
        let last = replay.outcome.ends.iter().copied().fold(0.0, f64::max);
        replay.outcome.chain.blocks = replay.blocks.len() as f64;
        replay.outcome.drained = last.max(drained as f64 / TICKS);
        replay.outcome.ends.sort_by(f64::total_cmp);
        replay.outcome
    }

    /// The next block starts in a place that is free from then on.
    fn begin(&mut self, free: u64, slot: usize) {
        if self.begun >= self.set.blocks {
            return;
        }
        let rates = &self.set.machine.rates;
        let count = self.set.prepared.blocks.len();
        let (recorded, again) = (self.begun % count, self.begun / count);
        let count = self.set.prepared.blocks[recorded].len();
        self.begun += 1;
        let interval = ticks((rates.block_interval * self.set.shares.sms).max(rates.warp_start * count as f64));
        let start = free.max(self.launch_free);
        self.launch_free = start + interval;
        let first = start + ticks(rates.block_start);
        self.outcome.busy.starts += interval as f64 / TICKS;
        let block = self.blocks.len();
        let mut state =
            BlockState { live: count, warps: Vec::new(), arrived: Vec::new(), latest: 0, started: first, slot };
        for index in 0..count {
            let scheduler = self.next_scheduler % self.scheduler_free.len();
            self.next_scheduler += 1;
            let at = self.idle.pop().unwrap_or_else(|| {
                let ready = vec![0; self.set.prepared.registers];
                let fresh = Warp {
                    block,
                    steps: (0, 0),
                    next: 0,
                    ready,
                    scheduler: 0,
                    started: 0,
                    copies: 0,
                    waiting: false,
                    looked: 0,
                    again: 0,
                };
                self.warps.push(fresh);
                self.warps.len() - 1
            });
            let warp = &mut self.warps[at];
            warp.ready.fill(0);
            (warp.block, warp.steps, warp.next) = (block, (recorded, index), 0);
            (warp.scheduler, warp.started, warp.copies, warp.waiting) = (scheduler, first, 0, false);
            warp.again = again as u64;
            state.warps.push(at);
            self.queue.push(Reverse((first + ticks(index as f64), at as u32)));
        }
        self.blocks.push(state);
        if count == 0 {
            self.block_done(block, first);
        }
    }

    fn go(&mut self) {
        loop {
            while let Some(Reverse((mut time, mut warp))) = self.queue.pop() {
                while let Some(next) = self.advance(warp as usize, time) {
                    (time, warp) = self.first_of(next, warp);
                }
            }
            // Warps that wait for some that never come, at barriers for a part of the block, go on.
            let stuck: Vec<usize> = (0..self.blocks.len()).filter(|&b| !self.blocks[b].arrived.is_empty()).collect();
            if stuck.is_empty() {
                break;
            }
            stuck.into_iter().for_each(|block| self.release(block));
        }
    }

    /// The warp that comes first if one is queued for that time: often the same one, so that the queue stays as it is.
    fn first_of(&mut self, time: u64, warp: u32) -> (u64, u32) {
        match self.queue.peek_mut() {
            Some(mut first) if first.0 < (time, warp) => std::mem::replace(&mut first.0, (time, warp)),
            _ => (time, warp),
        }
    }

    /// A warp issues its next instruction; when it goes on, unless it waits for others or has come to its end.
    fn advance(&mut self, at: usize, time: u64) -> Option<u64> {
        let set = self.set;
        let (block, index) = self.warps[at].steps;
        let list = &set.prepared.blocks[block][index];
        let Some(step) = list.steps.get(self.warps[at].next) else {
            self.warp_done(at, time, list.executed as f64 / list.steps.len().max(1) as f64);
            return None;
        };
        let cost = &set.prepared.costs[step.place as usize];
        let needed = cost.uses.iter().map(|&r| self.warps[at].ready[r as usize]).max().unwrap_or(0);
        if cost.slots == 0.0 && cost.kind == Kind::Compute {
            let warp = &mut self.warps[at];
            for &register in &cost.defines {
                warp.ready[register as usize] = needed;
            }
            warp.next += 1;
            return Some(time);
        }
        if needed > time {
            self.outcome.busy.memory_waits += (needed - time) as f64 / TICKS;
            return Some(needed);
        }
        // The memory pipe takes a few instructions that wait, then no more.
        if (cost.pipe == Pipe::Memory || cost.spills > 0.0) && self.memory_free > time + ticks(PIPE_QUEUE) {
            return Some(self.memory_free - ticks(PIPE_QUEUE));
        }
        let scheduler = self.warps[at].scheduler;
        let issued = time.max(self.scheduler_free[scheduler]);
        let pairs = matches!(cost.kind, Kind::Access | Kind::Exchange | Kind::Jump);
        let slots = cost.slots * if pairs { set.machine.rates.paired } else { 1.0 } + cost.spills;
        self.scheduler_free[scheduler] = issued + ticks(slots);
        self.outcome.busy.issue += slots;
        if cost.spills > 0.0 {
            // A word of each lane: four sectors.
            let held = 4.0 * cost.spills * set.machine.rates.local_sector;
            self.memory_free = issued.max(self.memory_free) + ticks(held);
            self.outcome.busy.memory_pipe += held;
        }
        self.warps[at].next += 1;
        let next = match cost.kind {
            Kind::Compute if step.access != u32::MAX => self.constants(at, issued, step, cost),
            Kind::Compute | Kind::Jump | Kind::Exchange => self.compute(at, scheduler, issued, cost),
            Kind::Access => self.access(at, issued, step, cost),
            Kind::Fence => issued + ticks(set.machine.rates.l2),
            Kind::CopyWait => issued.max(self.warps[at].copies),
            Kind::Barrier => {
                self.arrive(at, issued);
                return None;
            }
        };
        Some(next.max(issued + ticks(cost.slots)))
    }

    fn compute(&mut self, at: usize, scheduler: usize, issued: u64, cost: &Cost) -> u64 {
        let machine = self.set.machine;
        let rates = &machine.rates;
        let busy = &mut self.outcome.busy;
        let (hold, latency) = match cost.pipe {
            Pipe::Fp32 => (machine.fp32, rates.alu),
            Pipe::Int => (machine.int, rates.alu),
            // Products of integers take twice as long as those of single precision.
            Pipe::Either => (machine.int.max(2.0 * machine.fp32), rates.alu),
            Pipe::Fp64 => (machine.fp64, rates.double),
            Pipe::Special => (machine.special, rates.function),
            Pipe::Tensor => (1.0 / machine.tensor, rates.matrix),
            Pipe::Memory => (1.0, rates.exchange),
            Pipe::Free => (0.0, if cost.kind == Kind::Jump { rates.jump } else { rates.alu }),
        };
        let held = cost.uses_of_pipe * hold;
        let pipe = match cost.pipe {
            Pipe::Either => {
                let free = &self.pipe_free[scheduler];
                if free[Pipe::Int as usize] < free[Pipe::Fp32 as usize] { Pipe::Int } else { Pipe::Fp32 }
            }
            pipe => pipe,
        };
        match pipe {
            Pipe::Fp32 => busy.fp32 += held,
            Pipe::Int => busy.int += held,
            Pipe::Fp64 => busy.fp64 += held,
            Pipe::Special => busy.special += held,
            Pipe::Tensor => busy.tensor += held,
            Pipe::Memory => busy.memory_pipe += held,
            Pipe::Free | Pipe::Either => {}
        }
        let start = if pipe == Pipe::Memory {
            let start = issued.max(self.memory_free);
            self.memory_free = start + ticks(held);
            start
        } else {
            let free = &mut self.pipe_free[scheduler][pipe as usize];
            let start = issued.max(*free);
            *free = start + ticks(held);
            start
        };
        let done = start + ticks(latency * cost.depth.max(0.5) + (held - 2.0 * hold).max(0.0));
        for &register in &cost.defines {
            self.warps[at].ready[register as usize] = done;
        }
        match cost.kind {
            Kind::Jump => start + ticks(rates.jump * cost.depth),
            _ if cost.serial => done,
            _ => start,
        }
    }

    fn access(&mut self, at: usize, issued: u64, step: &RecordedStep, cost: &Cost) -> u64 {
        let set = self.set;
        let rates = &set.machine.rates;
        let Some(access) = set.prepared.accesses.get(step.access as usize) else {
            for &register in &cost.defines {
                self.warps[at].ready[register as usize] = issued + ticks(rates.alu);
            }
            return issued;
        };
        if access.space == AccessSpace::Constant {
            return self.constants(at, issued, step, cost);
        }
        let start = issued.max(self.memory_free);
        if cost.waits {
            self.warps[at].looked = start;
        } else if cost.links {
            let looked = self.warps[at].looked.min(start);
            self.outcome.chain.link((start - looked) as f64 / TICKS);
        }
        let done = match access.space {
            AccessSpace::Shared => self.shared(start, access, cost),
            _ => self.global(start, access, cost, step.mask.count_ones(), self.warps[at].again),
        };
        if access.action == AccessAction::Copy {
            self.warps[at].copies = self.warps[at].copies.max(done);
        } else {
            for &register in &cost.defines {
                self.warps[at].ready[register as usize] = done;
            }
        }
        // Only so much may be on its way.
        let waiting = self.l2_free.max(self.dram_free).saturating_sub(ticks(QUEUE));
        start.max(waiting.min(start + ticks(QUEUE)))
    }

    /// Constants that differ from lane to lane come one after the other.
    fn constants(&mut self, at: usize, issued: u64, step: &RecordedStep, cost: &Cost) -> u64 {
        let rates = &self.set.machine.rates;
        let words = self.set.prepared.accesses.get(step.access as usize).map_or(1, |access| access.wavefronts);
        let held = rates.constant_word * f64::from(words);
        let start = issued.max(self.memory_free);
        self.memory_free = start + ticks(held);
        self.outcome.busy.memory_pipe += held;
        for &register in &cost.defines {
            self.warps[at].ready[register as usize] = start + ticks(held + rates.l1);
        }
        start
    }

    fn shared(&mut self, start: u64, access: &RecordedAccess, cost: &Cost) -> u64 {
        let rates = &self.set.machine.rates;
        let atomic = matches!(access.action, AccessAction::Atomic | AccessAction::Reduction);
        let passes = f64::from(access.wavefronts.max(1));
        let held = match () {
            // Lanes that meet at a word wait for each other's lock.
            () if atomic && cost.gathered => rates.shared_atomic,
            () if atomic && rates.shared_lock > 0.0 => rates.shared_lock * f64::from(access.largest.max(1)),
            () if atomic && cost.retries => rates.shared_retry * passes.max(f64::from(access.largest)),
            () if atomic => passes.max(rates.shared_atomic),
            () => passes,
        };
        self.outcome.busy.memory_pipe += held;
        self.memory_free = start + ticks(held);
        start + ticks(held + rates.shared * if cost.retries { 1.0 + f64::from(access.largest) } else { 1.0 })
    }

    fn global(&mut self, start: u64, access: &RecordedAccess, cost: &Cost, lanes: u32, again: u64) -> u64 {
        let set = self.set;
        let (rates, shares) = (&set.machine.rates, set.shares);
        let from = access.first as usize;
        let sectors = &set.prepared.sectors[from..from + usize::from(access.sectors)];
        let mut lines = 0.0;
        let mut last = u64::MAX;
        for sector in sectors {
            if sector / 4 != last {
                lines += 1.0;
                last = sector / 4;
            }
        }
        let bytes = f64::from(access.bytes);
        let mut held = (lines / rates.tags).max(sectors.len() as f64 / 4.0).max((bytes / 4.0).ceil()).max(1.0);
        if access.space == AccessSpace::Local {
            held = held.max(rates.local_sector * sectors.len() as f64);
        }
        // Registers hold two halves of each row.
        if cost.matrix {
            held = held.max(2.0 * lines / rates.tags);
        }
        let far = if is_scattered(sectors) { rates.scattered } else { 1.0 };
        self.memory_free = start + ticks(held);
        self.outcome.busy.memory_pipe += held;
        let begin = start + ticks(held);
        let busy = &mut self.outcome.busy;
        match access.action {
            AccessAction::Load | AccessAction::Copy => {
                let mut done = begin + ticks(rates.l1);
                for (at, &sector) in sectors.iter().enumerate() {
                    // Memory delivers two sectors at once, wanted or not.
                    let mate = |other: Option<&u64>| other.is_some_and(|other| *other == sector ^ 1);
                    let alone = !mate(sectors.get(at + 1)) && !mate(at.checked_sub(1).map(|at| &sectors[at]));
                    let dram_sector = shares.dram_sector * if alone { 2.0 * far } else { 1.0 };
                    let sector = if sector & COMMON == 0 { sector + (again << 42) } else { sector };
                    busy.l1_asked += 1.0;
                    let known = if cost.cached { self.cache.find(sector) } else { None };
                    let there = known.unwrap_or_else(|| {
                        busy.l1_missed += 1.0;
                        let sent = begin.max(self.l2_free);
                        self.l2_free = sent + ticks(shares.l2_sector);
                        busy.l2 += shares.l2_sector;
                        // What another block has just written is not in memory yet.
                        let there = if !cost.waits && shares.is_in_memory(sector) {
                            busy.from_dram += 1.0;
                            busy.dram += dram_sector;
                            let read = sent.max(self.dram_free);
                            self.dram_free = read + ticks(dram_sector);
                            read + ticks(rates.dram)
                        } else {
                            sent + ticks(rates.l2)
                        };
                        if cost.cached {
                            self.cache.fill(sector, there);
                        }
                        there
                    });
                    done = done.max(there);
                }
                done
            }
            AccessAction::Store => {
                // The less of a sector is written, the longer it takes.
                let filled = f64::from(lanes) * bytes / (32.0 * sectors.len().max(1) as f64);
                let missing = if access.whole == access.sectors { 0.0 } else { (1.0 - filled).clamp(0.0, 1.0) };
                // Sectors of a line come together.
                let more = (shares.partial_sector - shares.l2_sector).max(0.0) * lines / sectors.len().max(1) as f64;
                let cost = shares.l2_sector + more * (missing * 8.0 / 7.0).min(1.0);
                // What nobody fills is read, changed and written, two sectors at once.
                let scattered = far > 1.0 && missing > 0.0;
                let dram_sector = shares.dram_sector * if scattered { 4.0 * far } else { 1.0 };
                for &sector in sectors {
                    self.l2_free = begin.max(self.l2_free) + ticks(cost);
                    busy.l2 += cost;
                    if shares.is_written_back(sector) {
                        busy.dram += dram_sector;
                        self.dram_free = begin.max(self.dram_free) + ticks(dram_sector);
                    }
                }
                begin
            }
            AccessAction::Atomic | AccessAction::Reduction => {
                let turn = if cost.gathered { shares.atomic_of_one() } else { shares.atomic(access) };
                let turn = turn * if cost.compares { rates.atomic_compare } else { 1.0 };
                let sent = begin.max(self.atomic_free);
                self.atomic_free = sent + ticks(turn);
                busy.atomics += turn;
                sent + ticks(rates.l2 + turn.min(4.0 * rates.l2))
            }
        }
    }

    fn arrive(&mut self, at: usize, time: u64) {
        let block = self.warps[at].block;
        self.warps[at].waiting = true;
        // Warps are taken in one after the other.
        let time = time.max(self.barrier_free) + ticks(self.set.machine.rates.barrier_warp);
        self.barrier_free = time;
        let state = &mut self.blocks[block];
        state.arrived.push(at);
        state.latest = state.latest.max(time);
        self.outcome.busy.barrier_waits -= time as f64 / TICKS;
        if state.arrived.len() >= state.live {
            self.release(block);
        }
    }

    /// Everyone at the barrier of a block goes on.
    fn release(&mut self, block: usize) {
        let state = &mut self.blocks[block];
        let time = state.latest + ticks(self.set.machine.rates.barrier);
        let arrived = std::mem::take(&mut state.arrived);
        state.latest = 0;
        for warp in arrived {
            self.outcome.busy.barrier_waits += time as f64 / TICKS;
            self.warps[warp].waiting = false;
            self.queue.push(Reverse((time, warp as u32)));
        }
    }

    /// A warp has come to the end of what was recorded of it; `times` as much as that is all of it.
    fn warp_done(&mut self, at: usize, time: u64, times: f64) {
        let started = self.warps[at].started;
        let end = started + ((time - started.min(time)) as f64 * times.max(1.0)) as u64;
        self.outcome.busy.warp_cycles += (end - started) as f64 / TICKS;
        let block = self.warps[at].block;
        self.idle.push(at);
        let state = &mut self.blocks[block];
        state.live -= 1;
        state.warps.retain(|&warp| warp != at);
        state.started = state.started.max(end);
        if state.live == 0 {
            let end = state.started;
            self.block_done(block, end);
        } else if !state.arrived.is_empty() && state.arrived.len() >= state.live {
            self.release(block);
        }
    }

    fn block_done(&mut self, block: usize, end: u64) {
        let free = end + ticks(self.set.machine.rates.block_end);
        self.outcome.ends.push(free as f64 / TICKS);
        let slot = self.blocks[block].slot;
        self.begin(free, slot);
    }
}
