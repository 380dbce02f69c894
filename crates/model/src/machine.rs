//! The parameters of a GPU: from its specification, by generation, and where it was measured, as measured.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use warpwise_arch::Gpu;

/// Rates and latencies; cycles are those of the multiprocessors' clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Multiprocessors.
    pub sms: f64,
    /// Cycles a second.
    pub clock: f64,
    /// Schedulers of a multiprocessor; each has its own pipes.
    pub schedulers: usize,
    /// Cycles for which an instruction of a warp holds the pipe of its scheduler.
    pub fp32: f64,
    /// Integer and logic.
    pub int: f64,
    /// Double precision.
    pub fp64: f64,
    /// Special functions.
    pub special: f64,
    /// Products of half precision that a scheduler's tensor core adds up in a cycle.
    pub tensor: f64,
    /// What is not in the data sheet.
    pub rates: Rates,
    /// Bytes of the first-level cache and shared memory of a multiprocessor.
    pub l1: f64,
    /// Bytes of the second-level cache.
    pub l2: f64,
    /// Bytes a cycle from memory, and from the second-level cache, for the whole GPU.
    pub dram_rate: f64,
    /// Of the second-level cache.
    pub l2_rate: f64,
    /// Whether one lane does the atomics of a warp at one address.
    pub gathers: bool,
    /// Whether managed memory comes page by page, when threads fault on it.
    pub faults: bool,
}

/// Parameters that no data sheet has.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rates {
    /// The share of the data sheet's memory bandwidth that programs reach.
    pub dram_reached: f64,
    /// Bytes a cycle and multiprocessor that the second-level cache delivers if all ask.
    pub l2_per_sm: f64,
    /// Bytes a cycle that one multiprocessor can take in.
    pub sm_link: f64,
    /// Share of the second-level cache up to which data stays in it between launches, and from which on none does.
    pub l2_keeps: f64,
    /// See `l2_keeps`.
    pub l2_loses: f64,
    /// Issue slots that an access or a jump takes: less than 1 where schedulers issue it together with arithmetic.
    pub paired: f64,
    /// Latencies in cycles: of arithmetic,
    pub alu: f64,
    /// of double precision,
    pub double: f64,
    /// of special functions,
    pub function: f64,
    /// of shared memory,
    pub shared: f64,
    /// of an exchange between lanes,
    pub exchange: f64,
    /// of the first-level cache,
    pub l1: f64,
    /// of the second-level cache,
    pub l2: f64,
    /// of memory,
    pub dram: f64,
    /// of a barrier once all have arrived,
    pub barrier: f64,
    /// of a jump,
    pub jump: f64,
    /// of a product of matrices.
    pub matrix: f64,
    /// Cycles between the starts of two blocks on the whole GPU.
    pub block_interval: f64,
    /// Cycles more for each warp of a block, on its multiprocessor.
    pub warp_start: f64,
    /// Cycles from the start of a block to its first instruction, and from its last one until its place is free.
    pub block_start: f64,
    /// See `block_start`.
    pub block_end: f64,
    /// Lines of 128 bytes that the first-level cache looks up in a cycle.
    pub tags: f64,
    /// How many times longer memory takes for sectors that lie at random.
    pub scattered: f64,
    /// How many times longer an atomic takes that compares first.
    pub atomic_compare: f64,
    /// Cycles for each sector of local memory, and for each word of constants that differ from lane to lane.
    pub local_sector: f64,
    /// See `local_sector`.
    pub constant_word: f64,
    /// Sectors of stores that do not fill them, a cycle, for the whole GPU.
    pub partial_sectors: f64,
    /// Cycles between two operations of atomics at one address, and for a sector of a region some of whose words a warp
    /// uses: one slice of the second-level cache takes them one after the other.
    pub atomic_address: f64,
    /// See `atomic_address`.
    pub atomic_line: f64,
    /// Cycles for a sector all of whose words a warp uses.
    pub atomic_sector: f64,
    /// Bytes of such a region.
    pub atomic_region: f64,
    /// Cycles between two lanes in one line where its lanes are taken one after the other; 0 where they are not.
    pub atomic_in_line: f64,
    /// Sectors of atomics that the GPU takes in a cycle, spread over many lines.
    pub atomic_lanes: f64,
    /// Cycles of an atomic on shared memory, at least.
    pub shared_atomic: f64,
    /// Cycles for which a lane holds the lock of its word where such atomics are loops that take a lock; 0 where they are
    /// instructions.
    pub shared_lock: f64,
    /// Cycles for each pass of one that is a loop of comparisons and exchanges.
    pub shared_retry: f64,
    /// Cycles in which a barrier takes in a warp.
    pub barrier_warp: f64,
    /// Cycles between two operations of floating-point atomics at one address.
    pub atomic_float: f64,
    /// Seconds from a launch to its first block and from its last one to the end.
    pub launch: f64,
    /// Seconds between the end of a kernel and the start of the next one.
    pub next_launch: f64,
    /// Seconds between launches, at least: a host does not launch more often.
    pub host_launch: f64,
    /// The rate of the bus to the host in theory, in GB/s.
    pub bus: f64,
    /// The share of it that copies from pageable and managed memory reach.
    pub bus_reached: f64,
    /// Seconds of a call that copies an array.
    pub copy_call: f64,
    /// The share of the bus that page faults reach.
    pub fault_reached: f64,
    /// Seconds until the first pages of an array are there.
    pub fault_call: f64,
    /// Seconds that a program takes to start using the GPU.
    pub start_up: f64,
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            dram_reached: 0.92,
            l2_per_sm: 30.0,
            sm_link: 64.0,
            l2_keeps: 0.72,
            l2_loses: 1.05,
            paired: 1.0,
            alu: 4.2,
            double: 8.0,
            function: 20.0,
            shared: 24.0,
            exchange: 24.0,
            l1: 33.0,
            l2: 285.0,
            dram: 900.0,
            barrier: 12.0,
            jump: 4.0,
            matrix: 33.0,
            block_interval: 1.19,
            warp_start: 2.0,
            block_start: 250.0,
            block_end: 350.0,
            tags: 1.0,
            scattered: 1.6,
            atomic_compare: 2.0,
            local_sector: 1.5,
            constant_word: 2.0,
            partial_sectors: 32.0,
            atomic_address: 1.45,
            atomic_line: 1.37,
            atomic_sector: 1.2,
            atomic_region: 512.0,
            atomic_in_line: 0.0,
            atomic_lanes: 48.0,
            shared_atomic: 2.0,
            shared_lock: 0.0,
            shared_retry: 4.6,
            barrier_warp: 2.0,
            atomic_float: 3.5,
            launch: 3.1e-6,
            next_launch: 1.5e-6,
            host_launch: 4.2e-6,
            bus: 63.0,
            bus_reached: 0.45,
            copy_call: 10e-6,
            fault_reached: 0.1,
            fault_call: 60e-6,
            start_up: 0.1,
        }
    }
}

/// Parameters by GPU, and by generation.
fn table() -> &'static BTreeMap<String, toml::Table> {
    static TABLE: OnceLock<BTreeMap<String, toml::Table>> = OnceLock::new();
    TABLE.get_or_init(|| toml::from_str(include_str!("machines.toml")).unwrap_or_default())
}

/// The parameters of a GPU: those of its generation, and its own.
fn rates(gpu: &Gpu) -> Rates {
    let mut all = toml::Table::new();
    for key in [format!("generation-{}", gpu.cc.0), gpu.name.clone()] {
        all.extend(table().get(&key).cloned().unwrap_or_default());
    }
    Rates::deserialize(toml::Value::Table(all)).unwrap_or_default()
}

impl Machine {
    /// The parameters of a known GPU.
    ///
    /// ```
    /// let gpu = warpwise_arch::Gpu::named("h200").expect("a known GPU");
    /// let machine = warpwise_model::Machine::of(&gpu);
    /// assert_eq!(machine.fp32, 1.0);
    /// ```
    pub fn of(gpu: &Gpu) -> Self {
        let rates = rates(gpu);
        let schedulers = gpu.schedulers.max(1);
        let hold = |lanes: u32| 32.0 * f64::from(schedulers) / f64::from(lanes.max(1));
        let clock = f64::from(gpu.clock_mhz.max(1)) * 1e6;
        let sms = f64::from(gpu.sms.max(1));
        // The cores of one generation after the other do twice the work.
        let tensor = match gpu.cc.0 {
            0..=7 => 128.0,
            8 => 256.0,
            _ => 301.0,
        };
        Self {
            sms,
            clock,
            schedulers: schedulers as usize,
            fp32: hold(gpu.fp32),
            int: hold(gpu.int32),
            fp64: hold(gpu.fp64),
            special: hold(gpu.sfu),
            tensor,
            l1: l1_kb(gpu) * 1024.0,
            l2: f64::from(gpu.l2_kb) * 1024.0,
            dram_rate: f64::from(gpu.bandwidth_gbs) * 1e9 * rates.dram_reached / clock,
            l2_rate: rates.l2_per_sm * sms,
            gathers: gpu.cc.0 >= 7,
            faults: gpu.cc.0 >= 6,
            rates,
        }
    }
}

/// First-level cache and shared memory of a multiprocessor together.
fn l1_kb(gpu: &Gpu) -> f64 {
    match gpu.cc {
        (0..=3, _) => 64.0,
        (5..=6, _) => f64::from(gpu.smem_sm_kb) + 24.0,
        (7, 5) => 96.0,
        (7, _) => 128.0,
        (8, 0) => 192.0,
        (8, _) => 128.0,
        _ => 256.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gpu_of_the_table_has_parameters_that_are_read() {
        assert!(!table().is_empty());
        for (name, values) in table() {
            let read = Rates::deserialize(toml::Value::Table(values.clone()));
            assert!(read.is_ok(), "{name}: {read:?}");
        }
        for name in Gpu::names() {
            let machine = Machine::of(&Gpu::named(&name).expect("known"));
            assert!(machine.dram_rate > 0.0 && machine.fp64 >= 1.0, "{name}");
        }
    }
}
