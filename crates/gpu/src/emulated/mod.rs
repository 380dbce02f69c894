//! The SIMT emulator as a [`Device`].

use crate::device::{Device, DeviceError};
use std::sync::Arc;
use warpwise_simt::{DevicePtr, Gpu, Launch, Machine, ModuleId, Program, Report};

/// An emulated GPU: it executes PTX on the cores of this machine, under the limits of a GPU.
#[derive(Debug)]
pub struct EmulatedDevice {
    machine: Machine,
}

impl EmulatedDevice {
    /// A device with that GPU's limits.
    pub fn new(gpu: Gpu) -> Self {
        Self { machine: Machine::new(gpu) }
    }

    /// The GPU whose limits apply.
    pub fn gpu(&self) -> &Gpu {
        self.machine.gpu()
    }
}

impl Device for EmulatedDevice {
    type Module = ModuleId;

    fn name(&self) -> String {
        "emulator".into()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        // The system hands out memory it does not have and ends the process when it is touched, so ask first.
        if let Some(free) = available_memory().filter(|&free| bytes > free) {
            return Err(DeviceError::OutOfMemory { wanted: bytes, free });
        }
        Ok(self.machine.alloc(bytes)?)
    }

    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError> {
        Ok(self.machine.free(buffer)?)
    }

    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        Ok(self.machine.write(to, bytes)?)
    }

    fn download(&self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        Ok(self.machine.read(from, bytes)?)
    }

    fn load(&mut self, program: &Arc<Program>) -> Result<ModuleId, DeviceError> {
        Ok(self.machine.load(Arc::clone(program))?)
    }

    fn launch(&mut self, module: &ModuleId, kernel: &str, launch: &Launch) -> Result<Report, DeviceError> {
        self.machine.launch(*module, kernel, launch).map_err(|fault| DeviceError::Fault(Box::new(fault)))
    }
}

/// Memory that programs can still have, where the system says.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
