//! What came of a run.

use super::element::Value;
use serde::Serialize;
use warpwise_simt::FaultKind;

/// The report of a run: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// Version of this form.
    pub schema: u32,
    /// The kernel, as the source names it.
    pub kernel: String,
    /// What it ran on.
    pub device: String,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// No error among the findings.
    pub ok: bool,
    /// Time of the launch on the host; left out where it did not begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<f64>,
    /// What the kernel printed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub printed: String,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// The buffers afterwards; left out where the launch did not begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffers: Option<Vec<BufferReport>>,
    /// The GPU whose limits applied.
    #[serde(skip)]
    pub gpu: String,
    /// PTX instructions, one a warp; known where the kernel ended well.
    #[serde(skip)]
    pub warp_instructions: Option<u64>,
    /// Remarks for the user.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Something that is wrong with a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// `out_of_bounds`, `deadlock`, ...
    pub kind: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The line of the source, or of the PTX where no source is known; left out for the launch as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What happened, in a sentence.
    pub message: String,
    /// How often.
    pub count: u64,
    /// `file:line`, for people.
    #[serde(skip)]
    pub place: Option<String>,
    /// The text of that line.
    #[serde(skip)]
    pub excerpt: Option<String>,
    /// The PTX instruction.
    #[serde(skip)]
    pub instruction: Option<String>,
}

/// A buffer after the launch.
#[derive(Clone, Debug, Serialize)]
pub struct BufferReport {
    /// Its place among the arguments.
    pub arg: usize,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Elements.
    pub len: u64,
    /// The first 16 values.
    pub head: Vec<Value>,
    /// The last value; left out for an empty buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Value>,
}

impl RunReport {
    /// Whether the launch was refused for its limits and nothing ran.
    pub fn refused(&self) -> bool {
        self.findings.iter().any(|f| f.kind == FaultKind::LaunchLimit.name())
    }

    /// The report as one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a report has only numbers, strings and lists")
    }
}
