//! A launch, ready to run: its limits, and what becomes of its faults.

use std::time::{Duration, Instant};

use warpwise_simt::{Fault, FaultKind, Launch, Report, Sampling, Severity, Watch};
use warpwise_trace::order::{Listener, Touches};
use warpwise_trace::{Finding, HostPlace, source_name};

use super::estimate::LaunchTime;
use crate::error::{Error, Outcome};
use crate::memory::Kind;
use crate::module::{Function, Module};
use crate::state::State;

/// A launch of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Kernel {
    pub(crate) function: u64,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Dynamic shared memory.
    pub(crate) shared_bytes: u32,
    pub(crate) cooperative: bool,
    pub(crate) cluster: Option<[u32; 3]>,
    /// The block of parameters.
    pub(crate) parameters: Vec<u8>,
    /// The stream, for reports.
    pub(crate) stream: u64,
}

impl Kernel {
    /// Whether the device can run it at all: these errors come at once and end nothing.
    pub(crate) fn check(&self, state: &State) -> Outcome {
        let gpu = &state.gpu;
        let function = state.functions.get(self.function)?;
        let total = u64::from(function.facts.static_shared) + u64::from(self.shared_bytes);
        if gpu.check_launch(self.grid, self.block, total).is_err() {
            return Err(Error::INVALID_VALUE);
        }
        let threads: u32 = self.block.iter().product();
        if threads > function.max_threads(gpu) || self.shared_bytes > function.max_dynamic_shared(gpu) {
            return Err(Error::INVALID_VALUE);
        }
        if let Some(cluster) = self.cluster
            && gpu.check_cluster(self.grid, cluster).is_err()
        {
            return Err(Error::INVALID_CLUSTER_SIZE);
        }
        if self.cooperative {
            let blocks: u64 = self.grid.iter().map(|&d| u64::from(d)).product();
            let most = u64::from(resident_blocks(state, function, threads, self.shared_bytes)) * u64::from(gpu.sms);
            if blocks > most {
                return Err(Error::COOPERATIVE_LAUNCH_TOO_LARGE);
            }
        }
        Ok(())
    }

    /// Whether it may wait for what the host writes into memory of both while it runs.
    pub(crate) fn may_poll(&self, state: &State) -> bool {
        let polls = state.functions.get(self.function).is_ok_and(|function| function.facts.polls);
        let shared = |kind: Kind| kind.is_host() || kind == Kind::Managed;
        polls && state.memory.allocations().any(|(_, allocation)| shared(allocation.kind))
    }

    /// Runs it. A fault ends the context, which later calls are told.
    pub(crate) fn perform(&self, state: &mut State, context: u64) -> Outcome {
        if state.contexts.get(context).is_ok_and(|context| context.error.is_some()) {
            return Ok(());
        }
        let function = state.functions.get(self.function)?;
        let (kernel, key) = (function.kernel, function.key);
        let number = state.trace.writer().launches(key) + 1;
        let settings = &state.settings;
        let picked = (settings.counters || state.checks.any())
            && settings.picks(&state.functions.get(self.function)?.name.to_string_lossy(), number);
        let clocked = state.clock.counts();
        let watch = match picked {
            true => Watch { counters: settings.counters || clocked, checks: state.checks, ..Watch::NOTHING },
            false => Watch { counters: clocked, ..Watch::NOTHING },
        };
        // Blocks that are recorded are few; all are run.
        let watch = Watch { record: watch.counters.then_some(Sampling::ALL), ..watch };
        let launch = Launch {
            shared_bytes: self.shared_bytes,
            cooperative: self.cooperative,
            cluster: self.cluster,
            max_instructions: u64::MAX,
            time_limit: settings.time_limit.map(Duration::from_secs_f64),
            workers: settings.workers,
            watch,
            ..Launch::new(self.grid, self.block, self.parameters.clone())
        };
        state.check_constants(self.function);
        let started = Instant::now();
        let ended = if state.listens() {
            let name = state.functions.get(self.function)?.name.to_string_lossy().into_owned();
            let (ended, heard) = state.machine.launch_observed(kernel.module(), &name, &launch, Listener::default);
            if let Some(touches) = Touches::of(heard) {
                state.work_touches(source_name(&name), &touches);
            }
            ended
        } else {
            state.machine.launch_kernel(kernel, &launch)
        };
        let seconds = started.elapsed().as_secs_f64();
        let threads = self.grid.iter().chain(&self.block).map(|&d| u64::from(d)).fold(1, u64::saturating_mul);
        let instructions = ended.as_ref().map_or(0, |report| report.warp_instructions);
        state.trace.writer().launched(key, threads, instructions, seconds);
        match ended {
            Ok(report) => {
                let time = state.estimate(self, &report);
                if clocked {
                    state.clock.launched(time);
                }
                if !report.printed.is_empty() {
                    state.output.add(&report.printed);
                }
                // Checks go on past a bad access; hardware would not have.
                if let Some(error) = bad_access(&report)
                    && let Ok(context) = state.contexts.get_mut(context)
                {
                    context.error.get_or_insert(error);
                }
                if picked || !report.findings.is_empty() {
                    self.note_report(state, number, report, time);
                }
                Ok(())
            }
            Err(fault) if fault.kind == FaultKind::LaunchLimit => {
                crate::edge::tell(|| fault.message.clone());
                Err(Error::INVALID_VALUE)
            }
            Err(fault) => {
                self.note_fault(state, context, number, &fault);
                Ok(())
            }
        }
    }

    /// What a trace says of the launch in any case.
    fn noted(&self, state: &State, number: u64) -> warpwise_trace::Launch {
        let function = state.functions.get(self.function).ok();
        warpwise_trace::Launch {
            module: function.and_then(|f| state.modules.get(f.module).ok()).map_or(0, Module::number),
            kernel: function.map_or_else(String::new, |f| f.name.to_string_lossy().into_owned()),
            number,
            grid: self.grid,
            block: self.block,
            shared_bytes: self.shared_bytes + function.map_or(0, |f| f.facts.static_shared),
            stream: state.stream_number(self.stream),
            host: Some(HostPlace::here()),
            ..warpwise_trace::Launch::default()
        }
    }

    fn note_report(&self, state: &mut State, number: u64, report: Report, time: Option<LaunchTime>) {
        if !state.trace.writer().is_on() {
            return;
        }
        let program = state.functions.get(self.function).map(|f| f.program.clone());
        let noted = self.noted(state, number);
        let profiles = state.settings.profiles;
        let footprint = state.footprint(self);
        let findings = program.map_or_else(|_| Vec::new(), |program| state.found(&report.findings, &program));
        state.trace.launch(|| warpwise_trace::Launch {
            stopped: bad_access(&report).is_some(),
            instructions: report.warp_instructions,
            counters: report.profile.as_ref().map(|profile| profile.total),
            profile: report.profile.as_ref().filter(|_| profiles).map(warpwise_trace::Profile::from),
            findings,
            notes: report.notes,
            footprint: Some(footprint).filter(|&bytes| bytes > 0),
            estimated_us: time.map(|time| time.kernel_us),
            ..noted
        });
    }

    fn note_fault(&self, state: &mut State, context: u64, number: u64, fault: &Fault) {
        state.output.add(&fault.printed);
        let is_assert = fault.kind == FaultKind::Trap && fault.message.contains(" Assertion `");
        if is_assert {
            // As hardware prints it, with quotes of both kinds.
            eprintln!("{}", fault.message.replacen("` failed.", "' failed.", 1));
        } else {
            crate::edge::tell(|| format!("a kernel was stopped: {}", fault.message));
        }
        if let Ok(context) = state.contexts.get_mut(context) {
            context.error.get_or_insert(code(fault, is_assert));
        }
        if !state.trace.writer().is_on() {
            return;
        }
        let program = state.functions.get(self.function).map(|f| f.program.clone());
        let noted = self.noted(state, number);
        let findings = program.map_or_else(
            |_| Vec::new(),
            |program| {
                let mut first = Finding::of_fault(fault, &program);
                state.say_whose(fault.address, &mut first);
                [vec![first], state.found(&fault.findings, &program)].concat()
            },
        );
        state.trace.launch(|| warpwise_trace::Launch { stopped: true, findings, ..noted });
    }
}

/// The error of a launch that was checked and made a bad access.
fn bad_access(report: &Report) -> Option<Error> {
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.kind.name()).find_map(|kind| match kind {
        "out_of_bounds" => Some(Error::ILLEGAL_ADDRESS),
        "misaligned" => Some(Error::MISALIGNED_ADDRESS),
        _ => None,
    })
}

/// The error that a fault gives, as hardware has it.
fn code(fault: &Fault, is_assert: bool) -> Error {
    match fault.kind {
        FaultKind::OutOfBounds => Error::ILLEGAL_ADDRESS,
        FaultKind::Misaligned => Error::MISALIGNED_ADDRESS,
        FaultKind::Trap if is_assert => Error::ASSERT,
        FaultKind::Deadlock | FaultKind::Timeout => Error::LAUNCH_TIMEOUT,
        FaultKind::Unsupported => Error::ILLEGAL_INSTRUCTION,
        FaultKind::Trap | FaultKind::StackOverflow | FaultKind::LaunchLimit => Error::LAUNCH_FAILED,
    }
}

/// Blocks of a kernel that a multiprocessor holds at once.
pub(super) fn resident_blocks(state: &State, function: &Function, threads: u32, dynamic_shared: u32) -> u32 {
    let gpu = &state.gpu;
    let shared = function.facts.static_shared.saturating_add(dynamic_shared);
    gpu.occupancy(threads, Some(function.registers(gpu)), shared).blocks_per_sm
}
