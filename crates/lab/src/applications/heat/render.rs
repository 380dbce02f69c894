//! A simulation as a table.

use super::HeatReport;
use crate::applications::{several, stages};
use crate::output::number::scientific;
use crate::output::{Align, Report, Style, Table, View};

impl Report for HeatReport {
    const VIEWS: &'static [View<Self>] = &[
        View::Records(|report| match &report.variants {
            Some(variants) => Table::records("heat", variants),
            None => Table::records("heat", &report.rows_seen),
        }),
        View::Tables(|report| {
            let variants = report.variants.as_ref().map(|rows| several::table("variants", rows));
            [Some(steps(report)), variants].into_iter().flatten().collect()
        }),
    ];

    fn text(&self, _: Style) -> String {
        let mut out = steps(self).text();
        if let Some(rows) = &self.variants {
            out.push_str(&format!("\n{}{}", several::table("variants", rows).text(), several::note(rows)));
        } else if let Some(times) = &self.stages_ms {
            out.push_str(&format!("\n{}\n", stages::line(times)));
        }
        if let (Some(path), Some(factor)) = (&self.difference, self.amplified) {
            out.push_str(&format!("\ndifferences from the reference, times {factor:.3e}: {}\n", path.display()));
        }
        out
    }
}

/// One row per report.
fn steps(report: &HeatReport) -> Table {
    let headings = ["iterations", "T(min)", "T(max)", "T(diff)", "T(avg)", "time (s)", "FLOP/s"];
    let headings = headings.map(|name| (name, Align::Right));
    let rows = report.rows_seen.iter().map(|row| {
        let mut cells = vec![row.iterations.to_string()];
        cells.extend([row.min, row.max, row.diff, row.avg, row.time_s, row.flop_per_s].map(scientific));
        cells
    });
    Table::new("heat", &headings, rows)
}
