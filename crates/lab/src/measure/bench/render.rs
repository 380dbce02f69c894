//! The report as Markdown tables, one for each device: measured and emulated numbers never share a column.

use super::page::{chart, to_html};
use super::{DeviceFacts, Report, Row};
use crate::output::number::duration;
use crate::output::{self, Align, Style, Table, View};
use std::fmt::Write;

/// A heading, its alignment, and the cell of a row.
pub(crate) struct Column {
    pub(crate) heading: &'static str,
    pub(crate) align: Align,
    pub(crate) cell: fn(&Row) -> String,
}

/// A number, or nothing.
fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(String::new, |value| {
        // Small rates would all be 0.00.
        if value != 0.0 && value.abs() < 0.01 { format!("{value:.1e}") } else { format!("{value:.digits$}") }
    })
}

const NAMES: [Column; 3] = [
    Column { heading: "variant", align: Align::Left, cell: |row| row.configuration.variant.clone() },
    Column { heading: "type", align: Align::Left, cell: |row| row.configuration.ty.clone() },
    Column { heading: "n", align: Align::Right, cell: |row| row.configuration.size() },
];

const LAUNCHES: [Column; 4] = [
    Column { heading: "iterations", align: Align::Right, cell: |row| number(row.configuration.iterations) },
    Column { heading: "block", align: Align::Right, cell: |row| number(row.configuration.block) },
    Column { heading: "grid", align: Align::Right, cell: |row| number(row.configuration.grid) },
    Column { heading: "items", align: Align::Right, cell: |row| number(row.configuration.items) },
];

const MEASURED: [Column; 8] = [
    Column {
        heading: "time",
        align: Align::Right,
        cell: |row| row.median_ms.map_or_else(String::new, |ms| duration(ms / 1e3)),
    },
    Column { heading: "noise %", align: Align::Right, cell: |row| shown(row.noise_pct, 2) },
    Column {
        heading: "samples",
        align: Align::Right,
        cell: |row| row.stopped_by.as_ref().map_or_else(String::new, |by| format!("{} ({by})", row.samples)),
    },
    Column { heading: "GB/s", align: Align::Right, cell: |row| shown(row.gb_per_s, 2) },
    Column { heading: "GFLOP/s", align: Align::Right, cell: |row| shown(row.gflop_per_s, 2) },
    Column {
        heading: "Gelements/s",
        align: Align::Right,
        cell: |row| shown(row.elements_per_s.map(|rate| rate / 1e9), 3),
    },
    Column { heading: "% of copy", align: Align::Right, cell: |row| shown(row.percent_of_copy, 1) },
    Column {
        heading: "speed-up",
        align: Align::Right,
        cell: |row| row.speedup.map_or_else(String::new, |times| format!("{times:.2}x")),
    },
];

const EMULATED: [Column; 9] = [
    Column {
        heading: "estimated",
        align: Align::Right,
        cell: |row| row.estimated_us.map_or_else(String::new, |us| duration(us / 1e6)),
    },
    Column { heading: "warp instructions", align: Align::Right, cell: |row| counters(row, &["warp_instructions"]) },
    Column { heading: "divergent", align: Align::Right, cell: |row| counters(row, &["divergent_branches"]) },
    Column { heading: "load sectors", align: Align::Right, cell: |row| counters(row, &["global_load_sectors"]) },
    Column { heading: "store sectors", align: Align::Right, cell: |row| counters(row, &["global_store_sectors"]) },
    Column {
        heading: "bank conflicts",
        align: Align::Right,
        cell: |row| counters(row, &["shared_load_conflicts", "shared_store_conflicts"]),
    },
    Column { heading: "global atomics", align: Align::Right, cell: |row| counters(row, &["global_atomics"]) },
    Column { heading: "shared atomics", align: Align::Right, cell: |row| counters(row, &["shared_atomics"]) },
    Column { heading: "barriers", align: Align::Right, cell: |row| counters(row, &["barriers"]) },
];

const ERROR: Column = Column {
    heading: "error",
    align: Align::Right,
    cell: |row| match row.max_error {
        _ if !row.ok => "WRONG".into(),
        Some(error) if error != 0.0 => format!("{error:.1e}"),
        _ => "0".into(),
    },
};

fn number(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The sum of some counters.
fn counters(row: &Row, names: &[&str]) -> String {
    let values: Option<Vec<u64>> = names.iter().map(|name| row.counter(name)).collect();
    values.map_or_else(String::new, |values| values.iter().sum::<u64>().to_string())
}

/// The columns for some rows, without those that are empty in every row.
pub(crate) fn columns(rows: &[&Row]) -> Vec<Column> {
    let emulated = rows.iter().any(|row| row.emulated);
    let mut all: Vec<Column> = NAMES.into_iter().chain(LAUNCHES).collect();
    // One number of bins is in the heading.
    if rows.windows(2).any(|pair| pair[0].configuration.bins != pair[1].configuration.bins) {
        let bins = |row: &Row| number(row.configuration.bins);
        all.insert(NAMES.len(), Column { heading: "bins", align: Align::Right, cell: bins });
    }
    if emulated {
        all.extend(EMULATED);
    } else {
        all.extend(MEASURED);
    }
    all.push(ERROR);
    all.retain(|column| rows.iter().any(|row| !(column.cell)(row).is_empty()));
    all
}

/// Rows that belong in one table: those of one device.
pub(crate) fn by_device(report: &Report) -> Vec<Vec<&Row>> {
    let mut tables: Vec<Vec<&Row>> = Vec::new();
    for row in &report.results {
        match tables.iter_mut().find(|rows| rows[0].configuration.device == row.configuration.device) {
            Some(rows) => rows.push(row),
            None => tables.push(vec![row]),
        }
    }
    tables
}

/// `reduce (sum), random input, on cpu: copies 18.3 GB/s`.
pub(crate) fn heading(report: &Report, rows: &[&Row]) -> String {
    let first = &rows[0].configuration;
    let mut text = first.primitive.clone();
    if let Some(op) = &first.op {
        let _ = write!(text, " ({op})");
    }
    let alike = rows.iter().all(|row| row.configuration.bins == first.bins);
    if let Some(bins) = first.bins.filter(|_| alike) {
        let _ = write!(text, " ({bins} bins)");
    }
    let _ = write!(text, ", input {}, on {}", first.input, first.device);
    if rows[0].emulated {
        text += ": emulated, so counters instead of times";
        if let Some(gpu) = &rows[0].estimated_gpu {
            let _ = write!(text, ", and times estimated for the {gpu}");
        }
        if rows.iter().all(|row| row.counters.is_empty()) {
            text += " (this emulator counts nothing)";
        }
    }
    let devices = || std::iter::once(&report.device).chain(&report.devices);
    let facts = devices().find(|d: &&DeviceFacts| d.name == first.device);
    if let Some(gpu) = facts.and_then(|d| d.gpu.as_ref()) {
        let _ = write!(text, " ({gpu})");
    }
    if let Some(copy) = facts.and_then(|d| d.copy_gb_per_s) {
        let _ = write!(text, ": a copy moves {copy:.1} GB/s");
    }
    text
}

/// The notes below the tables.
pub(crate) fn notes(report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    for row in &report.results {
        let c = &row.configuration;
        let name = format!("{} {} {}", c.variant, c.ty, c.size());
        if let Some(error) = &row.error {
            notes.push(format!("{name} is wrong and was not timed: {error}"));
        }
        if let Some(compared) = &row.compared {
            notes.push(format!("{name} was compared with the reference in part: {compared}"));
        }
        if let Some(slow) = row.slow_outliers {
            let were = if slow == 1 { "was a slow outlier" } else { "were slow outliers" };
            notes.push(format!("{name}: {slow} of {} samples {were}", row.samples));
        }
    }
    notes.extend(report.refused.iter().map(|refusal| {
        let c = &refusal.configuration;
        format!("{} {} {} was not run: {}", c.variant, c.ty, c.size(), refusal.reason)
    }));
    if report.interrupted {
        notes.push("interrupted: these are the results so far".into());
    }
    notes
}

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[
        View::Records(|report| Table::records("bench", &report.results)),
        View::Tables(|report| by_device(report).iter().map(|rows| table(report, rows)).collect()),
        View::Page(to_html),
        View::Chart(|report| chart(report).to_svg()),
    ];

    fn text(&self, _: Style) -> String {
        render(self)
    }
}

/// The rows of one device.
pub(super) fn table(report: &Report, rows: &[&Row]) -> Table {
    let columns = columns(rows);
    let headings: Vec<_> = columns.iter().map(|column| (column.heading, column.align)).collect();
    let cells = rows.iter().map(|row| columns.iter().map(|column| (column.cell)(row)).collect());
    Table::new(heading(report, rows), &headings, cells)
}

/// The tables and their notes.
fn render(report: &Report) -> String {
    let mut out = String::new();
    for rows in by_device(report) {
        let table = table(report, &rows);
        let _ = writeln!(out, "{}\n\n{}", table.title, table.markdown());
    }
    for note in notes(report) {
        let _ = writeln!(out, "note: {note}");
    }
    // A blank line ends every table, and nothing follows the last one.
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::super::testing::{emulated, measured, report};
    use super::*;

    #[test]
    fn measured_and_emulated_rows_are_apart() {
        let mut slow = measured("cpu-par", 2048, 1.5);
        (slow.samples, slow.slow_outliers, slow.speedup) = (40, Some(3), Some(2.5));
        let text = render(&report(vec![slow, emulated("gpu-8-shuffle", 2048, 77)]));
        let expected = "\
reduce (sum), input random, on cpu: a copy moves 20.0 GB/s

| variant | type |    n |    time | noise % |    samples | GB/s | % of copy | speed-up | error |
|---------|------|------|---------|---------|------------|------|-----------|----------|-------|
| cpu-par | f32  | 2^11 | 1.50 ms |    0.40 | 40 (noise) | 5.00 |      25.0 |    2.50x |     0 |

reduce (sum), input random, on emulator: emulated, so counters instead of times

| variant       | type |    n | warp instructions | error |
|---------------|------|------|-------------------|-------|
| gpu-8-shuffle | f32  | 2^11 |                77 |     0 |

note: cpu-par f32 2^11: 3 of 40 samples were slow outliers
";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mut wrong = measured("cpu-par", 8, 1.0);
        (wrong.ok, wrong.error) = (false, Some("1 differ; [0] is 2 and should be 3".into()));
        let mut report = report(vec![wrong]);
        report.interrupted = true;
        let text = render(&report);
        for part in ["WRONG", "cpu-par f32 8 is wrong and was not timed: 1 differ", "note: interrupted"] {
            assert!(text.contains(part), "`{part}` in:\n{text}");
        }
    }

    #[test]
    fn csv_has_the_keys_of_all_rows() {
        let csv = output::Exporter::named("csv").unwrap();
        let mut first = measured("cpu-par", 8, 1.5);
        first.error = Some("a \"b\", c".into());
        let text = csv.export(&report(vec![first, emulated("gpu-1", 8, 77)]), Style::default()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("primitive,variant,device,type,n,input,op,ok,max_error,error,samples"), "{text}");
        assert!(lines[0].ends_with(",counters.warp_instructions"), "{text}");
        assert!(lines[1].contains(r#","a ""b"", c","#) && lines[1].contains(",1.5,"), "{text}");
        assert!(lines[2].ends_with(",77"), "{text}");
        let cells = |line: &str| line.split(',').count();
        assert_eq!(cells(lines[0]), cells(lines[2]));
    }
}
