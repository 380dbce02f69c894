//! The SIMT emulator as a [`Device`].

use crate::device::{Device, DeviceError, Mark, Module};
use std::sync::Arc;
use std::time::Instant;
use warpwise_simt::{DevicePtr, Gpu, Launch, Machine, ModuleId, Program, Report};

/// What fresh memory holds.
const UNWRITTEN: u8 = 0xcd;

/// An emulated GPU: it executes PTX on the cores of this machine, under the limits of a GPU.
#[derive(Debug)]
pub struct EmulatedDevice {
    machine: Machine,
    modules: Vec<ModuleId>,
    marks: Vec<Instant>,
}

impl EmulatedDevice {
    /// A device with that GPU's limits.
    pub fn new(gpu: Gpu) -> Self {
        Self { machine: Machine::new(gpu), modules: Vec::new(), marks: Vec::new() }
    }
}

impl Device for EmulatedDevice {
    fn name(&self) -> String {
        "emulator".into()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        // The system hands out memory it does not have and ends the process when it is touched, so ask first.
        if let Some(free) = available_memory().filter(|&free| bytes > free) {
            return Err(DeviceError::OutOfMemory { wanted: bytes, free });
        }
        // Hardware promises nothing about fresh memory; zeros would hide programs that count on them.
        Ok(self.machine.alloc_filled(bytes, UNWRITTEN)?)
    }

    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError> {
        Ok(self.machine.free(buffer)?)
    }

    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        Ok(self.machine.write(to, bytes)?)
    }

    fn download(&mut self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        Ok(self.machine.read(from, bytes)?)
    }

    fn fill(&mut self, to: DevicePtr, byte: u8, bytes: u64) -> Result<(), DeviceError> {
        self.machine.bytes_mut(to, bytes)?.fill(byte);
        Ok(())
    }

    fn copy(&mut self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), DeviceError> {
        let values = self.machine.bytes(from, bytes)?.to_vec();
        Ok(self.machine.write(to, &values)?)
    }

    fn load(&mut self, program: &Arc<Program>) -> Result<Module, DeviceError> {
        self.modules.push(self.machine.load(Arc::clone(program))?);
        Ok(Module(self.modules.len() as u32 - 1))
    }

    fn is_ready(&self, _: Module, _: &str) -> bool {
        true
    }

    fn prepare(&mut self, _: Module, _: &str) -> Result<(), DeviceError> {
        Ok(())
    }

    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError> {
        let module = self.modules[module.0 as usize];
        self.machine.launch(module, kernel, launch).map_err(|fault| DeviceError::Fault(Box::new(fault)))
    }

    fn variable(&mut self, module: Module, name: &str) -> Option<(DevicePtr, u64)> {
        self.machine.global(self.modules[module.0 as usize], name)
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn mark(&mut self) -> Result<Mark, DeviceError> {
        self.marks.push(Instant::now());
        Ok(Mark(self.marks.len() as u32 - 1))
    }

    fn elapsed_ms(&mut self, from: Mark, to: Mark) -> Result<f64, DeviceError> {
        let [from, to] = [from, to].map(|mark| self.marks[mark.0 as usize]);
        Ok(to.saturating_duration_since(from).as_secs_f64() * 1e3)
    }

    fn clear_marks(&mut self) {
        self.marks.clear();
    }

    fn memory_held(&mut self) -> u64 {
        self.machine.allocated()
    }

    fn generation(&self) -> u32 {
        0
    }

    fn gpu(&self) -> &Gpu {
        self.machine.gpu()
    }
}

/// Memory that programs can still have, where the system says.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
