//! The machine: an emulated GPU with its memory and loaded modules.
//!
//! This is the interface a driver would use: allocate, copy, load a module, launch a kernel with a parameter block.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use warpwise_ptx::ast::{Initializer, Space};

use crate::exec::{Job, quantum};
use crate::image::{Constant, FunctionCode, Kernel};
use crate::memory::{self, Global, Heap, MachineError};
use crate::report::{Fault, FaultKind, Report};
use crate::texture::{self, ImageShape, Object, Sampler};
use crate::warp::{Buffer, Context};
use crate::watch::observe::Observer;
use crate::{Launch, Program};
use warpwise_arch::Gpu;

/// Device heap for kernels that call `malloc`: what CUDA gives by default.
const HEAP_BYTES: u64 = 8 << 20;

/// The workspace of a cooperative launch.
const WORKSPACE_BYTES: u64 = 16;

/// An address in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DevicePtr(pub u64);

/// A module loaded on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(u32);

/// A loaded module: the program and where its variables are.
#[derive(Debug)]
struct Loaded {
    program: Arc<Program>,
    variables: HashMap<Box<str>, (u64, u64)>,
    heap: Option<Arc<Heap>>,
}

/// One emulated GPU.
#[derive(Debug)]
pub struct Machine {
    gpu: Gpu,
    memory: Global,
    modules: Vec<Loaded>,
    /// Where the blocks of cooperative launches meet, once there was one.
    workspace: Option<u64>,
    /// Textures and surfaces.
    objects: Vec<Object>,
}

impl Machine {
    /// A machine with that GPU's limits. Its memory is the host's.
    pub fn new(gpu: Gpu) -> Self {
        Self { gpu, memory: Global::new(u64::MAX), modules: Vec::new(), workspace: None, objects: Vec::new() }
    }

    /// Like [`Machine::new`], but with at most that much device memory.
    pub fn with_memory_limit(gpu: Gpu, bytes: u64) -> Self {
        Self { gpu, memory: Global::new(bytes), modules: Vec::new(), workspace: None, objects: Vec::new() }
    }

    /// Its GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Allocates device memory, zeroed; 0 bytes is fine.
    ///
    /// Checks of initialisation still treat it as unwritten, because hardware promises nothing, until the host or a
    /// kernel writes to it. A launch without that check marks all memory as written.
    pub fn alloc(&mut self, bytes: u64) -> Result<DevicePtr, MachineError> {
        self.memory.alloc(bytes, false).map(DevicePtr)
    }

    /// Like [`Machine::alloc`], but with every byte set; it still counts as unwritten.
    pub fn alloc_filled(&mut self, bytes: u64, byte: u8) -> Result<DevicePtr, MachineError> {
        let ptr = self.alloc(bytes)?;
        self.memory.fill_unwritten(ptr.0, byte);
        Ok(ptr)
    }

    /// Bytes allocated.
    pub fn allocated(&self) -> u64 {
        self.memory.used()
    }

    /// Frees an allocation.
    pub fn free(&mut self, ptr: DevicePtr) -> Result<(), MachineError> {
        self.memory.free(ptr.0)
    }

    /// Gives an allocation the name that findings use, for example `argument 0 (in)`. Allocations without one are named
    /// after the argument that points to them, if any.
    pub fn name(&mut self, ptr: DevicePtr, name: &str) -> Result<(), MachineError> {
        self.memory.name(ptr.0, name)
    }

    /// Copies to the device.
    pub fn write(&mut self, ptr: DevicePtr, bytes: &[u8]) -> Result<(), MachineError> {
        self.memory.bytes_mut(ptr.0, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Copies from the device.
    pub fn read(&self, ptr: DevicePtr, bytes: &mut [u8]) -> Result<(), MachineError> {
        bytes.copy_from_slice(self.memory.bytes(ptr.0, bytes.len() as u64)?);
        Ok(())
    }

    /// The bytes of device memory, without a copy.
    pub fn bytes(&self, ptr: DevicePtr, len: u64) -> Result<&[u8], MachineError> {
        self.memory.bytes(ptr.0, len)
    }

    /// The bytes of device memory, to be written without a copy.
    pub fn bytes_mut(&mut self, ptr: DevicePtr, len: u64) -> Result<&mut [u8], MachineError> {
        self.memory.bytes_mut(ptr.0, len)
    }

    /// Loads a program: places its global and constant variables and initialises them.
    pub fn load(&mut self, program: Arc<Program>) -> Result<ModuleId, MachineError> {
        let variables = self.place_variables(&program, HashMap::new())?;
        let heap = self.heap_for(&program)?;
        self.modules.push(Loaded { program, variables, heap });
        Ok(ModuleId(self.modules.len() as u32 - 1))
    }

    /// Loads another part of a module: variables that the first part has are shared, with their addresses and current
    /// contents, and kernels that call `malloc` share one heap.
    pub fn load_part(&mut self, first: ModuleId, program: Arc<Program>) -> Result<ModuleId, MachineError> {
        let known = self.modules[first.0 as usize].variables.clone();
        let variables = self.place_variables(&program, known)?;
        let heap = match &self.modules[first.0 as usize].heap {
            Some(heap) => Some(Arc::clone(heap)),
            None => self.heap_for(&program)?,
        };
        self.modules[first.0 as usize].heap.clone_from(&heap);
        self.modules.push(Loaded { program, variables, heap });
        Ok(ModuleId(self.modules.len() as u32 - 1))
    }

    /// Places the variables of a program that have no place yet and initialises them.
    fn place_variables(
        &mut self,
        program: &Program,
        mut variables: HashMap<Box<str>, (u64, u64)>,
    ) -> Result<HashMap<Box<str>, (u64, u64)>, MachineError> {
        let module = program.module();
        let mut fresh = Vec::new();
        for v in module.variables.iter().filter(|v| matches!(v.space, Space::Global | Space::Const)) {
            if variables.contains_key(&v.name) {
                continue;
            }
            let address = self.memory.alloc(v.size, v.space == Space::Const)?;
            // A variable without an initialiser is zero.
            self.memory.bytes_mut(address, v.size)?;
            self.memory.name(address, &crate::watch::plain_name(&v.name))?;
            variables.insert(v.name.clone(), (address, v.size));
            fresh.push((v, address));
        }
        for (v, base) in fresh {
            for init in &v.init {
                let (offset, bytes) = match init {
                    Initializer::Bytes { offset, bytes } => (*offset, bytes.clone()),
                    Initializer::Symbol { offset, width, name, addend, mask, .. } => {
                        let code = module.functions.iter().position(|f| f.name == *name).map(function_address);
                        let address = variables.get(name).map(|&(a, _)| a).or(code).ok_or_else(|| {
                            MachineError::Unresolved { variable: v.name.to_string(), name: name.to_string() }
                        })?;
                        let value = address.wrapping_add_signed(*addend);
                        let value = match mask {
                            Some(mask) if *mask != 0 => (value & mask) >> mask.trailing_zeros(),
                            _ => value,
                        };
                        (*offset, value.to_le_bytes()[..(*width).min(8) as usize].to_vec())
                    }
                };
                // The reader keeps initialisers inside their variable; anything that would not fit is ignored.
                if offset.checked_add(bytes.len() as u64).is_some_and(|end| end <= v.size) {
                    self.memory.bytes_mut(base + offset, bytes.len() as u64)?.copy_from_slice(&bytes);
                }
            }
        }
        Ok(variables)
    }

    /// A heap, if a kernel of the program can call `malloc`.
    fn heap_for(&mut self, program: &Program) -> Result<Option<Arc<Heap>>, MachineError> {
        if !program.kernels().iter().any(|k| k.uses_heap) {
            return Ok(None);
        }
        let heap = self.memory.alloc(HEAP_BYTES, false)?;
        self.memory.name(heap, "the device heap")?;
        Ok(Some(Arc::new(Heap::new(heap, HEAP_BYTES))))
    }

    /// Makes a texture of these texels and returns its handle, the value that a kernel takes as `cudaTextureObject_t`.
    ///
    /// ```
    /// use warpwise_simt::{Channel, Filter, Gpu, ImageKind, ImageShape, Machine, Sampler};
    ///
    /// let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    /// let shape = ImageShape {
    ///     kind: ImageKind::Plane,
    ///     width: 2,
    ///     height: 2,
    ///     depth: 1,
    ///     channels: 1,
    ///     channel: Channel::U8,
    /// };
    /// let sampler = Sampler { filter: Filter::Linear, reads_fractions: true, ..Sampler::default() };
    /// let texture = machine.texture(shape, &[0, 255, 255, 0], sampler)?;
    /// assert_eq!(machine.texels(texture), Some(&[0, 255, 255, 0][..]));
    /// # Ok::<(), warpwise_simt::MachineError>(())
    /// ```
    pub fn texture(&mut self, shape: ImageShape, texels: &[u8], sampler: Sampler) -> Result<u64, MachineError> {
        self.object(shape, texels, Some(sampler))
    }

    /// Makes a surface of these texels and returns its handle, the value that a kernel takes as `cudaSurfaceObject_t`.
    pub fn surface(&mut self, shape: ImageShape, texels: &[u8]) -> Result<u64, MachineError> {
        self.object(shape, texels, None)
    }

    fn object(&mut self, shape: ImageShape, texels: &[u8], sampler: Option<Sampler>) -> Result<u64, MachineError> {
        let given = texels.len() as u64;
        let wanted = shape.bytes().filter(|bytes| *bytes == given).ok_or(MachineError::BadImage { bytes: given })?;
        let base = self.memory.alloc(wanted, false)?;
        self.memory.bytes_mut(base, wanted)?.copy_from_slice(texels);
        self.memory.name(base, if sampler.is_some() { "a texture" } else { "a surface" })?;
        self.objects.push(Object { shape, base, sampler });
        Ok(texture::handle(self.objects.len() - 1))
    }

    /// The texels of a texture or surface now.
    pub fn texels(&self, handle: u64) -> Option<&[u8]> {
        let object = texture::object(&self.objects, handle)?;
        self.memory.bytes(object.base, object.shape.bytes()?).ok()
    }

    /// Where the texels of a texture or surface are, and how many bytes they have.
    pub fn texels_at(&self, handle: u64) -> Option<(DevicePtr, u64)> {
        let object = texture::object(&self.objects, handle)?;
        Some((DevicePtr(object.base), object.shape.bytes()?))
    }

    /// Address and size of a module's global or constant variable.
    pub fn global(&self, module: ModuleId, name: &str) -> Option<(DevicePtr, u64)> {
        let &(address, size) = self.modules.get(module.0 as usize)?.variables.get(name)?;
        Some((DevicePtr(address), size))
    }

    /// Runs a kernel to its end.
    pub fn launch(&mut self, module: ModuleId, kernel: &str, launch: &Launch) -> Result<Report, Fault> {
        let run = |job: &mut Job<'_>, workers| crate::watch::run(job, workers, launch.watch, || ()).0;
        self.launch_through(module, kernel, launch, run)?
    }

    /// Like [`Machine::launch`], but also watched by your own observers, beside what [`Launch::watch`] asks for.
    /// `observer` makes one for each host thread that runs blocks ([`Launch::workers`]); they are returned in no
    /// particular order, and none if the launch is refused. A launch that is checked may be repeated, to report the
    /// same every time; then only the observers of the last run are returned.
    pub fn launch_observed<O: Observer + Send>(
        &mut self,
        module: ModuleId,
        kernel: &str,
        launch: &Launch,
        observer: impl Fn() -> O + Sync,
    ) -> (Result<Report, Fault>, Vec<O>) {
        let run = |job: &mut Job<'_>, workers| crate::watch::run_observed(job, workers, launch.watch, observer);
        match self.launch_through(module, kernel, launch, run) {
            Ok((outcome, observers)) => (outcome, observers),
            Err(refused) => (Err(refused), Vec::new()),
        }
    }

    /// Prepares a launch and passes it, with the number of host threads to use, to `run`.
    pub(crate) fn launch_through<T>(
        &mut self,
        module: ModuleId,
        kernel: &str,
        launch: &Launch,
        run: impl FnOnce(&mut Job<'_>, usize) -> T,
    ) -> Result<T, Fault> {
        let workspace = self.workspace(launch)?;
        let Some(loaded) = self.modules.get(module.0 as usize) else {
            return Err(refuse("no such module is loaded on this machine".to_owned()));
        };
        let program = &*loaded.program;
        let Some(kernel) = program.kernel(kernel) else {
            return Err(refuse(format!("the module has no kernel {kernel}")));
        };
        let shared = u64::from(kernel.static_shared) + u64::from(launch.shared_bytes);
        self.gpu.check_launch(launch.grid, launch.block, shared).map_err(|limit| refuse(limit.0))?;
        check_bounds(kernel, launch)?;
        let cluster = self.cluster(kernel, launch)?;
        let mut params = launch.params.clone();
        if params.len() != kernel.param_bytes as usize {
            return Err(refuse(format!(
                "{} takes {} bytes of parameters, {} were given",
                kernel.name,
                kernel.param_bytes,
                params.len()
            )));
        }
        let threads: u32 = launch.block.iter().product();
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let blocks: u64 = launch.grid.iter().map(|&d| u64::from(d)).product();
        let resident = self.gpu.resident_blocks(threads, shared as u32);
        if launch.cooperative && blocks > u64::from(resident) {
            return Err(refuse(format!(
                "a cooperative launch of {blocks} blocks: the GPU holds {resident} of them at once"
            )));
        }
        let wanted = if launch.workers == 0 { cores() } else { launch.workers };
        let one = kernel.ordered || launch.watch.checks.is_sequential(program, kernel.function);
        let workers = if one { 1 } else { wanted.min(usize::try_from(blocks).unwrap_or(usize::MAX)) };
        if !launch.watch.checks.follows_writes() {
            self.memory.assume_written();
        }
        let started = Instant::now();
        let context = Context {
            image: &program.image,
            memory: &self.memory,
            entry: kernel.function,
            views: self.memory.views(&mut params),
            templates: program.image.functions.iter().map(|f| template(f, loaded, kernel)).collect(),
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
            heap: loaded.heap.clone(),
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

    /// The clusters of a launch, if it or its kernel states any.
    fn cluster(&self, kernel: &Kernel, launch: &Launch) -> Result<Option<[u32; 3]>, Fault> {
        if let (Some([x, y, z]), Some(given)) = (kernel.required_cluster, launch.cluster)
            && [x, y, z] != given
        {
            return Err(refuse(format!("{} is compiled for clusters of {x}x{y}x{z} blocks only", kernel.name)));
        }
        let cluster = launch.cluster.or(kernel.required_cluster);
        if let Some(cluster) = cluster {
            self.gpu.check_cluster(launch.grid, cluster).map_err(|limit| refuse(limit.0))?;
        }
        Ok(cluster)
    }
}

fn refuse(message: String) -> Fault {
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

/// The address of the n-th function, for indirect calls.
fn function_address(index: usize) -> u64 {
    memory::CODE + 16 * index as u64
}

/// The initial registers of a function: its constants, with addresses filled in.
fn template(function: &FunctionCode, loaded: &Loaded, kernel: &Kernel) -> Buffer {
    let mut buffer = Buffer::new(function.frame_bytes as usize);
    let regs = buffer.as_mut_slice();
    // Slot 0 is the predicate that is always true.
    regs[..4].fill(0xff);
    for (slot, width, constant) in &function.constants {
        let value = match constant {
            Constant::Bits(bits) => *bits,
            Constant::BodyShared(key, addend) => {
                u64::from(kernel.shared.get(key).copied().unwrap_or(0)).wrapping_add_signed(*addend)
            }
            Constant::Symbol(name, addend) => address_of(name, loaded, kernel).wrapping_add_signed(*addend),
        };
        let bytes = &value.to_le_bytes()[..*width as usize];
        for lane in regs[*slot as usize..][..32 * *width as usize].chunks_exact_mut(*width as usize) {
            lane.copy_from_slice(bytes);
        }
    }
    buffer
}

/// The address of a module-level name: a shared variable's offset, a variable's or function's address.
fn address_of(name: &str, loaded: &Loaded, kernel: &Kernel) -> u64 {
    if let Some(&offset) = kernel.shared.get(name) {
        return offset.into();
    }
    if let Some(&(address, _)) = loaded.variables.get(name) {
        return address;
    }
    let at = loaded.program.module().functions.iter().position(|f| &*f.name == name);
    at.map_or(0, function_address)
}
