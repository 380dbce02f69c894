//! Both sides as text.

use super::{RadiatorReport, Side};
use crate::applications::several;
use crate::output::number::duration;
use crate::output::{Align, Report, Style, Table, View};
use serde::Serialize;
use std::fmt::Write;

/// What is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The time of every stage.
    pub times: bool,
    /// All values.
    pub grids: bool,
}

impl Report for RadiatorReport {
    const VIEWS: &'static [View<Self>] = &[View::Records(records), View::Tables(tables)];

    fn text(&self, _: Style) -> String {
        render(self)
    }
}

fn sides(report: &RadiatorReport) -> Vec<(&'static str, &Side)> {
    [("CPU", &report.cpu), ("GPU", &report.gpu)].into_iter().filter_map(|(n, s)| Some((n, s.as_ref()?))).collect()
}

/// One row per side, or per variant if there are several, with its times.
fn records(report: &RadiatorReport) -> Table {
    if let Some(variants) = &report.variants {
        return Table::records("radiator", variants);
    }
    #[derive(Serialize)]
    struct Record<'a> {
        side: &'static str,
        device: &'a str,
        variant: Option<&'a str>,
        time_ms: f64,
        stages_ms: &'a serde_json::Map<String, serde_json::Value>,
    }
    fn record<'a>((side, part): (&'static str, &'a Side)) -> Record<'a> {
        Record {
            side,
            device: &part.device,
            variant: part.variant.as_deref(),
            time_ms: part.time_ms,
            stages_ms: &part.stages_ms,
        }
    }
    Table::records("radiator", sides(report).into_iter().map(record))
}

/// The times, and the averages of rows, if any.
fn tables(report: &RadiatorReport) -> Vec<Table> {
    let sides = sides(report);
    let variants = report.variants.as_ref().map(|rows| several::table("variants", rows));
    [variants.or_else(|| Some(times(&sides))), averages(&sides)].into_iter().flatten().collect()
}

/// The time of every stage.
fn times(sides: &[(&str, &Side)]) -> Table {
    let headings = [("side", Align::Left), ("device", Align::Left), ("stage", Align::Left), ("time", Align::Right)];
    let rows = sides.iter().flat_map(|(name, side)| {
        side.stages_ms.iter().map(move |(stage, ms)| {
            let took = duration(ms.as_f64().unwrap_or(0.0) / 1e3);
            vec![(*name).to_owned(), side.device.clone(), stage.clone(), took]
        })
    });
    Table::new("radiator", &headings, rows)
}

/// Grids, averages, times and the comparison.
fn render(report: &RadiatorReport) -> String {
    let mut out = String::new();
    let (sides, shown) = (sides(report), report.shown);
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
    let variants = report.variants.as_ref().map(|rows| several::table("variants", rows));
    let shown_times = variants.or_else(|| shown.times.then(|| times(&sides)));
    for table in averages(&sides).into_iter().chain(shown_times) {
        out.push_str(&table.text());
        out.push('\n');
    }
    if let Some(rows) = &report.variants {
        out.push_str(several::note(rows));
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

/// The average of every row, if requested.
fn averages(sides: &[(&str, &Side)]) -> Option<Table> {
    let columns: Vec<(&str, &Vec<f64>)> =
        sides.iter().filter_map(|(name, side)| Some((*name, side.averages.as_ref()?))).collect();
    let (_, first) = columns.first()?;
    let headings: Vec<(&str, Align)> =
        [("row", Align::Right)].into_iter().chain(columns.iter().map(|(name, _)| (*name, Align::Right))).collect();
    let rows = (0..first.len()).map(|i| {
        let values = columns.iter().map(|(_, averages)| format!("{:.6}", averages[i]));
        [i.to_string()].into_iter().chain(values).collect()
    });
    Some(Table::new("averages of rows", &headings, rows))
}
