//! Devices by their names.

use crate::error::exception;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use std::sync::OnceLock;
use warpwise::{Device, Error, MemoryPolicy};

/// The one emulator of this process, so that arrays on it can meet.
pub(crate) fn emulator() -> Device {
    static EMULATOR: OnceLock<Device> = OnceLock::new();
    EMULATOR.get_or_init(Device::emulator).clone()
}

/// The GPU, in the context that other packages use, so that their arrays can be read where they are. It is opened when
/// it is first asked for.
fn cuda() -> PyResult<Device> {
    static GPU: OnceLock<Result<Device, Error>> = OnceLock::new();
    let shared = || Device::cuda_with(MemoryPolicy { shared: true, ..MemoryPolicy::default() });
    GPU.get_or_init(shared).clone().map_err(exception)
}

/// The device with a name. A GPU is opened when it is first asked for.
pub(crate) fn named(name: &str) -> PyResult<Device> {
    match name {
        "cpu" => Ok(Device::cpu()),
        "emulator" => Ok(emulator()),
        "cuda" => cuda(),
        "auto" => Ok(cuda().unwrap_or_else(|_| Device::cpu())),
        _ => Err(PyValueError::new_err(format!(
            "device: there is no device {name:?}: use \"cpu\", \"emulator\", \"cuda\" or \"auto\""
        ))),
    }
}
