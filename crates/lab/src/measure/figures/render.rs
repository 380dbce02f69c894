//! Published and measured times side by side, each in columns of their own.

use super::LikeReport;
use crate::output::number::duration;
use crate::output::{Align, Report, Style, Table, View};
use std::fmt::Write;

impl Report for LikeReport {
    const VIEWS: &'static [View<Self>] = &[
        View::Records(|report| Table::records("bench --like", &report.results)),
        View::Tables(|report| vec![side_by_side(report)]),
    ];

    fn text(&self, _: Style) -> String {
        render(self)
    }
}

/// Published and measured times.
fn side_by_side(report: &LikeReport) -> Table {
    let emulated = report.results.iter().any(|result| result.row.emulated);
    let measured = report.results.iter().any(|result| !result.row.emulated);
    let mut headings = vec![
        ("variant", Align::Left),
        ("type", Align::Left),
        ("n", Align::Right),
        ("launch", Align::Left),
        ("published as", Align::Left),
        ("published time", Align::Right),
    ];
    if measured {
        headings.extend([("device", Align::Left), ("measured time", Align::Right), ("noise %", Align::Right)]);
        headings.push(("published/measured", Align::Right));
    }
    if emulated {
        headings.push(("emulated: warp instructions", Align::Right));
    }
    headings.push(("ok", Align::Left));
    let rows = report.results.iter().map(|result| {
        let (row, c) = (&result.row, &result.row.configuration);
        let launch = [("block", c.block), ("grid", c.grid)];
        let mut launch: Vec<String> = launch.iter().filter_map(|(key, v)| Some(format!("{key} {}", (*v)?))).collect();
        launch.extend(c.iterations.map(|n| format!("{n} steps")));
        launch.extend(Some(c.input.clone()).filter(|input| input != "random" && c.iterations.is_none()));
        let mut cells = vec![
            c.variant.clone(),
            c.ty.clone(),
            c.size(),
            launch.join(", "),
            result.published_as.to_owned(),
            duration(result.published_ms / 1e3),
        ];
        let time = row.median_ms.filter(|_| !row.emulated);
        if measured {
            cells.push(c.device.clone());
            cells.push(time.map_or_else(String::new, |ms| duration(ms / 1e3)));
            cells.push(row.noise_pct.map_or_else(String::new, |noise| format!("{noise:.1}")));
            cells.push(time.map_or_else(String::new, |ms| format!("{:.2}x", result.published_ms / ms)));
        }
        if emulated {
            cells.push(row.counter("warp_instructions").map_or_else(String::new, |count| count.to_string()));
        }
        cells.push(if row.ok { "yes" } else { "WRONG" }.into());
        cells
    });
    Table::new(format!("bench --like {}", report.figure), &headings, rows)
}

/// The table, and what was not run.
fn render(report: &LikeReport) -> String {
    let mut out = format!("{}: {}\n\n", report.figure, report.source);
    if !report.results.is_empty() {
        out += &side_by_side(report).markdown();
        out.push('\n');
    }
    for reason in &report.not_run {
        let _ = writeln!(out, "note: not run: {reason}");
    }
    if report.interrupted {
        out.push_str("note: interrupted: these are the results so far\n");
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::super::LikeRow;
    use super::*;
    use crate::measure::bench::HostFacts;
    use crate::measure::bench::testing::{emulated, measured};

    #[test]
    fn published_measured_and_emulated_are_apart() {
        let like = |row| LikeRow { row, published_as: "kernel 1", published_ms: 3.0 };
        let report = LikeReport {
            schema: 1,
            figure: "reduce-ladder",
            source: "somewhere",
            host: HostFacts::default(),
            devices: Vec::new(),
            results: vec![like(measured("cpu-par", 2048, 1.5)), like(emulated("gpu-1", 2048, 77))],
            not_run: vec!["gpu-2: too large".into()],
            interrupted: false,
        };
        let text = render(&report);
        for part in [
            "reduce-ladder: somewhere\n\n| variant",
            "| published time | device   | measured time | noise % | published/measured | emulated: warp instructions |",
            "|        3.00 ms | cpu      |       1.50 ms |     0.4 |              2.00x |                             |",
            "|        3.00 ms | emulator |               |         |                    |                          77 |",
            "note: not run: gpu-2: too large",
        ] {
            assert!(text.contains(part), "`{part}` in:\n{text}");
        }
    }
}
