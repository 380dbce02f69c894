//! The device of a run.

use super::error::RunError;
use super::{DeviceChoice, Request};
use warpwise_gpu::cuda::{CudaDevice, MemoryPolicy, NoCuda};
use warpwise_gpu::emulated::{EmulatedDevice, Watch};
use warpwise_gpu::paired::{Differences, PairedDevice};
use warpwise_gpu::{Device, Gpu};

/// A device, and what is known about it.
pub(super) struct Opened {
    pub(super) device: Box<dyn Device>,
    /// The GPU that code is compiled for, and whose limits apply.
    pub(super) gpu: Gpu,
    /// What differs, where two devices run.
    pub(super) seen: Option<Differences>,
    /// A remark for the user.
    pub(super) note: Option<String>,
}

impl Opened {
    /// Opens the device that is asked for.
    pub(super) fn new(request: &Request) -> Result<Self, RunError> {
        let named = Gpu::named(&request.gpu)
            .ok_or_else(|| RunError::Gpu { name: request.gpu.clone(), known: Gpu::names().join(", ") })?;
        match request.device {
            DeviceChoice::Emulator => Ok(Self::emulated(named, request)),
            DeviceChoice::Cuda => Self::cuda().map_err(RunError::NoCuda),
            DeviceChoice::Both => {
                let second = CudaDevice::open(0, MemoryPolicy::default()).map_err(RunError::NoCuda)?;
                let gpu = second.gpu().clone();
                let first = emulator(gpu.clone(), request);
                let pair = PairedDevice::new(Box::new(first), Box::new(second));
                let seen = Some(pair.differences());
                Ok(Self { device: Box::new(pair), gpu, seen, note: None })
            }
            // Only the emulator checks.
            DeviceChoice::Auto if request.checks.any() => Ok(Self::emulated(named, request)),
            DeviceChoice::Auto => Ok(Self::cuda().unwrap_or_else(|why| {
                let note = Some(format!("no CUDA device: {why}; using the emulator"));
                Self { note, ..Self::emulated(named, request) }
            })),
        }
    }

    fn emulated(gpu: Gpu, request: &Request) -> Self {
        Self { device: Box::new(emulator(gpu.clone(), request)), gpu, seen: None, note: None }
    }

    fn cuda() -> Result<Self, NoCuda> {
        let device = CudaDevice::open(0, MemoryPolicy::default())?;
        Ok(Self { gpu: device.gpu().clone(), device: Box::new(device), seen: None, note: None })
    }
}

/// An emulator that counts, checks what is asked for, and ends what takes too long.
fn emulator(gpu: Gpu, request: &Request) -> EmulatedDevice {
    let watch = Watch { counters: true, checks: request.checks };
    EmulatedDevice::new(gpu).watching(watch).with_budget(request.max_instructions)
}
