//! Where primitives run, and the memory there.
//!
//! A [`Device`] is chosen once and passed to every primitive. A primitive never asks which device it is on: on a GPU,
//! real or emulated, it launches kernels through a [`Session`]; on the CPU it calls plain Rust. In a build without
//! GPUs, [`Session`] is an uninhabited type.

#[cfg(feature = "gpu")]
mod allocation;
mod argument;
#[cfg(feature = "gpu")]
mod borrowed;
mod buffer;
mod copies;
mod input;
#[cfg(feature = "gpu")]
mod lane;
#[cfg(feature = "gpu")]
mod launch;
#[cfg(all(test, feature = "emulator"))]
mod lazy_gpu;
#[cfg(not(feature = "gpu"))]
mod no_gpu;
#[cfg(feature = "gpu")]
mod overlap;
mod output;
mod pending;
mod queue;
mod rows;
#[cfg(feature = "gpu")]
mod session;
mod shape;
mod stream;
#[cfg(feature = "gpu")]
pub mod trace;
mod view;
mod view_mut;

pub(crate) use argument::Argument;
pub use buffer::Buffer;
pub use input::Input;
pub(crate) use input::Staged;
pub(crate) use output::Landing;
pub use output::{Output, Target};
pub use pending::Pending;
pub(crate) use rows::{Part, Rows};
pub(crate) use shape::Shape;
pub use stream::Stream;
pub use view::View;
pub use view_mut::ViewMut;

#[cfg(not(feature = "gpu"))]
pub use no_gpu::DeviceError;
#[cfg(not(feature = "gpu"))]
pub(crate) use no_gpu::{Allocation, DevicePtr, Session};
#[cfg(feature = "gpu")]
pub use warpwise_gpu::DeviceError;
#[cfg(feature = "gpu")]
pub(crate) use {allocation::Allocation, session::Session, warpwise_gpu::DevicePtr};

#[cfg(feature = "cuda")]
pub use warpwise_gpu::cuda::{MemoryPolicy, allow_rebuild};
#[cfg(all(feature = "cuda", feature = "emulator"))]
pub use warpwise_gpu::paired::{Comparison, Difference, Differences};

use crate::Error;

/// The CPU or a GPU. Cheap to clone; clones share the device, and compare equal.
///
/// ```
/// use warpwise::Device;
///
/// assert_eq!(Device::cpu(), Device::cpu());
/// assert_ne!(Device::emulator(), Device::emulator());
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
    /// The fastest device of this machine: a GPU if there is one that works, else the CPU. If there is none, the first
    /// call logs why, as a warning.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    ///
    /// assert_eq!(reduce::sum(&Device::best(), &[1_i32, 2, 3])?, 6);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn best() -> Self {
        #[cfg(feature = "cuda")]
        match Self::cuda() {
            Ok(device) => return device,
            Err(why) => note(&why),
        }
        Self::cpu()
    }

    /// A GPU if there is one that works, else the emulator. If there is none, the first call logs why, as a
    /// warning.
    ///
    /// ```
    /// assert!(!warpwise::Device::best_gpu().is_cpu());
    /// ```
    #[cfg(feature = "emulator")]
    pub fn best_gpu() -> Self {
        #[cfg(feature = "cuda")]
        match Self::cuda() {
            Ok(device) => return device,
            Err(why) => note(&why),
        }
        Self::emulator()
    }

    /// The first NVIDIA GPU of this machine. The driver is loaded by this call, never earlier; every call returns the
    /// same device.
    ///
    /// ```
    /// use warpwise::{Device, Error, reduce};
    ///
    /// match Device::cuda() {
    ///     Ok(device) => assert_eq!(reduce::sum(&device, &[1_i32, 2, 3])?, 6),
    ///     Err(error) => assert!(matches!(error, Error::NoCuda(_))),
    /// }
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "cuda")]
    pub fn cuda() -> Result<Self, Error> {
        static DEVICE: std::sync::OnceLock<Result<Device, Error>> = std::sync::OnceLock::new();
        let device = DEVICE.get_or_init(|| Self::cuda_with(MemoryPolicy::default())).clone()?;
        if device.session().is_some_and(Session::stopped) {
            return Err(Error::NoCuda(DeviceError::Stopped));
        }
        Ok(device)
    }

    /// The first NVIDIA GPU, opened again, with memory handled in a way that exposes mistakes.
    ///
    /// ```
    /// use warpwise::{Device, MemoryPolicy};
    ///
    /// if let Ok(device) = Device::cuda_with(MemoryPolicy { poison: Some(0xcd), ..MemoryPolicy::default() }) {
    ///     assert_eq!(device.name(), "cuda");
    /// }
    /// ```
    #[cfg(feature = "cuda")]
    pub fn cuda_with(policy: MemoryPolicy) -> Result<Self, Error> {
        Ok(Self::on(Box::new(open_cuda(policy)?)))
    }

    /// The emulator and the GPU at once: launches run on both, and the resulting memory contents are compared bit by
    /// bit. Results are the GPU's.
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
    #[cfg(all(feature = "cuda", feature = "emulator"))]
    pub fn both() -> Result<(Self, Differences), Error> {
        use warpwise_gpu::Device as _;

        let second = open_cuda(MemoryPolicy::default())?;
        let first = warpwise_gpu::emulated::EmulatedDevice::new(second.gpu().clone());
        let device = warpwise_gpu::paired::PairedDevice::new(Box::new(first), Box::new(second));
        let differences = device.differences();
        Ok((Self::on(Box::new(device)), differences))
    }

    /// A GPU of your own: anything that implements the device interface.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    /// use warpwise_gpu::{Gpu, emulated::EmulatedDevice};
    ///
    /// let gpu = EmulatedDevice::new(Gpu::named("h200").expect("a known GPU"));
    /// assert_eq!(reduce::sum(&Device::on(Box::new(gpu)), &[1_i32, 2, 3])?, 6);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "gpu")]
    pub fn on(gpu: Box<dyn warpwise_gpu::Device>) -> Self {
        Self::of(Session::new(gpu))
    }

    /// The device of a session.
    fn of(session: Session) -> Self {
        Self { kind: Kind::Gpu(session) }
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

    /// An emulated GPU: the same kernels as on a real one, executed by the cores of this machine. It is made for
    /// learning and testing, not for speed.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    ///
    /// assert_eq!(reduce::sum(&Device::emulator(), &[1_i32, 2, 3])?, 6);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "emulator")]
    pub fn emulator() -> Self {
        let gpu = warpwise_gpu::Gpu::named("h200").expect("the table of GPUs has it");
        Self::emulate(gpu, trace::Watch::NOTHING)
    }

    /// An emulated GPU with the limits of a named one.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// assert!(Device::emulator_of("rtx-3090").is_ok());
    /// assert!(Device::emulator_of("voodoo2").unwrap_err().to_string().contains("h200"));
    /// ```
    #[cfg(feature = "emulator")]
    pub fn emulator_of(name: &str) -> Result<Self, Error> {
        Self::emulator_watching(name, trace::Watch::NOTHING)
    }

    /// Like [`Device::emulator_of`], but with every launch watched: [`Device::take_trace`] says what was seen.
    ///
    /// ```
    /// use warpwise::{Device, reduce, trace::Watch};
    ///
    /// let device = Device::emulator_watching("h200", Watch::COUNTERS)?;
    /// device.start_trace();
    /// reduce::sum(&device, &[1_i32, 2, 3])?;
    /// assert!(!device.take_trace()?.launches.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "emulator")]
    pub fn emulator_watching(name: &str, watch: trace::Watch) -> Result<Self, Error> {
        Ok(Self::emulate(Self::gpu_named(name)?, watch))
    }

    /// Like [`Device::emulator_of`], but with a follower that hears of every instruction of every launch.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use warpwise::{Device, reduce};
    /// use warpwise::trace::{Follower, Launch, Observer, SharedFollower};
    ///
    /// /// How many kernels were launched.
    /// #[derive(Default)]
    /// struct Launches(u32);
    ///
    /// impl Observer for Launches {}
    ///
    /// impl Follower for Launches {
    ///     fn launch_starts(&mut self, _: &str, _: &Launch) {
    ///         self.0 += 1;
    ///     }
    /// }
    ///
    /// let launches = Arc::new(Mutex::new(Launches::default()));
    /// let device = Device::emulator_followed("h200", SharedFollower::new(launches.clone()))?;
    /// reduce::sum(&device, &[1_i32, 2, 3])?;
    /// assert!(launches.lock().expect("nobody panicked").0 > 0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "emulator")]
    pub fn emulator_followed(name: &str, follower: trace::SharedFollower) -> Result<Self, Error> {
        let emulated = warpwise_gpu::emulated::EmulatedDevice::new(Self::gpu_named(name)?);
        Ok(Self::on(Box::new(emulated.followed_by(follower))))
    }

    #[cfg(feature = "emulator")]
    fn gpu_named(name: &str) -> Result<warpwise_gpu::Gpu, Error> {
        warpwise_gpu::Gpu::named(name)
            .ok_or_else(|| Error::UnknownGpu { name: name.to_owned(), known: warpwise_gpu::Gpu::names().join(", ") })
    }

    #[cfg(feature = "emulator")]
    fn emulate(gpu: warpwise_gpu::Gpu, watch: trace::Watch) -> Self {
        Self::on(Box::new(warpwise_gpu::emulated::EmulatedDevice::new(gpu).watching(watch)))
    }

    /// Begins to record what calls do on this device: stages with their times, and launches. Earlier records are
    /// dropped; the CPU records nothing.
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
    #[cfg(feature = "gpu")]
    pub fn start_trace(&self) {
        if let Some(session) = self.session() {
            session.start_trace();
        }
    }

    /// Ends the recording and returns it; waits for the device.
    ///
    /// ```
    /// let device = warpwise::Device::cpu();
    /// assert!(device.take_trace()?.launches.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "gpu")]
    pub fn take_trace(&self) -> Result<trace::Trace, Error> {
        self.session().map_or_else(|| Ok(trace::Trace::default()), Session::take_trace)
    }

    /// Its name in reports and for `--device`: `cpu`, `emulator`, `cuda` or `both`.
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

    /// How fast it copies that many bytes at a time; `None` for the CPU.
    ///
    /// ```
    /// let rates = warpwise::Device::emulator().copy_rates(1 << 16)?;
    /// assert!(rates.is_some_and(|rates| rates.device > 0.0));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "gpu")]
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

    /// Refuses another device than this one, on which a buffer is.
    pub(crate) fn check_same(&self, called: &Self) -> Result<(), Error> {
        if self == called { Ok(()) } else { Err(Error::other_device(self, called.name())) }
    }

    /// The GPU behind it, if any.
    pub(crate) fn session(&self) -> Option<&Session> {
        match &self.kind {
            Kind::Cpu => None,
            Kind::Gpu(session) => Some(session),
        }
    }
}

/// The CPU is one device; a GPU is the same as its clones.
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        match (self.session(), other.session()) {
            (None, None) => true,
            (Some(a), Some(b)) => a.same(b),
            _ => false,
        }
    }
}

impl Eq for Device {}

#[cfg(feature = "cuda")]
fn open_cuda(policy: MemoryPolicy) -> Result<warpwise_gpu::cuda::CudaDevice, Error> {
    warpwise_gpu::cuda::CudaDevice::open(0, policy).map_err(|why| Error::NoCuda(why.into()))
}

/// Logs, once, why there is no GPU and what is used instead.
#[cfg(feature = "cuda")]
fn note(why: &Error) {
    static NOTE: std::sync::Once = std::sync::Once::new();
    let emulator = if cfg!(feature = "emulator") { ", and the emulator for GPU kernels" } else { "" };
    NOTE.call_once(|| log::warn!("{why}; using the CPU{emulator}"));
}
