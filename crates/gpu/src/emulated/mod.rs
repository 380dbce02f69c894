//! The SIMT emulator as a [`Device`].

mod conversion;
mod follower;
mod module;
#[cfg(test)]
mod tests;

pub use follower::{Follower, SharedFollower};
pub use warpwise_simt::{Checks, Sampling, Watch, observe};

use crate::{Device, DeviceError, DevicePtr, Launch, Mark, Module, ModuleSource, Report};
use conversion::{address, pointer};
use module::Loaded;
use std::sync::Arc;
use std::time::{Duration, Instant};
use warpwise_arch::{Gpu, ImageShape, Sampler};
use warpwise_simt::Machine;

/// The byte that fresh memory is filled with.
const UNWRITTEN: u8 = 0xcd;

/// An emulated GPU: it executes PTX on the cores of this machine, under the limits of a GPU.
#[derive(Debug)]
pub struct EmulatedDevice {
    machine: Machine,
    modules: Vec<Loaded>,
    marks: Vec<Instant>,
    watch: Watch,
    /// Warp instructions that a launch may execute, if not the emulator's own limit.
    budget: Option<u64>,
    /// Time that a launch may take.
    time_limit: Option<Duration>,
    follower: Option<SharedFollower>,
}

impl EmulatedDevice {
    /// A device with that GPU's limits.
    pub fn new(gpu: Gpu) -> Self {
        Self {
            machine: Machine::new(gpu),
            modules: Vec::new(),
            marks: Vec::new(),
            watch: Watch::NOTHING,
            budget: None,
            time_limit: None,
            follower: None,
        }
    }

    /// The device, with every launch watched: [`Report::watched`] says what was observed.
    #[must_use]
    pub fn watching(self, watch: Watch) -> Self {
        Self { watch, ..self }
    }

    /// The device, with a follower that hears of every instruction of every launch. Followed launches are not watched for
    /// anything else.
    #[must_use]
    pub fn followed_by(self, follower: SharedFollower) -> Self {
        Self { follower: Some(follower), ..self }
    }

    /// The device, with launches that end with [`FaultKind::Timeout`](crate::FaultKind::Timeout) after that many warp
    /// instructions.
    #[must_use]
    pub fn with_budget(self, warp_instructions: u64) -> Self {
        Self { budget: Some(warp_instructions), ..self }
    }

    /// The device, with launches that end in the same way after that time, if there is a limit.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Option<Duration>) -> Self {
        Self { time_limit, ..self }
    }
}

impl Device for EmulatedDevice {
    fn name(&self) -> String {
        "emulator".into()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        // The system hands out memory it does not have and kills the process when it is touched, so ask first.
        if let Some(free) = available_memory().filter(|&free| bytes > free) {
            return Err(DeviceError::OutOfMemory { wanted: bytes, free });
        }
        // Hardware promises nothing about fresh memory; zeros would hide programs that rely on them.
        Ok(address(self.machine.alloc_filled(bytes, UNWRITTEN)?))
    }

    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError> {
        Ok(self.machine.free(pointer(buffer))?)
    }

    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        Ok(self.machine.write(pointer(to), bytes)?)
    }

    fn download(&mut self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        Ok(self.machine.read(pointer(from), bytes)?)
    }

    fn fill(&mut self, to: DevicePtr, byte: u8, bytes: u64) -> Result<(), DeviceError> {
        self.machine.bytes_mut(pointer(to), bytes)?.fill(byte);
        Ok(())
    }

    fn copy(&mut self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), DeviceError> {
        let values = self.machine.bytes(pointer(from), bytes)?.to_vec();
        Ok(self.machine.write(pointer(to), &values)?)
    }

    fn load(&mut self, source: Arc<dyn ModuleSource>) -> Result<Module, DeviceError> {
        self.modules.push(Loaded::new(&mut self.machine, source, self.watch.checks.any())?);
        Ok(Module(self.modules.len() as u32 - 1))
    }

    fn is_ready(&self, module: Module, kernel: &str) -> bool {
        self.modules[module.0 as usize].is_ready(kernel)
    }

    fn prepare(&mut self, module: Module, kernel: &str) -> Result<(), DeviceError> {
        self.modules[module.0 as usize].part_with(&mut self.machine, kernel).map(drop)
    }

    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError> {
        let part = self.modules[module.0 as usize].part_with(&mut self.machine, kernel)?;
        let converted = conversion::launch(launch, self.watch, self.budget, self.time_limit);
        let outcome = match &self.follower {
            Some(follower) => {
                let mut follower = follower.lock();
                follower.launch_starts(kernel, launch);
                self.machine.launch_followed(part, kernel, &converted, &mut *follower)
            }
            None => self.machine.launch(part, kernel, &converted),
        };
        match outcome {
            Ok(report) => Ok(conversion::report(report)),
            Err(fault) => Err(DeviceError::Fault(Box::new(conversion::fault(fault)))),
        }
    }

    fn texture(
        &mut self,
        shape: ImageShape,
        texels: &[u8],
        sampler: Option<Sampler>,
    ) -> Result<(u64, DevicePtr), DeviceError> {
        let handle = match sampler {
            Some(sampler) => self.machine.texture(shape, texels, sampler)?,
            None => self.machine.surface(shape, texels)?,
        };
        let at = self.machine.texels_at(handle).map_or(DevicePtr(0), |(at, _)| address(at));
        Ok((handle, at))
    }

    fn variable(&mut self, module: Module, name: &str) -> Option<(DevicePtr, u64)> {
        let (at, bytes) = self.machine.global(self.modules[module.0 as usize].declarations(), name)?;
        Some((address(at), bytes))
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

/// Memory still available to programs, if the system reports it.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
