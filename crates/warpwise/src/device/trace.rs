//! What calls do on a device: stages with their times, and launches with what was observed.

use std::time::{Duration, Instant};

use warpwise_gpu::{Device as Gpu, DeviceError, Mark};

#[cfg(feature = "emulator")]
pub use warpwise_gpu::Launch;
#[cfg(feature = "emulator")]
pub use warpwise_gpu::emulated::observe::Observer;
#[cfg(feature = "emulator")]
pub use warpwise_gpu::emulated::{Checks, Follower, Sampling, SharedFollower, Watch};
pub use warpwise_gpu::{Counters, Fault, Finding, Profile};

/// Milliseconds by stage. Large jobs on host data copy while they compute: their stages add up to more than the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stages {
    /// Allocating device memory.
    pub allocate_ms: f64,
    /// Copying to the device.
    pub upload_ms: f64,
    /// Kernels, on the device's clock.
    pub kernel_ms: f64,
    /// Copying from the device.
    pub download_ms: f64,
    /// Freeing device memory.
    pub free_ms: f64,
}

impl Stages {
    /// Every stage with its name, in report order.
    ///
    /// ```
    /// let stages = warpwise::trace::Stages { kernel_ms: 2.5, ..Default::default() };
    /// assert_eq!(stages.named()[2], ("kernel", 2.5));
    /// ```
    pub fn named(&self) -> [(&'static str, f64); 5] {
        [
            ("allocate", self.allocate_ms),
            ("upload", self.upload_ms),
            ("kernel", self.kernel_ms),
            ("download", self.download_ms),
            ("free", self.free_ms),
        ]
    }
}

/// A launch.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchRecord {
    /// The primitive that the kernel belongs to.
    pub module: &'static str,
    /// The kernel.
    pub kernel: String,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared_bytes: u32,
    /// The counters, if the device counts.
    pub profile: Option<Profile>,
    /// The findings, if the device checks.
    pub findings: Vec<Finding>,
    /// What stopped the kernel, if something did and the device reports it at once.
    pub fault: Option<Box<Fault>>,
}

/// What calls did on a device between [`Device::start_trace`](crate::Device::start_trace) and
/// [`Device::take_trace`](crate::Device::take_trace).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Time by stage.
    pub stages: Stages,
    /// Launches in order.
    pub launches: Vec<LaunchRecord>,
}

/// How fast a device copies, in GB/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyRates {
    /// Bytes of each copy.
    pub bytes: u64,
    /// From ordinary host memory to the device.
    pub upload: f64,
    /// From the device to ordinary host memory.
    pub download: f64,
    /// From device memory to device memory, bytes read plus bytes written.
    pub device: f64,
}

/// A stage on the device's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Upload,
    Kernel,
    Download,
}

/// Records what calls do. A mark is set when the stage changes, not at every call: consecutive kernels are timed as
/// one, so a trace disturbs what it measures as little as possible.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    open: Option<(Stage, Mark)>,
    spans: Vec<(Stage, Mark, Mark)>,
    trace: Trace,
}

impl Recorder {
    /// The next call belongs to that stage.
    pub(super) fn enter(&mut self, gpu: &mut dyn Gpu, stage: Stage) -> Result<(), DeviceError> {
        if !self.is_in(stage) {
            self.leave(gpu)?;
            self.open = Some((stage, gpu.mark()?));
        }
        Ok(())
    }

    /// Whether that stage is open.
    pub(super) fn is_in(&self, stage: Stage) -> bool {
        self.open.is_some_and(|(open, _)| open == stage)
    }

    /// A stage has begun at a mark; none was open.
    pub(super) fn begun(&mut self, stage: Stage, from: Mark) {
        self.open = Some((stage, from));
    }

    /// The open stage has ended.
    pub(super) fn leave(&mut self, gpu: &mut dyn Gpu) -> Result<(), DeviceError> {
        if let Some((stage, from)) = self.open.take() {
            let to = gpu.mark()?;
            self.spans.push((stage, from, to));
        }
        Ok(())
    }

    /// Memory was allocated, from that moment until now.
    pub(super) fn allocated(&mut self, since: Instant) {
        self.trace.stages.allocate_ms += milliseconds(since);
    }

    /// Memory was freed, from that moment until now.
    pub(super) fn freed(&mut self, since: Instant) {
        self.trace.stages.free_ms += milliseconds(since);
    }

    /// Copies took that long, beside other stages.
    pub(super) fn copied(&mut self, up: Duration, down: Duration) {
        self.trace.stages.upload_ms += up.as_secs_f64() * 1e3;
        self.trace.stages.download_ms += down.as_secs_f64() * 1e3;
    }

    /// A launch was made.
    pub(super) fn launched(&mut self, launch: LaunchRecord) {
        self.trace.launches.push(launch);
    }

    /// Ends the trace; waits for the device.
    pub(super) fn finish(mut self, gpu: &mut dyn Gpu) -> Result<Trace, DeviceError> {
        self.leave(gpu)?;
        gpu.synchronize()?;
        for (stage, from, to) in self.spans {
            let stages = &mut self.trace.stages;
            let sum = match stage {
                Stage::Upload => &mut stages.upload_ms,
                Stage::Kernel => &mut stages.kernel_ms,
                Stage::Download => &mut stages.download_ms,
            };
            *sum += gpu.elapsed_ms(from, to)?;
        }
        gpu.clear_marks();
        Ok(self.trace)
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
