//! Where primitives run, and memory there.
//!
//! A [`Device`] is chosen once and passed to every primitive. A primitive never asks which device it is on: on a GPU
//! (for now the emulator) it launches kernels through a [`Session`], on the CPU it calls plain Rust.

mod buffer;
mod input;
mod session;
pub mod trace;

pub use buffer::Buffer;
pub use input::Input;
pub(crate) use input::Staged;
pub(crate) use session::{Allocation, Argument, KernelModule, Session, Shape};

use crate::Error;
use trace::Watch;

/// The CPU or a GPU. Cheap to clone; clones share the device.
///
/// ```
/// use warpwise::Device;
///
/// assert_eq!(Device::cpu().name(), "cpu");
/// assert_eq!(Device::emulator().name(), "emulator");
/// assert_eq!(Device::best().name(), "cpu");
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
    /// The fastest device of this machine.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    ///
    /// assert_eq!(reduce::sum(&Device::best(), &[1, 2, 3])?, 6);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn best() -> Self {
        Self::cpu()
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
        let device = warpwise_gpu::emulated::EmulatedDevice::new(gpu);
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

    /// What reports call it: `cpu`, `emulator`, or the GPU's name.
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
