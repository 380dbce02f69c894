//! The result of a simulation.

use super::Request;
use crate::applications::{StageTimes, VariantRow, Verified};
use crate::kernels::run::Value;
use serde::{Serialize, Serializer};
use std::path::PathBuf;
use warpwise::heat::Outcome;

/// Operations per cell and step.
const FLOPS: f64 = 12.0;

/// The report: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct HeatReport {
    /// Version of this format.
    pub schema: u32,
    /// Where it was computed.
    pub device: String,
    /// The rung, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Rows of the cylinder.
    pub rows: usize,
    /// Columns of the cylinder.
    pub cols: usize,
    /// The threshold.
    pub threshold: f64,
    /// The reports, the last one at the end of the simulation.
    #[serde(rename = "reports")]
    pub rows_seen: Vec<Row>,
    /// Where the time went (GPU only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages_ms: Option<StageTimes>,
    /// The comparison with the reference; omitted if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// The picture of the differences from the reference; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<PathBuf>,
    /// Grey levels for a degree in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amplified: Option<f64>,
    /// All variants, the first one included; omitted if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<VariantRow>>,
}

/// The state after some steps.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Row {
    /// Steps so far.
    pub iterations: usize,
    /// The lowest temperature.
    #[serde(serialize_with = "number")]
    pub min: f64,
    /// The highest temperature.
    #[serde(serialize_with = "number")]
    pub max: f64,
    /// The largest change of a cell in the last step; infinite before the first.
    #[serde(serialize_with = "number")]
    pub diff: f64,
    /// The mean temperature.
    #[serde(serialize_with = "number")]
    pub avg: f64,
    /// Time so far.
    pub time_s: f64,
    /// Operations per second.
    pub flop_per_s: f64,
}

/// JSON has no infinity; [`Value`] knows what to write instead.
fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Value::Double(*value).serialize(serializer)
}

impl HeatReport {
    /// Whether nothing is known to be wrong.
    pub fn ok(&self) -> bool {
        let good = |verified: &Option<Verified>| verified.as_ref().is_none_or(|verified| verified.ok);
        good(&self.verified) && self.variants.iter().flatten().all(|row| good(&row.verified))
    }

    pub(super) fn new(request: &Request, device: String, rows: usize, columns: usize) -> Self {
        Self {
            schema: 1,
            device,
            variant: request.setup.variant.clone(),
            rows,
            cols: columns,
            threshold: request.threshold,
            rows_seen: Vec::new(),
            stages_ms: None,
            verified: None,
            difference: None,
            amplified: None,
            variants: None,
        }
    }

    /// How the variant of this report did.
    pub(super) fn row(&self) -> VariantRow {
        VariantRow {
            variant: self.variant.clone().unwrap_or_default(),
            device: self.device.clone(),
            time_ms: self.rows_seen.last().map_or(0.0, |row| (row.time_s * 1e9).round() / 1e6),
            speedup: 1.0,
            stages_ms: self.stages_ms.clone(),
            verified: self.verified.clone(),
        }
    }
}

impl Row {
    pub(super) fn new(outcome: Outcome, cells: &[f64], seconds: f64) -> Self {
        let Outcome { iterations, max_difference: diff } = outcome;
        let min = cells.iter().copied().fold(f64::INFINITY, f64::min);
        let max = cells.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        #[allow(clippy::cast_precision_loss, reason = "counts far below 2^53")]
        let (count, steps) = (cells.len() as f64, iterations as f64);
        let work = FLOPS * count * steps;
        let flop_per_s = if seconds > 0.0 { work / seconds } else { 0.0 };
        Self { iterations, min, max, diff, avg: cells.iter().sum::<f64>() / count, time_s: seconds, flop_per_s }
    }
}
