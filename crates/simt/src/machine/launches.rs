//! Launches: what they must keep to, and how they are started.

use std::sync::OnceLock;
use std::time::Instant;

use super::kernels::{KernelId, Prepared};
use super::{Machine, ModuleId};
use crate::Launch;
use crate::exec::{Job, quantum};
use crate::image::Kernel;
use crate::memory::MachineError;
use crate::program::Program;
use crate::report::{Fault, FaultKind, Report};
use crate::warp::{Context, Padding, Sample};
use crate::watch::observe::Observer;
use crate::watch::{Sampling, Watch};

/// The workspace of a cooperative launch.
const WORKSPACE_BYTES: u64 = 16;
/// Blocks of a large grid that are run, at least, to stand for all.
const FEWEST: u64 = 64;
/// Blocks that are run, at least, however long they take.
const LEAST: u64 = 8;

impl Machine {
    /// Runs a kernel to its end.
    pub fn launch(&mut self, module: ModuleId, kernel: &str, launch: &Launch) -> Result<Report, Fault> {
        self.launch_kernel(self.named(module, kernel)?, launch)
    }

    /// Like [`Machine::launch`], with a kernel that was looked up before. The first launch of a kernel prepares what the
    /// later ones share.
    pub fn launch_kernel(&mut self, kernel: KernelId, launch: &Launch) -> Result<Report, Fault> {
        let report = self.launch_one(kernel, launch)?;
        self.launch_children(kernel.module, launch, report)
    }

    /// Runs a kernel, without those that it launches.
    pub(super) fn launch_one(&mut self, kernel: KernelId, launch: &Launch) -> Result<Report, Fault> {
        let run = |job: &mut Job<'_>, workers| crate::watch::run(job, workers, launch.watch, || ()).0;
        self.launch_through(kernel, launch, run)?
    }

    /// Like [`Machine::launch`], but also watched by your own observers, beside what [`Launch::watch`] asks for.
    /// `observer` makes one for each host thread that runs blocks ([`Launch::workers`]); they are returned in no
    /// particular order, and none if the launch is refused. A launch that is checked may be repeated, to report the
    /// same every time; then only the observers of the last run are returned. Kernels that the kernel launches run, but
    /// are not observed.
    pub fn launch_observed<O: Observer + Send>(
        &mut self,
        module: ModuleId,
        kernel: &str,
        launch: &Launch,
        observer: impl Fn() -> O + Sync,
    ) -> (Result<Report, Fault>, Vec<O>) {
        let run = |job: &mut Job<'_>, workers| crate::watch::run_observed(job, workers, launch.watch, observer);
        match self.named(module, kernel).and_then(|kernel| self.launch_through(kernel, launch, run)) {
            Ok((outcome, observers)) => {
                (outcome.and_then(|report| self.launch_children(module, launch, report)), observers)
            }
            Err(refused) => (Err(refused), Vec::new()),
        }
    }

    /// Like [`Machine::launch_observed`], with one observer, on one host thread and watched for nothing else: what
    /// [`Launch::watch`] and [`Launch::workers`] ask for is left out. Blocks run in order, so that the observer hears the
    /// same every time.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use warpwise_simt::observe::{Instruction, Observer};
    /// use warpwise_simt::{Gpu, Launch, Machine, Program};
    ///
    /// /// The opcodes of a warp's instructions.
    /// #[derive(Default)]
    /// struct Opcodes(Vec<String>);
    ///
    /// impl Observer for Opcodes {
    ///     fn executes(&mut self, at: &Instruction<'_>) {
    ///         self.0.extend(at.ptx().map(|ptx| ptx.opcode.to_string()));
    ///     }
    /// }
    ///
    /// let program = Program::load(
    ///     ".version 7.0
    ///      .target sm_70
    ///      .address_size 64
    ///      .visible .entry k()
    ///      {
    ///          .reg .b32 %r<3>;
    ///          mov.u32 %r1, %tid.x;
    ///          add.u32 %r2, %r1, 1;
    ///          ret;
    ///      }",
    /// )?;
    /// let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    /// let module = machine.load(Arc::new(program))?;
    /// let mut opcodes = Opcodes::default();
    /// machine.launch_followed(module, "k", &Launch::new([1; 3], [32, 1, 1], Vec::new()), &mut opcodes)?;
    /// assert_eq!(opcodes.0, ["mov", "add", "ret"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn launch_followed(
        &mut self,
        module: ModuleId,
        kernel: &str,
        launch: &Launch,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Report, Fault> {
        let launch = Launch { workers: 1, watch: Watch::NOTHING, ..launch.clone() };
        let run = |job: &mut Job<'_>, _| crate::watch::run_followed(job, observer);
        let report = self.launch_through(self.named(module, kernel)?, &launch, run)??;
        self.launch_children(module, &launch, report)
    }

    /// The kernel of that name, or what a launch of it is told.
    pub(crate) fn named(&self, module: ModuleId, kernel: &str) -> Result<KernelId, Fault> {
        self.kernel(module, kernel).ok_or_else(|| match self.loaded(module) {
            Some(_) => refuse(format!("the module has no kernel {kernel}")),
            None => refuse(MachineError::NoModule.to_string()),
        })
    }

    /// Prepares a launch and passes it, with the number of host threads to use, to `run`.
    pub(crate) fn launch_through<T>(
        &mut self,
        id: KernelId,
        launch: &Launch,
        run: impl FnOnce(&mut Job<'_>, usize) -> T,
    ) -> Result<T, Fault> {
        let workspace = self.workspace(launch)?;
        let loaded = self.modules.get_mut(id.module.0 as usize).and_then(Option::as_deref_mut);
        let Some(loaded) = loaded.filter(|loaded| (id.number as usize) < loaded.prepared.len()) else {
            return Err(refuse(MachineError::NoModule.to_string()));
        };
        let number = id.number as usize;
        if loaded.prepared[number].is_none() {
            loaded.prepared[number] = Some(Prepared::new(loaded, &loaded.program.kernels()[number]));
        }
        let program = &*loaded.program;
        let kernel = &program.kernels()[number];
        let Some(prepared) = &loaded.prepared[number] else {
            return Err(refuse(MachineError::NoModule.to_string()));
        };
        let shared = u64::from(kernel.static_shared) + u64::from(launch.shared_bytes);
        self.gpu.check_launch(launch.grid, launch.block, shared).map_err(|limit| refuse(limit.0))?;
        check_bounds(kernel, launch)?;
        let cluster = cluster(&self.gpu, kernel, launch)?;
        if launch.params.len() != kernel.param_bytes as usize {
            return Err(refuse(format!(
                "{} takes {} bytes of parameters, {} were given",
                kernel.name,
                kernel.param_bytes,
                launch.params.len()
            )));
        }
        let threads: u32 = launch.block.iter().product();
        let blocks: u64 = launch.grid.iter().map(|&d| u64::from(d)).product();
        let resident = self.gpu.resident_blocks(threads, shared as u32);
        if launch.cooperative && blocks > u64::from(resident) {
            return Err(refuse(format!(
                "a cooperative launch of {blocks} blocks: the GPU holds {resident} of them at once"
            )));
        }
        let one = kernel.ordered || launch.watch.checks.is_sequential(program, kernel.function);
        let wanted = if launch.workers == 0 { cores() } else { launch.workers };
        let workers = if one { 1 } else { wanted.min(usize::try_from(blocks).unwrap_or(usize::MAX)) };
        if !launch.watch.checks.follows_writes() {
            self.memory.assume_written();
        }
        self.memory.set_params(&launch.params);
        // With checks an access past the end is a mistake like any other.
        let padding = (self.memory.is_padded() && !launch.watch.checks.any()).then(Padding::default);
        let started = Instant::now();
        let context = Context {
            image: &program.image,
            memory: &self.memory,
            entry: kernel.function,
            views: self.memory.views(),
            templates: &prepared.templates,
            hints: &prepared.hints,
            cost: &prepared.cost,
            grid: launch.grid,
            block: launch.block,
            cluster: cluster.unwrap_or([1; 3]),
            explicit_cluster: cluster.is_some(),
            shared_bytes: shared as u32,
            dynamic_shared: launch.shared_bytes,
            sms: self.gpu.sms,
            resident,
            cooperative: launch.cooperative,
            workspace,
            parallel: workers > 1,
            max_instructions: launch.max_instructions,
            quantum: quantum(launch.max_instructions),
            started,
            deadline: launch.time_limit.and_then(|limit| started.checked_add(limit)),
            objects: &self.objects,
            heap: self.heap.as_deref(),
            padding: padding.as_ref(),
            children: self.children.as_deref(),
            sample: launch.watch.record.and_then(|sampling| sample(program, kernel, launch, sampling, resident)),
        };
        Ok(run(&mut Job { program, launch: context }, workers))
    }

    /// The address of the workspace of a cooperative launch: a size and the counter that blocks meet at, as the driver
    /// provides it; 0 for any other launch.
    fn workspace(&mut self, launch: &Launch) -> Result<u64, Fault> {
        if !launch.cooperative {
            return Ok(0);
        }
        let mut fresh = || -> Result<u64, MachineError> {
            let address = self.memory.alloc(WORKSPACE_BYTES, false)?;
            self.memory.name(address, "the workspace of the grid")?;
            Ok(address)
        };
        let address = match self.workspace {
            Some(address) => Ok(address),
            None => fresh(),
        };
        let address = address.map_err(|error| refuse(error.to_string()))?;
        self.workspace = Some(address);
        // A launch that ended early may have left the counter in between.
        let cleared = self.memory.bytes_mut(address, WORKSPACE_BYTES);
        cleared.map_err(|error| refuse(error.to_string()))?.fill(0);
        Ok(address)
    }
}

/// The clusters to run of a launch that is recorded, if not all are, one after the other. Blocks that may see each
/// other's work are run from the first one on, and as many as the GPU holds at once: a block waits only for those.
fn sample(program: &Program, kernel: &Kernel, launch: &Launch, sampling: Sampling, resident: u32) -> Option<Sample> {
    let threads: u64 = launch.block.iter().map(|&d| u64::from(d)).product();
    let blocks: u64 = launch.grid.iter().map(|&d| u64::from(d)).product();
    let whole = launch.cooperative || launch.cluster.is_some() || kernel.required_cluster.is_some() || kernel.launches;
    if whole {
        return None;
    }
    let large = blocks.saturating_mul(threads) > sampling.all;
    let wanted = if large { (sampling.some / threads.max(1)).max(FEWEST) } else { blocks };
    let in_order = kernel.ordered || program.polls(kernel);
    let (least, stride) = if in_order { (u64::from(resident), 1) } else { (LEAST, Sample::spread(blocks)) };
    Some(Sample { run: wanted.max(least), least, budget: sampling.instructions, stride })
}

/// Host threads that run at the same time; asked once, because the answer takes longer than a small launch.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The clusters of a launch, if it or its kernel states any.
fn cluster(gpu: &warpwise_arch::Gpu, kernel: &Kernel, launch: &Launch) -> Result<Option<[u32; 3]>, Fault> {
    if let (Some([x, y, z]), Some(given)) = (kernel.required_cluster, launch.cluster)
        && [x, y, z] != given
    {
        return Err(refuse(format!("{} is compiled for clusters of {x}x{y}x{z} blocks only", kernel.name)));
    }
    let cluster = launch.cluster.or(kernel.required_cluster);
    if let Some(cluster) = cluster {
        gpu.check_cluster(launch.grid, cluster).map_err(|limit| refuse(limit.0))?;
    }
    Ok(cluster)
}

pub(super) fn refuse(message: String) -> Fault {
    Fault {
        kind: FaultKind::LaunchLimit,
        message,
        place: None,
        address: None,
        printed: String::new(),
        findings: Vec::new(),
    }
}

/// Checks a launch against the kernel's own declarations.
fn check_bounds(kernel: &Kernel, launch: &Launch) -> Result<(), Fault> {
    let threads: u32 = launch.block.iter().product();
    if let Some(required) = kernel.required_threads
        && required != launch.block
    {
        let [x, y, z] = required;
        return Err(refuse(format!("{} is compiled for blocks of {x}x{y}x{z} threads only", kernel.name)));
    }
    match kernel.max_threads {
        Some(most) if threads > most => Err(refuse(format!(
            "block of {threads} threads: {} is compiled for at most {most} (its __launch_bounds__)",
            kernel.name
        ))),
        _ => Ok(()),
    }
}
