//! An NVIDIA GPU as a [`Device`], through its driver.
//!
//! The driver's library is loaded when the first device is opened, never before, so one binary serves machines with and
//! without a GPU. PTX is compiled by the driver for the GPU at hand. Work goes to one stream in order; a call that
//! returns something to the host waits for it. A [fork](Device::fork) has a stream of its own.
//!
//! A kernel that faults makes its context unusable. The context is then rebuilt in a worker process, if the program
//! allows it ([`allow_rebuild`]): the error says so, memory from before is lost (see [`Device::generation`]), and later
//! calls work.

mod api;
mod capture;
mod context;
mod error;
mod facts;
mod local;
mod module;
mod pool;
mod results;
mod staging;
mod streaming;
mod worker;

pub use error::{DriverError, NoCuda};
pub use facts::{Facts, gpus};
pub use worker::allow_rebuild;

use crate::{
    Copier, Device, DeviceError, DevicePtr, Fault, FaultKind, Gpu, Launch, Mark, Module, ModuleSource, Point, Report,
};
use local::LocalDevice;
use std::sync::Arc;
use worker::RemoteDevice;

/// The CUDA version that the driver supports, if there is a working driver. Loads its library.
pub fn version() -> Result<(u32, u32), NoCuda> {
    context::start()
}

/// How a device treats memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryPolicy {
    /// Fill fresh memory with this byte, so that nothing can rely on its old contents.
    pub poison: Option<u8>,
    /// Ask the driver for every allocation and keep nothing, so that memory checkers see each one.
    pub no_reuse: bool,
    /// Work in the primary context of the process, in which other packages have their memory, so that kernels can read
    /// it. If a kernel fails, it fails for them too.
    pub shared: bool,
}

/// A GPU: in this process, or in a worker once a kernel has failed here.
pub struct CudaDevice {
    inner: Box<dyn Device>,
    facts: Facts,
    policy: MemoryPolicy,
    /// What is loaded, to be loaded again.
    sources: Vec<Arc<dyn ModuleSource>>,
    generation: u32,
    stopped: bool,
}

impl CudaDevice {
    /// Opens a GPU by its number.
    pub fn open(ordinal: u32, policy: MemoryPolicy) -> Result<Self, NoCuda> {
        let local = LocalDevice::open(ordinal, policy)?;
        let facts = local.facts().clone();
        Ok(Self { inner: Box::new(local), facts, policy, sources: Vec::new(), generation: 0, stopped: false })
    }

    /// What its driver says about it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Runs something on the device; if a kernel turns out to have failed, continues in a new process.
    fn attempt<T>(&mut self, work: impl FnOnce(&mut dyn Device) -> Result<T, DeviceError>) -> Result<T, DeviceError> {
        work(&mut *self.inner).map_err(|error| match error {
            DeviceError::Fault(fault) if fault.kind != FaultKind::LaunchLimit => self.rebuild(fault),
            DeviceError::Lost => DeviceError::Stopped,
            other => other,
        })
    }

    fn rebuild(&mut self, mut fault: Box<Fault>) -> DeviceError {
        self.generation += 1;
        let remote = RemoteDevice::open(self.facts.ordinal, self.policy, self.inner.gpu().clone());
        let rebuilt = remote.map(|remote| {
            let mut remote = remote?;
            self.sources.iter().try_for_each(|source| remote.load(Arc::clone(source)).map(drop))?;
            Ok::<_, DeviceError>(remote)
        });
        self.stopped = !matches!(rebuilt, Some(Ok(_)));
        let outcome = match rebuilt {
            Some(Ok(remote)) => {
                self.inner = Box::new(remote);
                "the context was rebuilt in a new process, and what was in device memory is lost".to_owned()
            }
            Some(Err(problem)) => format!("the context could not be rebuilt: {problem}"),
            None => DeviceError::Stopped.to_string(),
        };
        fault.message = format!("{}; {outcome}", fault.message);
        DeviceError::Fault(fault)
    }
}

impl Device for CudaDevice {
    fn name(&self) -> String {
        "cuda".into()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        self.attempt(|gpu| gpu.allocate(bytes))
    }

    fn allocate_result(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        self.attempt(|gpu| gpu.allocate_result(bytes))
    }

    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError> {
        self.attempt(|gpu| gpu.free(buffer))
    }

    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        self.attempt(|gpu| gpu.upload(to, bytes))
    }

    fn download(&mut self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.attempt(|gpu| gpu.download(from, bytes))
    }

    fn copier(&mut self) -> Option<Arc<dyn Copier>> {
        self.inner.copier()
    }

    fn fill(&mut self, to: DevicePtr, byte: u8, bytes: u64) -> Result<(), DeviceError> {
        self.attempt(|gpu| gpu.fill(to, byte, bytes))
    }

    fn copy(&mut self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), DeviceError> {
        self.attempt(|gpu| gpu.copy(from, to, bytes))
    }

    fn load(&mut self, source: Arc<dyn ModuleSource>) -> Result<Module, DeviceError> {
        let module = self.attempt(|gpu| gpu.load(Arc::clone(&source)))?;
        self.sources.push(source);
        Ok(module)
    }

    fn is_ready(&self, module: Module, kernel: &str) -> bool {
        self.inner.is_ready(module, kernel)
    }

    fn prepare(&mut self, module: Module, kernel: &str) -> Result<(), DeviceError> {
        self.attempt(|gpu| gpu.prepare(module, kernel))
    }

    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError> {
        self.attempt(|gpu| gpu.launch(module, kernel, launch))
    }

    fn mark_and_launch(
        &mut self,
        module: Module,
        kernel: &str,
        launch: &Launch,
    ) -> Result<(Mark, Report), DeviceError> {
        self.attempt(|gpu| gpu.mark_and_launch(module, kernel, launch))
    }

    fn variable(&mut self, module: Module, name: &str) -> Option<(DevicePtr, u64)> {
        self.inner.variable(module, name)
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.attempt(|gpu| gpu.synchronize())
    }

    fn fork(&mut self) -> Result<Option<Box<dyn Device>>, DeviceError> {
        self.attempt(|gpu| gpu.fork())
    }

    fn point(&mut self) -> Result<Point, DeviceError> {
        self.attempt(|gpu| gpu.point())
    }

    fn follow(&mut self, point: &Point) -> Result<(), DeviceError> {
        self.attempt(|gpu| gpu.follow(point))
    }

    fn wait_for_stream(&mut self, stream: u64) -> Result<(), DeviceError> {
        self.attempt(|gpu| gpu.wait_for_stream(stream))
    }

    fn with_stream(&mut self, work: &mut dyn FnMut(u64)) -> Result<bool, DeviceError> {
        self.attempt(|gpu| gpu.with_stream(work))
    }

    fn mark(&mut self) -> Result<Mark, DeviceError> {
        self.attempt(|gpu| gpu.mark())
    }

    fn elapsed_ms(&mut self, from: Mark, to: Mark) -> Result<f64, DeviceError> {
        self.attempt(|gpu| gpu.elapsed_ms(from, to))
    }

    fn clear_marks(&mut self) {
        self.inner.clear_marks();
    }

    fn stopped(&self) -> bool {
        self.stopped
    }

    fn memory_held(&mut self) -> u64 {
        self.inner.memory_held()
    }

    fn generation(&self) -> u32 {
        self.generation
    }

    fn cooperates(&self) -> bool {
        context::cooperates()
    }

    fn gpu(&self) -> &Gpu {
        self.inner.gpu()
    }
}
