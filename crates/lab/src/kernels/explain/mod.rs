//! Why a kernel is slow: its counters beside the ideal, its source with what each line did, and what costs most.
//!
//! A launch is counted on the emulator. `code` reads from the PTX what counters cannot tell (loops, which instructions
//! work on data), `model` estimates a time on a named GPU, `diagnose` computes what would be saved without each
//! possible cause, and `words` puts it into words. `docs/explain.md` describes the model and what it cannot see.

mod code;
mod compare;
mod diagnose;
mod kernel;
mod lines;
mod model;
mod render;
mod report;
mod savings;
mod several;
mod subject;
mod words;

pub use compare::{Comparison, compare};
pub use report::{
    CauseReport, Diagnosis, EstimateReport, Explanation, KernelReport, LineReport, Managed, Measure, Place,
    Target as Explained,
};
pub use several::{OnGpus, on_gpus};
pub use subject::Subject;

use crate::kernels::assembler;
use crate::kernels::run::{self, RunError};
use crate::kernels::rung::{RungError, RungRequest};
use crate::kernels::source::SourceMap;
use diagnose::{Cause, order};
pub(crate) use kernel::Launched;
use kernel::{KernelCase, round};
use model::LAUNCH;
use warpwise::trace::{LaunchRecord, Watch};
use warpwise_gpu::Gpu;
use warpwise_model::Moved;
use warpwise_simt::{Checks, Sampling};

/// The number of diagnoses reported.
const TOLD: usize = 3;
/// If no cause costs more than this, the limit of the kernel comes first.
const LITTLE: f64 = 0.1;
/// Seconds that the library takes on the host for a launch, beside launching: memory for results, arguments.
const LIBRARY: f64 = 1.5e-6;

/// What to explain.
#[derive(Clone, Debug)]
pub enum Request {
    /// The user's own kernel.
    File(Box<run::Request>),
    /// A rung of a primitive.
    Rung(Box<RungRequest>),
}

/// Why nothing can be explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The kernel cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The rung cannot be run.
    #[error(transparent)]
    Rung(#[from] RungError),
    /// The kernel was stopped.
    #[error("the kernel did not end, so there is nothing to explain; {0}")]
    Stopped(String),
    /// Nothing was launched or counted.
    #[error("nothing was counted: {0}")]
    Nothing(&'static str),
}

/// Runs a kernel with counters and explains it.
pub fn explain(request: &Request) -> Result<Explanation, ExplainError> {
    match request {
        Request::File(request) => explain_file(request),
        Request::Rung(request) => explain_rung(request),
    }
}

fn explain_file(request: &run::Request) -> Result<Explanation, ExplainError> {
    let record = Some(request.record.unwrap_or(Sampling::QUICK));
    let request = run::Request { checks: Checks::NONE, record, ..request.clone() };
    let mut done = run::execute(&request)?;
    assembler::ask(&mut done.sources, &done.gpu);
    if let Some(finding) = done.report.findings.first() {
        return Err(ExplainError::Stopped(format!("{}: {}", finding.kind, finding.message)));
    }
    let profile = done.profile.ok_or(ExplainError::Nothing("counters are the emulator's: use --device emulator"))?;
    let buffers = done.report.buffers.iter().flatten();
    let element = |name: &str| run::ElementType::parse(name).map_or(1, run::ElementType::bytes);
    let footprint: u64 = buffers.clone().map(|b| b.len * element(b.ty)).sum();
    let data = Moved { bytes: footprint as f64, arrays: buffers.count() as f64 };
    let launched = [Launched {
        kernel: done.report.kernel.clone(),
        symbol: done.symbol,
        grid: done.report.grid,
        block: done.report.block,
        shared_bytes: done.shared_bytes,
        profile,
        estimated_us: None,
    }];
    let target = Explained::File { file: request.file.display().to_string(), kernel: done.report.kernel.clone() };
    let mut explanation = put_together(target, &launched, &done.sources, Some(footprint), &done.gpu);
    explanation.notes = done.report.notes;
    explanation.data = Some(data);
    Ok(explanation)
}

fn explain_rung(request: &RungRequest) -> Result<Explanation, ExplainError> {
    examine(request, Look::default())
}

/// How closely a rung is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// The blocks that are run.
    pub(crate) sampling: Sampling,
    /// Whether only the first launch counts.
    pub(crate) first: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { sampling: Sampling::QUICK, first: false }
    }
}

/// Runs a rung with counters and explains it.
pub(crate) fn examine(request: &RungRequest, look: Look) -> Result<Explanation, ExplainError> {
    let watched = request.watch(Watch { record: Some(look.sampling), ..Watch::COUNTERS })?;
    let gpu = Gpu::named(&request.gpu).ok_or(ExplainError::Nothing("the GPU is unknown"))?;
    let (sources, mut launched) =
        counted(watched.trace.launches).ok_or(ExplainError::Nothing("the rung launched no kernel"))?;
    if look.first {
        launched.truncate(1);
    }
    let target = Explained::Rung {
        primitive: watched.primitive.name,
        variant: watched.variant.name,
        element: watched.element,
        size: watched.size,
        idea: watched.variant.idea,
    };
    let explanation = put_together(target, &launched, &sources, Some(watched.footprint), &gpu);
    let bytes = watched.footprint as f64;
    // Operands are as long as the data, most of them.
    let each = watched.elements.saturating_mul(watched.element_bytes).max(1);
    let data = Some(Moved { bytes, arrays: (bytes / each as f64).ceil().max(1.0) });
    Ok(Explanation { elements: Some(watched.elements), data, ..explanation })
}

/// Launches of the library's kernels that were counted, with the sources of their module. A rung's kernels are in one
/// module; those borrowed from another are left out.
fn counted(launches: Vec<LaunchRecord>) -> Option<(SourceMap, Vec<Launched>)> {
    let sources = SourceMap::of_launches(launches.first()?.module, &launches)?;
    let of = |launch: LaunchRecord| {
        let fixed = sources.program.kernel(&launch.kernel)?.static_shared;
        Some(Launched {
            kernel: launch.kernel.clone(),
            symbol: launch.kernel,
            grid: launch.grid,
            block: launch.block,
            shared_bytes: fixed.saturating_add(launch.shared_bytes),
            profile: launch.profile?,
            estimated_us: None,
        })
    };
    let launched: Vec<Launched> = launches.into_iter().filter_map(of).collect();
    (!launched.is_empty()).then_some((sources, launched))
}

/// The estimated microseconds of launches of the library's kernels that were recorded, launching included.
pub(crate) fn estimated_us(launches: Vec<LaunchRecord>, footprint: u64, gpu: &Gpu) -> Option<f64> {
    let (sources, launched) = counted(launches)?;
    let cases = KernelCase::all(&launched, &sources, Some(footprint), gpu);
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    Some(round((seconds + launching(&cases, LIBRARY)) * 1e6))
}

/// Explains launches that were counted. `footprint` is the number of bytes of all buffers, if it is known.
pub(crate) fn put_together(
    target: Explained,
    launched: &[Launched],
    sources: &SourceMap,
    footprint: Option<u64>,
    gpu: &Gpu,
) -> Explanation {
    let cases = KernelCase::all(launched, sources, footprint, gpu);
    let seconds: f64 = cases.iter().map(|c| c.seconds).sum();
    let host = if matches!(target, Explained::Rung { .. }) { LIBRARY } else { 0.0 };
    let launching = launching(&cases, host);
    let costliest = cases.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let bound = costliest.and_then(|case| case.estimate.as_ref()).map(|estimate| estimate.bound);
    let kernels = cases.iter().map(|case| {
        let mut report = case.report(gpu);
        report.lines = lines::lines(&case.total, sources);
        report
    });
    let (causes, limits) = causes(&cases, launching, gpu);
    let in_short = |(at, cause): &(usize, Cause)| CauseReport {
        subject: cause.subject,
        kernel: cases[*at].name.clone(),
        estimated_percent: round(100.0 * cause.share),
    };
    let in_words = |(at, cause): &(usize, Cause)| tell(cause, &cases[*at], sources);
    Explanation {
        schema: 1,
        target,
        gpu: gpu.name.clone(),
        launches: launched.len(),
        estimated_us: round((seconds + launching) * 1e6),
        bound,
        diagnoses: told(&causes, &limits).iter().map(in_words).collect(),
        causes: causes.iter().map(in_short).collect(),
        kernels: kernels.collect(),
        managed: None,
        data: None,
        elements: None,
        notes: Vec::new(),
        all_lines: false,
    }
}

/// A cause with the number of its kernel.
type OfKernel = (usize, Cause);

/// What costs time over all kernels, each with the number of its kernel, in the order of the report; and separately
/// what limits each kernel. `launching` is the time that launches take beside them.
fn causes(cases: &[KernelCase], launching: f64, gpu: &Gpu) -> (Vec<OfKernel>, Vec<OfKernel>) {
    let seconds: f64 = cases.iter().map(|c| c.seconds).sum();
    let (mut causes, mut limits) = (Vec::new(), Vec::new());
    for (at, case) in cases.iter().enumerate() {
        let part = if seconds > 0.0 { case.seconds / seconds } else { 0.0 };
        let mut own = case.causes(gpu);
        own.iter_mut().for_each(|c| c.share *= part);
        limits.extend(own.pop().map(|limit| (at, limit)));
        causes.extend(own.into_iter().map(|cause| (at, cause)));
    }
    let launches: usize = cases.iter().map(|c| c.launches).sum();
    if launches > 1 && launching > seconds {
        let numbers = [launches as f64, 1e6 * launching / launches as f64, 0.0];
        let share = launching / (launching + seconds);
        causes.push((0, Cause { subject: Subject::Launches, share, numbers, steps: Vec::new() }));
    }
    order(&mut causes);
    (causes, limits)
}

/// Seconds that launching takes beside the kernels: a launch, and those after it in a row, which a host makes only so
/// often, and less often if it does something else for `host` seconds before each.
fn launching(cases: &[KernelCase], host: f64) -> f64 {
    let Some(estimate) = cases.iter().find_map(|case| case.estimate.as_ref()) else {
        return LAUNCH * cases.iter().map(|case| case.launches as f64).sum::<f64>();
    };
    let after = |case: &KernelCase| {
        let each = case.seconds / case.launches.max(1) as f64;
        (estimate.next_launch_us * 1e-6).max(estimate.host_launch_us * 1e-6 + host - each)
    };
    let rest: f64 = cases.iter().map(|case| case.launches as f64 * after(case)).sum();
    rest + estimate.launch_us * 1e-6 - cases.first().map_or(0.0, after)
}

/// The causes that are put into words: the first ones, always the costliest, and the limit if little is lost.
fn told(causes: &[(usize, Cause)], limits: &[(usize, Cause)]) -> Vec<(usize, Cause)> {
    let costliest = causes.iter().map(|(_, c)| c.share).fold(0.0, f64::max);
    let mut told: Vec<(usize, Cause)> = causes.iter().take(TOLD).cloned().collect();
    if !told.iter().any(|(_, c)| c.share >= costliest) {
        told.pop();
        told.extend(causes.iter().find(|(_, c)| c.share >= costliest).cloned());
    }
    if told.iter().all(|(_, c)| c.share < LITTLE) {
        told.extend(limits.iter().max_by(|a, b| a.1.share.total_cmp(&b.1.share)).cloned());
        told.rotate_right(1);
    }
    told
}

fn tell(cause: &Cause, case: &KernelCase, sources: &SourceMap) -> Diagnosis {
    let mut places: Vec<Place> = Vec::new();
    for &at in &cause.steps {
        let step = &case.code.steps[at];
        let line = sources.line(step.source, step.ptx_line);
        let place = Place { file: line.file, line: line.number };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.truncate(4);
    let main = sources.files.first().map_or(sources.ptx_name.as_str(), |(name, _)| name);
    let at = match places.first() {
        None => String::new(),
        Some(place) if place.file == main => format!("line {}", place.line),
        Some(place) if place.file == sources.ptx_name => format!("PTX line {}", place.line),
        Some(place) => format!("{}:{}", place.file, place.line),
    };
    let (sentence, remedy) = words::words(cause, &at);
    Diagnosis {
        subject: cause.subject,
        kernel: case.name.clone(),
        estimated_percent: round(100.0 * cause.share),
        sentence,
        remedy: remedy.to_owned(),
        places,
    }
}
