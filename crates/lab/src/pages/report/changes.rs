//! What each rung's idea did to the counters, in words.

use super::cell::{count, counter, ratio, traced};
use super::tables::Group;
use crate::pages::plot::escape;
use crate::pages::tour::TourRow;
use std::fmt::Write;

/// Counters worth mentioning, with their names for people.
const TOLD: [(&str, &str); 8] = [
    ("warp_instructions", "instructions of warps"),
    ("divergent_branches", "divergent branches"),
    ("global_load_sectors", "sectors loaded"),
    ("global_store_sectors", "sectors stored"),
    ("shared_load_conflicts+shared_store_conflicts", "bank conflicts"),
    ("shared_load_requests+shared_store_requests", "accesses to shared memory"),
    ("global_atomics+shared_atomics", "atomics"),
    ("barriers", "waits at barriers"),
];
/// Maximum number of changes listed for a rung.
const MOST: usize = 3;

/// A counter that changed.
struct Change {
    field: &'static str,
    name: &'static str,
    before: u64,
    after: u64,
}

impl Change {
    /// How much, as the logarithm of the factor; a counter that appears or vanishes changes most.
    #[allow(clippy::cast_precision_loss, reason = "for an order only")]
    fn size(&self) -> f64 {
        ((self.after as f64 + 1.0) / (self.before as f64 + 1.0)).ln().abs()
    }
}

/// A list with an item for each rung except the first.
pub(super) fn list(group: &Group) -> String {
    let mut out = String::new();
    for pair in group.rows.windows(2) {
        let (before, after) = (pair[0], pair[1]);
        let _ = write!(out, "<li><span class=\"rung\">{}</span>: ", escape(&after.row.configuration.variant));
        let changes = changes(before, after);
        if changes.is_empty() {
            out.push_str("no counter changed by a fifth.");
        }
        for (i, change) in changes.iter().enumerate() {
            let _ = write!(out, "{}{}", if i > 0 { "; " } else { "" }, told(change, before, after));
        }
        out.push_str("</li>\n");
    }
    if out.is_empty() { out } else { format!("<ul class=\"changes\">\n{out}</ul>\n") }
}

fn told(change: &Change, before: &TourRow, after: &TourRow) -> String {
    let Change { field, name, .. } = *change;
    let old = traced("span", &before.id, field, &count(change.before));
    let new = traced("span", &after.id, field, &count(change.after));
    #[allow(clippy::cast_precision_loss, reason = "a ratio with three digits")]
    match (change.before, change.after) {
        (0, _) => format!("{name}: none before, now {new}"),
        (_, 0) => format!("{name}: {old} before, now <strong>none</strong>"),
        (a, b) if b < a => {
            let times = ratio("strong", (&before.id, &after.id), field, a as f64 / b as f64);
            format!("{name}: {old} → {new}, {times} fewer")
        }
        (a, b) => {
            let times = ratio("strong", (&after.id, &before.id), field, b as f64 / a as f64);
            format!("{name}: {old} → {new}, {times} as many")
        }
    }
}

/// The counters that changed by a fifth or more, and by enough to matter among all instructions; the largest first.
fn changes(before: &TourRow, after: &TourRow) -> Vec<Change> {
    let all = [before, after].map(|row| counter(row, "warp_instructions").unwrap_or(0)).into_iter().max().unwrap_or(0);
    let changed = TOLD.iter().filter_map(|&(field, name)| {
        let change = Change { field, name, before: counter(before, field)?, after: counter(after, field)? };
        let matters = change.before.abs_diff(change.after) >= (all / 200).max(1);
        (matters && change.size() >= 0.18).then_some(change)
    });
    let mut changes: Vec<Change> = changed.collect();
    changes.sort_by(|a, b| b.size().total_cmp(&a.size()));
    changes.truncate(MOST);
    changes
}
