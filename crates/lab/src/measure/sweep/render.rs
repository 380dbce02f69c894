//! The sweep as a map: blocks down, grids across, a table for each number of items.

use super::{Point, Report};
use crate::output::number::duration;
use crate::output::{self, Style, Table, View};
use std::fmt::Write;

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[View::Records(|report| Table::records("sweep", &report.results))];

    fn text(&self, style: Style) -> String {
        render(self, style.colour)
    }
}

/// The best, and maps of all configurations; colours from green to red if the terminal supports them.
fn render(report: &Report, colours: bool) -> String {
    let mut out =
        format!("{} {} {} {} on {}", report.primitive, report.variant, report.ty, report.size, device(report));
    let by = match &report.estimated_gpu {
        Some(gpu) => format!("time estimated for the {gpu}"),
        None => "time of the kernels".to_owned(),
    };
    let _ = writeln!(out, ", {by}");
    let scores = || report.results.iter().filter_map(|point| point.score);
    let (low, high) = (scores().fold(f64::INFINITY, f64::min), scores().fold(0.0, f64::max));
    for items in unique(report, |point| point.items) {
        out.push('\n');
        if let Some(items) = items {
            let _ = writeln!(out, "items {items}");
        }
        map(&mut out, report, items, (low, high), colours);
    }
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for point in report.results.iter().filter(|point| point.score.is_none()) {
        let reason = point.reason.clone().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name(point)),
            None => reasons.push((reason, vec![name(point)])),
        }
    }
    for (reason, names) in reasons {
        let _ = writeln!(out, "\n- {}: {reason}", names.join("; "));
    }
    if let Some(best) = &report.best {
        let scored = report.results.iter().filter(|point| point.score.is_some()).count();
        let equal = || report.results.iter().filter(|point| point.ok && point.score == best.score).map(name);
        let _ = match report.equal {
            n if n > 1 && n == scored => writeln!(out, "\nnone is best: all {n} have the score {}", cell(best)),
            n if n > 1 => {
                let names: Vec<String> = equal().collect();
                writeln!(out, "\nbest: {}, {} each", names.join("; "), cell(best))
            }
            _ => writeln!(out, "\nbest: {}, {}", name(best), cell(best)),
        };
    }
    if report.left_out > 0 {
        let _ = writeln!(out, "note: {} configurations were skipped", report.left_out);
    }
    if report.interrupted {
        out.push_str("note: interrupted: these are the results so far\n");
    }
    out
}

fn device(report: &Report) -> &str {
    report.device.gpu.as_deref().unwrap_or(&report.device.name)
}

fn unique(report: &Report, part: fn(&Point) -> Option<u32>) -> Vec<Option<u32>> {
    let mut all = Vec::new();
    for value in report.results.iter().map(part) {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    // If a budget skipped some, the first ones are not the smallest.
    all.sort_unstable();
    all
}

fn name(point: &Point) -> String {
    let parts = [("block", point.block), ("grid", point.grid), ("items", point.items)];
    let named: Vec<String> = parts.iter().filter_map(|(key, value)| Some(format!("{key} {}", (*value)?))).collect();
    if named.is_empty() { "the rung's own geometry".into() } else { named.join(" ") }
}

fn cell(point: &Point) -> String {
    match point.score {
        Some(ms) => duration(ms / 1e3),
        None => "-".into(),
    }
}

/// One map, with the best configuration marked.
fn map(out: &mut String, report: &Report, items: Option<u32>, range: (f64, f64), colours: bool) {
    let (blocks, grids) = (unique(report, |point| point.block), unique(report, |point| point.grid));
    let heading = |what: &str, value: Option<u32>| value.map_or_else(|| format!("{what} -"), |v| v.to_string());
    let rows: Vec<Vec<Option<&Point>>> = blocks
        .iter()
        .map(|&block| {
            let at = |&grid: &Option<u32>| {
                report.results.iter().find(|p| (p.block, p.grid, p.items) == (block, grid, items))
            };
            grids.iter().map(at).collect()
        })
        .collect();
    let text = |point: Option<&Point>| {
        let Some(point) = point else { return String::new() };
        let scored = report.results.iter().filter(|point| point.score.is_some()).count();
        let best = report.best.as_ref().is_some_and(|best| point.score.is_some() && best.score == point.score);
        let mark = if best && (report.equal < scored || scored == 1) { " *" } else { "" };
        cell(point) + mark
    };
    let corner = if grids == [None] { "block" } else { "block \\ grid" };
    let first = blocks.iter().map(|&b| heading("own", b).len()).chain([corner.len()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..grids.len())
        .map(|j| rows.iter().map(|row| text(row[j]).len()).chain([heading("own", grids[j]).len()]).max().unwrap_or(0))
        .collect();
    let _ = write!(out, "{corner:>first$}");
    for (grid, width) in grids.iter().zip(&widths) {
        let _ = write!(out, "  {:>width$}", if grids == [None] { String::new() } else { heading("own", *grid) });
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    for (block, row) in blocks.iter().zip(&rows) {
        let _ = write!(out, "{:>first$}", heading("own", *block));
        for (point, width) in row.iter().zip(&widths) {
            let shown = format!("{:>width$}", text(*point));
            match point.and_then(|p| p.score).filter(|_| colours) {
                Some(score) => {
                    let _ = write!(out, "  \x1b[48;5;{}m\x1b[38;5;16m{shown}\x1b[0m", shade(score, range));
                }
                None => {
                    let _ = write!(out, "  {shown}");
                }
            }
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
}

/// A colour of the terminal's 256, from green for the low end to red for the high end.
fn shade(score: f64, (low, high): (f64, f64)) -> u8 {
    const SHADES: [u8; 6] = [118, 154, 190, 220, 208, 203];
    let part = if high > low { (score - low) / (high - low) } else { 0.0 };
    SHADES[((part * 6.0) as usize).min(5)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::bench::{DeviceFacts, HostFacts};

    fn report() -> Report {
        let point = |block, grid, score: Option<f64>| Point {
            block: Some(block),
            grid: Some(grid),
            ok: score.is_some(),
            score,
            reason: score.is_none().then(|| "no such block".into()),
            ..Point::default()
        };
        let results = vec![
            point(128, 512, Some(0.002)),
            point(128, 1024, Some(0.001)),
            point(100, 512, None),
            point(100, 1024, None),
        ];
        Report {
            schema: 1,
            host: HostFacts::default(),
            device: DeviceFacts { name: "cuda".into(), gpu: Some("NVIDIA H200".into()), ..DeviceFacts::default() },
            primitive: "reduce",
            variant: "gpu-7-multi-add",
            ty: "i32",
            size: "2^24".into(),
            kernels: "0".into(),
            ranked_by: "time_ms",
            estimated_gpu: None,
            best: Some(results[1].clone()),
            equal: 1,
            results,
            left_out: 0,
            interrupted: false,
        }
    }

    #[test]
    fn a_map_with_the_best_marked() {
        let expected = "\
reduce gpu-7-multi-add i32 2^24 on NVIDIA H200, time of the kernels

block \\ grid      512       1024
         100        -          -
         128  2.00 us  1.00 us *

- block 100 grid 512; block 100 grid 1024: no such block

best: block 128 grid 1024, 1.00 us
";
        assert_eq!(render(&report(), false), expected);
    }

    #[test]
    fn equal_scores_have_no_winner() {
        let mut all = report();
        all.results[0].score = Some(0.001);
        all.equal = 2;
        let text = render(&all, false);
        assert!(text.ends_with("\nnone is best: all 2 have the score 1.00 us\n") && !text.contains('*'), "{text}");
        all.results[2] = Point { ok: true, score: Some(0.004), reason: None, ..all.results[2].clone() };
        let text = render(&all, false);
        assert!(text.contains("best: block 128 grid 512; block 128 grid 1024, 1.00 us each\n"), "{text}");
    }

    #[test]
    fn colours_are_for_terminals() {
        assert!(!render(&report(), false).contains('\x1b'));
        let text = render(&report(), true);
        assert!(text.contains("\x1b[48;5;118m") && text.contains("\x1b[48;5;203m"), "{text:?}");
        assert_eq!((shade(1.0, (1.0, 1.0)), shade(0.0, (0.0, 1.0)), shade(1.0, (0.0, 1.0))), (118, 118, 203));
    }
}
