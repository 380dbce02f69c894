//! A simulation as a table.

use super::HeatReport;
use crate::applications::stages;
use crate::output::table::{Align, scientific, table};

/// One row a report.
pub fn render(report: &HeatReport) -> String {
    let headings = ["iterations", "T(min)", "T(max)", "T(diff)", "T(avg)", "time (s)", "FLOP/s"];
    let headings = headings.map(|name| (name, Align::Right));
    let rows = report.rows_seen.iter().map(|row| {
        let mut cells = vec![row.iterations.to_string()];
        cells.extend([row.min, row.max, row.diff, row.avg, row.time_s, row.flop_per_s].map(scientific));
        cells
    });
    let mut out = table(&headings, rows);
    if let Some(times) = &report.stages_ms {
        out.push_str(&format!("\n{}\n", stages::line(times)));
    }
    out
}
