//! The source with what each line did.

use super::code::Code;
use super::kernel::round;
use super::report::LineReport;
use crate::kernels::source::{Line, SourceMap};
use std::collections::BTreeMap;
use warpwise_gpu::Counters;

/// What each line did, in the order of the files. Lines are those of the source if its text is available, else those
/// of the PTX: numbers without text beside them are of no use.
pub(crate) fn lines(code: &Code, sources: &SourceMap) -> Vec<LineReport> {
    let known = |step: &super::code::Step| {
        let line = sources.line(step.source, step.ptx_line);
        sources.text(&line).map(|_| line)
    };
    let source = code.steps.iter().filter(|s| s.source.is_some()).any(|s| known(s).is_some());
    let place = |step: &super::code::Step| match known(step) {
        Some(line) if source && step.source.is_some() => line,
        _ => Line { file: sources.ptx_name.clone(), number: step.ptx_line },
    };
    let mut by_line: BTreeMap<Line, Counters> = BTreeMap::new();
    for step in code.steps.iter().filter(|s| s.counters.warp_instructions > 0) {
        *by_line.entry(place(step)).or_default() += &step.counters;
    }
    let all = code.sum(super::code::Step::warps).max(1.0);
    by_line
        .into_iter()
        .map(|(line, c)| LineReport {
            text: sources.text(&line).map(str::to_owned),
            file: line.file,
            line: line.number,
            instructions_percent: round(100.0 * c.warp_instructions as f64 / all),
            lanes: round(c.thread_instructions as f64 / c.warp_instructions as f64),
            sectors: c.global_load_sectors + c.global_store_sectors,
            conflicts: c.shared_load_conflicts + c.shared_store_conflicts,
            divergent_branches: c.divergent_branches,
        })
        .collect()
}
