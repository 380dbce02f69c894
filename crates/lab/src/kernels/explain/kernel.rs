//! A kernel with all its launches, counted and estimated.

use super::code::{Class, Code, Step};
use super::diagnose::{Case, Cause, least_sectors};
use super::model::{Costs, Shape, Terms};
use super::report::{EstimateReport, KernelReport, Measure};
use super::savings::WhatIf;
use super::subject::Subject;
use crate::kernels::counters::{CounterTable, lanes};
use crate::kernels::source::SourceMap;
use std::collections::BTreeMap;
use warpwise_gpu::{Counters, Gpu, InstructionProfile, Profile};
use warpwise_model::{Estimate, LaunchShape};
use warpwise_ptx::LineIndex;

/// A launch that was counted.
#[derive(Debug)]
pub(crate) struct Launched {
    /// The kernel, as the source names it.
    pub(crate) kernel: String,
    /// Its name in PTX.
    pub(crate) symbol: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Static and dynamic.
    pub(crate) shared_bytes: u32,
    pub(crate) profile: Profile,
    /// Microseconds that the launch was estimated at where it was recorded.
    pub(crate) estimated_us: Option<f64>,
}

/// What makes two launches of a kernel take equally long, as far as can be told: they are estimated once.
#[derive(PartialEq)]
struct Alike {
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    /// Instructions, to about a hundredth.
    size: i64,
}

impl Alike {
    fn of(launch: &Launched) -> Self {
        let instructions = launch.profile.total.warp_instructions.max(1) as f64;
        let size = (instructions.ln() * 100.0).round() as i64;
        Self { grid: launch.grid, block: launch.block, shared_bytes: launch.shared_bytes, size }
    }
}

/// A kernel with the sum of its launches, and its largest one as an example of all.
pub(crate) struct KernelCase {
    pub(crate) name: String,
    pub(crate) launches: usize,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    /// Of all launches.
    pub(crate) total: Code,
    counters: Counters,
    /// Of the largest launch.
    pub(crate) code: Code,
    costs: Costs,
    /// Estimated seconds of all launches, without launch overhead.
    pub(crate) seconds: f64,
    /// The estimate of the largest launch, if its blocks were recorded.
    pub(crate) estimate: Option<Estimate>,
    /// The share of its time that would be saved without some causes, by the same estimate.
    savings: Vec<(Subject, f64)>,
}

impl KernelCase {
    /// The kernels of the launches, in order of first launch.
    pub(crate) fn all(launched: &[Launched], sources: &SourceMap, footprint: Option<u64>, gpu: &Gpu) -> Vec<Self> {
        let lines = LineIndex::new(&sources.ptx);
        let module = sources.program.module();
        let mut symbols: Vec<&str> = Vec::new();
        for launch in launched {
            if !symbols.contains(&&*launch.symbol) {
                symbols.push(&launch.symbol);
            }
        }
        let clock = f64::from(gpu.clock_mhz) * 1e6;
        let cost = |launch: &Launched| {
            let code = Code::new(&launch.profile, module, &lines);
            let shape = Shape::new(launch.grid, launch.block, launch.shared_bytes, gpu);
            let costs = Costs::new(&code, shape, footprint);
            (code, costs)
        };
        let of_symbol = |symbol: &&str| {
            let own: Vec<&Launched> = launched.iter().filter(|l| l.symbol == **symbol).collect();
            let largest = own.iter().max_by_key(|l| l.profile.total.warp_instructions)?;
            let (code, costs) = cost(largest);
            let merged = merge(own.iter().map(|l| &l.profile));
            let facts = sources.program.kernel(symbol).map(|kernel| sources.program.facts(kernel));
            let (registers, spilled) = (facts.as_ref().map(|f| f.registers), facts.map_or(0, |f| f.spilled));
            let mut known: Vec<(Alike, Estimate)> = Vec::new();
            let mut estimated = |launch: &Launched| -> Option<Estimate> {
                let alike = Alike::of(launch);
                if let Some((_, estimate)) = known.iter().find(|(one, _)| *one == alike) {
                    return Some(estimate.clone());
                }
                let shape = LaunchShape {
                    threads: launch.block.iter().product(),
                    registers,
                    spilled,
                    shared_bytes: launch.shared_bytes,
                    footprint,
                };
                let recording = launch.profile.recording.as_deref()?;
                let estimate = warpwise_model::estimate(recording, module, &sources.ptx, shape, gpu)?;
                known.push((alike, estimate.clone()));
                Some(estimate)
            };
            let estimate = estimated(largest);
            let savings = match (&estimate, largest.profile.recording.as_deref()) {
                (Some(estimate), Some(recording)) => {
                    let shape = LaunchShape {
                        threads: largest.block.iter().product(),
                        registers,
                        spilled,
                        shared_bytes: largest.shared_bytes,
                        footprint,
                    };
                    let whatif = WhatIf { recording, module, ptx: &sources.ptx, shape, gpu };
                    whatif.savings(&code, &costs, estimate)
                }
                _ => Vec::new(),
            };
            let mut estimated_us =
                |launch: &Launched| launch.estimated_us.or_else(|| Some(estimated(launch)?.kernel_us));
            let seconds = |launch: &&Launched| match estimated_us(launch) {
                Some(us) => us * 1e-6,
                None => cost(launch).1.cycles(gpu, false) / clock,
            };
            let seconds = own.iter().map(seconds).sum();
            Some(Self {
                name: largest.kernel.clone(),
                launches: own.len(),
                grid: largest.grid,
                block: largest.block,
                shared_bytes: largest.shared_bytes,
                total: Code::new(&merged, module, &lines),
                counters: merged.total,
                code,
                costs,
                seconds,
                estimate,
                savings,
            })
        };
        symbols.iter().filter_map(of_symbol).collect()
    }

    /// What costs it time, in the order of the report; shares are of this kernel's time.
    pub(crate) fn causes(&self, gpu: &Gpu) -> Vec<Cause> {
        let estimate = self.estimate.as_ref();
        Case { code: &self.code, costs: self.costs.clone(), savings: &self.savings, estimate, gpu }.causes()
    }

    /// The kernel as it appears in reports, without its lines.
    pub(crate) fn report(&self, gpu: &Gpu) -> KernelReport {
        let terms: Terms = self.costs.terms(gpu, false);
        let part = |cycles: f64| round(cycles / f64::from(gpu.clock_mhz));
        KernelReport {
            kernel: self.name.clone(),
            launches: self.launches,
            grid: self.grid,
            block: self.block,
            shared_bytes: self.shared_bytes,
            counters: CounterTable(self.counters),
            measures: self.measures(gpu),
            estimated: EstimateReport {
                us: round((self.seconds) * 1e6),
                largest_launch_us: self.estimate.as_ref().map_or_else(|| part(terms.cycles()), |e| round(e.kernel_us)),
                issue_us: part(terms.issue),
                shared_us: part(terms.shared),
                conflicts_us: part(terms.conflicts),
                atomics_us: part(terms.atomics),
                memory_us: part(terms.memory),
                latency_us: part(terms.latency),
            },
            lines: Vec::new(),
            figures: self.estimate.as_ref().map(rounded),
        }
    }

    /// The table: what was counted, and what would be ideal for the same work.
    fn measures(&self, gpu: &Gpu) -> Vec<Measure> {
        let c = &self.counters;
        let shape = &self.costs.shape;
        let mut rows = Vec::new();
        let mut row = |name: &'static str, value: f64, ideal: Option<f64>, unit: &'static str| {
            rows.push(Measure { name, value: round(value), ideal: ideal.map(round), unit });
        };
        let data = self.total.sum(|s| if on_data(s) { s.warps() } else { 0.0 });
        row("instructions of warps", c.warp_instructions as f64, None, "");
        row("of them on data", 100.0 * data / (c.warp_instructions as f64).max(1.0), None, "%");
        row("lanes active", lanes(c), Some(32.0), "of 32");
        row("divergent branches", c.divergent_branches as f64, Some(0.0), "");
        let sectors = |load: bool| {
            self.total.sum(|s| {
                let mut only = s.clone();
                if load {
                    (only.counters.global_store_requests, only.counters.global_store_bytes) = (0, 0);
                } else {
                    (only.counters.global_load_requests, only.counters.global_load_bytes) = (0, 0);
                }
                least_sectors(&only)
            })
        };
        if c.global_load_requests > 0 {
            row("global load sectors", c.global_load_sectors as f64, Some(sectors(true).ceil()), "");
        }
        if c.global_store_requests > 0 {
            row("global store sectors", c.global_store_sectors as f64, Some(sectors(false).ceil()), "");
        }
        if c.local_load_requests + c.local_store_requests > 0 {
            row("local memory sectors", (c.local_load_sectors + c.local_store_sectors) as f64, Some(0.0), "");
        }
        let requests = c.shared_load_requests + c.shared_store_requests;
        if requests > 0 {
            let conflicts = c.shared_load_conflicts + c.shared_store_conflicts;
            let wavefronts = c.shared_load_wavefronts + c.shared_store_wavefronts;
            row("shared wavefronts", wavefronts as f64, Some((wavefronts - conflicts.min(wavefronts)) as f64), "");
            row("bank conflicts", conflicts as f64, Some(0.0), "");
        }
        if c.global_atomics + c.shared_atomics > 0 {
            row("atomics", (c.global_atomics + c.shared_atomics) as f64, None, "");
            row("lanes that collide in them", c.atomic_collisions as f64, Some(0.0), "");
        }
        if c.barriers > 0 {
            let warps = self.total.steps.first().map_or(1.0, Step::warps).max(1.0);
            row("barriers a warp", c.barriers as f64 / warps, None, "");
        }
        row("bytes loaded a thread", c.global_load_bytes as f64 / self.threads(), None, "");
        row("occupancy", 100.0 * shape.occupancy(gpu), Some(100.0), "%");
        let busy = (shape.blocks / f64::from(gpu.sms)).min(1.0);
        row("multiprocessors with a block", 100.0 * busy, Some(100.0), "%");
        rows
    }

    /// Threads of all launches.
    fn threads(&self) -> f64 {
        self.total.steps.first().map_or(1.0, Step::threads).max(1.0)
    }
}

fn on_data(step: &Step) -> bool {
    use Class::{GlobalLoad, SharedLoad, SharedStore};
    step.works || matches!(step.class, GlobalLoad | SharedLoad | SharedStore)
}

/// Four digits: more than an estimate deserves, and enough for every share.
pub(crate) fn round(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() || value.abs() >= 1e4 {
        return value.round();
    }
    let scale = 10f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

/// An estimate with no more digits than it deserves.
fn rounded(estimate: &Estimate) -> Estimate {
    let mut figures = estimate.clone();
    for value in [
        &mut figures.kernel_us,
        &mut figures.launch_us,
        &mut figures.next_launch_us,
        &mut figures.host_launch_us,
        &mut figures.compute_percent,
        &mut figures.memory_percent,
        &mut figures.dram_percent,
        &mut figures.issue_percent,
        &mut figures.l1_hit_percent,
        &mut figures.l2_hit_percent,
        &mut figures.occupancy_percent,
        &mut figures.achieved_occupancy_percent,
        &mut figures.waves,
    ] {
        *value = round(*value);
    }
    figures
}

/// The sum of profiles of one kernel.
fn merge<'p>(profiles: impl Iterator<Item = &'p Profile>) -> Profile {
    let mut total = Counters::default();
    let mut sums: BTreeMap<(String, u32, usize), InstructionProfile> = BTreeMap::new();
    for profile in profiles {
        total += &profile.total;
        let mut last = (String::new(), 0, 0);
        for entry in &profile.instructions {
            // A line may hold several instructions.
            let again = last.0 == *entry.function && last.1 == entry.ptx_line;
            last = (entry.function.to_string(), entry.ptx_line, if again { last.2 + 1 } else { 0 });
            match sums.entry(last.clone()) {
                std::collections::btree_map::Entry::Occupied(mut sum) => sum.get_mut().counters += &entry.counters,
                std::collections::btree_map::Entry::Vacant(slot) => {
                    slot.insert(entry.clone());
                }
            }
        }
    }
    Profile { total, instructions: sums.into_values().collect(), recording: None }
}
