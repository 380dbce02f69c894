//! A watched kernel as text and page.

use super::page;
use super::record::Record;
use crate::output::{Report, Style, View};
use serde::Serialize;
use std::fmt::Write;

/// What was watched: one kernel, or two beside each other.
#[derive(Clone, Debug, Serialize)]
pub struct WatchReport {
    /// The version of this format.
    pub schema: u32,
    /// What each kernel did.
    pub records: Vec<Record>,
}

impl WatchReport {
    /// A report of a kernel, and of another beside it.
    pub fn new(first: Record, second: Option<Record>) -> Self {
        Self { schema: 1, records: std::iter::once(first).chain(second).collect() }
    }
}

impl Report for WatchReport {
    const VIEWS: &'static [View<Self>] = &[View::Page(|report| page::page(&report.records))];

    fn text(&self, style: Style) -> String {
        let mut text = String::new();
        for record in &self.records {
            let c = &record.counters.0;
            let _ = writeln!(text, "{}", style.paint("1", &record.title));
            let _ = writeln!(text, "  {} warps, {} steps", record.warps.len(), record.steps.len());
            for left_out in &record.left_out {
                let _ = writeln!(text, "  not recorded: {left_out}");
            }
            let conflicts = c.shared_load_conflicts + c.shared_store_conflicts;
            let sectors = c.global_load_sectors + c.global_store_sectors;
            let bytes = c.global_load_bytes + c.global_store_bytes;
            let counts = [
                ("passes beyond the first (bank conflicts)", conflicts),
                ("divergent branches", c.divergent_branches),
                ("arrivals at barriers", c.barriers),
                ("bytes asked for in global memory", bytes),
                ("bytes moved for them", 32 * sectors),
                ("lanes of atomics that collide", c.atomic_collisions),
            ];
            for (what, count) in counts {
                let _ = writeln!(text, "  {count:>8}  {what}");
            }
            for found in &record.findings {
                let _ = writeln!(text, "  {}: {}", found.finding.kind, found.finding.message);
            }
        }
        text
    }
}
