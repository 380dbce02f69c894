//! The results of both sides.

use super::{Comparison, Request, Shown};
use serde::Serialize;

/// The report: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct RadiatorReport {
    /// Version of this format.
    pub schema: u32,
    /// The preset.
    pub preset: &'static str,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Steps.
    pub iterations: usize,
    /// Whether both sides agree.
    pub ok: bool,
    /// The CPU; omitted if it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Side>,
    /// The GPU; omitted if it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Side>,
    /// Both, side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// What the text shows of both.
    #[serde(skip)]
    pub shown: Shown,
}

/// One side.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// Where it was computed.
    pub device: String,
    /// The rung, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Time of all stages.
    pub time_ms: f64,
    /// Time of each stage.
    pub stages_ms: serde_json::Map<String, serde_json::Value>,
    /// The average of every row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub averages: Option<Vec<f64>>,
    /// All values, row after row.
    #[serde(skip)]
    pub grid: Vec<f64>,
}

impl RadiatorReport {
    pub(super) fn new(
        request: &Request,
        ty: &'static str,
        cpu: Option<Side>,
        gpu: Option<Side>,
        comparison: Option<Comparison>,
    ) -> Self {
        Self {
            schema: 1,
            preset: request.preset.name(),
            ty,
            rows: request.rows,
            cols: request.columns,
            iterations: request.iterations,
            ok: comparison.is_none_or(|c| c.agrees()),
            cpu,
            gpu,
            comparison,
            shown: Shown::default(),
        }
    }
}
