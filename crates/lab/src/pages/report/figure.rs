//! Plots on the page: each names the rows it is drawn from.

use super::cell::{Origin, counter, stage, time};
use crate::output::number::significant;
use crate::pages::plot::{Bar, BarChart, Chart, Fill, Series, Ticks, escape};
use crate::pages::tour::TourRow;

/// A plot with its caption.
pub(super) fn figure(rows: &[&str], svg: &str, caption: &str, origin: Origin) -> String {
    let rows: Vec<String> = rows.iter().map(|id| escape(id)).collect();
    format!(
        "<figure class=\"plot {}\" data-rows=\"{}\">\n{svg}<figcaption>{} {caption}</figcaption>\n</figure>\n",
        origin.name(),
        rows.join(" "),
        origin.badge()
    )
}

/// Time against size, a line for each variant.
pub(super) fn times(title: &str, rows: &[&TourRow]) -> Option<String> {
    let (series, ids) = lines(rows, |row| row.row.median_ms)?;
    let (title, x, y) = (title.into(), across(rows), "time".into());
    let chart = Chart { title, x, y, ticks: Ticks::Times, series, ..Chart::default() };
    let caption = "Both axes are logarithmic: a straight line that rises with the grid is time in proportion to size.";
    Some(figure(&ids, &chart.to_narrow_svg(), caption, Origin::Measured))
}

/// Rates against size: bytes per second beside those of a copy, or operations per second if there are many for each
/// byte.
pub(super) fn rates(title: &str, rows: &[&TourRow], copy: Option<f64>) -> Option<String> {
    let computes = rows.iter().any(|row| row.row.gflop_per_s > row.row.gb_per_s);
    let rate = |row: &TourRow| if computes { row.row.gflop_per_s } else { row.row.gb_per_s };
    let (mut series, ids) = lines(rows, rate)?;
    let places = || rows.iter().map(|row| elements(row));
    let ends = (places().fold(f64::INFINITY, f64::min), places().fold(0.0, f64::max));
    let copy = copy.filter(|rate| !computes && *rate > 0.0);
    series.extend(copy.map(|rate| Series { name: "a copy".into(), points: vec![(ends.0, rate), (ends.1, rate)] }));
    let y = if computes { "GFLOP/s" } else { "GB/s" };
    let chart = Chart { title: title.into(), x: across(rows), y: y.into(), series, ..Chart::default() };
    let caption = match (computes, copy) {
        (true, _) => "Operations per second that must be done; higher is faster.",
        (false, Some(_)) => {
            "Bytes per second that must be moved; higher is faster. Data that fits in caches can be faster than a \
             copy, which does not."
        }
        (false, None) => "Bytes per second that must be moved; higher is faster.",
    };
    Some(figure(&ids, &chart.to_narrow_svg(), caption, Origin::Measured))
}

/// A line for each variant, and the rows they are from; none if there is only one size.
fn lines<'a>(rows: &[&'a TourRow], value: impl Fn(&TourRow) -> Option<f64>) -> Option<(Vec<Series>, Vec<&'a str>)> {
    let mut series: Vec<Series> = Vec::new();
    let mut ids = Vec::new();
    for row in rows {
        let Some(value) = value(row) else { continue };
        let point = (elements(row), value);
        ids.push(row.id.as_str());
        match series.iter_mut().find(|s| s.name == row.row.configuration.variant) {
            Some(s) => s.points.push(point),
            None => series.push(Series { name: row.row.configuration.variant.clone(), points: vec![point] }),
        }
    }
    series.iter_mut().for_each(|s| s.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    series.iter().any(|s| s.points.len() > 1).then_some((series, ids))
}

#[allow(clippy::cast_precision_loss, reason = "places in a picture")]
fn elements(row: &TourRow) -> f64 {
    row.row.configuration.elements() as f64
}

/// What lies along the x axis.
fn across(rows: &[&TourRow]) -> String {
    rows.first().map_or("elements", |row| row.row.configuration.axis()).into()
}

/// How much faster than the first rung each is.
pub(super) fn speedups(id: &str, title: &str, rows: &[&TourRow]) -> Option<String> {
    let base = rows.iter().find_map(|row| row.row.median_ms)?;
    let timed: Vec<(&TourRow, f64)> = rows.iter().filter_map(|row| Some((*row, row.row.median_ms?))).collect();
    let bar = |(row, ms): &(&TourRow, f64)| Bar {
        name: row.row.configuration.variant.clone(),
        parts: vec![base / ms],
        label: format!("{}×", significant(base / ms)),
    };
    let bars: Vec<Bar> = timed.iter().map(bar).collect();
    // Two bars say no more than the table.
    if bars.len() < 3 {
        return None;
    }
    let chart = BarChart { id: id.into(), title: title.into(), bars, ..BarChart::default() };
    let ids: Vec<&str> = timed.iter().map(|(row, _)| row.id.as_str()).collect();
    Some(figure(&ids, &chart.to_svg(), "How many times as fast as the first rung; longer is faster.", Origin::Measured))
}

/// Instructions of each rung, as counted.
pub(super) fn instructions(id: &str, title: &str, rows: &[&TourRow]) -> Option<String> {
    let counted: Vec<(&TourRow, u64)> =
        rows.iter().filter_map(|row| Some((*row, counter(row, "warp_instructions")?))).collect();
    #[allow(clippy::cast_precision_loss, reason = "lengths in a picture")]
    let bar = |(row, n): &(&TourRow, u64)| Bar {
        name: row.row.configuration.variant.clone(),
        parts: vec![*n as f64],
        label: super::cell::count(*n),
    };
    let bars: Vec<Bar> = counted.iter().map(bar).collect();
    if bars.len() < 2 {
        return None;
    }
    let chart = BarChart { id: id.into(), title: title.into(), bars, fill: Fill::Hatched, ..BarChart::default() };
    let ids: Vec<&str> = counted.iter().map(|(row, _)| row.id.as_str()).collect();
    let caption = "Instructions that warps executed; shorter is less work. Not a time.";
    Some(figure(&ids, &chart.to_svg(), caption, Origin::Emulated))
}

/// Where the time of a call goes: copies beside kernels.
pub(super) fn stages(id: &str, title: &str, rows: &[&TourRow]) -> Option<String> {
    const STAGES: [&str; 5] = ["allocate", "upload", "kernel", "download", "free"];
    let staged: Vec<&TourRow> = rows.iter().copied().filter(|row| row.row.stages_ms.len() > 1).collect();
    let bar = |row: &&TourRow| {
        let parts: Vec<f64> = STAGES.iter().map(|name| stage(row, name)).collect();
        let label = time(parts.iter().sum());
        Bar { name: row.row.configuration.primitive.clone(), parts, label }
    };
    let bars: Vec<Bar> = staged.iter().map(bar).collect();
    if bars.is_empty() {
        return None;
    }
    let parts = STAGES.iter().map(|&name| name.into()).collect();
    let chart = BarChart { id: id.into(), title: title.into(), parts, bars, fill: Fill::Solid };
    let ids: Vec<&str> = staged.iter().map(|row| row.id.as_str()).collect();
    let caption = "One call from host memory to host memory: what the kernel takes, and what surrounds it.";
    Some(figure(&ids, &chart.to_svg(), caption, Origin::Measured))
}
