//! The device of a run.

use super::error::RunError;
use super::{DeviceChoice, Request};
use warpwise_gpu::Device;
use warpwise_gpu::cuda::{CudaDevice, MemoryPolicy, NoCuda};
use warpwise_gpu::emulated::EmulatedDevice;
use warpwise_gpu::paired::{Differences, PairedDevice};
use warpwise_simt::Gpu;

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
            DeviceChoice::Emulator => Ok(Self::emulated(named)),
            DeviceChoice::Cuda => Self::cuda().map_err(RunError::NoCuda),
            DeviceChoice::Both => {
                let second = CudaDevice::open(0, MemoryPolicy::default()).map_err(RunError::NoCuda)?;
                let gpu = second.gpu().clone();
                let first = EmulatedDevice::new(gpu.clone());
                let pair = PairedDevice::new(Box::new(first), Box::new(second));
                let seen = Some(pair.differences());
                Ok(Self { device: Box::new(pair), gpu, seen, note: None })
            }
            // Only the emulator checks.
            DeviceChoice::Auto if request.checks.any() => Ok(Self::emulated(named)),
            DeviceChoice::Auto => Ok(Self::cuda().unwrap_or_else(|why| {
                let note = Some(format!("no CUDA device: {why}; using the emulator"));
                Self { note, ..Self::emulated(named) }
            })),
        }
    }

    fn emulated(gpu: Gpu) -> Self {
        Self { device: Box::new(EmulatedDevice::new(gpu.clone())), gpu, seen: None, note: None }
    }

    fn cuda() -> Result<Self, NoCuda> {
        let device = CudaDevice::open(0, MemoryPolicy::default())?;
        Ok(Self { gpu: device.gpu().clone(), device: Box::new(device), seen: None, note: None })
    }
}
