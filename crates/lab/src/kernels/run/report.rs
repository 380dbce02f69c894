//! The result of a run.

use super::comparison::ComparisonReport;
use super::element::Value;
use super::stages::StageTimes;
use crate::FailOn;
use crate::kernels::counters::CounterTable;
use crate::kernels::finding::{Finding, Stop};
use serde::Serialize;
use warpwise_gpu::FaultKind;

/// The report of a run: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// Version of this format.
    pub schema: u32,
    /// The file, as given.
    #[serde(skip)]
    pub file: String,
    /// The kernel, as the source names it.
    pub kernel: String,
    /// What it ran on.
    pub device: String,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// Whether no finding that counts is an error.
    pub ok: bool,
    /// Time of the launch on the host; omitted if it did not begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<f64>,
    /// What was counted; omitted if the kernel did not end, or ran where nothing is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<CounterTable>,
    /// What the kernel printed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub printed: String,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// The buffers afterwards; omitted if the launch did not begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffers: Option<Vec<BufferReport>>,
    /// The emulator's and the GPU's memory, if both ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ComparisonReport>,
    /// What is wrong with comments that allow findings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Where the time went; omitted for the emulator, on which only the kernel takes time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages_ms: Option<StageTimes>,
    /// The GPU whose limits applied.
    #[serde(skip)]
    pub gpu: String,
    /// Whether the kernel ran to its end.
    #[serde(skip)]
    pub ended: bool,
    /// Where it stopped, if it did not.
    #[serde(skip)]
    pub stopped: Option<Stop>,
    /// PTX instructions, once per warp; known if the kernel ran to its end.
    #[serde(skip)]
    pub warp_instructions: Option<u64>,
    /// Remarks for the user.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A buffer after the launch.
#[derive(Clone, Debug, Serialize)]
pub struct BufferReport {
    /// Its index among the arguments.
    pub arg: usize,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Elements.
    pub len: u64,
    /// The first 16 values.
    pub head: Vec<Value>,
    /// The last value; omitted for an empty buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Value>,
    /// The member of the struct that points to it, if the argument is a struct.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
}

impl RunReport {
    /// Whether the kernel did not do what it should: it left other results on a GPU, or a finding is a failure.
    pub fn failed(&self, on: FailOn) -> bool {
        self.comparison.as_ref().is_some_and(|seen| !seen.equal) || on.fails(&self.findings)
    }

    /// Whether the launch was refused for its limits and nothing ran.
    pub fn refused(&self) -> bool {
        self.findings.iter().any(|f| f.kind == FaultKind::LaunchLimit.name())
    }
}
