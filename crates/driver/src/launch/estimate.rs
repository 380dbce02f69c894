//! How long launches would take on the GPU, by the model; launches that are alike are estimated once.

use std::collections::HashMap;

use warpwise_model::LaunchShape;
use warpwise_simt::Report;

use super::kernel::Kernel;
use crate::state::State;

/// What makes two launches take equally long, as far as can be told.
#[derive(PartialEq, Eq, Hash)]
struct Alike {
    function: u64,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    /// Instructions, to about a hundredth.
    size: i64,
    footprint: u64,
}

/// The time of a launch, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LaunchTime {
    /// The kernel alone.
    pub(crate) kernel_us: f64,
    /// The launch around it, if nothing was launched just before.
    pub(crate) launch_us: f64,
    /// From one launch to the next, at least, and from the end of a kernel to the start of the next.
    pub(crate) host_us: f64,
    pub(crate) next_us: f64,
}

/// Estimates that were made.
#[derive(Default)]
pub(crate) struct Estimates(HashMap<Alike, Option<LaunchTime>>);

impl State {
    /// Estimates a launch that was recorded.
    pub(crate) fn estimate(&mut self, launch: &Kernel, report: &Report) -> Option<LaunchTime> {
        let recording = report.profile.as_ref()?.recording.as_deref()?;
        let function = self.functions.get(launch.function).ok()?;
        let footprint = self.footprint(launch);
        let alike = Alike {
            function: launch.function,
            grid: launch.grid,
            block: launch.block,
            shared_bytes: launch.shared_bytes,
            size: ((report.warp_instructions.max(1) as f64).ln() * 100.0).round() as i64,
            footprint,
        };
        if let Some(known) = self.estimates.0.get(&alike) {
            return *known;
        }
        let shape = LaunchShape {
            threads: launch.block.iter().product(),
            registers: Some(function.registers(&self.gpu)),
            spilled: function.facts.spilled,
            shared_bytes: launch.shared_bytes + function.facts.static_shared,
            footprint: Some(footprint),
        };
        let program = &function.program;
        let estimate = warpwise_model::estimate(recording, program.module(), program.source(), shape, &self.gpu);
        let time = estimate.map(|estimate| LaunchTime {
            kernel_us: estimate.kernel_us,
            launch_us: estimate.launch_us,
            host_us: estimate.host_launch_us,
            next_us: estimate.next_launch_us,
        });
        self.estimates.0.insert(alike, time);
        time
    }

    /// Bytes of the allocations that the arguments of a launch point into.
    pub(crate) fn footprint(&self, launch: &Kernel) -> u64 {
        let words = launch.parameters.chunks_exact(8).map(|word| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            u64::from_le_bytes(bytes)
        });
        let mut found: Vec<(u64, u64)> =
            words.filter_map(|word| self.memory.find(word).map(|(base, it)| (base, it.bytes))).collect();
        found.sort_unstable();
        found.dedup();
        found.iter().map(|(_, bytes)| bytes).sum()
    }
}
