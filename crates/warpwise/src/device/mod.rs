//! Where primitives run, and memory there.
//!
//! A [`Device`] is chosen once and passed to every primitive. A primitive never asks which device it is on: on a GPU,
//! real or emulated, it launches kernels through a [`Session`], on the CPU it calls plain Rust.

mod allocation;
mod buffer;
mod input;
mod launch;
mod overlap;
mod session;
pub mod trace;
mod view;

pub(crate) use allocation::Allocation;
pub use buffer::Buffer;
pub use input::Input;
pub(crate) use input::Staged;
pub(crate) use launch::{Argument, Shape};
pub(crate) use overlap::{Part, Rows};
pub(crate) use session::Session;
pub use view::View;

use std::sync::{Once, OnceLock};

use warpwise_gpu::cuda::CudaDevice;
use warpwise_gpu::emulated::EmulatedDevice;
use warpwise_gpu::paired::PairedDevice;
use warpwise_gpu::{Device as _, DeviceError};

pub use warpwise_gpu::cuda::{MemoryPolicy, allow_rebuild};
pub use warpwise_gpu::paired::{Comparison, Difference, Differences};

use crate::Error;
use trace::Watch;

/// The CPU or a GPU. Cheap to clone; clones share the device.
///
/// ```
/// use warpwise::Device;
///
/// assert_eq!(Device::cpu().name(), "cpu");
/// assert_eq!(Device::emulator().name(), "emulator");
/// assert!(["cpu", "cuda"].contains(&Device::best().name().as_str()));
/// ```
#[derive(Clone, Debug)]
pub struct Device {
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Cpu,
    Gpu(Session),
}

impl Device {
    /// The fastest device of this machine: a GPU where there is one that works, else the CPU. The first time that there
    /// is none, a line on stderr says why.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    ///
    /// assert_eq!(reduce::sum(&Device::best(), &[1, 2, 3])?, 6);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn best() -> Self {
        Self::cuda().unwrap_or_else(|why| {
            note(&why);
            Self::cpu()
        })
    }

    /// A GPU where there is one that works, else the emulator. The first time that there is none, a line on stderr says
    /// why.
    ///
    /// ```
    /// assert!(!warpwise::Device::best_gpu().is_cpu());
    /// ```
    pub fn best_gpu() -> Self {
        Self::cuda().unwrap_or_else(|why| {
            note(&why);
            Self::emulator()
        })
    }

    /// The first NVIDIA GPU of this machine. Its driver is loaded now, and never before; every call gives the same
    /// device.
    ///
    /// ```
    /// use warpwise::{Device, Error, reduce};
    ///
    /// match Device::cuda() {
    ///     Ok(device) => assert_eq!(reduce::sum(&device, &[1, 2, 3])?, 6),
    ///     Err(error) => assert!(matches!(error, Error::NoCuda(_))),
    /// }
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn cuda() -> Result<Self, Error> {
        static DEVICE: OnceLock<Result<Device, Error>> = OnceLock::new();
        let device = DEVICE.get_or_init(|| Self::cuda_with(MemoryPolicy::default())).clone()?;
        if device.session().is_some_and(Session::stopped) {
            return Err(Error::NoCuda(DeviceError::Stopped.to_string()));
        }
        Ok(device)
    }

    /// The first NVIDIA GPU, opened anew, with its memory treated in a way that finds mistakes.
    ///
    /// ```
    /// use warpwise::{Device, MemoryPolicy};
    ///
    /// if let Ok(device) = Device::cuda_with(MemoryPolicy { poison: Some(0xcd), ..MemoryPolicy::default() }) {
    ///     assert_eq!(device.name(), "cuda");
    /// }
    /// ```
    pub fn cuda_with(policy: MemoryPolicy) -> Result<Self, Error> {
        let device = CudaDevice::open(0, policy).map_err(|why| Error::NoCuda(why.to_string()))?;
        Ok(Self { kind: Kind::Gpu(Session::new(Box::new(device), Watch::NOTHING)) })
    }

    /// The emulator and the GPU at once: launches run on both, and what they leave in memory is compared bit by bit.
    /// Results are the GPU's.
    ///
    /// ```
    /// use warpwise::{Device, scan};
    ///
    /// if let Ok((device, seen)) = Device::both() {
    ///     scan::inclusive(&device, &[1, 2, 3])?;
    ///     assert!(seen.lock().unwrap().differences.is_empty());
    /// }
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn both() -> Result<(Self, Differences), Error> {
        let second = CudaDevice::open(0, MemoryPolicy::default()).map_err(|why| Error::NoCuda(why.to_string()))?;
        let first = EmulatedDevice::new(second.gpu().clone());
        let device = PairedDevice::new(Box::new(first), Box::new(second));
        let differences = device.differences();
        Ok((Self { kind: Kind::Gpu(Session::new(Box::new(device), Watch::NOTHING)) }, differences))
    }

    /// The cores of this machine.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    ///
    /// assert_eq!(reduce::max(&Device::cpu(), &[1.5, 2.5])?, 2.5);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn cpu() -> Self {
        Self { kind: Kind::Cpu }
    }

    /// An emulated GPU: the same kernels as on a real one, executed by the cores of this machine. Made for learning and
    /// testing, not for speed.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    ///
    /// assert_eq!(reduce::sum(&Device::emulator(), &[1, 2, 3])?, 6);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn emulator() -> Self {
        let gpu = warpwise_gpu::Gpu::named("h200").expect("the table of GPUs has it");
        Self::emulate(gpu, Watch::NOTHING)
    }

    /// An emulated GPU with the limits of a named one.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// assert!(Device::emulator_of("rtx-3090").is_ok());
    /// assert!(Device::emulator_of("voodoo2").unwrap_err().to_string().contains("h200"));
    /// ```
    pub fn emulator_of(name: &str) -> Result<Self, Error> {
        Self::emulator_watching(name, Watch::NOTHING)
    }

    /// As [`Device::emulator_of`], with every launch watched: [`Device::take_trace`] says what was seen.
    ///
    /// ```
    /// use warpwise::{Device, reduce, trace::Watch};
    ///
    /// let device = Device::emulator_watching("h200", Watch::COUNTERS)?;
    /// device.start_trace();
    /// reduce::sum(&device, &[1, 2, 3])?;
    /// assert!(!device.take_trace()?.launches.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn emulator_watching(name: &str, watch: Watch) -> Result<Self, Error> {
        let gpu = warpwise_gpu::Gpu::named(name)
            .ok_or_else(|| Error::UnknownGpu { name: name.to_owned(), known: warpwise_gpu::Gpu::names().join(", ") })?;
        Ok(Self::emulate(gpu, watch))
    }

    fn emulate(gpu: warpwise_gpu::Gpu, watch: Watch) -> Self {
        let device = EmulatedDevice::new(gpu);
        Self { kind: Kind::Gpu(Session::new(Box::new(device), watch)) }
    }

    /// Begins to note what calls do on this device: stages with their times, launches. Notes taken before are dropped;
    /// the CPU takes none.
    ///
    /// ```
    /// use warpwise::{Device, scan};
    ///
    /// let device = Device::emulator();
    /// device.start_trace();
    /// scan::inclusive(&device, &[1, 2, 3])?;
    /// assert!(device.take_trace()?.stages.kernel_ms > 0.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn start_trace(&self) {
        if let Some(session) = self.session() {
            session.start_trace();
        }
    }

    /// Ends the notes and gives them out; waits for the device.
    ///
    /// ```
    /// let device = warpwise::Device::cpu();
    /// assert!(device.take_trace()?.launches.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn take_trace(&self) -> Result<trace::Trace, Error> {
        self.session().map_or_else(|| Ok(trace::Trace::default()), Session::take_trace)
    }

    /// What reports and `--device` call it: `cpu`, `emulator`, `cuda` or `both`.
    ///
    /// ```
    /// assert_eq!(warpwise::Device::cpu().name(), "cpu");
    /// ```
    pub fn name(&self) -> String {
        match &self.kind {
            Kind::Cpu => "cpu".to_owned(),
            Kind::Gpu(session) => session.name(),
        }
    }

    /// The name of the GPU, real or emulated.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// assert_eq!(Device::emulator().gpu_name().as_deref(), Some("h200"));
    /// assert_eq!(Device::cpu().gpu_name(), None);
    /// ```
    pub fn gpu_name(&self) -> Option<String> {
        self.session().map(Session::gpu_name)
    }

    /// How fast it copies, with copies of that many bytes; `None` for the CPU.
    ///
    /// ```
    /// let rates = warpwise::Device::emulator().copy_rates(1 << 16)?;
    /// assert!(rates.is_some_and(|rates| rates.device > 0.0));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn copy_rates(&self, bytes: u64) -> Result<Option<trace::CopyRates>, Error> {
        self.session().map(|session| session.copy_rates(bytes)).transpose()
    }

    /// Whether it is the CPU.
    ///
    /// ```
    /// assert!(warpwise::Device::cpu().is_cpu());
    /// ```
    pub fn is_cpu(&self) -> bool {
        matches!(self.kind, Kind::Cpu)
    }

    /// The GPU behind it, if it is one.
    pub(crate) fn session(&self) -> Option<&Session> {
        match &self.kind {
            Kind::Cpu => None,
            Kind::Gpu(session) => Some(session),
        }
    }
}

/// Says why there is no GPU, and what is used instead: once, however many devices are asked for.
fn note(why: &Error) {
    static NOTE: Once = Once::new();
    NOTE.call_once(|| eprintln!("warpwise: {why}; using the CPU, and the emulator for GPU kernels"));
}
