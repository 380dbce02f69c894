//! What a run of a program tells: its fields are the JSON, in order.

use super::comparison::Comparison;
use super::start::Ending;
use crate::FailOn;
use crate::kernels::counters::CounterTable;
use crate::kernels::explain::Explanation;
use crate::kernels::finding::Finding;
use serde::Serialize;

/// A program's run.
#[derive(Clone, Debug, Serialize)]
pub struct ProgramReport {
    /// Version of this format.
    pub schema: u32,
    /// The program or its source, as given.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// `emulator`, `cuda` or `both`.
    pub device: &'static str,
    /// The GPU that was emulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// How it ended.
    pub ended: Ending,
    /// How long it took.
    pub seconds: f64,
    /// Whether no finding that counts is an error.
    pub ok: bool,
    /// What kernels were checked for.
    pub checks: Vec<&'static str>,
    /// Whether the host was checked.
    pub host_checks: bool,
    /// Its kernels: the costliest first.
    pub kernels: Vec<KernelRow>,
    /// Its copies.
    pub copies: Vec<CopyRow>,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Why its costliest kernels take their time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explanations: Vec<Explanation>,
    /// Remarks for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How what was copied back to the host compares with a GPU, if it ran on one too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// Which findings are failures.
    #[serde(skip)]
    pub fail_on: FailOn,
}

/// All launches of a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelRow {
    /// Its name, as the source has it.
    pub kernel: String,
    /// Its symbol.
    pub symbol: String,
    /// How many launches.
    pub launches: u64,
    /// Threads of all.
    pub threads: u64,
    /// Instructions of warps of all.
    pub warp_instructions: u64,
    /// Seconds that the emulator took.
    pub host_seconds: f64,
    /// Estimated microseconds on the GPU, if the launches were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_us: Option<f64>,
    /// Its share of all kernels, in percent: of the estimated time if there is one, else of the instructions.
    pub percent: f64,
    /// What was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<CounterTable>,
}

/// All copies in a direction.
#[derive(Clone, Debug, Serialize)]
pub struct CopyRow {
    /// `host to device`, ...
    pub direction: &'static str,
    /// How many.
    pub count: u64,
    /// Bytes of all.
    pub bytes: u64,
}

impl ProgramReport {
    /// Whether a finding is a failure.
    pub fn failed(&self) -> bool {
        self.fail_on.fails(&self.findings)
    }

    /// The exit status: the program's, or 1 if it ended well and a finding is a failure.
    pub fn status(&self) -> u8 {
        match self.ended.status() {
            0 => u8::from(self.failed()),
            status => status,
        }
    }
}
