//! Where the time of a run went.

use serde::Serialize;
use std::time::Instant;
use warpwise_gpu::{Device, DeviceError};

/// Milliseconds by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StageTimes {
    /// Allocating device memory.
    pub allocate: f64,
    /// Copying the contents of buffers.
    pub upload: f64,
    /// The kernel, on the device's clock.
    pub kernel: f64,
    /// Copying back what the report shows.
    pub download: f64,
    /// Freeing device memory.
    pub free: f64,
}

/// Does something on the device, waits for it, and adds its time.
pub(super) fn timed<T, E: From<DeviceError>>(
    sum: &mut f64,
    device: &mut dyn Device,
    work: impl FnOnce(&mut dyn Device) -> Result<T, E>,
) -> Result<T, E> {
    let started = Instant::now();
    let result = work(device)?;
    device.synchronize()?;
    *sum += started.elapsed().as_secs_f64() * 1e3;
    Ok(result)
}
