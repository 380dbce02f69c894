//! The results of both sides.

use super::compare::TOLERANCE;
use super::{Comparison, Request, Shown};
use crate::applications::{VariantRow, Verified, several};
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
    /// All variants of both sides; omitted if there is one of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<VariantRow>>,
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
        cpu: Vec<Side>,
        gpu: Vec<Side>,
        comparison: Option<Comparison>,
    ) -> Self {
        let variants = (cpu.len() > 1 || gpu.len() > 1).then(|| rows(&cpu, &gpu));
        let good = |row: &VariantRow| row.verified.as_ref().is_none_or(|verified| verified.ok);
        Self {
            schema: 1,
            preset: request.preset.name(),
            ty,
            rows: request.rows,
            cols: request.columns,
            iterations: request.iterations,
            ok: comparison.is_none_or(|c| c.agrees()) && variants.iter().flatten().all(good),
            cpu: cpu.into_iter().next(),
            gpu: gpu.into_iter().next(),
            comparison,
            variants,
            shown: Shown::default(),
        }
    }
}

/// All variants, those after the first compared with it.
fn rows(cpu: &[Side], gpu: &[Side]) -> Vec<VariantRow> {
    let sides: Vec<&Side> = cpu.iter().chain(gpu).collect();
    let mut rows = Vec::new();
    for (at, side) in sides.iter().enumerate() {
        let mut pairs = side.grid.iter().copied().zip(sides[0].grid.iter().copied());
        let verified = (at > 0).then(|| Verified::of("the first variant", TOLERANCE, &mut pairs));
        rows.push(VariantRow {
            variant: side.variant.clone().unwrap_or_else(|| "the best".to_owned()),
            device: side.device.clone(),
            time_ms: side.time_ms,
            speedup: 1.0,
            stages_ms: Some(side.stages_ms.clone()),
            verified,
        });
    }
    several::beside_the_first(&mut rows);
    rows
}
