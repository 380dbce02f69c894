//! From a replay of one multiprocessor to the time of a launch, and what holds it.

use crate::assembled::Assembled;
use crate::machine::Machine;
use crate::program::Prepared;
use crate::replay::{Busy, Outcome, Replay, Setting};
use crate::shares::Shares;
use crate::without::{Waste, without};
use serde::Serialize;
use warpwise_arch::{Gpu, OccupancyLimit, Recording};
use warpwise_ptx::ast::Module;

/// Instructions that are replayed, about.
const STEPS: usize = 500_000;
/// Blocks that are replayed, at most.
const BLOCKS: usize = 4000;
/// Generations of resident blocks after which the rate is known.
const GENERATIONS: usize = 60;
/// A part that is busy for more than this share of the time is what holds a launch.
const HOLDS: f64 = 0.62;

/// The first architecture whose machine code is much like that of those after it.
const ALIKE: u32 = 7;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaunchShape {
    /// Threads of a block.
    pub threads: u32,
    /// Registers of a thread, if they are known.
    pub registers: Option<u32>,
    /// Registers that it would need beyond those.
    pub spilled: u32,
    /// Static and dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Bytes of all buffers, if they are known.
    pub footprint: Option<u64>,
}

/// What holds a launch: what would have to be faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The bandwidth of memory.
    Memory,
    /// The bandwidth of the second-level cache.
    L2,
    /// Shared memory, the first-level cache, or the number of accesses.
    L1,
    /// Issuing instructions.
    Issue,
    /// Single precision.
    Fp32,
    /// Integers and logic.
    Integer,
    /// Double precision.
    Fp64,
    /// Special functions.
    Special,
    /// Tensor cores.
    Tensor,
    /// Atomics at few addresses.
    Atomics,
    /// Waiting for results with too few warps to fill the time.
    Latency,
    /// Waiting for the block at barriers.
    Barriers,
    /// Starting blocks.
    Blocks,
    /// The launch itself.
    Launch,
}

impl Bound {
    /// The name used in reports.
    ///
    /// ```
    /// assert_eq!(warpwise_model::Bound::Fp64.name(), "double precision");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory bandwidth",
            Self::L2 => "L2 bandwidth",
            Self::L1 => "shared memory and L1",
            Self::Issue => "instruction issue",
            Self::Fp32 => "single precision",
            Self::Integer => "integer arithmetic",
            Self::Fp64 => "double precision",
            Self::Special => "special functions",
            Self::Tensor => "tensor cores",
            Self::Atomics => "atomics",
            Self::Latency => "latency",
            Self::Barriers => "barriers",
            Self::Blocks => "block launch rate",
            Self::Launch => "launch",
        }
    }
}

/// How long a launch takes, and the figures that a profiler would head its report with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Microseconds of the kernel alone.
    pub kernel_us: f64,
    /// Microseconds of the launch around it, if nothing else runs.
    pub launch_us: f64,
    /// Microseconds from the end of a kernel to the start of the next one.
    pub next_launch_us: f64,
    /// Microseconds between launches, at least.
    pub host_launch_us: f64,
    /// What holds it.
    pub bound: Bound,
    /// Percent of the time for which the busiest pipe of arithmetic is busy.
    pub compute_percent: f64,
    /// Percent for which the busiest part on the way to memory is.
    pub memory_percent: f64,
    /// Percent of the memory bandwidth that is used.
    pub dram_percent: f64,
    /// Percent of instruction issue slots that are used.
    pub issue_percent: f64,
    /// Percent of sectors that the first-level cache has.
    pub l1_hit_percent: f64,
    /// Percent of the others that the second-level cache has.
    pub l2_hit_percent: f64,
    /// Percent of the warps that a multiprocessor can hold, as the launch's shape allows.
    pub occupancy_percent: f64,
    /// As reached on average.
    pub achieved_occupancy_percent: f64,
    /// What limits the blocks that are resident.
    pub occupancy_limit: &'static str,
    /// Blocks that a multiprocessor holds at once.
    pub resident_blocks: u32,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Whether an assembler has counted them, and the instructions.
    pub assembled: bool,
    /// Times that the resident blocks are replaced, the first included.
    pub waves: f64,
}

/// Estimates a launch from what some of its blocks did. `module` is the program's text as read, `ptx` the text.
pub fn estimate(recording: &Recording, module: &Module, ptx: &str, shape: LaunchShape, gpu: &Gpu) -> Option<Estimate> {
    of_recording(recording, module, ptx, shape, gpu, None)
}

/// Estimates the same launch without one kind of waste.
pub fn estimate_without(
    waste: Waste,
    recording: &Recording,
    module: &Module,
    ptx: &str,
    shape: LaunchShape,
    gpu: &Gpu,
) -> Option<Estimate> {
    of_recording(&without(recording, waste), module, ptx, shape, gpu, Some(waste))
}

fn of_recording(
    recording: &Recording,
    module: &Module,
    ptx: &str,
    mut shape: LaunchShape,
    gpu: &Gpu,
    left_out: Option<Waste>,
) -> Option<Estimate> {
    if recording.recorded.is_empty() || recording.blocks == 0 {
        return None;
    }
    let machine = Machine::of(gpu);
    let mut prepared = Prepared::new(recording, module, ptx, &machine.rates, gpu.cc.0 >= ALIKE);
    match left_out {
        Some(Waste::Barriers) => prepared.pass_barriers(),
        Some(Waste::Exchanges) => prepared.exchange(),
        _ => {}
    }
    let assembled = Assembled::of(recording, ptx);
    if let Some(assembled) = &assembled {
        if shape.registers.is_some() {
            shape.registers = Some(assembled.registers);
        }
        // Without a stack, there is no value that has no register, and no array that has none.
        if assembled.stack == 0 {
            shape.spilled = 0;
            prepared.keep_arrays();
        }
    }
    if let (Some(registers), 1..) = (shape.registers, shape.spilled) {
        prepared.spill(f64::from(shape.spilled) / f64::from(registers + shape.spilled));
    }
    if !machine.gathers {
        prepared.part_atomics();
    }
    let shares = Shares::new(recording, &machine, shape.footprint, &prepared.costs);
    let occupancy = gpu.occupancy(shape.threads, shape.registers, shape.shared_bytes);
    let resident = occupancy.blocks_per_sm.max(1) as usize;
    // What the busiest multiprocessor gets.
    let own = (recording.blocks as f64 / machine.sms).ceil() as usize;
    let steps: usize = prepared.blocks.iter().flatten().map(|w| w.steps.len()).sum();
    let each = (steps / prepared.blocks.len()).max(1);
    let wanted = (GENERATIONS * resident).min(STEPS / each).max(resident.min(own)).min(BLOCKS);
    let blocks = if own <= wanted + resident { own } else { wanted };
    if own <= resident && !prepared.waits() {
        // The launch ends with its longest block; one that waits for others looks longer than it is.
        prepared.blocks.sort_by_key(|warps| std::cmp::Reverse(warps.iter().map(|w| w.executed).sum::<u64>()));
    }
    let carved = resident as f64 * f64::from(shape.shared_bytes + 1024);
    let l1_sectors = ((machine.l1 - carved).max(16384.0) / 32.0) as usize;
    let setting = Setting { machine: &machine, prepared: &prepared, shares: &shares, resident, blocks, l1_sectors };
    let outcome = Replay::run(&setting);
    let chain = outcome.chain.cycles(recording.blocks as f64, prepared.lookers(), machine.rates.l2);
    let cycles = whole(&outcome, own, blocks, resident).max(chain);
    // A last wave that is not full leaves multiprocessors without work.
    let kernel = cycles / machine.clock;
    let busy = outcome.busy;
    let part = outcome.drained.max(1.0);
    let percent = |value: f64| (100.0 * value / part).min(100.0);
    let schedulers = machine.schedulers as f64;
    let pipes = [
        (Bound::Fp32, busy.fp32 / schedulers),
        (Bound::Integer, busy.int / schedulers),
        (Bound::Fp64, busy.fp64 / schedulers),
        (Bound::Special, busy.special / schedulers),
        (Bound::Tensor, busy.tensor / schedulers),
        (Bound::Issue, busy.issue / schedulers),
    ];
    let ways = [(Bound::Memory, busy.dram), (Bound::L2, busy.l2), (Bound::L1, busy.memory_pipe)];
    let most = |list: &[(Bound, f64)]| list.iter().map(|x| x.1).fold(0.0, f64::max);
    let warps = f64::from(gpu.threads_sm) / 32.0;
    Some(Estimate {
        kernel_us: kernel * 1e6,
        launch_us: machine.rates.launch * 1e6,
        next_launch_us: machine.rates.next_launch * 1e6,
        host_launch_us: machine.rates.host_launch * 1e6,
        bound: bound(&busy, &pipes, &ways, part, kernel, &machine),
        compute_percent: percent(most(&pipes)),
        memory_percent: percent(most(&ways)),
        dram_percent: percent(busy.dram) * machine.rates.dram_reached,
        issue_percent: percent(busy.issue / schedulers),
        l1_hit_percent: if busy.l1_asked > 0.0 { 100.0 * (1.0 - busy.l1_missed / busy.l1_asked) } else { 0.0 },
        l2_hit_percent: if busy.l1_missed > 0.0 { 100.0 * (1.0 - busy.from_dram / busy.l1_missed) } else { 0.0 },
        occupancy_percent: occupancy.percent,
        achieved_occupancy_percent: (100.0 * busy.warp_cycles / part / warps).min(occupancy.percent),
        occupancy_limit: limit_name(occupancy.limited_by),
        resident_blocks: occupancy.blocks_per_sm,
        registers: shape.registers,
        assembled: assembled.is_some(),
        waves: recording.blocks as f64 / (machine.sms * resident as f64),
    })
}

fn limit_name(limit: OccupancyLimit) -> &'static str {
    limit.name()
}

/// Cycles for all blocks of the multiprocessor, from those of the first ones.
fn whole(outcome: &Outcome, own: usize, blocks: usize, resident: usize) -> f64 {
    if own <= blocks {
        return outcome.drained;
    }
    let ends = &outcome.ends;
    let first = resident.min(blocks / 2).max(1);
    let last = ends.len() - 1;
    // Blocks that are resident together end together: a rate shows only from one generation to the next.
    let rate = if last > first && blocks >= 2 * resident {
        (ends[last - last / 8] - ends[first - 1]) / (last - last / 8 + 1 - first) as f64
    } else {
        0.0
    };
    let rate = if rate > 0.0 { rate } else { outcome.drained / blocks as f64 };
    outcome.drained + (own - blocks) as f64 * rate
}

fn bound(
    busy: &Busy,
    pipes: &[(Bound, f64)],
    ways: &[(Bound, f64)],
    part: f64,
    kernel: f64,
    machine: &Machine,
) -> Bound {
    if kernel < machine.rates.launch * 0.5 {
        return Bound::Launch;
    }
    let others = [(Bound::Atomics, busy.atomics), (Bound::Blocks, busy.starts)];
    let all = pipes.iter().chain(ways).chain(&others);
    let (which, most) = all.copied().fold((Bound::Latency, 0.0), |best, x| if x.1 > best.1 { x } else { best });
    if most >= HOLDS * part {
        return which;
    }
    if busy.barrier_waits > 0.4 * busy.warp_cycles { Bound::Barriers } else { Bound::Latency }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_arch::{RecordedBlock, RecordedPlace, RecordedStep, RecordedWarp};

    #[test]
    fn one_generation_stands_for_all_of_them() {
        // Eight blocks that run at once end at nearly the same time; forty times as many take forty times as long.
        let ends = (0..8).map(|i| 100.0 + f64::from(i) / 8.0).collect();
        let outcome = Outcome { ends, drained: 101.0, ..Outcome::default() };
        assert!((whole(&outcome, 320, 8, 8) / (40.0 * 101.0) - 1.0).abs() < 1e-9);
        assert_eq!(whole(&outcome, 8, 8, 8), 101.0);
    }

    #[test]
    fn the_rate_of_many_generations_counts() {
        // Ten cycles from one end to the next, once the first two blocks have ended.
        let ends = (0..20).map(|i| 50.0 + 10.0 * f64::from(i)).collect();
        let outcome = Outcome { ends, drained: 245.0, ..Outcome::default() };
        assert!((whole(&outcome, 120, 20, 2) - (245.0 + 1000.0)).abs() < 1e-6);
    }

    /// Microseconds of a kernel of arithmetic, with a note of the assembler, that would need more registers than it has.
    fn crowded(note: &str) -> Estimate {
        const SUMS: u32 = 400;
        let sums = "\tfma.rn.f32 %f1, %f2, %f3, %f1;\n".repeat(SUMS as usize);
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n\t.reg .f32 %f<4>;\n{sums}\tret;{note}\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid");
        let place = |at: u32| RecordedPlace { function: "k".into(), nth: 0, ptx_line: 7 + at };
        let step = |place: u32| RecordedStep { place, mask: u32::MAX, access: u32::MAX };
        let warp = RecordedWarp { steps: (0..=SUMS).map(step).collect(), executed: u64::from(SUMS) + 1 };
        let recording = Recording {
            blocks: 100_000,
            blocks_run: 1,
            recorded: vec![RecordedBlock { number: 0, warps: vec![warp; 8] }],
            places: (0..=SUMS).map(place).collect(),
            ..Recording::default()
        };
        let shape =
            LaunchShape { threads: 256, registers: Some(32), spilled: 32, shared_bytes: 0, footprint: Some(1 << 20) };
        estimate(&recording, &module, &text, shape, &Gpu::named("h200").expect("known")).expect("it was recorded")
    }

    #[test]
    fn what_the_assembler_says_counts() {
        let unknown = crowded("");
        let without = crowded("\t// sm_90: 32 registers, 0 bytes of stack");
        let with = crowded("\t// sm_90: 24 registers, 128 bytes of stack");
        assert!(unknown.kernel_us > 1.5 * without.kernel_us, "values that have no register go through memory");
        assert!(with.kernel_us > 1.5 * without.kernel_us, "and so they do if there is a stack for them");
        assert_eq!((unknown.assembled, with.assembled, with.registers), (false, true, Some(24)));
        let twice = crowded("\t// sm_90: 32 registers, 0 bytes of stack, 802 instructions");
        let ratio = twice.kernel_us / without.kernel_us;
        assert!((1.3..2.2).contains(&ratio), "twice as many instructions: {ratio}");
    }
}
