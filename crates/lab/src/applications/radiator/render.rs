//! Both sides as text.

use super::{RadiatorReport, Side};
use crate::output::table::{Align, duration, table};
use std::fmt::Write;

/// What is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The time of every stage.
    pub times: bool,
    /// All values.
    pub grids: bool,
}

/// Grids, averages, times and the comparison.
pub fn render(report: &RadiatorReport, shown: Shown) -> String {
    let mut out = String::new();
    let sides: Vec<(&str, &Side)> =
        [("CPU", &report.cpu), ("GPU", &report.gpu)].into_iter().filter_map(|(n, s)| Some((n, s.as_ref()?))).collect();
    if shown.grids {
        for (name, side) in &sides {
            let _ = writeln!(out, "{name}:");
            for row in side.grid.chunks(report.cols) {
                let row: Vec<String> = row.iter().map(|v| format!("{v:.6}")).collect();
                let _ = writeln!(out, "{}", row.join(" "));
            }
            out.push('\n');
        }
    }
    averages(&mut out, &sides);
    if shown.times {
        let headings = [("side", Align::Left), ("device", Align::Left), ("stage", Align::Left), ("time", Align::Right)];
        let rows = sides.iter().flat_map(|(name, side)| {
            side.stages_ms.iter().map(move |(stage, ms)| {
                let took = duration(ms.as_f64().unwrap_or(0.0) / 1e3);
                vec![(*name).to_owned(), side.device.clone(), stage.clone(), took]
            })
        });
        out.push_str(&table(&headings, rows));
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "radiator {}, {}, {} x {}, {} iterations",
        report.preset, report.ty, report.rows, report.cols, report.iterations
    );
    if let Some(c) = &report.comparison {
        let _ = match c.differing {
            0 => write!(out, "all {} cells agree", c.cells),
            n => write!(out, "{n} of {} cells differ", c.cells),
        };
        let _ = writeln!(out, " within {:.0e}; the largest error is {:.1e}", c.tolerance, c.max_error);
        if let Some((index, cpu, gpu)) = c.first {
            let (row, column) = (index / report.cols, index % report.cols);
            let _ = writeln!(out, "the first is row {row}, column {column}: CPU {cpu}, GPU {gpu}");
        }
        if let Some(n) = c.differing_averages.filter(|&n| n > 0) {
            let _ = writeln!(out, "{n} of {} row averages differ", report.rows);
        }
    }
    out
}

fn averages(out: &mut String, sides: &[(&str, &Side)]) {
    let columns: Vec<(&str, &Vec<f64>)> =
        sides.iter().filter_map(|(name, side)| Some((*name, side.averages.as_ref()?))).collect();
    let Some((_, first)) = columns.first() else { return };
    let headings: Vec<(&str, Align)> =
        [("row", Align::Right)].into_iter().chain(columns.iter().map(|(name, _)| (*name, Align::Right))).collect();
    let rows = (0..first.len()).map(|i| {
        let values = columns.iter().map(|(_, averages)| format!("{:.6}", averages[i]));
        [i.to_string()].into_iter().chain(values).collect()
    });
    out.push_str(&table(&headings, rows));
    out.push('\n');
}
