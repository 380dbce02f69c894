//! The report as a separate page, and its chart.

use super::render::{by_device, notes, table};
use super::{Report, Row};
use crate::output::html;
use crate::pages::plot::{Chart, Series, Ticks, escape};
use std::fmt::Write;

/// Time against size, a line for each variant; on the emulator estimated time or warp instructions. Measured and emulated
/// numbers never share a chart: if there are both, it shows the measured ones.
pub(super) fn chart(report: &Report) -> Chart {
    let measured = report.results.iter().any(|row| !row.emulated);
    rows_chart(&report.results.iter().filter(|row| row.emulated != measured).collect::<Vec<_>>())
}

/// The chart of some rows, which are all measured or all emulated.
fn rows_chart(rows: &[&Row]) -> Chart {
    let emulated = rows.iter().any(|row| row.emulated);
    let estimated = rows.iter().find_map(|row| row.estimated_gpu.as_ref());
    let many = |part: fn(&Row) -> &str| rows.iter().any(|row| part(row) != part(rows[0]));
    let (devices, types) = (many(|row| row.configuration.device.as_str()), many(|row| row.configuration.ty.as_str()));
    let mut series: Vec<Series> = Vec::new();
    for row in rows {
        let c = &row.configuration;
        let mut name = c.variant.clone();
        if types {
            let _ = write!(name, " {}", c.ty);
        }
        if devices {
            let _ = write!(name, " {}", c.device);
        }
        #[allow(clippy::cast_precision_loss, reason = "places in a picture")]
        let value = match estimated {
            Some(_) => row.estimated_us.map(|us| us / 1e3),
            None if emulated => row.counter("warp_instructions").map(|count| count as f64),
            None => row.median_ms,
        };
        let Some(value) = value else { continue };
        #[allow(clippy::cast_precision_loss, reason = "places in a picture")]
        let point = (c.elements() as f64, value);
        match series.iter_mut().find(|s| s.name == name) {
            Some(s) => s.points.push(point),
            None => series.push(Series { name, points: vec![point] }),
        }
    }
    for s in &mut series {
        s.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let what = rows.first().map_or_else(String::new, |row| {
        let c = &row.configuration;
        let ty = if types { String::new() } else { format!(" {}", c.ty) };
        let on = if devices { String::new() } else { format!(" on {}", c.device) };
        format!("{}{ty}{on}", c.primitive)
    });
    let y = match estimated {
        Some(gpu) => format!("time estimated for the {gpu}"),
        None if emulated => "warp instructions (emulated)".to_owned(),
        None => "time".to_owned(),
    };
    let x = rows.first().map_or("elements", |row| row.configuration.axis());
    let ticks = if emulated && estimated.is_none() { Ticks::Numbers } else { Ticks::Times };
    Chart { title: what, x: x.into(), y, ticks, series, ..Chart::default() }
}

/// One self-contained file with tables and charts, for light or dark backgrounds, paper and phones.
pub(super) fn to_html(report: &Report) -> String {
    let primitive = report.results.first().map_or("bench", |row| row.configuration.primitive.as_str());
    let title = format!("warpwise bench {primitive}");
    let mut body = format!("<h1>{}</h1>\n<p>{}</p>\n", escape(&title), escape(&machine(report)));
    for rows in by_device(report) {
        let table = table(report, &rows);
        let _ = writeln!(body, "<h2>{}</h2>", escape(&table.title));
        html::table(&mut body, &table);
        let _ = writeln!(body, "<figure>{}</figure>", rows_chart(&rows).to_svg());
    }
    let notes = notes(report);
    if !notes.is_empty() {
        let items: String = notes.iter().map(|note| format!("<li>{}</li>\n", escape(note))).collect();
        let _ = write!(body, "<h2>Notes</h2>\n<ul>\n{items}</ul>\n");
    }
    html::page(&title, &body)
}

fn machine(report: &Report) -> String {
    let host = &report.host;
    let cpu = if host.cpu.is_empty() { "unknown processor" } else { &host.cpu };
    format!("{cpu}, {} cores, {}, {} {}; warpwise {}", host.cores, host.simd, host.os, host.arch, host.warpwise)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{emulated, measured, report};
    use super::*;

    #[test]
    fn a_page_has_a_table_and_a_chart_for_each_device() {
        let rows = vec![measured("cpu-par", 1024, 0.1), measured("cpu-par", 2048, 0.2), emulated("gpu-1", 1024, 7)];
        let page = to_html(&report(rows));
        assert_eq!((page.matches("<table>").count(), page.matches("<svg").count()), (2, 2));
        for part in ["2^11", "warp instructions (emulated)", "100 µs</text>", "<title>warpwise bench reduce</title>"] {
            assert!(page.contains(part), "`{part}` in:\n{page}");
        }
        assert!(!page.contains("http:") || page.matches("http:").count() == page.matches("www.w3.org/2000").count());
    }

    #[test]
    fn the_chart_of_a_mixed_report_is_of_what_was_measured() {
        let rows = vec![measured("cpu-par", 2048, 0.2), emulated("gpu-1", 8, 7), measured("cpu-par", 1024, 0.1)];
        let chart = chart(&report(rows));
        assert_eq!(chart.series.len(), 1);
        assert_eq!(chart.series[0].points, [(1024.0, 0.1), (2048.0, 0.2)]);
        let only = super::chart(&report(vec![emulated("gpu-1", 8, 7)]));
        assert_eq!(only.series[0].points, [(8.0, 7.0)]);
        assert!(super::chart(&report(Vec::new())).series.is_empty());
    }

    #[test]
    fn markup_in_results_is_text() {
        let evil = "<img src=x onerror=alert(1)>";
        let mut row = measured(evil, 8, 0.1);
        row.error = Some(evil.into());
        row.configuration.device = evil.into();
        row.configuration.ty = format!("\"{evil}");
        let mut report = report(vec![row]);
        report.host.cpu = evil.into();
        let page = to_html(&report);
        assert!(!page.contains("<img"), "{page}");
        assert!(page.contains("&lt;img src=x"));
    }
}
