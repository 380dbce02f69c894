//! Where the time of a call went.

use crate::output::number::duration;
use serde_json::{Map, Value};
use warpwise::{Device, Error};

/// Milliseconds by stage, in the order of the stages.
pub type StageTimes = Map<String, Value>;

/// Ends the trace of a device and returns its stages; none for the CPU, which has no stages.
pub(super) fn take(device: &Device) -> Result<Option<StageTimes>, Error> {
    let trace = device.take_trace()?;
    let named = trace.stages.named().map(|(name, ms)| (name.to_owned(), Value::from((ms * 1e6).round() / 1e6)));
    Ok((!device.is_cpu()).then(|| named.into_iter().collect()))
}

/// `allocate 0.12 ms, upload 3.40 ms, ...`.
pub(super) fn line(stages: &StageTimes) -> String {
    let parts = stages.iter().map(|(name, ms)| format!("{name} {}", duration(ms.as_f64().unwrap_or(0.0) / 1e3)));
    parts.collect::<Vec<_>>().join(", ")
}
