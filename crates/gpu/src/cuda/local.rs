//! A GPU in this process.

use super::api::{self, CUevent, CUlaunchAttribute, CUlaunchConfig, CUstream};
use super::context::{self, Context, Reached, Stream};
use super::error::{DriverError, Failure, NoCuda, check, driver};
use super::facts::Facts;
use super::module::{Function, Loaded};
use super::pool::{Pool, PoolError};
use super::results::Results;
use super::staging::{BesideStream, STAGED_FROM, Staging};
use super::{MemoryPolicy, capture};
use crate::{Copier, Device, DeviceError, DevicePtr, Fault, Gpu, Launch, Mark, Module, ModuleSource, Point, Report};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A GPU in this process.
#[derive(Debug)]
pub(super) struct LocalDevice {
    facts: Facts,
    gpu: Gpu,
    context: Arc<Context>,
    /// Where its work goes, and the number that the pool knows it by.
    stream: Arc<Stream>,
    number: u32,
    /// Shared with its forks, as is the staging.
    pool: Arc<Mutex<Pool>>,
    results: Results,
    staging: Arc<Staging>,
    modules: Vec<Loaded>,
    marks: Marks,
    policy: MemoryPolicy,
    /// Kernels launched since the last wait, for the message if one fails.
    running: Vec<String>,
    /// It has said that a kernel failed.
    failed: bool,
}

/// Events for marks, reused from trace to trace.
#[derive(Debug, Default)]
struct Marks {
    events: Vec<CUevent>,
    used: usize,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Marks {}

impl LocalDevice {
    /// Opens a GPU by its number.
    pub(super) fn open(ordinal: u32, policy: MemoryPolicy) -> Result<Self, NoCuda> {
        context::start()?;
        if ordinal >= context::count()? {
            return Err(NoCuda::Gpu);
        }
        let device = context::device(ordinal)?;
        let facts = Facts::of(ordinal, device)?;
        if facts.compute_capability < (7, 0) {
            return Err(NoCuda::Capability { name: facts.name, cc: facts.compute_capability });
        }
        let context = Arc::new(Context::open(device, policy.shared)?);
        let (staging, pool) = (Staging::new(Arc::clone(&context)), Pool::new(policy.no_reuse));
        Ok(Self::on(facts, &context, policy, Arc::new(staging), Arc::new(Mutex::new(pool)))?)
    }

    /// A stream of its own in a context that the calling thread has entered.
    fn on(
        facts: Facts,
        context: &Arc<Context>,
        policy: MemoryPolicy,
        staging: Arc<Staging>,
        pool: Arc<Mutex<Pool>>,
    ) -> Result<Self, DriverError> {
        let number = lock(&pool).number();
        Ok(Self {
            gpu: facts.to_gpu(),
            facts,
            staging,
            context: Arc::clone(context),
            stream: Stream::new(context)?,
            number,
            pool,
            results: Results::default(),
            modules: Vec::new(),
            marks: Marks::default(),
            policy,
            running: Vec::new(),
            failed: false,
        })
    }

    /// What its driver says about it.
    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Runs something in the context, and records whether a kernel turns out to have failed.
    fn attempt<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, DeviceError> {
        if self.failed {
            return Err(DeviceError::Lost);
        }
        if let Some(fault) = self.context.failed.get() {
            self.failed = true;
            return Err(DeviceError::Fault(Box::new(fault.clone())));
        }
        self.context.enter()?;
        work(self).map_err(|failure| match failure {
            Failure::Driver(error) => self.recover(error),
            Failure::Device(error) => error,
        })
    }

    fn recover(&mut self, error: DriverError) -> DeviceError {
        let Some(kind) = error.fault() else { return error.into() };
        let kernels = std::mem::take(&mut self.running);
        let fault = error.into_fault(kind, &kernels);
        self.failed = true;
        // If a fork has said so before, that is the first one.
        let _ = self.context.failed.set(fault.clone());
        DeviceError::Fault(Box::new(fault))
    }

    fn wait(&mut self) -> Result<(), Failure> {
        self.stream.synchronize()?;
        self.running.clear();
        Ok(())
    }

    fn set_mark(&mut self) -> Result<Mark, DriverError> {
        if self.marks.used == self.marks.events.len() {
            self.marks.events.push(context::new_event(true)?);
        }
        let index = self.marks.used;
        self.marks.used += 1;
        driver!(cuEventRecord(self.marks.events[index], self.stream.handle))?;
        Ok(Mark(index as u32))
    }

    /// Launches a kernel, with a mark before it if asked; otherwise the returned mark is meaningless. As much as
    /// possible is done before the mark, because a GPU that has passed it waits for the launch.
    fn start(
        &mut self,
        module: Module,
        kernel: &str,
        launch: &Launch,
        marked: bool,
    ) -> Result<(Mark, Report), Failure> {
        // Blocks that wait for each other would wait forever if they did not all run.
        if (launch.cooperative || launch.cluster.is_some()) && !context::cooperates() {
            return Err(DeviceError::NotCooperative.into());
        }
        let function = self.modules[module.0 as usize].kernel(kernel)?;
        let shared = u64::from(function.static_shared) + u64::from(launch.shared_bytes);
        self.gpu
            .check_launch(launch.grid, launch.block, shared)
            .map_err(|limit| DeviceError::Fault(Box::new(Fault::from(limit))))?;
        if let Some(cluster) = launch.cluster {
            self.gpu
                .check_cluster(launch.grid, cluster)
                .map_err(|limit| DeviceError::Fault(Box::new(Fault::from(limit))))?;
        }
        function.allow_shared(launch.shared_bytes)?;
        let Function { handle, param_bytes, prints, .. } = *function;
        let mut padded = Vec::new();
        let mut params = launch.params.as_ptr();
        if launch.params.len() != param_bytes {
            padded.extend_from_slice(&launch.params);
            padded.resize(param_bytes, 0);
            params = padded.as_ptr();
        }
        let mut bytes = param_bytes;
        // These are CU_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE and _END of cuda.h.
        let mut extra: [*mut c_void; 5] = [
            std::ptr::without_provenance_mut(1),
            params.cast_mut().cast(),
            std::ptr::without_provenance_mut(2),
            (&raw mut bytes).cast(),
            std::ptr::null_mut(),
        ];
        let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
        let stream = self.stream.handle;
        let (none, extra) = (std::ptr::null_mut(), extra.as_mut_ptr());
        if prints {
            // Anything printed before is not from this kernel.
            self.wait()?;
        }
        let mark = if marked { self.set_mark()? } else { Mark(0) };
        // The newer of two calls, which is faster.
        if let Some(launch_with) = api::functions().cuLaunchKernelEx {
            // The driver refuses a cooperative launch that cannot run at once.
            let cooperative = launch.cooperative.then_some(CUlaunchAttribute::COOPERATIVE);
            let mut attributes: Vec<_> =
                cooperative.into_iter().chain(launch.cluster.map(CUlaunchAttribute::cluster)).collect();
            let config = CUlaunchConfig {
                grid: launch.grid,
                block: launch.block,
                shared_bytes: launch.shared_bytes,
                stream,
                attributes: attributes.as_mut_ptr(),
                count: attributes.len() as u32,
            };
            // SAFETY: as for every call of the driver; the attributes live until it returns.
            check("cuLaunchKernelEx", unsafe { launch_with(&raw const config, handle, none, extra) })?;
        } else {
            driver!(cuLaunchKernel(handle, gx, gy, gz, bx, by, bz, launch.shared_bytes, stream, none, extra))?;
        }
        self.running.push(kernel.to_owned());
        let mut report = Report::default();
        if prints {
            report.printed = capture::capture(|| self.wait())?;
        }
        Ok((mark, report))
    }
}

impl Device for LocalDevice {
    fn name(&self) -> String {
        "cuda".into()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        self.attempt(|this| {
            let at = lock(&this.pool).allocate(this.number, bytes).map_err(|error| match error {
                PoolError::OutOfMemory { free } => DeviceError::OutOfMemory { wanted: bytes, free }.into(),
                PoolError::Driver(error) => Failure::Driver(error),
            })?;
            if let Some(byte) = this.policy.poison {
                driver!(cuMemsetD8Async(at, byte, bytes as usize, this.stream.handle))?;
            }
            Ok(DevicePtr(at))
        })
    }

    fn allocate_result(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        // Memory checkers should see every buffer.
        if self.policy.no_reuse {
            return self.allocate(bytes);
        }
        match self.attempt(|this| Ok(this.results.take(bytes, this.policy.poison)?))? {
            Some(at) => Ok(DevicePtr(at)),
            None => self.allocate(bytes),
        }
    }

    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError> {
        if self.results.give_back(buffer.0) {
            return Ok(());
        }
        self.attempt(|this| {
            // Memory must not be in use when it is returned to the driver.
            if this.policy.no_reuse {
                this.wait()?;
            }
            let known = lock(&this.pool).free(this.number, buffer.0)?;
            match known {
                true => Ok(()),
                false => Err(DeviceError::NotAllocated(buffer).into()),
            }
        })
    }

    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        self.attempt(|this| {
            if bytes.len() >= STAGED_FROM {
                this.wait()?;
                return Ok(this.staging.upload(to.0, bytes)?);
            }
            // The driver takes a copy of ordinary memory before it returns.
            Ok(driver!(cuMemcpyHtoDAsync_v2(to.0, bytes.as_ptr().cast(), bytes.len(), this.stream.handle))?)
        })
    }

    fn download(&mut self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.attempt(|this| {
            if this.results.has(from.0) {
                this.wait()?;
                return match this.results.read(from.0, bytes) {
                    true => Ok(()),
                    false => Err(DeviceError::NotAllocated(from).into()),
                };
            }
            if bytes.len() >= STAGED_FROM {
                this.wait()?;
                return Ok(this.staging.download(from.0, bytes)?);
            }
            driver!(cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), from.0, bytes.len(), this.stream.handle))?;
            this.wait()
        })
    }

    fn copier(&mut self) -> Option<Arc<dyn Copier>> {
        let (staging, stream) = (Arc::clone(&self.staging), Arc::clone(&self.stream));
        if self.failed { None } else { Some(Arc::new(BesideStream { staging, stream })) }
    }

    fn fill(&mut self, to: DevicePtr, byte: u8, bytes: u64) -> Result<(), DeviceError> {
        self.attempt(|this| Ok(driver!(cuMemsetD8Async(to.0, byte, bytes as usize, this.stream.handle))?))
    }

    fn copy(&mut self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), DeviceError> {
        self.attempt(|this| Ok(driver!(cuMemcpyDtoDAsync_v2(to.0, from.0, bytes as usize, this.stream.handle))?))
    }

    fn load(&mut self, source: Arc<dyn ModuleSource>) -> Result<Module, DeviceError> {
        self.modules.push(Loaded::new(source));
        Ok(Module(self.modules.len() as u32 - 1))
    }

    fn is_ready(&self, module: Module, kernel: &str) -> bool {
        self.modules[module.0 as usize].is_ready(kernel)
    }

    fn prepare(&mut self, module: Module, kernel: &str) -> Result<(), DeviceError> {
        self.attempt(|this| this.modules[module.0 as usize].kernel(kernel).map(drop))
    }

    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError> {
        self.attempt(|this| Ok(this.start(module, kernel, launch, false)?.1))
    }

    fn mark_and_launch(
        &mut self,
        module: Module,
        kernel: &str,
        launch: &Launch,
    ) -> Result<(Mark, Report), DeviceError> {
        self.attempt(|this| this.start(module, kernel, launch, true))
    }

    fn variable(&mut self, module: Module, name: &str) -> Option<(DevicePtr, u64)> {
        self.context.enter().ok()?;
        let (at, bytes) = self.modules[module.0 as usize].variable(name)?;
        Some((DevicePtr(at), bytes))
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.attempt(Self::wait)
    }

    fn fork(&mut self) -> Result<Option<Box<dyn Device>>, DeviceError> {
        let (staging, pool) = (Arc::clone(&self.staging), Arc::clone(&self.pool));
        self.attempt(|this| {
            let fork = Self::on(this.facts.clone(), &this.context, this.policy, staging, pool)?;
            Ok(Some(Box::new(fork) as Box<dyn Device>))
        })
    }

    fn point(&mut self) -> Result<Point, DeviceError> {
        self.attempt(|this| Ok(Point::new(this.stream.reached()?)))
    }

    fn follow(&mut self, point: &Point) -> Result<(), DeviceError> {
        let Some(reached) = point.get::<Reached>() else { return Ok(()) };
        self.attempt(|this| Ok(driver!(cuStreamWaitEvent(this.stream.handle, reached.event, 0))?))
    }

    fn wait_for_stream(&mut self, stream: u64) -> Result<(), DeviceError> {
        // A handle, or 1 and 2 for the streams that have none of their own.
        self.attempt(|_| Ok(driver!(cuStreamSynchronize(stream as CUstream))?))
    }

    fn with_stream(&mut self, work: &mut dyn FnMut(u64)) -> Result<bool, DeviceError> {
        self.attempt(|this| {
            work(this.stream.handle as u64);
            Ok(true)
        })
    }

    fn mark(&mut self) -> Result<Mark, DeviceError> {
        self.attempt(|this| Ok(this.set_mark()?))
    }

    fn elapsed_ms(&mut self, from: Mark, to: Mark) -> Result<f64, DeviceError> {
        self.attempt(|this| {
            let [from, to] = [from, to].map(|mark| this.marks.events.get(mark.0 as usize).copied());
            let (Some(from), Some(to)) = (from, to) else { return Err(DeviceError::Lost.into()) };
            driver!(cuEventSynchronize(to))?;
            let mut milliseconds = 0.0;
            driver!(cuEventElapsedTime(&raw mut milliseconds, from, to))?;
            Ok(f64::from(milliseconds))
        })
    }

    fn clear_marks(&mut self) {
        self.marks.used = 0;
    }

    fn memory_held(&mut self) -> u64 {
        lock(&self.pool).held()
    }

    fn generation(&self) -> u32 {
        self.context.failed.get().is_some().into()
    }

    fn gpu(&self) -> &Gpu {
        &self.gpu
    }
}

impl Drop for LocalDevice {
    fn drop(&mut self) {
        // Kept memory may still be in use. A failure cannot be reported from here, and the context frees all in the end.
        let _ = self.attempt(|this| {
            this.wait()?;
            Ok(lock(&this.pool).forget(this.number)?)
        });
    }
}

fn lock(pool: &Mutex<Pool>) -> MutexGuard<'_, Pool> {
    pool.lock().unwrap_or_else(PoisonError::into_inner)
}
