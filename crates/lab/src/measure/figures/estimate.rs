//! What a published experiment does on the GPU that its table names: counted on the emulator, its time estimated.
//!
//! An experiment that is too large to emulate is examined at smaller sizes and with fewer steps, and what was counted
//! there is continued to the published size: in proportion to the elements and the steps that are added, and with the
//! third power of the side for products of matrices. The smaller sizes are large enough that caches help no more than
//! they do with the whole, and that every thread of a grid of fixed size has work.

use super::Entry;
use crate::kernels::explain::{Explanation, Look, examine};
use crate::kernels::rung::RungRequest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use warpwise::primitive::{Extents, Setting, count};
use warpwise_model::{Machine, Moved};
use warpwise_simt::Sampling;

/// An estimate for a published row: its fields are part of the JSON, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimated {
    /// The GPU; `cpu` is the one here.
    pub device: String,
    /// Whether the table names no GPU, so that this one is assumed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
    /// The estimated time on it, of what the published time is of: the first launch, or all of them.
    pub ms: f64,
    /// Of that, what it takes to move data between the host and the GPU, where the published time has that in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moving_ms: Option<f64>,
    /// Of that, what it takes to start using the GPU, where the published time is that of a whole program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<f64>,
    /// What was counted, for the published size.
    pub counters: Map<String, Value>,
    /// How: `all blocks`, `some blocks`, or the sizes that it was continued from.
    pub counted: String,
    /// Percent of the time for which the busiest part on the way to memory is busy, in the costliest kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_percent: Option<f64>,
    /// Percent of the memory bandwidth that is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dram_percent: Option<f64>,
    /// Percent of the time for which the busiest pipe of arithmetic is busy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_percent: Option<f64>,
    /// Percent of the warps that a multiprocessor can hold, as reached on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occupancy_percent: Option<f64>,
    /// The same as a number of warps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_warps: Option<f64>,
    /// What holds the costliest kernel.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub held_by: String,
    /// What costs most, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// How much work an estimate may be.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Elements that are examined, at most.
    pub elements: usize,
    /// Side of matrices, at most.
    pub side: usize,
    /// Of lengths that are powers of two, only every so many of them are examined; those between lie on a line.
    pub every: u32,
    /// Steps of simulations, at most.
    pub steps: u64,
    /// Blocks that are run.
    pub sampling: Sampling,
    /// Warp instructions, over all rows, of experiments that are run whole instead.
    pub whole: u64,
}

impl Effort {
    /// For a table on its own: seconds for each row at most.
    pub const TABLE: Self = Self {
        elements: 1 << 21,
        side: 512,
        every: 1,
        steps: 3,
        sampling: Sampling { all: 1 << 16, some: 1 << 14, instructions: 1 << 20 },
        whole: 60_000_000,
    };
    /// For all tables one after the other.
    pub const GLANCE: Self = Self {
        elements: 1 << 18,
        side: 256,
        every: 4,
        steps: 3,
        sampling: Sampling { all: 1 << 15, some: 1 << 14, instructions: 1 << 19 },
        whole: 0,
    };
    /// Everything, however long it takes.
    pub const WHOLE: Self =
        Self { elements: usize::MAX, side: usize::MAX, every: 1, steps: u64::MAX, sampling: Sampling::ALL, whole: 0 };
}

/// Elements of an experiment that is run whole, at most.
const MOST_WHOLE: usize = 1 << 24;
/// How something was counted if nothing was left out.
const ALL_BLOCKS: &str = "all blocks";

/// What was seen at one size.
struct Seen {
    ms: f64,
    counters: Vec<(&'static str, u64)>,
    all_blocks: bool,
    explanation: Explanation,
}

/// What was seen at a size, or why nothing was; empty until the first thread that asks has looked.
type Once = Arc<OnceLock<Result<Seen, String>>>;

/// Estimates, each made once, on whatever threads ask for them.
pub struct Estimator {
    effort: Effort,
    /// Warp instructions that may still be run of whole experiments.
    left: AtomicU64,
    seen: Mutex<HashMap<String, Once>>,
}

/// A length or a side, or rows and columns, and how much it counts in the whole.
type Size = (Option<u64>, Option<(u64, u64)>, f64);

/// A size and a number of steps to examine, and how much it counts in the whole.
struct Corner {
    n: Option<u64>,
    size: Option<(u64, u64)>,
    steps: Option<u64>,
    weight: f64,
}

impl Estimator {
    /// Nothing is estimated yet.
    ///
    /// ```
    /// use warpwise_lab::measure::figures::{self, Effort, Estimator};
    ///
    /// let table = figures::all().into_iter().find(|figure| figure.name == "vecadd").unwrap();
    /// let estimate = Estimator::new(Effort::GLANCE).estimate(&table, &table.entries[3]).unwrap();
    /// assert!(estimate.device == "gtx-650" && estimate.ms > 0.0);
    /// ```
    pub fn new(effort: Effort) -> Self {
        Self { effort, left: AtomicU64::new(effort.whole), seen: Mutex::default() }
    }

    /// Estimates a row of a table for the GPU that it names, or for this CPU if it is one of a CPU.
    pub fn of(
        &self,
        figure: &super::Figure,
        entry: &Entry,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Estimated, String> {
        match entry.variant.starts_with("gpu-") {
            true => self.estimate(figure, entry),
            false => super::cpu::estimate(entry, interrupted),
        }
    }

    /// Estimates a row of a table; the error says why it cannot run.
    pub fn estimate(&self, figure: &super::Figure, entry: &Entry) -> Result<Estimated, String> {
        let estimated = self.examined(figure, entry)?;
        // What it takes to run the whole is known now.
        let predicted = estimated.counters.get("warp_instructions").and_then(Value::as_u64).unwrap_or(u64::MAX);
        if estimated.counted == ALL_BLOCKS || entry.elements() > MOST_WHOLE {
            return Ok(estimated);
        }
        let take = |left: u64| left.checked_sub(predicted);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            return Ok(estimated);
        }
        Self::new(Effort::WHOLE).examined(figure, entry)
    }

    /// Estimates a row from what is examined of it.
    fn examined(&self, figure: &super::Figure, entry: &Entry) -> Result<Estimated, String> {
        let corners = self.corners(figure.gpu, entry);
        let looks: Vec<Once> = corners.iter().map(|corner| self.look(figure.gpu, entry, corner)).collect();
        let mut seen: Vec<(&Seen, f64)> = Vec::new();
        for (look, corner) in looks.iter().zip(&corners) {
            match look.get() {
                Some(Ok(look)) => seen.push((look, corner.weight)),
                Some(Err(problem)) => return Err(problem.clone()),
                None => return Err("it was not examined".into()),
            }
        }
        let sum = |value: &dyn Fn(&Seen) -> f64| seen.iter().map(|(s, weight)| weight * value(s)).sum::<f64>().max(0.0);
        // The last corner is the one that is most like the whole.
        let (last, _) = seen.last().ok_or("there is nothing to examine")?;
        let cube = self.side(entry);
        let mut counters = Map::new();
        for (name, _) in &last.counters {
            let of = |s: &Seen| s.counters.iter().find(|(n, _)| n == name).map_or(0, |(_, value)| *value) as f64;
            let factor = if name.starts_with("global_store") { cube.powi(2) } else { cube.powi(3) };
            let value = if *name == "atomic_contention" { of(last) } else { sum(&of) * factor };
            counters.insert((*name).to_owned(), Value::from(value.round() as u64));
        }
        let costliest = |e: &Explanation| {
            let kernels = e.kernels.iter().filter_map(|k| Some((k.estimated.us, k.figures.clone()?)));
            kernels.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, figures)| figures)
        };
        let figures = costliest(&last.explanation).ok_or("nothing was recorded")?;
        let gpu = warpwise_gpu::Gpu::named(figure.gpu).ok_or("the GPU is unknown")?;
        let warps = f64::from(gpu.threads_sm) / 32.0;
        let (moving, start) = beside(&gpu, entry);
        let some = |ms: f64| Some(tidy(ms)).filter(|&ms| ms > 0.0);
        Ok(Estimated {
            device: figure.gpu.to_owned(),
            assumed: figure.assumed,
            ms: tidy(sum(&|s| s.ms) * cube.powi(3) + moving + start),
            moving_ms: some(moving),
            start_ms: some(start),
            counters,
            counted: self.counted(&corners, &seen, cube),
            memory_percent: Some(tidy(figures.memory_percent)),
            dram_percent: Some(tidy(figures.dram_percent)),
            compute_percent: Some(tidy(figures.compute_percent)),
            occupancy_percent: Some(tidy(figures.achieved_occupancy_percent)),
            active_warps: Some(tidy(warps * figures.achieved_occupancy_percent / 100.0)),
            held_by: figures.bound.name().to_owned(),
            why: last.explanation.diagnoses.first().map_or_else(String::new, |d| d.sentence.clone()),
        })
    }

    /// How many times the side that is examined the side of matrices is; 1 for everything else.
    fn side(&self, entry: &Entry) -> f64 {
        match (entry.primitive.extents, entry.n) {
            (Extents::Square, Some(n)) if n > self.effort.side => n as f64 / self.effort.side as f64,
            _ => 1.0,
        }
    }

    /// The sizes to examine: the published one, or two smaller ones for each direction in which it is too large.
    fn corners(&self, gpu: &str, entry: &Entry) -> Vec<Corner> {
        let most = self.effort.elements.max(Self::least(gpu, entry));
        let elements = entry.elements();
        // Two values and their weights, so that a straight line through them is continued to the whole.
        let line = |whole: usize, low: usize, high: usize| {
            let part = (whole as f64 - low as f64) / (high as f64 - low as f64);
            vec![(low as u64, 1.0 - part), (high as u64, part)]
        };
        let matrices = entry.primitive.extents == Extents::Square;
        let sizes: Vec<Size> = match (entry.size, entry.n) {
            (_, Some(n)) if matrices => vec![(Some(n.min(self.effort.side) as u64), None, 1.0)],
            (Some((rows, cols)), _) if entry.primitive.extents == Extents::Plane => {
                let high = (most / cols).clamp(16, rows.max(16));
                let rows = if elements <= most || high >= rows {
                    vec![(rows as u64, 1.0)]
                } else {
                    line(rows, high / 2, high)
                };
                rows.into_iter().map(|(rows, weight)| (None, Some((rows, cols as u64)), weight)).collect()
            }
            _ => {
                let power = elements.ilog2();
                let below = 1 << (power - power % self.effort.every);
                let above = below << self.effort.every;
                let between = elements.is_power_of_two() && elements > 256 && elements != below && above <= most;
                let lengths = if between {
                    line(elements, below, above)
                } else if elements <= most {
                    vec![(elements as u64, 1.0)]
                } else {
                    line(elements, most / 2, most)
                };
                lengths.into_iter().map(|(n, weight)| (Some(n), None, weight)).collect()
            }
        };
        let steps = match entry.settings.get("iterations") {
            Some(Setting::Number(all)) if all > self.effort.steps => {
                line(all as usize, 1, self.effort.steps as usize).into_iter().map(|(n, w)| (Some(n), w)).collect()
            }
            Some(Setting::Number(all)) => vec![(Some(all), 1.0)],
            _ => vec![(None, 1.0)],
        };
        let mut corners = Vec::new();
        for &(n, size, weight) in &sizes {
            for &(steps, times) in &steps {
                corners.push(Corner { n, size, steps, weight: weight * times });
            }
        }
        corners
    }

    /// The fewest elements that stand for more of them: several times what the second-level cache holds, and what the
    /// threads of a grid of fixed size take in two rounds, two elements at a time.
    fn least(gpu: &str, entry: &Entry) -> usize {
        let cache = warpwise_gpu::Gpu::named(gpu).map_or(0, |gpu| gpu.l2_kb as usize * 1024);
        let ty = entry.primitive.types.iter().find(|ty| ty.name() == entry.ty);
        let beyond = 2 * cache / ty.map_or(4, |ty| ty.bytes());
        let threads =
            entry.geometry.grid.zip(entry.geometry.block).map_or(0, |(grid, block)| grid as usize * block as usize);
        beyond.max(4 * threads).next_power_of_two()
    }

    /// Examines one size, unless that was done before.
    fn look(&self, gpu: &str, entry: &Entry, corner: &Corner) -> Once {
        let mut settings = entry.settings.clone();
        if let Some(steps) = corner.steps {
            settings = settings.with("iterations", Setting::Number(steps));
        }
        let request = RungRequest {
            primitive: entry.primitive.name.to_owned(),
            variant: entry.variant.to_owned(),
            n: corner.n,
            size: corner.size,
            element: Some(entry.ty.to_owned()),
            gpu: gpu.to_owned(),
            geometry: entry.geometry,
            input: Some(entry.input.to_owned()),
            settings,
        };
        let key = format!("{request:?} {} {} {:?}", entry.first, entry.alone, entry.without);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let once = seen.entry(key).or_default().clone();
        drop(seen);
        once.get_or_init(|| self.examine(&request, entry));
        once
    }

    /// Examines what is asked for.
    fn examine(&self, request: &RungRequest, entry: &Entry) -> Result<Seen, String> {
        let look = Look { sampling: self.effort.sampling, first: entry.first };
        let explanation = examine(request, look).map_err(|error| error.to_string())?;
        let us = match explanation.kernels.first().and_then(|kernel| kernel.figures.as_ref()) {
            // A profiler shows the kernel without its launch.
            Some(figures) if entry.first => figures.kernel_us,
            Some(figures) if entry.alone => figures.launch_us + us_of(&explanation, &|_| true),
            _ => explanation.estimated_us - entry.without.map_or(0.0, |part| with_launches(&explanation, part)),
        };
        let mut counters: Vec<(&'static str, u64)> = Vec::new();
        for kernel in &explanation.kernels {
            for (name, value) in kernel.counters.ordered() {
                match counters.iter_mut().find(|(known, _)| *known == name) {
                    Some(sum) if name == "atomic_contention" => sum.1 = sum.1.max(value),
                    Some(sum) => sum.1 += value,
                    None => counters.push((name, value)),
                }
            }
        }
        let threads = |k: &crate::kernels::explain::KernelReport| {
            let product = |shape: [u32; 3]| shape.iter().map(|&d| u64::from(d)).product::<u64>();
            product(k.grid).saturating_mul(product(k.block))
        };
        let sampling = self.effort.sampling;
        let whole = |k: &crate::kernels::explain::KernelReport| {
            let executed = k.counters.0.warp_instructions / k.launches.max(1) as u64;
            threads(k) <= sampling.all && executed <= sampling.instructions
        };
        let all_blocks = explanation.kernels.iter().all(whole);
        Ok(Seen { ms: us / 1e3, counters, all_blocks, explanation })
    }

    /// How it was counted, in words.
    fn counted(&self, corners: &[Corner], seen: &[(&Seen, f64)], cube: f64) -> String {
        let blocks = if seen.iter().all(|(seen, _)| seen.all_blocks) { ALL_BLOCKS } else { "some blocks" };
        if corners.len() == 1 && cube == 1.0 {
            return blocks.to_owned();
        }
        let size = |corner: &Corner| match (corner.size, corner.n) {
            (Some((rows, cols)), _) => format!("{rows}x{cols}"),
            (None, n) => count(n.unwrap_or(0) as usize),
        };
        let mut sizes: Vec<String> = corners.iter().map(size).collect();
        sizes.dedup();
        let steps: Vec<u64> = corners.iter().filter_map(|corner| corner.steps).collect();
        let steps = match (steps.iter().min(), steps.iter().max()) {
            (Some(low), Some(high)) if low != high => format!(", {low} and {high} steps"),
            _ => String::new(),
        };
        format!("{blocks}, continued from {}{steps}", sizes.join(" and "))
    }
}

/// Microseconds of some of the kernels.
fn us_of(explanation: &Explanation, which: &dyn Fn(&str) -> bool) -> f64 {
    explanation.kernels.iter().filter(|kernel| which(&kernel.kernel)).map(|kernel| kernel.estimated.us).sum()
}

/// Microseconds of the kernels whose names have `part` in them, and of their launches after others.
fn with_launches(explanation: &Explanation, part: &str) -> f64 {
    let named = |name: &str| name.contains(part);
    let after = |kernel: &crate::kernels::explain::KernelReport| {
        let next = kernel.figures.as_ref().map_or(0.0, |figures| figures.next_launch_us);
        kernel.launches as f64 * next
    };
    us_of(explanation, &named) + explanation.kernels.iter().filter(|k| named(&k.kernel)).map(after).sum::<f64>()
}

/// Milliseconds of what a published time has in it beside kernels: data that moves between the host and the GPU, and the
/// start of the program.
fn beside(gpu: &warpwise_gpu::Gpu, entry: &Entry) -> (f64, f64) {
    let machine = Machine::of(gpu);
    let moved = Moved { bytes: entry.moved.bytes * entry.elements() as f64, ..entry.moved };
    (1e3 * machine.managed(moved), if entry.starts { 1e3 * machine.rates.start_up } else { 0.0 })
}

/// Four digits: more than an estimate has.
pub(super) fn tidy(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::figures::all;

    fn figure(name: &str) -> super::super::Figure {
        all().into_iter().find(|figure| figure.name == name).unwrap()
    }

    /// Several times the second-level cache of the GPU.
    const CONTINUED: &str = "some blocks, continued from 2^21 and 2^22";

    #[test]
    fn a_ladder_is_estimated_in_the_order_that_was_published() {
        let (ladder, estimator) = (figure("reduce-ladder"), Estimator::new(Effort::GLANCE));
        let estimates: Vec<Estimated> =
            ladder.entries.iter().map(|e| estimator.estimate(&ladder, e).unwrap()).collect();
        assert!(estimates.windows(2).all(|pair| pair[0].ms > pair[1].ms), "{estimates:?}");
        for (entry, estimate) in ladder.entries.iter().zip(&estimates) {
            let ratio = estimate.ms / entry.ms;
            assert!((0.3..3.0).contains(&ratio), "{}: {} beside {}", entry.variant, estimate.ms, entry.ms);
            assert_eq!((estimate.device.as_str(), estimate.counted.as_str()), ("rtx-2080-ti", CONTINUED));
            assert!(estimate.counters["warp_instructions"].as_u64().unwrap() > 1_000_000);
        }
    }

    #[test]
    fn what_is_continued_is_what_would_be_counted() {
        let ladder = figure("reduce-ladder");
        let entry = Entry { n: Some(1 << 24), ..ladder.entries[5].clone() };
        let count = |effort: Effort| {
            let estimate = Estimator::new(effort).estimate(&ladder, &entry).unwrap();
            let counter = |name: &str| estimate.counters[name].as_u64().unwrap() as f64;
            ["warp_instructions", "global_load_sectors", "barriers"].map(counter)
        };
        let whole = count(Effort::WHOLE);
        let continued = count(Effort::GLANCE);
        for (a, b) in whole.iter().zip(continued) {
            assert!((a / b - 1.0).abs() < 0.01, "{whole:?} {continued:?}");
        }
    }

    #[test]
    fn what_is_quick_enough_is_run_whole() {
        let ladder = figure("reduce-ladder");
        let entry = Entry { n: Some(1 << 19), ..ladder.entries[5].clone() };
        let estimator = Estimator::new(Effort { whole: 1_000_000, ..Effort::GLANCE });
        assert_eq!(estimator.estimate(&ladder, &entry).unwrap().counted, "all blocks");
        let tight = Estimator::new(Effort { whole: 1000, ..Effort::GLANCE });
        assert!(tight.estimate(&ladder, &entry).unwrap().counted.starts_with("some blocks"));
    }

    #[test]
    fn steps_and_matrices_are_continued_too() {
        let estimator = Estimator::new(Effort { elements: 1 << 14, side: 64, ..Effort::GLANCE });
        let heat = figure("heat");
        let settings = heat.entries[0].settings.clone().with("iterations", Setting::Number(20));
        let entry = Entry { size: Some((96, 256)), settings, ..heat.entries[0].clone() };
        let instructions = |estimator: &Estimator| {
            estimator.estimate(&heat, &entry).unwrap().counters["warp_instructions"].as_u64().unwrap() as f64
        };
        let (continued, whole) = (instructions(&estimator), instructions(&Estimator::new(Effort::WHOLE)));
        assert!((continued / whole - 1.0).abs() < 0.05, "{continued} {whole}");
        let matmul = figure("matmul-surrey");
        let of = |n: usize| {
            let entry = matmul.entries.iter().find(|e| e.n == Some(n) && e.variant == "gpu-2-naive").unwrap();
            estimator.estimate(&matmul, entry).unwrap()
        };
        let (small, large) = (of(64), of(128));
        assert!(small.counted == "all blocks" && large.counted.contains("continued from 64"), "{}", large.counted);
        let stores = |e: &Estimated| e.counters["global_store_sectors"].as_u64().unwrap();
        assert_eq!(stores(&large), 4 * stores(&small));
        assert!((large.ms / small.ms - 8.0).abs() < 0.1);
    }

    #[test]
    fn managed_memory_is_moved_within_the_time() {
        let estimator = Estimator::new(Effort::GLANCE);
        for name in ["reduce-surrey", "scan-surrey", "histogram-surrey"] {
            let table = figure(name);
            let mut ratios = Vec::new();
            for entry in table.entries.iter().filter(|entry| entry.n == Some(1 << 20)) {
                let estimate = estimator.estimate(&table, entry).unwrap();
                let bytes = entry.moved.bytes * f64::from(1 << 20);
                let moving = estimate.moving_ms.unwrap();
                assert!(bytes / 15.75e6 < moving && moving < estimate.ms, "{name}: {estimate:?}");
                ratios.push(estimate.ms / entry.ms);
            }
            // Published times of one size differ by half among themselves.
            ratios.sort_by(f64::total_cmp);
            let median = ratios[ratios.len() / 2];
            assert!((1.0 / 1.5..1.5).contains(&median), "{name}: {ratios:?}");
        }
        let reduce = figure("reduce-surrey");
        let small = reduce.entries.iter().find(|e| e.n == Some(4096) && e.called == "GPU finishes").unwrap();
        let estimate = estimator.estimate(&reduce, small).unwrap();
        assert!(estimate.moving_ms.is_none() && estimate.start_ms.is_none() && estimate.ms < 0.02, "{estimate:?}");
    }

    #[test]
    fn whole_programs_start_and_have_no_kernels_that_others_had_not() {
        let heat = figure("heat");
        let estimator = Estimator::new(Effort { elements: 1 << 14, ..Effort::GLANCE });
        let entry = Entry { size: Some((64, 256)), ..heat.entries[0].clone() };
        let estimate = |entry: &Entry| estimator.estimate(&heat, entry).unwrap();
        let started = estimate(&entry);
        assert_eq!(started.start_ms, Some(70.0));
        let bare = estimate(&Entry { starts: false, ..entry.clone() });
        assert!((started.ms - bare.ms - 70.0).abs() < 0.1, "{} {}", started.ms, bare.ms);
        let all = estimate(&Entry { without: None, ..entry });
        assert!(all.ms > 1.5 * started.ms, "an atomic for every cell: {} beside {}", all.ms, started.ms);
    }

    #[test]
    fn lanes_that_meet_in_atomics_wait_for_each_other_on_an_old_gpu() {
        let (images, estimator) = (figure("histogram-image"), Estimator::new(Effort::GLANCE));
        let ms = |variant: &str, input: &str| {
            let side = Some((1000, 1000));
            let is = |e: &&Entry| (e.variant, e.input, e.size) == (variant, input, side);
            estimator.estimate(&images, images.entries.iter().find(is).unwrap()).unwrap().ms
        };
        for variant in ["gpu-2-interleaved", "gpu-4-tree"] {
            let (random, black) = (ms(variant, "random"), ms(variant, "black"));
            assert!(black > 5.0 * random, "{variant}: {black} beside {random}");
        }
    }

    #[test]
    fn a_launch_that_fails_says_so() {
        let vecadd = figure("vecadd");
        let failing = vecadd.entries.iter().find(|entry| entry.fails).unwrap();
        let error = Estimator::new(Effort::GLANCE).estimate(&vecadd, failing).unwrap_err();
        assert!(error.contains("1024"), "{error}");
    }
}
