//! A GPU in use: its memory, the modules loaded on it, launches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use warpwise_gpu::{Copier, Device as Gpu, DeviceError, DevicePtr, FaultKind, Launch, Module, Program, Report, Watch};

use super::trace::{CopyRates, LaunchRecord, Recorder, Stage, Trace};
use crate::Error;

/// The kernels of a primitive: PTX that is part of this library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelModule {
    /// The primitive's name.
    pub(crate) name: &'static str,
    /// The text.
    pub(crate) ptx: &'static str,
}

/// The geometry of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub(crate) shared: u32,
}

impl Shape {
    /// A one-dimensional launch.
    pub(crate) fn line(grid: u32, block: u32, shared: u32) -> Self {
        Self { grid: [grid, 1, 1], block: [block, 1, 1], shared }
    }

    /// A one-dimensional launch of as many blocks as it takes for so many elements; more than there can be are left to
    /// the device to refuse.
    pub(crate) fn cover(elements: u64, per_block: u64, block: u32, shared: u32) -> Self {
        let blocks = elements.div_ceil(per_block.max(1));
        Self::line(u32::try_from(blocks).unwrap_or(u32::MAX), block, shared)
    }

    /// A block of about that many threads for a plane of rows and columns: a warp wide where the plane is, and high
    /// enough that the plane does not take more blocks in y than there can be, as long as 1024 threads allow it.
    pub(crate) fn plane_block(columns: u64, rows: u64, threads: u32) -> [u32; 2] {
        const MOST_BLOCKS: u64 = 65535;
        let mut x = (columns.clamp(1, 32) as u32).next_power_of_two().min(threads.max(1));
        let mut y = (threads / x).max(1);
        while rows.div_ceil(u64::from(y)) > MOST_BLOCKS && x * y < 1024 {
            y *= 2;
        }
        while rows.div_ceil(u64::from(y)) > MOST_BLOCKS && x > 1 {
            (x, y) = (x / 2, y * 2);
        }
        [x, y]
    }

    /// A two-dimensional launch with a thread for each cell of a plane.
    pub(crate) fn plane(columns: u64, rows: u64, block: [u32; 2], shared: u32) -> Self {
        let blocks =
            |cells: u64, block: u32| u32::try_from(cells.div_ceil(u64::from(block.max(1)))).unwrap_or(u32::MAX);
        Self { grid: [blocks(columns, block[0]), blocks(rows, block[1]), 1], block: [block[0], block[1], 1], shared }
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    Pointer(DevicePtr),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
}

impl Argument {
    /// A null pointer.
    pub(crate) const NULL: Self = Self::U64(0);

    /// A float of any type.
    pub(crate) fn float<T: crate::Float>(value: T) -> Self {
        if size_of::<T>() == 4 { Self::F32(value.to_f64() as f32) } else { Self::F64(value.to_f64()) }
    }

    /// A pointer that many bytes further.
    pub(crate) fn plus(self, bytes: u64) -> Self {
        match self {
            Self::Pointer(DevicePtr(at)) => Self::Pointer(DevicePtr(at + bytes)),
            other => other,
        }
    }

    fn bytes(self) -> ([u8; 8], usize) {
        let mut bytes = [0; 8];
        let size = match self {
            Self::Pointer(DevicePtr(v)) | Self::U64(v) => {
                bytes = v.to_le_bytes();
                8
            }
            Self::F64(v) => {
                bytes = v.to_le_bytes();
                8
            }
            Self::U32(v) => {
                bytes[..4].copy_from_slice(&v.to_le_bytes());
                4
            }
            Self::F32(v) => {
                bytes[..4].copy_from_slice(&v.to_le_bytes());
                4
            }
        };
        (bytes, size)
    }

    /// The parameter block of a kernel: every argument at a multiple of its size.
    fn pack(arguments: &[Self]) -> Vec<u8> {
        let mut block = Vec::new();
        for argument in arguments {
            let (bytes, size) = argument.bytes();
            block.resize(block.len().next_multiple_of(size), 0);
            block.extend_from_slice(&bytes[..size]);
        }
        block
    }
}

struct State {
    gpu: Box<dyn Gpu>,
    modules: HashMap<&'static str, Module>,
    workspaces: HashMap<&'static str, Workspace>,
    /// What launches are watched for, where the device can.
    watch: Watch,
    recorder: Option<Recorder>,
}

impl State {
    /// Notes the stage that the next call belongs to, where notes are taken.
    fn enter(&mut self, stage: Stage) -> Result<(), Error> {
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.enter(&mut *self.gpu, stage)?),
            None => Ok(()),
        }
    }

    /// Notes that no stage goes on.
    fn leave(&mut self) -> Result<(), Error> {
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.leave(&mut *self.gpu)?),
            None => Ok(()),
        }
    }

    /// The module, loaded at its first use.
    fn module(&mut self, kernels: KernelModule) -> Result<Module, Error> {
        if let Some(&module) = self.modules.get(kernels.name) {
            return Ok(module);
        }
        let program = Program::load(kernels.ptx).map_err(DeviceError::from)?;
        let module = self.gpu.load(&Arc::new(program))?;
        self.modules.insert(kernels.name, module);
        Ok(module)
    }

    /// Launches a kernel; where notes are taken, in their stage.
    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError> {
        let State { gpu, recorder, .. } = self;
        let Some(recorder) = recorder.as_mut().filter(|recorder| !recorder.is_in(Stage::Kernel)) else {
            return gpu.launch(module, kernel, launch);
        };
        recorder.leave(&mut **gpu)?;
        let (mark, report) = gpu.mark_and_launch(module, kernel, launch)?;
        recorder.begun(Stage::Kernel, mark);
        Ok(report)
    }

    /// Writes to a constant or global variable of a module.
    fn set_variable(&mut self, module: Module, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let (at, size) = self.gpu.variable(module, name).expect("the kernels declare what they are given");
        assert!(bytes.len() as u64 <= size, "{name} has {size} bytes, {} were given", bytes.len());
        Ok(self.gpu.upload(at, bytes)?)
    }
}

/// Launches after which a workspace starts anew.
const MOST_USES: u32 = 1 << 31;

/// Memory that stays with the device from one launch to the next.
struct Workspace {
    at: DevicePtr,
    bytes: u64,
    generation: u32,
    /// How often it was given out since it was zero.
    uses: u32,
}

/// A GPU that primitives use. Clones share it; each call takes it for as long as it lasts.
#[derive(Clone)]
pub(crate) struct Session {
    state: Arc<Mutex<State>>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("name", &self.name()).finish()
    }
}

impl Session {
    pub(crate) fn new(gpu: Box<dyn Gpu>, watch: Watch) -> Self {
        Self {
            state: Arc::new(Mutex::new(State {
                gpu,
                modules: HashMap::new(),
                workspaces: HashMap::new(),
                watch,
                recorder: None,
            })),
        }
    }

    /// Begins to take notes.
    pub(crate) fn start_trace(&self) {
        self.lock().recorder = Some(Recorder::default());
    }

    /// Ends the notes.
    pub(crate) fn take_trace(&self) -> Result<Trace, Error> {
        let state = &mut *self.lock();
        match state.recorder.take() {
            Some(recorder) => Ok(recorder.finish(&mut *state.gpu)?),
            None => Ok(Trace::default()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    pub(crate) fn name(&self) -> String {
        self.lock().gpu.name()
    }

    /// The name of its GPU.
    pub(crate) fn gpu_name(&self) -> String {
        self.lock().gpu.gpu().name.clone()
    }

    /// Rates of copies of that many bytes, best of several.
    pub(crate) fn copy_rates(&self, bytes: u64) -> Result<CopyRates, Error> {
        const TRIES: usize = 5;
        let (from, to) = (self.allocate(bytes)?, self.allocate(bytes)?);
        let mut host = vec![1u8; bytes as usize];
        let state = &mut *self.lock();
        let gpu = &mut *state.gpu;
        let mut best = [f64::INFINITY; 3];
        for _ in 0..TRIES {
            let mut time = |stage: usize, work: &mut dyn FnMut(&mut dyn Gpu) -> Result<(), DeviceError>| {
                gpu.synchronize()?;
                let start = gpu.mark()?;
                work(gpu)?;
                let end = gpu.mark()?;
                best[stage] = best[stage].min(gpu.elapsed_ms(start, end)?);
                Ok::<(), DeviceError>(())
            };
            time(0, &mut |gpu| gpu.upload(from.at, &host))?;
            time(1, &mut |gpu| gpu.copy(from.at, to.at, bytes))?;
            time(2, &mut |gpu| gpu.download(to.at, &mut host))?;
        }
        gpu.clear_marks();
        let rate = |ms: f64, copies: u64| (copies * bytes) as f64 / ms.max(1e-6) / 1e6;
        Ok(CopyRates { bytes, upload: rate(best[0], 1), device: rate(best[1], 2), download: rate(best[2], 1) })
    }

    /// Multiprocessors, for choosing grids.
    pub(crate) fn multiprocessors(&self) -> u32 {
        self.lock().gpu.gpu().sms
    }

    /// Whether blocks can be sure to run at once: see [`launch_together`](Session::launch_together).
    pub(crate) fn cooperates(&self) -> bool {
        self.lock().gpu.cooperates()
    }

    /// Compute capability.
    pub(crate) fn compute_capability(&self) -> (u32, u32) {
        self.lock().gpu.gpu().cc
    }

    /// Largest dynamic shared memory of a block, in bytes.
    pub(crate) fn shared_limit(&self) -> u32 {
        self.lock().gpu.gpu().smem_block_kb * 1024
    }

    /// Memory for that many elements, with undefined contents.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<Allocation, Error> {
        // GPUs have no buffers of nothing.
        self.allocate_by(|gpu| gpu.allocate(bytes.max(1)))
    }

    /// Memory for a few bytes that a kernel writes and the host reads next.
    pub(crate) fn allocate_result(&self, bytes: u64) -> Result<Allocation, Error> {
        self.allocate_by(|gpu| gpu.allocate_result(bytes))
    }

    fn allocate_by(
        &self,
        allocate: impl FnOnce(&mut dyn Gpu) -> Result<DevicePtr, DeviceError>,
    ) -> Result<Allocation, Error> {
        let mut state = self.lock();
        state.leave()?;
        let since = Instant::now();
        let at = allocate(&mut *state.gpu)?;
        let generation = state.gpu.generation();
        if let Some(recorder) = &mut state.recorder {
            recorder.allocated(since);
        }
        Ok(Allocation { session: self.clone(), at, generation })
    }

    /// Memory that holds a copy of a slice.
    pub(crate) fn allocate_copy<T: bytemuck::Pod>(&self, values: &[T]) -> Result<Allocation, Error> {
        let allocation = self.allocate(size_of_val(values) as u64)?;
        self.upload(allocation.at, values)?;
        Ok(allocation)
    }

    /// Memory for so many elements, all zero.
    pub(crate) fn allocate_zeroed<T: bytemuck::Pod>(&self, len: usize) -> Result<Allocation, Error> {
        let bytes = (len * size_of::<T>()) as u64;
        let allocation = self.allocate(bytes)?;
        let mut state = self.lock();
        state.enter(Stage::Upload)?;
        state.gpu.fill(allocation.at, 0, bytes)?;
        drop(state);
        Ok(allocation)
    }

    /// At least so many bytes that are zero before their first use and stay with the device: every launch leaves in
    /// them what the next one of that name starts from. Launches follow each other, so that one of each name is enough.
    pub(crate) fn workspace(&self, name: &'static str, bytes: u64) -> Result<Argument, Error> {
        Ok(self.numbered_workspace(name, bytes)?.0)
    }

    /// The same, and a number for the launch: not 0, and not one that the workspace has seen since it was zero.
    pub(crate) fn numbered_workspace(&self, name: &'static str, bytes: u64) -> Result<(Argument, Argument), Error> {
        let mut state = self.lock();
        let generation = state.gpu.generation();
        match state.workspaces.get_mut(name) {
            Some(kept) if kept.bytes >= bytes && kept.generation == generation => {
                kept.uses = (kept.uses + 1) % MOST_USES;
                let &mut Workspace { at, bytes, uses, .. } = kept;
                // Launches are numbered in 32 bits, and must not meet what has the same number.
                if uses == 0 {
                    state.gpu.fill(at, 0, bytes)?;
                }
                return Ok((Argument::Pointer(at), Argument::U32(uses + 1)));
            }
            _ => {}
        }
        // One that is too small is not given back: another thread may be about to launch with it. Sizes double, so that
        // all that were too small are together no larger than the one in use.
        let bytes = bytes.next_power_of_two().max(4096);
        state.leave()?;
        let at = state.gpu.allocate(bytes)?;
        state.enter(Stage::Upload)?;
        state.gpu.fill(at, 0, bytes)?;
        let generation = state.gpu.generation();
        state.workspaces.insert(name, Workspace { at, bytes, generation, uses: 0 });
        Ok((Argument::Pointer(at), Argument::U32(1)))
    }

    pub(crate) fn upload<T: bytemuck::Pod>(&self, to: DevicePtr, values: &[T]) -> Result<(), Error> {
        let mut state = self.lock();
        state.enter(Stage::Upload)?;
        Ok(state.gpu.upload(to, bytemuck::cast_slice(values))?)
    }

    pub(crate) fn download<T: bytemuck::Pod>(&self, from: DevicePtr, values: &mut [T]) -> Result<(), Error> {
        let mut state = self.lock();
        state.enter(Stage::Download)?;
        Ok(state.gpu.download(from, bytemuck::cast_slice_mut(values))?)
    }

    /// Copies that many elements to the host.
    pub(crate) fn download_vec<T: bytemuck::Pod>(&self, from: DevicePtr, len: usize) -> Result<Vec<T>, Error> {
        let mut values = vec![T::zeroed(); len];
        crate::memory::prefer_large_pages(&values);
        self.download(from, &mut values)?;
        Ok(values)
    }

    /// Waits for the device; a kernel that failed is an error now at the latest.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        Ok(self.lock().gpu.synchronize()?)
    }

    /// What copies while kernels run, where the device can do both at once.
    pub(crate) fn copier(&self) -> Option<Arc<dyn Copier>> {
        self.lock().gpu.copier()
    }

    /// Notes that no stage goes on.
    pub(crate) fn pause(&self) -> Result<(), Error> {
        self.lock().leave()
    }

    /// Notes the time of copies that were made beside other stages.
    pub(crate) fn note_copies(&self, up: Duration, down: Duration) {
        if let Some(recorder) = &mut self.lock().recorder {
            recorder.copied(up, down);
        }
    }

    /// Whether the device is of no more use.
    pub(crate) fn stopped(&self) -> bool {
        self.lock().gpu.stopped()
    }

    /// Bytes of device memory that are in use or kept for later.
    pub(crate) fn memory_held(&self) -> u64 {
        self.lock().gpu.memory_held()
    }

    /// Launches a kernel of a module; returns what it printed.
    pub(crate) fn launch(
        &self,
        module: KernelModule,
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<String, Error> {
        self.launch_in(module, None, kernel, shape, arguments, false)
    }

    /// As [`launch`](Session::launch), with blocks that wait for each other: all of them run at once, or the launch is
    /// refused.
    pub(crate) fn launch_together(
        &self,
        module: KernelModule,
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<String, Error> {
        self.launch_in(module, None, kernel, shape, arguments, true)
    }

    /// As [`launch`](Session::launch), with a variable in constant memory that begins with these values.
    pub(crate) fn launch_with_constant<T: bytemuck::Pod>(
        &self,
        module: KernelModule,
        constant: (&str, &[T]),
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<String, Error> {
        let constant = (constant.0, bytemuck::cast_slice(constant.1));
        self.launch_in(module, Some(constant), kernel, shape, arguments, false)
    }

    // One lock for both, or another thread could set the constant in between.
    fn launch_in(
        &self,
        module: KernelModule,
        constant: Option<(&str, &[u8])>,
        kernel: &str,
        shape: Shape,
        arguments: &[Argument],
        cooperative: bool,
    ) -> Result<String, Error> {
        let mut state = self.lock();
        let loaded = state.module(module)?;
        if let Some((name, bytes)) = constant {
            state.enter(Stage::Upload)?;
            state.set_variable(loaded, name, bytes)?;
        }
        let mut launch = Launch::new(shape.grid, shape.block, Argument::pack(arguments));
        launch.shared_bytes = shape.shared;
        launch.cooperative = cooperative;
        launch.watch = state.watch;
        if !state.gpu.is_ready(loaded, kernel) {
            // Compiling belongs to no stage: it happens once.
            state.leave()?;
            state.gpu.prepare(loaded, kernel)?;
        }
        let outcome = state.launch(loaded, kernel, &launch);
        if outcome.is_err() {
            // Nobody knows how far it came.
            state.workspaces.clear();
        }
        if let Some(recorder) = &mut state.recorder {
            let record = LaunchRecord {
                module: module.name,
                kernel: kernel.to_owned(),
                grid: shape.grid,
                block: shape.block,
                shared_bytes: shape.shared,
                profile: None,
                findings: Vec::new(),
                fault: None,
            };
            match &outcome {
                Ok(Report { profile, findings, .. }) => {
                    recorder.launched(LaunchRecord { profile: profile.clone(), findings: findings.clone(), ..record });
                }
                Err(DeviceError::Fault(fault)) if fault.kind != FaultKind::LaunchLimit => {
                    let findings = fault.findings.clone();
                    recorder.launched(LaunchRecord { findings, fault: Some(fault.clone()), ..record });
                }
                // Nothing ran.
                Err(_) => {}
            }
        }
        Ok(outcome?.printed)
    }
}

/// Device memory; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Allocation {
    session: Session,
    at: DevicePtr,
    generation: u32,
}

impl Allocation {
    /// Where it starts.
    pub(crate) fn ptr(&self) -> DevicePtr {
        self.at
    }

    /// As an argument of a kernel.
    pub(crate) fn argument(&self) -> Argument {
        Argument::Pointer(self.at)
    }

    /// Whether it is still there: a kernel that fails on a real GPU takes everything with it.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.session.lock().gpu.generation() == self.generation { Ok(()) } else { Err(Error::Lost) }
    }

    /// The session it belongs to.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // Memory that the device no longer knows is gone already; there is nobody to tell.
        let mut state = self.session.lock();
        if state.gpu.generation() != self.generation {
            return;
        }
        let _ = state.leave();
        let since = Instant::now();
        let _ = state.gpu.free(self.at);
        if let Some(recorder) = &mut state.recorder {
            recorder.freed(since);
        }
    }
}

#[cfg(test)]
mod tests {
    use warpwise_gpu::emulated::EmulatedDevice;

    use super::*;

    const TRAPS: KernelModule = KernelModule {
        name: "traps",
        ptx: ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry traps()\n{\ntrap;\nret;\n}\n",
    };

    #[test]
    fn a_trace_holds_the_launch_that_stopped() {
        let gpu = warpwise_gpu::Gpu::named("h200").expect("in the table");
        let session = Session::new(Box::new(EmulatedDevice::new(gpu)), Watch::ALL);
        session.start_trace();
        let error = session.launch(TRAPS, "traps", Shape::line(1, 32, 0), &[]).expect_err("it traps");
        assert!(matches!(error, Error::Kernel(_)), "{error}");
        assert!(session.launch(TRAPS, "traps", Shape::line(1, 5000, 0), &[]).is_err(), "refused");
        let trace = session.take_trace().expect("the emulator goes on");
        assert_eq!(trace.launches.len(), 1, "what is refused is no launch");
        let fault = trace.launches[0].fault.as_ref().expect("why it stopped");
        assert_eq!((fault.kind, trace.launches[0].findings.len()), (FaultKind::Trap, 1));
    }
}
