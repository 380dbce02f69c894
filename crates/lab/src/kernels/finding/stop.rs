//! Where a launch ended before its time: nothing after that was checked.

use super::Finding;
use serde::Serialize;

/// Where and why a launch ended early: its fields are the JSON, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stop {
    /// `trap`, `deadlock`, `timeout`, ...
    pub kind: &'static str,
    /// The line of the source, or of the PTX if no source is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The file of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The thread that ended it, `threadIdx`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<[u32; 3]>,
    /// Its block, `blockIdx`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// The kernel, if a report has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
}

impl Stop {
    /// The stop that a finding is about.
    pub(crate) fn at(finding: &Finding) -> Self {
        Self {
            kind: finding.kind,
            line: finding.line,
            file: finding.file.clone(),
            thread: finding.thread,
            block: finding.block,
            kernel: finding.kernel.clone(),
        }
    }

    /// A sentence for readers.
    pub(crate) fn sentence(&self) -> String {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!(" at {file}:{line}"),
            _ => String::new(),
        };
        let kernel = self.kernel.as_ref().map_or(String::new(), |kernel| format!(" in {kernel}"));
        let thread = match (self.thread, self.block) {
            (Some(thread), Some(block)) => {
                format!(", thread {} of block {}", super::shape(thread), super::shape(block))
            }
            _ => String::new(),
        };
        format!("The launch ended early{place}{kernel}{thread} ({}): what comes after that was not checked.", self.kind)
    }
}
