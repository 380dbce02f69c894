//! A GPU in use: its loaded modules, workspaces, copies and trace.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use warpwise_gpu::{Copier, Device as Gpu, DeviceError, DevicePtr, Launch, Module, Point, PtxText, Report};

use super::Argument;
use super::lane::Lane;
use super::queue::Queue;
use super::trace::{CopyRates, Recorder, Stage, Trace};
use crate::Error;
use crate::kernels::KernelModule;
use crate::tuning::Tuning;

/// What the clones of a session share: one order of work.
pub(super) struct State {
    pub(super) gpu: Box<dyn Gpu>,
    modules: HashMap<&'static str, Module>,
    /// Modules that were written for an expression, by their text.
    texts: HashMap<String, Module>,
    pub(super) workspaces: HashMap<&'static str, Workspace>,
    pub(super) recorder: Option<Recorder>,
}

impl State {
    fn new(gpu: Box<dyn Gpu>) -> Self {
        let (modules, texts, workspaces) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { gpu, modules, texts, workspaces, recorder: None }
    }

    /// Records the stage that the next call belongs to, while tracing.
    pub(super) fn enter(&mut self, stage: Stage) -> Result<(), Error> {
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.enter(&mut *self.gpu, stage)?),
            None => Ok(()),
        }
    }

    /// Records that no stage is open.
    pub(super) fn leave(&mut self) -> Result<(), Error> {
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.leave(&mut *self.gpu)?),
            None => Ok(()),
        }
    }

    /// The module; the device asks for the text of a kernel when it is first needed.
    pub(super) fn module(&mut self, kernels: &'static KernelModule) -> Result<Module, Error> {
        if let Some(&module) = self.modules.get(kernels.name()) {
            return Ok(module);
        }
        let module = self.gpu.load(Arc::new(kernels))?;
        self.modules.insert(kernels.name(), module);
        Ok(module)
    }

    /// The module with that text.
    pub(super) fn module_of(&mut self, text: &str) -> Result<Module, Error> {
        if let Some(&module) = self.texts.get(text) {
            return Ok(module);
        }
        let module = self.gpu.load(Arc::new(PtxText::new(text.to_owned())))?;
        self.texts.insert(text.to_owned(), module);
        Ok(module)
    }

    /// Launches a kernel; while tracing, as part of the kernel stage.
    pub(super) fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError> {
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
    pub(super) fn set_variable(&mut self, module: Module, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let (at, size) = self.gpu.variable(module, name).expect("the kernels declare what they are given");
        assert!(bytes.len() as u64 <= size, "{name} has {size} bytes, {} were given", bytes.len());
        Ok(self.gpu.upload(at, bytes)?)
    }
}

/// Bytes of shared memory that kernels whose blocks wait for each other declare themselves, at most.
const STATIC_BYTES: u32 = 1024;

/// Launches after which a workspace is cleared.
const MOST_USES: u32 = 1 << 31;

/// Memory that stays with the device between launches.
pub(super) struct Workspace {
    at: DevicePtr,
    bytes: u64,
    generation: u32,
    /// How often it has been used since it was cleared.
    uses: u32,
}

/// What all orders of work of a GPU share.
#[derive(Default)]
struct Shared {
    /// Lanes of streams that are gone: their modules are loaded.
    idle: Mutex<Vec<Arc<Lane>>>,
    /// For streams, where the GPU has one order of work.
    queue: OnceLock<Queue>,
}

/// A GPU that primitives use, in one order of work. Clones share both; each call holds it while it runs.
#[derive(Clone)]
pub(crate) struct Session {
    shared: Arc<Shared>,
    lane: Arc<Lane>,
}

/// A session that a stream uses; its order of work is idle when this is dropped.
struct Busy(Session);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.idle().push(Arc::clone(&self.0.lane));
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("name", &self.name()).finish()
    }
}

impl Session {
    pub(crate) fn new(gpu: Box<dyn Gpu>) -> Self {
        Self { shared: Arc::default(), lane: Lane::new(State::new(gpu)) }
    }

    /// The same GPU with an order of work of its own, if it can have several.
    pub(super) fn fork(&self) -> Result<Option<Self>, Error> {
        while let Some(lane) = self.idle().pop() {
            // A GPU that has lost everything has lost its streams, too.
            if lane.lock().gpu.generation() == 0 {
                return Ok(Some(Self { shared: Arc::clone(&self.shared), lane }));
            }
        }
        let fork = self.lock().gpu.fork()?;
        Ok(fork.map(|gpu| Self { shared: Arc::clone(&self.shared), lane: Lane::new(State::new(gpu)) }))
    }

    /// An order of work for a stream and its queue, if the GPU can have several. When the last call has been made, the
    /// order is kept for the next stream.
    pub(super) fn stream(&self) -> Result<Option<(Self, Queue)>, Error> {
        let Some(own) = self.fork()? else { return Ok(None) };
        let busy = Busy(own.clone());
        let queue = Queue::start(move || {
            busy.0.lane.work_here();
            busy
        });
        Ok(Some((own, queue)))
    }

    /// Remembers that a call of a stream has ended.
    pub(super) fn end_call(&self) {
        self.lane.end_call();
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Arc<Lane>>> {
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The queue of all streams, where the GPU has one order of work.
    pub(super) fn queue(&self) -> &Queue {
        self.shared.queue.get_or_init(|| Queue::start(|| {}))
    }

    /// Its order of work.
    pub(super) fn lane(&self) -> &Arc<Lane> {
        &self.lane
    }

    /// Begins no later work before that place is reached.
    pub(super) fn follow(&self, point: &Point) -> Result<(), DeviceError> {
        self.lock().gpu.follow(point)
    }

    /// Starts a trace.
    pub(crate) fn start_trace(&self) {
        self.lock().recorder = Some(Recorder::default());
    }

    /// Ends the trace.
    pub(crate) fn take_trace(&self) -> Result<Trace, Error> {
        let state = &mut *self.lock();
        match state.recorder.take() {
            Some(recorder) => Ok(recorder.finish(&mut *state.gpu)?),
            None => Ok(Trace::default()),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.lane.lock()
    }

    /// Whether it is the same GPU, in whichever order of work.
    pub(crate) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn name(&self) -> String {
        self.lock().gpu.name()
    }

    /// The name of its GPU.
    pub(crate) fn gpu_name(&self) -> String {
        self.lock().gpu.gpu().name.clone()
    }

    /// Copy rates for that many bytes, best of several.
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
            time(0, &mut |gpu| gpu.upload(from.ptr(), &host))?;
            time(1, &mut |gpu| gpu.copy(from.ptr(), to.ptr(), bytes))?;
            time(2, &mut |gpu| gpu.download(to.ptr(), &mut host))?;
        }
        gpu.clear_marks();
        let rate = |ms: f64, copies: u64| (copies * bytes) as f64 / ms.max(1e-6) / 1e6;
        Ok(CopyRates { bytes, upload: rate(best[0], 1), device: rate(best[1], 2), download: rate(best[2], 1) })
    }

    /// Number of multiprocessors, for choosing grids.
    pub(crate) fn multiprocessors(&self) -> u32 {
        self.lock().gpu.gpu().sms
    }

    /// Whether all blocks can be guaranteed to run at once: see [`launch_together`](Session::launch_together).
    pub(crate) fn cooperates(&self) -> bool {
        self.lock().gpu.cooperates()
    }

    /// Compute capability.
    pub(crate) fn compute_capability(&self) -> (u32, u32) {
        self.lock().gpu.gpu().cc
    }

    /// The tuning constants for this GPU.
    pub(crate) fn tuning(&self) -> &'static Tuning {
        Tuning::of(self.compute_capability())
    }

    /// Largest dynamic shared memory of a block, in bytes.
    pub(crate) fn shared_limit(&self) -> u32 {
        self.lock().gpu.gpu().smem_block_kb * 1024
    }

    /// The threads of a block of at most that many, half of it or a quarter if it has no room for so much dynamic shared
    /// memory per thread.
    pub(crate) fn block_that_fits(&self, most: u32, dynamic_per_thread: u32) -> u32 {
        let limit = self.shared_limit();
        let fits = |block: &u32| block * dynamic_per_thread + STATIC_BYTES <= limit;
        [most, most / 2].into_iter().find(fits).unwrap_or(most / 4)
    }

    /// How many blocks of that many threads and bytes of dynamic shared memory run at once, if registers leave room for
    /// them: blocks that wait for all others of their launch must not be more.
    pub(crate) fn blocks_at_once(&self, threads: u32, dynamic: u32) -> u32 {
        let state = self.lock();
        let gpu = state.gpu.gpu();
        gpu.occupancy(threads, None, dynamic.saturating_add(STATIC_BYTES)).blocks_per_sm.saturating_mul(gpu.sms)
    }

    /// At least that many bytes, zeroed before their first use, that stay with the device: every launch leaves in them
    /// what the next one of that name starts from. Launches follow each other, so one of each name is enough.
    pub(crate) fn workspace(&self, name: &'static str, bytes: u64) -> Result<Argument, Error> {
        Ok(self.numbered_workspace(name, bytes)?.0)
    }

    /// The same, with a number for the launch: not 0, and not used with this workspace since it was cleared.
    pub(crate) fn numbered_workspace(&self, name: &'static str, bytes: u64) -> Result<(Argument, Argument), Error> {
        let mut state = self.lock();
        let generation = state.gpu.generation();
        match state.workspaces.get_mut(name) {
            Some(kept) if kept.bytes >= bytes && kept.generation == generation => {
                kept.uses = (kept.uses + 1) % MOST_USES;
                let &mut Workspace { at, bytes, uses, .. } = kept;
                // Launches are numbered in 32 bits, and must not find traces of an earlier launch with the same number.
                if uses == 0 {
                    state.gpu.fill(at, 0, bytes)?;
                }
                return Ok((Argument::Pointer(at), Argument::U32(uses + 1)));
            }
            _ => {}
        }
        // One that is too small is not freed: another thread may be about to launch with it. Sizes double, so all the
        // outgrown ones together are no larger than the one in use.
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

    /// Copies from one place on the device to another.
    pub(crate) fn copy(&self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), Error> {
        let mut state = self.lock();
        state.leave()?;
        if bytes == 0 { Ok(()) } else { Ok(state.gpu.copy(from, to, bytes)?) }
    }

    /// Copies that many elements to the host.
    pub(crate) fn download_vec<T: bytemuck::Pod>(&self, from: DevicePtr, len: usize) -> Result<Vec<T>, Error> {
        let mut values = vec![T::zeroed(); len];
        crate::memory::prefer_large_pages(&values);
        self.download(from, &mut values)?;
        Ok(values)
    }

    /// Waits for the device; a failed kernel is reported now at the latest.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        Ok(self.lock().gpu.synchronize()?)
    }

    /// A copier that works while kernels run, if the device can do both at once.
    pub(crate) fn copier(&self) -> Option<Arc<dyn Copier>> {
        self.lock().gpu.copier()
    }

    /// Records that no stage is open.
    pub(crate) fn pause(&self) -> Result<(), Error> {
        self.lock().leave()
    }

    /// Records the time of copies that overlapped other stages.
    pub(crate) fn note_copies(&self, up: Duration, down: Duration) {
        if let Some(recorder) = &mut self.lock().recorder {
            recorder.copied(up, down);
        }
    }

    /// Whether the device has become unusable.
    #[cfg(feature = "cuda")]
    pub(crate) fn stopped(&self) -> bool {
        self.lock().gpu.stopped()
    }

    /// Bytes of device memory in use or kept for later.
    pub(crate) fn memory_held(&self) -> u64 {
        self.lock().gpu.memory_held()
    }
}
