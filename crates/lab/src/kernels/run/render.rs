//! The report of a run as text.

use super::report::{BufferReport, RunReport};
use crate::kernels::counters::{self, CounterTable};
use crate::kernels::finding::describe;
use crate::output::{Align, Findings, Report, Style, Table, View, clean};
use std::fmt::Write;

impl Report for RunReport {
    const VIEWS: &'static [View<Self>] = &[View::Records(counted), View::Tables(tables), View::Findings(findings)];

    fn text(&self, style: Style) -> String {
        render(self, style)
    }
}

/// Every counter.
fn counted(report: &RunReport) -> Table {
    let counters = report.counters.as_ref().map(CounterTable::ordered).unwrap_or_default();
    let rows = counters.iter().map(|(name, value)| vec![(*name).to_owned(), value.to_string()]);
    Table::new("run", &[("counter", Align::Left), ("value", Align::Right)], rows)
}

/// What was counted, and what the buffers hold.
fn tables(report: &RunReport) -> Vec<Table> {
    let rows = |buffers: &Vec<BufferReport>| buffers.iter().map(cells).collect::<Vec<_>>();
    let headings = [("arg", Align::Right), ("type", Align::Left), ("values", Align::Left)];
    let buffers = report.buffers.as_ref().map(|buffers| Table::new("buffers", &headings, rows(buffers)));
    report.counters.as_ref().map(|table| counters::short_table(&table.0)).into_iter().chain(buffers).collect()
}

fn findings(report: &RunReport) -> Vec<Findings<'_>> {
    let (file, refused) = (report.file.clone(), report.refused());
    vec![Findings { all: &report.findings, file, kernel: Some(&report.kernel), refused }]
}

/// The whole report: what the kernel printed, what it did, what is wrong, what the buffers hold.
fn render(report: &RunReport, style: Style) -> String {
    let mut out = report.printed.clone();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    summary(&mut out, report, style);
    for finding in &report.findings {
        out.push('\n');
        describe(&mut out, finding, style);
    }
    if let Some(counted) = &report.counters {
        out.push('\n');
        out.push_str(&counters::short_table(&counted.0).text());
    }
    if let Some(buffers) = report.buffers.as_ref().filter(|b| !b.is_empty()) {
        out.push('\n');
        table(&mut out, buffers, style);
    }
    out
}

fn summary(out: &mut String, report: &RunReport, style: Style) {
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "{}  {value}", style.paint("2", &format!("{name:<6}")));
    };
    row("kernel", style.paint("1", &clean(&report.kernel)));
    row(
        "device",
        match report.device.as_str() {
            "emulator" => format!("emulator with the limits of {}", report.gpu),
            "both" => format!("emulator and {}", report.gpu),
            _ => report.gpu.clone(),
        },
    );
    let threads: u128 = report.grid.iter().chain(&report.block).map(|&n| u128::from(n)).product();
    row("launch", format!("grid {} x block {} = {threads} threads", shape(report.grid), shape(report.block)));
    if let Some(ms) = report.time_ms {
        let clock = if report.device == "emulator" || !report.ended { "host" } else { "GPU" };
        row("time", format!("{} on the {clock}", duration(ms)));
        if let Some(count) = report.warp_instructions {
            #[allow(clippy::cast_precision_loss, reason = "shown with few digits")]
            let rate = count as f64 / (ms / 1e3).max(1e-9);
            row("work", format!("{count} warp instructions, {} a second", short(rate)));
        }
    }
    let verdict = match (report.ok, report.time_ms) {
        (true, _) if report.ended => style.paint("32", "ended well"),
        (_, Some(_)) if report.ended => style.paint("31", "ended, with errors found"),
        (_, Some(_)) => style.paint("31", "stopped by an error"),
        (_, None) => style.paint("31", "refused"),
    };
    if let Some(times) = &report.stages_ms {
        let [a, u, k, d, f] = [times.allocate, times.upload, times.kernel, times.download, times.free].map(duration);
        row("stages", format!("allocate {a}, upload {u}, kernel {k}, download {d}, free {f}"));
    }
    row("result", verdict);
    match &report.comparison {
        Some(seen) if seen.equal => {
            row("same", format!("all {} bytes are equal on the emulator and the GPU", seen.bytes));
        }
        Some(seen) => seen.differences.iter().for_each(|d| row("differ", style.paint("31", &d.line()))),
        None => {}
    }
}

/// `16384`, or `(128, 64)` if it has more than one dimension.
fn shape([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("({x}, {y})"),
        _ => format!("({x}, {y}, {z})"),
    }
}

fn duration(ms: f64) -> String {
    if ms >= 1e3 { format!("{:.2} s", ms / 1e3) } else { format!("{ms:.3} ms") }
}

fn short(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.1} G", v / 1e9),
        v if v >= 1e6 => format!("{:.1} M", v / 1e6),
        v if v >= 1e3 => format!("{:.1} k", v / 1e3),
        v => format!("{v:.0}"),
    }
}

/// How many values of a buffer are shown before the last one.
const SHOWN: usize = 8;

/// A buffer's index among the arguments, its type, its first values and its last.
fn cells(buffer: &BufferReport) -> Vec<String> {
    let mut values: Vec<String> = buffer.head.iter().take(SHOWN).map(ToString::to_string).collect();
    let hidden = buffer.len > values.len() as u64;
    if let Some(last) = buffer.last.filter(|_| hidden) {
        if buffer.len > values.len() as u64 + 1 {
            values.push("…".into());
        }
        values.push(last.to_string());
    }
    let number = buffer.member.as_ref().map_or(buffer.arg.to_string(), |member| format!("{}.{member}", buffer.arg));
    vec![number, format!("{}[{}]", buffer.ty, buffer.len), values.join(" ")]
}

fn table(out: &mut String, buffers: &[BufferReport], style: Style) {
    let rows: Vec<Vec<String>> = buffers.iter().map(cells).collect();
    let width = rows.iter().map(|row| row[1].len()).max().unwrap_or(0).max(4);
    let heading = format!("arg  {:<width$}  values", "type");
    let _ = writeln!(out, "{}", style.paint("2", &heading));
    for row in rows {
        let _ = writeln!(out, "{:>3}  {:<width$}  {}", row[0], row[1], row[2]);
    }
}
