//! Runs the user's own kernel.
//!
//! [`run`] reads the file (`program`), finds the kernel (`entry`), fits the arguments to it (`argument`, `bind`),
//! fills the buffers (`fill`, `file`), sets variables (`symbols`), launches, and reports (`report`, `render`). What is
//! wrong with the request is a [`RunError`]; what is wrong with the kernel is a [`Finding`] in the [`RunReport`].

mod argument;
mod bind;
mod buffers;
mod comparison;
mod compiled;
mod contents;
mod dump;
mod element;
mod entry;
mod error;
mod file;
mod fill;
mod number;
mod opened;
pub(in crate::kernels) mod program;
mod render;
mod report;
pub(in crate::kernels) mod signature;
mod stages;
mod structure;
pub(in crate::kernels) mod symbols;
mod texture;
pub(in crate::kernels) mod unset;

pub use crate::kernels::finding::{Finding, Stop};
pub use crate::output::Style;
pub use argument::{Argument, ArgumentError};
pub use comparison::{BufferDifference, ComparisonReport};
pub use contents::{BufferBytes, run_with_contents};
pub use element::{ElementType, Value};
pub use error::RunError;
pub use fill::Fill;
pub use number::parse_count;
pub use report::{BufferReport, RunReport};
pub use stages::StageTimes;
pub use structure::{Pointer, Struct};
pub use texture::TextureArgument;

use crate::Place;
use crate::kernels::counters::CounterTable;
use crate::kernels::source::SourceMap;
use buffers::{Buffer, Owner};
use opened::Opened;
use program::{KernelFile, Options};
use signature::Signature;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use symbols::Setting;
use warpwise_gpu::emulated::SharedFollower;
use warpwise_gpu::paired::Differences;
use warpwise_gpu::{Device, DeviceError, Fault, FaultKind, Gpu, Launch, Module, Profile, PtxText, Report};
use warpwise_simt::{Checks, Sampling};

/// Default limit of warp instructions per launch: minutes of emulation. A naive product of two 4096 x 4096 matrices
/// needs about as many.
pub const DEFAULT_MAX_INSTRUCTIONS: u64 = 10_000_000_000;

/// Default limit of the time of a launch on the emulator.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(60);

/// What to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// Arguments that are data already; they take the place of `arguments` if there are any.
    pub values: Vec<Argument>,
    /// A `.ptx` or `.cu` file.
    pub file: PathBuf,
    /// The kernel; may be omitted if there is only one.
    pub entry: Option<String>,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared_bytes: u32,
    /// Whether all blocks must run at once.
    pub cooperative: bool,
    /// Blocks of a cluster, if not what the kernel declares.
    pub cluster: Option<[u32; 3]>,
    /// Arguments in kernel order, as written.
    pub arguments: Vec<String>,
    /// Variables to set before the launch, as written: `NAME=ARG`.
    pub symbols: Vec<String>,
    /// Where to run: the best available device, the emulator, a GPU, or both.
    pub device: Place,
    /// The GPU whose limits apply.
    pub gpu: String,
    /// Warp instructions after which the launch ends.
    pub max_instructions: u64,
    /// Time after which a launch on the emulator ends.
    pub time_limit: Option<Duration>,
    /// Mistakes to look for.
    pub checks: Checks,
    /// A folder for the buffers afterwards.
    pub dump: Option<PathBuf>,
    /// Macros for the compiler.
    pub defines: Vec<String>,
    /// Folders with headers for the compiler.
    pub includes: Vec<PathBuf>,
    /// Whether CUDA C++ is compiled without optimisation.
    pub debug: bool,
    /// Record blocks for the model of time; blocks of a large grid may then be left out.
    pub record: Option<Sampling>,
}

/// Runs a kernel and reports.
pub fn run(request: &Request) -> Result<RunReport, RunError> {
    Ok(execute(request)?.report)
}

/// A run with everything that was observed.
#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) report: RunReport,
    /// What was counted, by instruction.
    pub(crate) profile: Option<Profile>,
    /// Buffers whose whole contents were asked for.
    pub(crate) contents: Vec<Contents>,
    pub(crate) sources: SourceMap,
    /// The kernel's name in PTX.
    pub(crate) symbol: String,
    /// Shared memory of a block, static and dynamic.
    pub(crate) shared_bytes: u32,
    /// The GPU whose limits applied.
    pub(crate) gpu: Gpu,
}

/// Runs a kernel and returns everything that was observed.
pub(crate) fn execute(request: &Request) -> Result<Execution, RunError> {
    execute_keeping(request, &[])
}

/// Like [`execute`], on an emulator whose instructions are followed.
pub(crate) fn execute_followed(request: &Request, follower: SharedFollower) -> Result<Execution, RunError> {
    execute_on(request, &[], Some(follower))
}

/// Like [`execute`], with the whole contents of some buffers, which their indices among the arguments name.
pub(crate) fn execute_keeping(request: &Request, kept: &[usize]) -> Result<Execution, RunError> {
    execute_on(request, kept, None)
}

fn execute_on(request: &Request, kept: &[usize], follower: Option<SharedFollower>) -> Result<Execution, RunError> {
    let parse = |(index, text): (usize, &String)| Argument::parse(index, text);
    let arguments: Vec<Argument> = match request.values.is_empty() {
        true => request.arguments.iter().enumerate().map(parse).collect::<Result<_, _>>()?,
        false => request.values.clone(),
    };
    let settings: Vec<Setting> = request.symbols.iter().map(|text| Setting::parse(text)).collect::<Result<_, _>>()?;
    let Opened { mut device, gpu, seen, note } = Opened::new(request, follower)?;
    let options = Options { defines: &request.defines, includes: &request.includes, debug: request.debug };
    let mut file = program::load(&request.file, request.entry.as_deref(), &gpu, options)?;
    file.notes.extend(note);
    let signature = entry::find(&file, request.entry.as_deref())?;
    bind::check(&signature, &arguments)?;
    let variables = symbols::resolve(&settings, file.sources.program.module())?;
    if let Some(folder) = &request.dump {
        // Before the launch, so that a wrong folder does not waste it.
        let failed = |problem| RunError::File { path: folder.clone(), problem };
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let seen = seen.as_ref();
    let given = Given { arguments: &arguments, settings: &settings, variables: &variables };
    let done = launch(request, &mut *device, seen, &file, (&signature, &given), kept)?;
    let kernel = file.sources.program.kernel(&signature.symbol);
    let shared_bytes = kernel.map_or(0, |k| k.static_shared).saturating_add(request.shared_bytes);
    Ok(Execution {
        report: done.report,
        profile: done.profile,
        contents: done.contents,
        sources: file.sources,
        symbol: signature.symbol,
        shared_bytes,
        gpu,
    })
}

/// What a kernel is given.
struct Given<'a> {
    arguments: &'a [Argument],
    /// Variables and their contents.
    settings: &'a [Setting],
    /// Their names in PTX.
    variables: &'a [String],
}

/// The whole contents of a buffer after a launch.
#[derive(Debug)]
pub(crate) struct Contents {
    /// The buffer's index among the arguments.
    pub(crate) arg: usize,
    pub(crate) ty: ElementType,
    /// Little-endian.
    pub(crate) bytes: Vec<u8>,
}

/// What a launch did.
struct Launched {
    report: RunReport,
    profile: Option<Profile>,
    contents: Vec<Contents>,
}

/// Loads, fills, launches, and reads back, on any device.
fn launch(
    request: &Request,
    device: &mut dyn Device,
    seen: Option<&Differences>,
    file: &KernelFile,
    (signature, given): (&Signature, &Given<'_>),
    kept: &[usize],
) -> Result<Launched, RunError> {
    let module_error = |e: DeviceError| RunError::Module { path: request.file.clone(), problem: e.to_string() };
    let program = &file.sources.program;
    let source = PtxText::new(program.source().to_owned()).with_files(file.sources.by_path());
    let source = Arc::new(source);
    let module = device.load(source).map_err(module_error)?;
    let bytes = program.kernel(&signature.symbol).map_or(0, |k| k.param_bytes as usize);
    let mut params = vec![0; bytes];
    let mut buffers = Vec::new();
    let mut stages = StageTimes::default();
    let generation = device.generation();
    symbols::upload(device, module, given.settings, given.variables)?;
    for (index, (argument, parameter)) in given.arguments.iter().zip(&signature.parameters).enumerate() {
        let owner = |member| Owner { index, member, name: parameter.name.clone() };
        match argument {
            Argument::Scalar { bytes, .. } | Argument::Bytes(bytes) => bind::place(&mut params, parameter, bytes),
            Argument::Struct(whole) => {
                let mut bytes = whole.bytes.clone();
                for Pointer { offset, member, ty, len, fill } in &whole.pointers {
                    let buffer = Buffer::new(device, owner(Some(member.clone())), *ty, *len, fill, &mut stages)?;
                    bytes[*offset..][..8].copy_from_slice(&buffer.at.0.to_le_bytes());
                    buffers.push(buffer);
                }
                bind::place(&mut params, parameter, &bytes);
            }
            Argument::Texture(object) => {
                let (handle, at) = device.texture(object.shape, &object.texels, object.sampler)?;
                bind::place(&mut params, parameter, &handle.to_le_bytes());
                if object.sampler.is_none() {
                    // A surface is shown like a buffer: the kernel may have written to it.
                    buffers.push(Buffer::surface(owner(None), &object.shape, at));
                }
            }
            Argument::Buffer { ty, len, fill } => {
                let buffer = Buffer::new(device, owner(None), *ty, *len, fill, &mut stages)?;
                bind::place(&mut params, parameter, &buffer.at.0.to_le_bytes());
                buffers.push(buffer);
            }
        }
    }

    let mut launch = Launch::new(request.grid, request.block, params);
    launch.shared_bytes = request.shared_bytes;
    launch.cooperative = request.cooperative;
    launch.cluster = request.cluster;
    let (outcome, time_ms) = timed(device, module, &signature.symbol, &launch);

    let mut report = RunReport {
        schema: 1,
        file: request.file.display().to_string(),
        kernel: signature.name.clone(),
        device: device.name(),
        grid: request.grid,
        block: request.block,
        ok: true,
        time_ms: Some(time_ms),
        counters: None,
        printed: String::new(),
        findings: Vec::new(),
        buffers: None,
        comparison: None,
        warnings: crate::kernels::finding::mistakes(&file.sources),
        stages_ms: None,
        gpu: device.gpu().name.clone(),
        ended: true,
        stopped: None,
        warp_instructions: None,
        notes: file.notes.clone(),
    };
    let found = |findings: &[warpwise_gpu::Finding]| -> Vec<Finding> {
        let told = |f: &warpwise_gpu::Finding| {
            let mut finding = Finding::of_check(f, &file.sources);
            if let Some(address) = f.address.filter(|_| f.space == Some(warpwise_gpu::MemorySpace::Global)) {
                Buffer::name_in(&buffers, &mut finding, address);
            }
            finding
        };
        findings.iter().map(told).collect()
    };
    let mut profile = None;
    match outcome {
        Ok(done) => {
            report.printed = done.printed;
            if let Some(seen) = done.watched {
                report.warp_instructions = Some(seen.warp_instructions).filter(|&count| count > 0);
                report.counters = seen.profile.as_ref().map(|p| CounterTable(p.total));
                report.findings = found(&seen.findings);
                report.notes.extend(seen.notes);
                profile = seen.profile;
            }
        }
        Err(DeviceError::Fault(fault)) => {
            report.ended = false;
            report.findings = found(&fault.findings);
            let finding = stopped(request, &fault, time_ms, &file.sources, &buffers);
            report.stopped = (fault.kind != FaultKind::LaunchLimit).then(|| Stop::at(&finding));
            finding.lead(&mut report.findings);
            report.printed = fault.printed;
            if fault.kind == FaultKind::LaunchLimit {
                report.ok = false;
                report.time_ms = None;
                return Ok(Launched { report, profile: None, contents: Vec::new() });
            }
        }
        Err(other) => return Err(other.into()),
    }
    let main = request.file.display().to_string();
    let unset = unset::findings(&signature.symbol, given.variables, profile.as_ref(), &file.sources, &main);
    if request.checks.has("init") {
        report.findings.extend(unset);
    } else {
        report.notes.extend(unset.iter().map(|found| format!("{}. {}", found.message, found.advice)));
    }
    if let Some(seen) = seen.filter(|_| report.ended) {
        let seen = seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        report.comparison = Some(ComparisonReport::new(&seen, &buffers));
    }
    let differs = report.comparison.as_ref().is_some_and(|seen| !seen.equal);
    report.ok = !differs && Finding::none_is_error(&report.findings);
    if device.generation() != generation {
        // When a kernel fails on a real GPU, its memory is lost.
        return Ok(Launched { report, profile, contents: Vec::new() });
    }
    let read = |device: &mut dyn Device| buffers.iter().map(|b| b.report(device)).collect::<Result<_, RunError>>();
    report.buffers = Some(stages::timed(&mut stages.download, device, read)?);
    if let Some(folder) = &request.dump {
        for buffer in &buffers {
            dump::write(folder, &buffer.file_name(), |out| buffer.copy_to(device, out))?;
        }
    }
    let mut contents = Vec::new();
    for buffer in buffers.iter().filter(|buffer| buffer.owner.member.is_none() && kept.contains(&buffer.owner.index)) {
        let mut bytes = Vec::new();
        buffer.copy_to(device, &mut bytes)?;
        contents.push(Contents { arg: buffer.owner.index, ty: buffer.ty, bytes });
    }
    let free = |device: &mut dyn Device| buffers.iter().try_for_each(|buffer| device.free(buffer.at));
    stages::timed(&mut stages.free, device, free)?;
    if report.device != "emulator" {
        stages.kernel = time_ms;
        report.stages_ms = Some(stages);
    }
    Ok(Launched { report, profile, contents })
}

/// Launches, waits, and measures the time on the device's clock, or on the host's if the kernel fails.
fn timed(device: &mut dyn Device, module: Module, kernel: &str, launch: &Launch) -> (Result<Report, DeviceError>, f64) {
    let started = Instant::now();
    let mut run = || {
        device.prepare(module, kernel)?;
        let start = device.mark()?;
        let report = device.launch(module, kernel, launch)?;
        let end = device.mark()?;
        device.synchronize()?;
        Ok((report, device.elapsed_ms(start, end)?))
    };
    let outcome: Result<(Report, f64), DeviceError> = run();
    let rounded = |ms: f64| (ms * 1e6).round() / 1e6;
    match outcome {
        Ok((report, ms)) => (Ok(report), rounded(ms)),
        Err(error) => (Err(error), rounded(started.elapsed().as_secs_f64() * 1e3)),
    }
}

/// The finding for what stopped a kernel.
fn stopped(request: &Request, fault: &Fault, time_ms: f64, sources: &SourceMap, buffers: &[Buffer]) -> Finding {
    let mut finding = Finding::of_fault(fault, sources);
    if let Some(address) = fault.address {
        Buffer::name_in(buffers, &mut finding, address);
    }
    if fault.kind == FaultKind::Timeout {
        let late = request.time_limit.filter(|limit| time_ms >= limit.as_secs_f64() * 1e3);
        finding.add(&match late {
            Some(limit) => format!("the limit (--time-limit) is {} s", limit.as_secs_f64()),
            None => format!("the budget (--max-instructions) is {}", request.max_instructions),
        });
    }
    // The main file need not be named; the line of another one would mislead without its name.
    let main = request.file.display().to_string();
    if let Some(file) = finding.file.clone().filter(|file| *file != main && !finding.in_ptx && !file.is_empty()) {
        finding.message = format!("{} (in {file})", finding.message);
    }
    finding
}
