//! What became of launches.

use crate::kernels::counters::CounterTable;
use crate::kernels::finding::Finding;
use serde::Serialize;

/// The report on launch files: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct LaunchesReport {
    /// Version of this format.
    pub schema: u32,
    /// The launch files, as given.
    pub files: Vec<String>,
    /// Whether every launch is good.
    pub ok: bool,
    /// How many are good.
    pub good: usize,
    /// How many did not do what is expected of them.
    pub broken: usize,
    /// How many cannot run.
    pub errors: usize,
    /// All of them, in the order of the files.
    pub launches: Vec<LaunchReport>,
    /// What is wrong with comments that allow findings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Remarks for the user.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// How a launch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As expected.
    Good,
    /// Not as expected.
    Broken,
    /// It cannot run.
    Error,
}

impl Verdict {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Broken => "broken",
            Self::Error => "error",
        }
    }
}

/// A launch of a launch file.
#[derive(Clone, Debug, Serialize)]
pub struct LaunchReport {
    /// Its name.
    pub name: String,
    /// Its launch file, as given.
    pub launch_file: String,
    /// Its line there.
    pub line: u32,
    /// The file of the kernel.
    pub file: String,
    /// The kernel, as the source names it; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// How it ended.
    pub result: Verdict,
    /// Time of the launch on the host; omitted if it did not begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<f64>,
    /// What was counted; omitted if the kernel did not end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<CounterTable>,
    /// What the checks found.
    pub findings: Vec<Finding>,
    /// What is expected and did not come true, or why it cannot run.
    pub broken: Vec<Finding>,
    /// Whether it was refused for its limits.
    #[serde(skip)]
    pub refused: bool,
    /// What was expected in vain.
    #[serde(skip)]
    pub missed: Vec<Missed>,
}

/// Something that was expected of a launch and did not come true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// A finding.
    Finding,
    /// What a buffer holds.
    Values,
    /// A counter, by its name.
    Counter(&'static str),
    /// The occupancy.
    Occupancy,
}
