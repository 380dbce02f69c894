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

/// The stage of what is computed after the steps: the averages of rows.
pub(super) const AVERAGES: &str = "averages";

/// Adds the times of another trace, by stage.
pub(super) fn add(to: &mut StageTimes, more: &StageTimes) {
    for (name, ms) in more {
        let ms = ms.as_f64().unwrap_or(0.0);
        let sum = to.get(name).and_then(Value::as_f64).unwrap_or(0.0) + ms;
        to.insert(name.clone(), Value::from((sum * 1e6).round() / 1e6));
    }
}

/// All stages together.
pub(super) fn total(stages: &StageTimes) -> f64 {
    stages.values().filter_map(Value::as_f64).sum()
}

/// `allocate 0.12 ms, upload 3.40 ms, ...`.
pub(super) fn line(stages: &StageTimes) -> String {
    let parts = stages.iter().map(|(name, ms)| format!("{name} {}", duration(ms.as_f64().unwrap_or(0.0) / 1e3)));
    parts.collect::<Vec<_>>().join(", ")
}
