//! Whole programs with no GPU: they are compiled if need be, started with our driver and runtime found first, and what
//! they did is reported.
//!
//! The driver library inside the program is told what to do by `warpwise_trace::Settings` and writes a trace; when the
//! program has ended, however it ended, the trace is read.

mod both;
mod cache;
mod comparison;
mod compile;
mod elf;
mod environment;
mod error;
mod estimate;
mod findings;
mod gather;
mod host_lines;
mod libraries;
mod nvcc;
mod real_driver;
mod render;
mod report;
mod signals;
mod start;
mod target;
mod texts;

pub use comparison::Comparison;
pub use error::ProgramError;
pub use nvcc::nvcc;
pub use report::{CopyRow, KernelRow, ProgramReport};
pub use start::Ending;
pub use warpwise_trace::{Clock, Pick, PickError};

use crate::kernels::finding::Finding;
use crate::{Checks, FailOn, Place, checks_named};
use both::{First, Witnessed};
use cache::RunFolder;
use compile::Sources;
use environment::Environment;
use libraries::Libraries;
use nvcc::Nvcc;
use real_driver::RealDriver;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use target::Target;
use warpwise_gpu::Gpu;
use warpwise_trace::{Bounds, Record, Settings};

/// What to run, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// What stands before `--`: a program, sources, or a script.
    pub words: Vec<OsString>,
    /// What stands after `--`: arguments, or a program with its arguments.
    pub after: Vec<OsString>,
    /// More arguments for nvcc.
    pub nvcc_arguments: Vec<String>,
    /// Where kernels run: the emulator, a GPU, or both, one after the other.
    pub device: Place,
    /// The GPU to emulate.
    pub gpu: String,
    /// What to look for in kernels.
    pub checks: Checks,
    /// Whether to check the host.
    pub host_checks: bool,
    /// Whether to count.
    pub counters: bool,
    /// Whether to explain the costliest kernels.
    pub explain: bool,
    /// The launches that are checked and counted; all, if there are none here.
    pub launches: Vec<Pick>,
    /// Bytes of device memory.
    pub memory: Option<u64>,
    /// When to end a launch.
    pub time_limit: Option<Duration>,
    /// What events measure.
    pub clock: Clock,
    /// Whether nvJitLink stays as it is.
    pub keep_nvjitlink: bool,
    /// Whether to tell what is done.
    pub verbose: bool,
    /// Which findings are failures.
    pub fail_on: FailOn,
}

impl Request {
    /// A run of a program as `warpwise exec` does it without options.
    pub fn new(words: Vec<OsString>, after: Vec<OsString>) -> Self {
        Self {
            words,
            after,
            nvcc_arguments: Vec::new(),
            device: Place::Emulator,
            gpu: Settings::default().gpu,
            checks: Checks::NONE,
            host_checks: true,
            counters: false,
            explain: false,
            launches: Vec::new(),
            memory: None,
            time_limit: None,
            clock: Clock::Host,
            keep_nvjitlink: false,
            verbose: false,
            fail_on: FailOn::Error,
        }
    }

    /// What the driver is told.
    fn settings(&self, folder: &Path) -> Settings {
        let checks = checks_named(self.checks).join(",");
        Settings {
            folder: Some(folder.to_owned()),
            gpu: self.gpu.clone(),
            checks: if checks.is_empty() { "none".to_owned() } else { checks },
            host_checks: self.host_checks,
            counters: self.counters || self.explain,
            profiles: self.counters || self.explain,
            launches: self.launches.clone(),
            memory: self.memory,
            time_limit: self.time_limit.map(|limit| limit.as_secs_f64()),
            workers: 0,
            clock: self.clock,
            bounds: if self.checks.has("memory") { Bounds::Exact } else { Bounds::Padded },
            hold_back_nvjitlink: !self.keep_nvjitlink,
            verbose: self.verbose,
        }
    }

    /// Refuses options that mean nothing on a GPU.
    fn refuse(&self) -> Result<(), ProgramError> {
        let given = [
            ("--check", self.checks.any()),
            ("--counters", self.counters),
            ("--explain", self.explain),
            ("--launches", !self.launches.is_empty()),
            ("--memory", self.memory.is_some()),
            ("--time-limit", self.time_limit.is_some()),
            ("--clock", self.clock != Clock::Host),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(ProgramError::EmulatorOnly { flag }),
            None => Ok(()),
        }
    }
}

/// Runs a program to its end and reports what it did.
pub fn run(request: &Request) -> Result<ProgramReport, ProgramError> {
    let unknown = || ProgramError::Gpu { name: request.gpu.clone(), known: Gpu::names() };
    let gpu = Gpu::named(&request.gpu).ok_or_else(unknown)?;
    let (target, arguments) = Target::of(&request.words, &request.after)?;
    let emulated = request.device != Place::Cuda;
    if !emulated {
        request.refuse()?;
    }
    let real = (request.device == Place::Both).then(RealDriver::find).transpose()?;
    let cache = cache::folder()?;
    let cc = compute_capability(&gpu);
    let mut prepared = Prepared::new(&target, request, &cache, cc)?;
    prepared.command.args(&arguments);
    let run = RunFolder::new(&cache)?;
    let (environment, witnessed) = surroundings(request, &prepared, &run.path, &cache)?;
    environment.apply(&mut prepared.command);
    if request.verbose {
        environment.words().iter().for_each(|line| eprintln!("warpwise: {line}"));
        eprintln!("warpwise: starting {}", Path::new(prepared.command.get_program()).display());
    }
    let (ended, seconds) = start::run(&mut prepared.command)?;
    let mut records = if emulated { warpwise_trace::read(&run.path).map_err(ProgramError::Trace)? } else { Vec::new() };
    let mut comparison = None;
    if let (Some(real), Some(witnessed), Some(libraries)) = (&real, &witnessed, &prepared.libraries) {
        let first = First { command: &prepared.command, witnessed, ended };
        let (compared, findings) = both::again(&first, real, libraries, &prepared.runtime_folders)?;
        records.extend(findings.into_iter().map(Record::Finding));
        comparison = Some(compared);
    }
    let name = shown_name(&target);
    let mut summary = gather::gather(records, &run.path, &name, &gpu, request.explain);
    if emulated && summary.processes == 0 {
        summary.notes.push("the program made no CUDA call, or it did not find the driver".to_owned());
    }
    summary.notes.extend(comparison.as_ref().map(Comparison::words));
    if summary.cut && ended != Ending::Exit(0) {
        summary.notes.push("the program did not end by itself: sums may miss its last moments".to_owned());
    }
    Ok(ProgramReport {
        schema: 1,
        program: name,
        arguments: arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect(),
        device: request.device.name(),
        gpu: emulated.then(|| gpu.name.clone()),
        ended,
        seconds,
        ok: Finding::none_is_error(&summary.findings),
        checks: checks_named(request.checks),
        host_checks: emulated && request.host_checks,
        kernels: summary.kernels,
        copies: summary.copies,
        findings: summary.findings,
        explanations: summary.explanations,
        notes: summary.notes,
        comparison,
        fail_on: request.fail_on,
    })
}

/// The environment of the program, and what keeps its copies if it is to run on a GPU as well.
fn surroundings(
    request: &Request,
    prepared: &Prepared,
    run: &Path,
    cache: &Path,
) -> Result<(Environment, Option<Witnessed>), ProgramError> {
    let before = |name: &str| std::env::var_os(name);
    let Some(libraries) = prepared.libraries.as_ref().filter(|_| request.device != Place::Cuda) else {
        return Ok((Environment::real(&prepared.runtime_folders, before), None));
    };
    let file = run.join("settings.json");
    let text = request.settings(run).to_json();
    std::fs::write(&file, text).map_err(|problem| ProgramError::Folder { path: file.clone(), problem })?;
    // PyCUDA wants a cache that is there.
    cache::make(&cache.join(environment::PYCUDA))?;
    let environment = Environment::emulated(libraries, &file, cache, before);
    if request.device != Place::Both {
        return Ok((environment, None));
    }
    let first = Witnessed::new(run, "emulator", libraries.folder.join("libcuda.so.1"))?;
    Ok((environment.witnessed(libraries, &first.file, before), Some(first)))
}

/// A program that is ready to start.
struct Prepared {
    command: Command,
    /// Ours; none are needed on a GPU, except to link with.
    libraries: Option<Libraries>,
    /// Where the compiler's own runtime is.
    runtime_folders: Vec<PathBuf>,
}

impl Prepared {
    fn new(target: &Target, request: &Request, cache: &Path, cc: u32) -> Result<Self, ProgramError> {
        let emulated = request.device != Place::Cuda;
        let libraries = match (target, emulated) {
            (Target::Sources(_), _) | (_, true) => Some(Libraries::lay(cache)?),
            _ => None,
        };
        let compiled = |path: &Path| match request.nvcc_arguments.is_empty() {
            true => Ok(()),
            false => Err(ProgramError::NotCompiled { path: path.to_owned() }),
        };
        let mut runtime_folders = Vec::new();
        let command = match (target, &libraries) {
            (Target::Sources(files), Some(libraries)) => {
                let nvcc = Nvcc::find()?;
                let sources = Sources { files, arguments: &request.nvcc_arguments, cc };
                let program = sources.build(&nvcc, libraries, cache)?;
                runtime_folders = nvcc.library_folders();
                Command::new(program)
            }
            (Target::Script(script), _) => {
                compiled(script)?;
                let mut command = Command::new(target::python());
                command.arg(script);
                command
            }
            (Target::Program(program), _) => {
                compiled(program)?;
                if emulated {
                    elf::examine(program, cc)?;
                }
                Command::new(program)
            }
            (Target::Sources(files), None) => {
                let path = files.first().cloned().unwrap_or_default();
                return Err(ProgramError::Missing { path });
            }
        };
        Ok(Self { command, libraries, runtime_folders })
    }
}

/// The program in reports: its source, its script, or itself.
fn shown_name(target: &Target) -> String {
    match target {
        Target::Program(path) | Target::Script(path) => path.display().to_string(),
        Target::Sources(files) => files.first().map_or(String::new(), |file| file.display().to_string()),
    }
}

/// A compute capability as compilers write it: 90.
fn compute_capability(gpu: &Gpu) -> u32 {
    10 * gpu.cc.0 + gpu.cc.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_settings() {
        let mut request = Request::new(Vec::new(), Vec::new());
        let folder = Path::new("/r");
        let plain = request.settings(folder);
        assert_eq!((plain.checks.as_str(), plain.bounds, plain.host_checks), ("none", Bounds::Padded, true));
        assert!(!plain.counters && !plain.profiles && plain.hold_back_nvjitlink);
        request.checks = Checks::ALL;
        request.explain = true;
        request.time_limit = Some(Duration::from_millis(500));
        let checked = request.settings(folder);
        assert_eq!((checked.checks.as_str(), checked.bounds), ("races,memory,init,sync", Bounds::Exact));
        assert!(checked.counters && checked.profiles);
        assert_eq!(checked.time_limit, Some(0.5));
    }

    #[test]
    fn a_gpu_takes_no_options_of_the_emulator() {
        let mut request = Request::new(vec!["sh".into()], Vec::new());
        request.device = Place::Cuda;
        request.counters = true;
        let told = run(&request).expect_err("refused").to_string();
        assert!(told.starts_with("--counters is for the emulator"), "{told}");
        request.counters = false;
        request.gpu = "no-such".to_owned();
        let told = run(&request).expect_err("refused").to_string();
        assert!(told.starts_with("--gpu: `no-such`") && told.contains("h200"), "{told}");
    }

    #[test]
    fn a_program_on_a_gpu_is_only_started() {
        let mut request = Request::new(Vec::new(), vec!["sh".into(), "-c".into(), "exit 4".into()]);
        request.device = Place::Cuda;
        let report = run(&request).expect("it starts");
        assert_eq!((report.ended, report.status(), report.device), (Ending::Exit(4), 4, "cuda"));
        assert!(report.kernels.is_empty() && report.gpu.is_none() && !report.host_checks);
    }
}
