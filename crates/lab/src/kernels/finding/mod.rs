//! What is wrong with a kernel, as shown in reports: with the source line, its text, and the argument concerned.

mod allowance;
mod count;
mod kinds;
mod render;
mod stop;

pub use allowance::{SuppressedBy, Suppression};
pub(crate) use allowance::{at as allowed, mistakes};
pub(crate) use count::tally;
pub(crate) use kinds::kinds;
pub(crate) use render::describe;
pub use stop::Stop;

use crate::kernels::source::SourceMap;
use serde::Serialize;
use warpwise_gpu::{Fault, FaultKind, MemorySpace, Place};
use warpwise_ptx::ast::SourceLine;

/// Something that is wrong with a kernel: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// `race`, `out_of_bounds`, `deadlock`, ...
    pub kind: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The line of the source, or of the PTX if no source is known; omitted for the launch as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What happened, in a sentence.
    pub message: String,
    /// How often.
    pub count: u64,
    /// The file of the line, as it was given or as the module names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of the other access; of a race, the earlier one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_line: Option<u32>,
    /// The file of the other access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_file: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub advice: String,
    /// Why it does not count, if a comment in the source or a launch file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Suppression>,
    /// Whether the baseline has it; omitted without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<bool>,
    /// The thread that was found first, `threadIdx`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<[u32; 3]>,
    /// Its block, `blockIdx`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// The thread of the other access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_thread: Option<[u32; 3]>,
    /// The block of the other access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_block: Option<[u32; 3]>,
    /// `global`, `shared` or `local`, for accesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<&'static str>,
    /// The variable concerned, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The buffer concerned, by its index among the arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<usize>,
    /// The name of that parameter in the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The kernel, if a report has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The line of the PTX.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ptx_line: Option<u32>,
    /// The PTX instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// Whether it was seen more often than `count` says: too often to count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// The line of a compiler's header that was inlined at `line`, and that the instruction is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_line: Option<u32>,
    /// The file of that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_file: Option<String>,
    /// Which launch of the kernel it was found in first, from 1, if a program launches it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<u64>,
    /// In how many launches it was found, if a program launches the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launches: Option<u64>,
    /// The line of the host's source that launched the kernel, if debug information tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_line: Option<u32>,
    /// The file of that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_file: Option<String>,
    /// The text of that line.
    #[serde(skip)]
    pub host_excerpt: Option<String>,
    /// The text of the line.
    #[serde(skip)]
    pub excerpt: Option<String>,
    /// The text of the other line.
    #[serde(skip)]
    pub other_excerpt: Option<String>,
    /// Whether `line` is one of the PTX.
    #[serde(skip)]
    pub in_ptx: bool,
}

impl Finding {
    pub(crate) fn new(kind: &'static str, severity: &'static str, message: String, count: u64) -> Self {
        // Reports name the kind before the message.
        let prefix = format!("{kind}: ");
        let message = message.strip_prefix(&prefix).map(str::to_owned).unwrap_or(message);
        Self {
            kind,
            severity,
            line: None,
            message,
            count,
            file: None,
            other_line: None,
            other_file: None,
            advice: String::new(),
            suppressed: None,
            known: None,
            thread: None,
            block: None,
            other_thread: None,
            other_block: None,
            space: None,
            variable: None,
            argument: None,
            parameter: None,
            kernel: None,
            ptx_line: None,
            instruction: None,
            at_least: false,
            inner_line: None,
            inner_file: None,
            launch: None,
            launches: None,
            host_line: None,
            host_file: None,
            host_excerpt: None,
            excerpt: None,
            other_excerpt: None,
            in_ptx: false,
        }
    }

    /// What a check found.
    pub(crate) fn of_check(found: &warpwise_gpu::Finding, sources: &SourceMap) -> Self {
        let mut finding = Self::new(found.kind, found.severity.name(), sentence(&found.message), found.count.max(1));
        finding.at_least = found.more;
        finding.advice = sentence(&found.advice);
        finding.space = found.space.map(|space| match space {
            MemorySpace::Global => "global",
            MemorySpace::Shared => "shared",
            MemorySpace::Local => "local",
        });
        finding.variable = found.object.clone();
        if let Some(place) = &found.place {
            finding.at(place, sources);
        }
        if let Some(other) = &found.other {
            let line = sources.line(other.source, other.ptx_line);
            finding.other_excerpt = sources.text(&line).map(str::to_owned);
            finding.other_line = Some(line.number);
            finding.other_file = Some(line.file);
            finding.other_thread = Some(other.thread);
            finding.other_block = Some(other.block);
        }
        finding
    }

    /// Something about a line of the kernel, whichever thread executes it: the line of the source if it is known, the
    /// line of the PTX, and the instruction.
    pub(crate) fn of_line(
        kind: &'static str,
        severity: &'static str,
        message: String,
        (source, ptx_line, instruction): (Option<SourceLine>, u32, String),
        sources: &SourceMap,
    ) -> Self {
        let mut finding = Self::new(kind, severity, message, 1);
        let line = sources.line(source, ptx_line);
        finding.excerpt = sources.text(&line).map(str::to_owned);
        finding.in_ptx = source.is_none();
        finding.line = Some(line.number);
        finding.file = Some(line.file);
        finding.ptx_line = Some(ptx_line);
        finding.instruction = Some(instruction);
        finding
    }

    /// What stopped a kernel.
    pub(crate) fn of_fault(fault: &Fault, sources: &SourceMap) -> Self {
        let mut finding = Self::new(fault.kind.name(), "error", fault.message.clone(), 1);
        let Some(place) = &fault.place else { return finding };
        if !finding.message.contains("thread (") {
            let (thread, block) = (shape(place.thread), shape(place.block));
            let who = match fault.kind {
                // No thread is to blame more than the others.
                FaultKind::Timeout => format!("in block {block}"),
                _ => format!("by thread {thread} of block {block}"),
            };
            finding.message = format!("{}, {who}", sentence(&finding.message));
        }
        finding.at(place, sources);
        finding
    }

    /// Puts the fault before the findings of checks. If a check reported the same thing, its advice is kept.
    pub(crate) fn lead(mut self, findings: &mut Vec<Self>) {
        let same = |f: &Self| f.kind == self.kind && (f.ptx_line == self.ptx_line || self.ptx_line.is_none());
        if let Some(at) = findings.iter().position(same) {
            let told = findings.remove(at);
            (self.advice, self.count) = (told.advice, self.count.max(told.count));
        }
        findings.insert(0, self);
    }

    fn at(&mut self, place: &Place, sources: &SourceMap) {
        let line = sources.line(place.source, place.ptx_line);
        self.excerpt = sources.text(&line).map(str::to_owned);
        self.suppressed = allowance::at(|line| sources.text(line), &line, self.kind);
        self.in_ptx = place.source.is_none();
        self.line = Some(line.number);
        // PTX that was compiled in memory is not a file.
        self.file = Some(line.file);
        self.thread = Some(place.thread);
        self.block = Some(place.block);
        self.ptx_line = Some(place.ptx_line);
        self.instruction = Some(place.instruction.to_string());
        if let Some(inner) = place.inner {
            let inner = sources.line(Some(inner), place.ptx_line);
            (self.inner_line, self.inner_file) = (Some(inner.number), Some(inner.file));
        }
    }

    /// How often it was seen, for readers: `(3 times)`, `(at least 3 times)`; nothing for once.
    pub(crate) fn times(&self) -> String {
        match (self.count, self.at_least) {
            (count, true) => format!(" (at least {count} times)"),
            (1, false) => String::new(),
            (count, false) => format!(" ({count} times)"),
        }
    }

    /// Whether it makes the run a failure.
    pub fn is_error(&self) -> bool {
        self.severity == "error"
    }

    /// Whether it counts, so that it can be a failure: nothing suppresses it, and the baseline does not have it.
    pub fn counts(&self) -> bool {
        self.suppressed.is_none() && self.known != Some(true)
    }

    /// Whether no finding that counts is an error.
    pub(crate) fn none_is_error(findings: &[Self]) -> bool {
        !findings.iter().any(|finding| finding.counts() && finding.is_error())
    }

    /// Why it does not count, in a word.
    pub(crate) fn state(&self) -> Option<&'static str> {
        match (&self.suppressed, self.known) {
            (Some(Suppression { by: SuppressedBy::Comment, .. }), _) => Some("suppressed"),
            (Some(Suppression { by: SuppressedBy::LaunchFile, .. }), _) => Some("expected"),
            (None, Some(true)) => Some("known"),
            _ => None,
        }
    }

    /// Adds to the message.
    pub(crate) fn add(&mut self, more: &str) {
        self.message = format!("{}; {more}", sentence(&self.message));
    }
}

/// Messages are parts of lines: no full stop at the end.
pub(crate) fn sentence(text: &str) -> String {
    text.trim_end().trim_end_matches('.').to_owned()
}

fn shape([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

#[cfg(test)]
mod tests {
    use super::Finding;

    #[test]
    fn counts_say_when_there_are_more() {
        let finding = |count, at_least| Finding { at_least, ..Finding::new("race", "error", String::new(), count) };
        assert_eq!(finding(1, false).times(), "");
        assert_eq!(finding(3, false).times(), " (3 times)");
        assert_eq!(finding(3, true).times(), " (at least 3 times)");
        let json = |finding: &Finding| serde_json::to_value(finding).expect("plain data");
        assert_eq!(json(&finding(3, true))["at_least"], true);
        assert!(json(&finding(3, false)).get("at_least").is_none());
    }
}
