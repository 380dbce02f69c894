//! `radiator`: the simulation on the CPU and on the GPU, side by side.

mod compare;
mod render;
mod report;

pub use compare::Comparison;
pub use render::Shown;
pub use report::{RadiatorReport, Side};

use super::{AppError, Setup, milliseconds, stages};
use crate::Place;
use crate::machine::memory;
use std::time::Instant;
use warpwise::radiator::{self, Radiate, Radiator, Temperature};
use warpwise::{Device, Error, Geometry};

pub use warpwise::radiator::Preset;

/// What to simulate.
#[derive(Clone, Debug)]
pub struct Request {
    /// Initial values, fixed columns and weights.
    pub preset: Preset,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Steps.
    pub iterations: usize,
    /// Also compute the average of every row.
    pub averages: bool,
    /// Threads per block, for the GPU.
    pub block: u32,
    /// `f64` instead of `f32`.
    pub double: bool,
    /// Skip the CPU.
    pub skip_cpu: bool,
    /// Skip the GPU.
    pub skip_gpu: bool,
    /// Where the GPU's kernels run, and a rung instead of the best of its device.
    pub setup: Setup,
}

/// The largest block of any GPU.
const MOST_THREADS: u32 = 1024;

/// Simulates on both sides and compares.
pub fn run(request: &Request) -> Result<RadiatorReport, AppError> {
    // The names of rungs say which side they belong to.
    let setups = Setup { place: Place::Auto, ..request.setup.clone() }.each("radiator", radiator::VARIANTS)?;
    let skip_gpu = request.skip_gpu || request.setup.place == Place::Cpu;
    if request.skip_cpu && skip_gpu {
        return Err(AppError::flag("-c and -g", "nothing is left to do: leave out one of them, and --device cpu"));
    }
    for (flag, value) in [("-n", request.rows), ("-m", request.columns), ("-b", request.block as usize)] {
        if value == 0 {
            return Err(AppError::flag(flag, "0 is too few: use at least 1"));
        }
    }
    if request.block > MOST_THREADS {
        let problem = format!("{} threads per block are too many: use at most {MOST_THREADS}", request.block);
        return Err(AppError::flag("-b", problem));
    }
    let bytes = if request.double { 8 } else { 4 };
    // A grid on either side, and the same again as working memory.
    memory::check(&[request.rows, request.columns, bytes, 4])?;
    let radiator = Radiator::new(request.preset, request.rows, request.columns)?;
    let gpu = if skip_gpu { None } else { Some(request.gpu()?) };
    let devices = ((!request.skip_cpu).then(Device::cpu), gpu);
    let names: Vec<String> = setups.into_iter().filter_map(|setup| setup.variant).collect();
    match request.double {
        true => both::<f64>(request, &radiator, devices, &names),
        false => both::<f32>(request, &radiator, devices, &names),
    }
}

impl Request {
    /// The GPU, real or emulated.
    fn gpu(&self) -> Result<Device, AppError> {
        match self.setup.place {
            Place::Auto => Ok(Device::best_gpu()),
            place => Ok(place.open(None)?),
        }
    }
}

type Devices = (Option<Device>, Option<Device>);

fn both<T: Temperature>(
    request: &Request,
    radiator: &Radiator,
    (cpu, gpu): Devices,
    names: &[String],
) -> Result<RadiatorReport, AppError> {
    // The rungs of each device that were asked for, or its best one.
    let all = |device: Option<Device>, side: &str| -> Result<Vec<Side>, AppError> {
        let Some(device) = device else { return Ok(Vec::new()) };
        let named: Vec<Option<&str>> =
            names.iter().map(String::as_str).filter(|name| name.starts_with(side)).map(Some).collect();
        let rungs = if named.is_empty() { vec![None] } else { named };
        rungs.into_iter().map(|name| self::side::<T>(request, radiator, &device, name)).collect()
    };
    let (cpu, gpu) = (all(cpu, "cpu-")?, all(gpu, "gpu-")?);
    let comparison = match (&cpu[..], &gpu[..]) {
        ([cpu, ..], [gpu, ..]) => Some(Comparison::of(cpu, gpu)),
        _ => None,
    };
    Ok(RadiatorReport::new(request, T::NAME, cpu, gpu, comparison))
}

fn side<T: Temperature>(
    request: &Request,
    radiator: &Radiator,
    device: &Device,
    variant: Option<&str>,
) -> Result<Side, AppError> {
    let geometry = Geometry { block: Some(request.block), ..Geometry::default() };
    let rung = variant.map(str::parse::<radiator::Rung>).transpose()?;
    let how = Radiate::new().variant(rung).geometry(geometry);
    let block = |error: Error| match error {
        Error::Block { .. } | Error::Launch(_) => AppError::flag("-b", error),
        other => other.into(),
    };
    device.start_trace();
    let mut watch = Phases::default();
    let simulation = watch.time("start", || how.start::<T>(device, *radiator));
    let mut simulation = simulation.map_err(block)?;
    watch.time("iterations", || simulation.run(request.iterations)).map_err(block)?;
    let mut traced = stages::take(device)?;
    let mut averages = None;
    if request.averages {
        device.start_trace();
        averages = Some(watch.time(stages::AVERAGES, || simulation.averages()).map_err(block)?);
        // A stage of their own, with the kernel and the copy of it.
        if let (Some(all), Some(more)) = (&mut traced, stages::take(device)?) {
            all.insert(stages::AVERAGES.to_owned(), stages::total(&more).into());
        }
    }
    device.start_trace();
    let grid = watch.time("download", || simulation.values())?;
    drop(simulation);
    if let (Some(all), Some(more)) = (&mut traced, stages::take(device)?) {
        stages::add(all, &more);
    }
    let phases = || watch.0.iter().map(|&(name, ms)| (name.to_owned(), ms.into())).collect();
    let stages_ms = traced.unwrap_or_else(phases);
    Ok(Side {
        device: device.name(),
        variant: variant.map(ToOwned::to_owned),
        time_ms: watch.total(),
        stages_ms,
        averages: averages.map(|means| means.iter().map(|mean| mean.to_f64()).collect()),
        grid: grid.iter().map(|value| value.to_f64()).collect(),
    })
}

/// How long each part of the work took, in milliseconds, by the host's clock.
#[derive(Default)]
struct Phases(Vec<(&'static str, f64)>);

impl Phases {
    /// All of them together, to the nanosecond.
    fn total(&self) -> f64 {
        (self.0.iter().map(|(_, ms)| ms).sum::<f64>() * 1e6).round() / 1e6
    }

    fn time<R>(&mut self, name: &'static str, work: impl FnOnce() -> R) -> R {
        let started = Instant::now();
        let result = work();
        self.0.push((name, milliseconds(started)));
        result
    }
}
