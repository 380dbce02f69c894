//! A simple throughput model: from counters to an estimated time on a named GPU. `docs/explain.md` describes it.

use super::code::{Class, Code, Step, Unit};
use warpwise_gpu::Gpu;

/// Cycles between an instruction and one that needs its result.
const DEPENDENT: f64 = 4.0;
/// Latency in cycles of a load from shared memory, or of a value from another lane.
const SHARED: f64 = 25.0;
/// Latency in cycles of a load from global memory: from memory, and from a cache.
const GLOBAL: f64 = 600.0;
const CACHED: f64 = 200.0;
/// Cycles of a block barrier beyond waiting for the last warp.
const BARRIER: f64 = 25.0;
/// Sectors per cycle that a multiprocessor gets from its caches.
const SECTORS: f64 = 2.0;
/// Share of the data sheet's memory bandwidth that programs reach.
const REACHED: f64 = 0.9;
/// Seconds per launch in a sequence of launches.
pub(crate) const LAUNCH: f64 = 2e-6;

/// The geometry of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    /// Blocks of the grid.
    pub(crate) blocks: f64,
    /// Threads per block.
    pub(crate) threads: f64,
    /// Warps of a block.
    pub(crate) warps: f64,
    /// Blocks that fit on a multiprocessor.
    pub(crate) resident: f64,
    /// The same, if only the number of threads counted.
    pub(crate) possible: f64,
}

impl Shape {
    pub(crate) fn new(grid: [u32; 3], block: [u32; 3], shared_bytes: u32, gpu: &Gpu) -> Self {
        let product = |d: [u32; 3]| d.iter().map(|&n| f64::from(n)).product::<f64>();
        let threads = product(block);
        let resident = |bytes: u32| f64::from(gpu.resident_blocks(threads as u32, bytes) / gpu.sms.max(1));
        let warps = (threads / 32.0).ceil().max(1.0);
        let possible = (f64::from(gpu.threads_sm) / 32.0 / warps).floor().max(1.0);
        Self { blocks: product(grid), threads, warps, resident: resident(shared_bytes), possible }
    }

    /// Warps that fit on a multiprocessor, as a share of the maximum.
    pub(crate) fn occupancy(&self, gpu: &Gpu) -> f64 {
        (self.resident * self.warps * 32.0 / f64::from(gpu.threads_sm)).min(1.0)
    }
}

/// What a launch costs: the inputs of the model, which a what-if changes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Costs {
    /// Issue slots.
    pub(crate) issued: f64,
    /// Lanes of double precision and of special functions.
    pub(crate) double: f64,
    pub(crate) special: f64,
    /// Passes through shared memory without conflicts, and those added by conflicts.
    pub(crate) shared: f64,
    pub(crate) conflicts: f64,
    /// Lanes that wait for another at the address of an atomic.
    pub(crate) shared_collisions: f64,
    pub(crate) global_collisions: f64,
    /// Requested sectors of global memory.
    pub(crate) sectors: f64,
    /// Bytes that must be read from or written to memory.
    pub(crate) bytes: f64,
    /// Cycles from start to end of a block if nothing else ran: loads from global memory, barriers, the rest.
    pub(crate) chain_loads: f64,
    pub(crate) chain_barriers: f64,
    pub(crate) chain: f64,
    pub(crate) shape: Shape,
}

/// Cycles by cause; on the busiest multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Terms {
    pub(crate) issue: f64,
    pub(crate) shared: f64,
    pub(crate) conflicts: f64,
    pub(crate) atomics: f64,
    pub(crate) memory: f64,
    pub(crate) latency: f64,
}

impl Terms {
    /// The total: a soft maximum of the parts that overlap, plus those that do not.
    pub(crate) fn cycles(&self) -> f64 {
        let squares = [self.issue, self.shared, self.memory, self.latency].map(|x| x * x);
        squares.iter().sum::<f64>().sqrt() + self.conflicts + self.atomics
    }
}

impl Costs {
    /// The costs of a launch, from its counters. `footprint` is the number of bytes of all buffers, if known: with
    /// caches, each byte is read from memory once.
    pub(crate) fn new(code: &Code, shape: Shape, footprint: Option<u64>) -> Self {
        let trips = Trips::new(code, &shape);
        let serial = |step: &Step| trips.serial(step, &shape);
        let together = code.loads_together();
        let lanes = |unit: Unit| code.sum(|s| if s.unit == unit { s.issued() * 32.0 } else { 0.0 });
        let chain = |class: fn(Class) -> bool, cycles: &dyn Fn(&Step) -> f64| {
            let of = |step: &Step| if class(step.class) { serial(step) * cycles(step) } else { 0.0 };
            code.steps.iter().map(of).sum::<f64>()
        };
        let waits = |step: &Step| match step.class {
            _ if step.hidden => 0.0,
            Class::SharedLoad | Class::Exchange => SHARED,
            Class::SharedAtomic => 2.0 * SHARED,
            Class::GlobalAtomic => GLOBAL,
            Class::Constant | Class::Order => DEPENDENT,
            _ => DEPENDENT * step.slots,
        };
        let local = |s: &Step| (s.counters.local_load_sectors + s.counters.local_store_sectors) as f64;
        let global = |s: &Step| (s.counters.global_load_sectors + s.counters.global_store_sectors) as f64;
        let sectors = code.sum(|s| global(s) + local(s));
        let asked = sectors * 32.0;
        let bytes = footprint.map_or(asked, |bytes| asked.min(bytes as f64));
        // Repeated requests hit a cache.
        let fresh = if asked > 0.0 { bytes / asked } else { 1.0 };
        let load = fresh * GLOBAL + (1.0 - fresh) * CACHED;
        let collisions =
            |class: Class| code.sum(|s| if s.class == class { s.counters.atomic_collisions as f64 } else { 0.0 });
        Self {
            issued: code.sum(Step::issued),
            double: lanes(Unit::Double),
            special: lanes(Unit::Special),
            shared: code.sum(|s| {
                let c = &s.counters;
                let passes = c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomics;
                (passes - (c.shared_load_conflicts + c.shared_store_conflicts).min(passes)) as f64
            }),
            conflicts: code.sum(|s| (s.counters.shared_load_conflicts + s.counters.shared_store_conflicts) as f64),
            shared_collisions: collisions(Class::SharedAtomic),
            global_collisions: collisions(Class::GlobalAtomic),
            sectors,
            bytes,
            chain_loads: chain(|c| c == Class::GlobalLoad, &|_| load / together),
            chain_barriers: chain(|c| c == Class::Barrier, &|_| BARRIER),
            chain: chain(|c| !matches!(c, Class::GlobalLoad | Class::Barrier), &waits),
            shape,
        }
    }

    /// Cycles that some steps add to a block's time from start to end.
    pub(crate) fn chain_of(code: &Code, shape: &Shape, wanted: impl Fn(usize, &Step) -> f64) -> f64 {
        let trips = Trips::new(code, shape);
        let of = |(at, step): (usize, &Step)| {
            let part = wanted(at, step);
            if part > 0.0 && !step.hidden { part * trips.serial(step, shape) * DEPENDENT * step.slots } else { 0.0 }
        };
        code.steps.iter().enumerate().map(of).sum()
    }

    /// Cycles that one step adds to a block's time from start to end, apart from waiting for memory.
    pub(crate) fn chain_of_step(step: &Step, trips: &Trips, shape: &Shape) -> f64 {
        if step.hidden { 0.0 } else { trips.serial(step, shape) * DEPENDENT * step.slots }
    }

    /// Multiprocessors that have a block.
    pub(crate) fn used(&self, gpu: &Gpu) -> f64 {
        f64::from(gpu.sms).min(self.shape.blocks).max(1.0)
    }

    /// Cycles by cause. With `full`, as if there were enough blocks to fill every multiprocessor.
    pub(crate) fn terms(&self, gpu: &Gpu, full: bool) -> Terms {
        let sms = self.used(gpu);
        let issue = self.issued / f64::from(gpu.schedulers);
        let units = (self.double / f64::from(gpu.fp64.max(1))).max(self.special / f64::from(gpu.sfu.max(1)));
        let clock = f64::from(gpu.clock_mhz) * 1e6;
        let per_clock = f64::from(gpu.bandwidth_gbs) * 1e9 * REACHED / clock;
        // Few multiprocessors cannot use the full memory bandwidth.
        let reach = (sms / f64::from(gpu.sms) * 2.0).min(1.0);
        let rounds = self.shape.blocks / (sms * self.shape.resident.max(1.0));
        let rounds = if full { rounds } else { rounds.max(1.0) };
        Terms {
            issue: issue.max(units) / sms,
            shared: self.shared / sms,
            conflicts: self.conflicts / sms,
            // Each multiprocessor has its own shared memory; one address of global memory serves one lane per cycle.
            atomics: self.shared_collisions / sms + self.global_collisions / sms.min(8.0),
            memory: (self.sectors / SECTORS / sms).max(self.bytes / (per_clock * reach)),
            latency: rounds * (self.chain + self.chain_loads + self.chain_barriers),
        }
    }

    /// Total cycles.
    pub(crate) fn cycles(&self, gpu: &Gpu, full: bool) -> f64 {
        self.terms(gpu, full).cycles()
    }
}

/// Iterations of each loop by a warp.
pub(crate) struct Trips {
    of_loop: Vec<f64>,
}

impl Trips {
    pub(crate) fn new(code: &Code, shape: &Shape) -> Self {
        let warps = shape.blocks * shape.warps;
        let of_loop = (0..code.loops.len())
            .map(|l| code.steps.iter().filter(|s| s.inner == Some(l)).map(|s| s.warps() / warps).fold(0.0, f64::max))
            .collect();
        Self { of_loop }
    }

    /// How often the busiest warp of a block executes a step: in every iteration of its loop, if all warps of the block
    /// together execute it that often.
    fn serial(&self, step: &Step, shape: &Shape) -> f64 {
        let of_block = step.warps() / shape.blocks;
        let rounds = step.inner.map_or(1.0, |l| self.of_loop[l]).max(of_block / shape.warps);
        of_block.min(rounds)
    }

    /// How often a warp reaches a step.
    pub(crate) fn around(&self, step: &Step) -> f64 {
        step.inner.map_or(1.0, |l| self.of_loop[l]).max(f64::MIN_POSITIVE)
    }
}
