//! Published, estimated and measured figures side by side, each in columns of their own.

use super::{LikeReport, LikeRow};
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

/// A published column, and what the model estimates for it.
type Beside = (&'static str, fn(&super::Estimated) -> Option<f64>);

/// Published columns that the model estimates too.
const ESTIMATED: [Beside; 5] = [
    ("memory %", |e| e.memory_percent),
    ("DRAM %", |e| e.dram_percent),
    ("compute %", |e| e.compute_percent),
    ("occupancy %", |e| e.occupancy_percent),
    ("active warps", |e| e.active_warps),
];

/// The headings, each with its cell.
type Column<'a> = (String, Align, Box<dyn Fn(&LikeRow) -> String + 'a>);

fn launch(row: &LikeRow) -> String {
    let c = &row.row.configuration;
    let launch = [("block", c.block), ("grid", c.grid)];
    let mut launch: Vec<String> = launch.iter().filter_map(|(key, v)| Some(format!("{key} {}", (*v)?))).collect();
    launch.extend(c.iterations.map(|n| format!("{n} steps")));
    launch.extend(Some(c.input.clone()).filter(|input| input != "random" && c.iterations.is_none()));
    launch.join(", ")
}

fn columns(report: &LikeReport) -> Vec<Column<'_>> {
    let results = &report.results;
    let mut all: Vec<Column> = Vec::new();
    let mut left = |name: &str, cell: Box<dyn Fn(&LikeRow) -> String>| all.push((name.into(), Align::Left, cell));
    left("variant", Box::new(|r| r.row.configuration.variant.clone()));
    left("type", Box::new(|r| r.row.configuration.ty.clone()));
    all.push(("n".into(), Align::Right, Box::new(|r| r.row.configuration.size())));
    all.push(("launch".into(), Align::Left, Box::new(launch)));
    all.push(("published as".into(), Align::Left, Box::new(|r| r.published_as.to_owned())));
    if results.iter().any(|r| r.published_size.is_some()) {
        let size = |r: &LikeRow| r.published_size.clone().unwrap_or_else(|| r.row.configuration.size());
        all.push(("published n".into(), Align::Right, Box::new(size)));
    }
    let mut right = |name: String, cell: Box<dyn Fn(&LikeRow) -> String>| all.push((name, Align::Right, cell));
    right(
        "published time".into(),
        Box::new(|r| match r.fails {
            Some(_) => "fails".to_owned(),
            None => duration(r.published_ms / 1e3),
        }),
    );
    if results.iter().any(|r| r.estimated.is_some()) {
        let time = |r: &LikeRow| r.estimated.as_ref().map_or_else(String::new, |e| duration(e.ms / 1e3));
        right("estimated time".into(), Box::new(time));
        right(
            "estimated for".into(),
            Box::new(|r| r.estimated.as_ref().map_or_else(String::new, |e| e.device.clone())),
        );
    }
    if results.iter().any(|r| r.row.median_ms.is_some() && !r.row.emulated) {
        let timed = |r: &LikeRow| r.row.median_ms.filter(|_| !r.row.emulated);
        right("device".into(), Box::new(|r| r.row.configuration.device.clone()));
        right("measured time".into(), Box::new(move |r| timed(r).map_or_else(String::new, |ms| duration(ms / 1e3))));
        let noise = |r: &LikeRow| r.row.noise_pct.map_or_else(String::new, |noise| format!("{noise:.2}"));
        right("noise %".into(), Box::new(noise));
        let ratio = move |r: &LikeRow| timed(r).map_or_else(String::new, |ms| format!("{:.2}x", r.published_ms / ms));
        right("published/measured".into(), Box::new(ratio));
    }
    let mut names: Vec<&String> = Vec::new();
    for name in results.iter().flat_map(|r| r.published.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let shown = move |r: &LikeRow| r.published.get(name).map_or_else(String::new, ToString::to_string);
        all.push((format!("published {name}"), Align::Right, Box::new(shown)));
        if let Some((_, value)) = ESTIMATED.iter().find(|(known, _)| known == name) {
            let shown =
                move |r: &LikeRow| r.estimated.as_ref().and_then(value).map_or_else(String::new, |v| format!("{v:.1}"));
            all.push((format!("estimated {name}"), Align::Right, Box::new(shown)));
        }
    }
    for (heading, name) in [
        ("emulated: warp instructions", "warp_instructions"),
        ("emulated: load sectors", "global_load_sectors"),
        ("operations", "operations"),
    ] {
        let value = move |r: &LikeRow| {
            let counters = r.estimated.as_ref().map_or(&r.row.counters, |e| &e.counters);
            counters.get(name).map_or_else(String::new, ToString::to_string)
        };
        if results.iter().any(|r| !value(r).is_empty()) {
            all.push((heading.into(), Align::Right, Box::new(value)));
        }
    }
    if results.iter().any(|r| r.estimated.is_some()) {
        let counted = |r: &LikeRow| r.estimated.as_ref().map_or_else(String::new, |e| e.counted.clone());
        all.push(("counted".into(), Align::Left, Box::new(counted)));
    }
    all.push(("ok".into(), Align::Left, Box::new(ok)));
    all
}

/// Whether the result is right, if it was compared.
fn ok(r: &LikeRow) -> String {
    match (r.row.ok, &r.row.compared) {
        (false, _) => "WRONG".into(),
        (true, Some(compared)) if compared.starts_with("nothing") => "not compared".into(),
        _ => "yes".into(),
    }
}

/// Published, estimated and measured figures.
fn side_by_side(report: &LikeReport) -> Table {
    let columns = columns(report);
    let headings: Vec<(&str, Align)> = columns.iter().map(|(name, align, _)| (name.as_str(), *align)).collect();
    let rows = report.results.iter().map(|result| columns.iter().map(|(_, _, cell)| cell(result)).collect());
    Table::new(format!("bench --like {}", report.figure), &headings, rows)
}

/// The table, what it says, and what was not run.
fn render(report: &LikeReport) -> String {
    let mut out = format!("{}: {}\n\n", report.figure, report.source);
    if !report.results.is_empty() {
        out += &side_by_side(report).markdown();
        out.push('\n');
    }
    for sentence in &report.says {
        let _ = writeln!(out, "- {sentence}");
    }
    for result in &report.results {
        if let Some(reason) = &result.fails {
            let _ = writeln!(out, "note: {} fails: {reason}", result.row.configuration.variant);
        }
    }
    if report.results.iter().any(|r| r.estimated.as_ref().is_some_and(|e| e.assumed)) {
        out.push_str("note: the table names no GPU: times are estimated for one that is assumed\n");
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
    use super::super::Estimated;
    use super::*;
    use crate::measure::bench::HostFacts;
    use crate::measure::bench::testing::{emulated, measured};
    use serde_json::{Map, Value};

    #[test]
    fn published_estimated_measured_and_emulated_are_apart() {
        let like = |row| LikeRow {
            row,
            published_as: "kernel 1",
            published_ms: 3.0,
            published: Map::from_iter([("DRAM %".to_owned(), Value::from(9.45))]),
            published_size: None,
            estimated: Some(Estimated {
                device: "rtx-2080-ti".into(),
                ms: 2.5,
                counted: "some blocks".into(),
                dram_percent: Some(11.0),
                ..Estimated::default()
            }),
            fails: None,
        };
        let mut counted = like(emulated("gpu-1", 2048, 77));
        if let Some(estimated) = &mut counted.estimated {
            estimated.counters.clone_from(&counted.row.counters);
        }
        let report = LikeReport {
            schema: 1,
            figure: "reduce-ladder",
            source: "somewhere",
            host: HostFacts::default(),
            devices: Vec::new(),
            results: vec![like(measured("cpu-par", 2048, 1.5)), counted],
            not_run: vec!["gpu-2: too large".into()],
            interrupted: false,
            says: vec!["They agree.".into()],
        };
        let text = render(&report);
        for part in [
            "reduce-ladder: somewhere\n\n| variant",
            "| published time | estimated time | estimated for |",
            "| measured time | noise % | published/measured | published DRAM % | estimated DRAM % |",
            "|        3.00 ms |        2.50 ms |   rtx-2080-ti |",
            "2.00x |",
            "9.45 |             11.0 |",
            "77 |",
            "some blocks |",
            "- They agree.\n",
            "note: not run: gpu-2: too large\n",
        ] {
            assert!(text.contains(part), "`{part}` in:\n{text}");
        }
    }

    #[test]
    fn what_fails_has_no_time() {
        let row = emulated("gpu-one-block", 1 << 20, 0);
        let failing = LikeRow {
            row,
            published_as: "fails",
            published_ms: 0.007,
            published: Map::new(),
            published_size: None,
            estimated: None,
            fails: Some("too many threads".into()),
        };
        let report = LikeReport {
            schema: 1,
            figure: "vecadd",
            source: "s",
            host: HostFacts::default(),
            devices: Vec::new(),
            results: vec![failing],
            not_run: Vec::new(),
            interrupted: false,
            says: Vec::new(),
        };
        let text = render(&report);
        assert!(
            text.contains("|          fails |") && text.contains("note: gpu-one-block fails: too many threads"),
            "{text}"
        );
    }
}
