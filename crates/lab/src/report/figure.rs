//! Plots on the page: each names the rows it is drawn from.

use super::cell::{Origin, counter, stage, time};
use crate::plot::{Bar, BarChart, Chart, Fill, Series, escape};
use crate::tour::TourRow;

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
    let mut series: Vec<Series> = Vec::new();
    let mut ids = Vec::new();
    let side = rows.first().is_some_and(|row| row.row.configuration.primitive == "matmul");
    for row in rows {
        let Some(ms) = row.row.median_ms else { continue };
        let c = &row.row.configuration;
        #[allow(clippy::cast_precision_loss, reason = "places in a picture")]
        let point = (c.elements() as f64, ms);
        ids.push(row.id.as_str());
        match series.iter_mut().find(|s| s.name == c.variant) {
            Some(s) => s.points.push(point),
            None => series.push(Series { name: c.variant.clone(), points: vec![point] }),
        }
    }
    series.iter_mut().for_each(|s| s.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    if series.iter().all(|s| s.points.len() < 2) {
        return None;
    }
    let x = if side { "side of the matrices" } else { "elements" };
    let chart = Chart { title: title.into(), x: x.into(), y: "time in ms".into(), series };
    let caption = "Both axes are logarithmic: a straight line that rises with the grid is time in proportion to size.";
    Some(figure(&ids, &chart.to_narrow_svg(), caption, Origin::Measured))
}

/// How much faster than the first rung each is.
pub(super) fn speedups(id: &str, title: &str, rows: &[&TourRow]) -> Option<String> {
    let base = rows.iter().find_map(|row| row.row.median_ms)?;
    let timed: Vec<(&TourRow, f64)> = rows.iter().filter_map(|row| Some((*row, row.row.median_ms?))).collect();
    let bar = |(row, ms): &(&TourRow, f64)| Bar {
        name: row.row.configuration.variant.clone(),
        parts: vec![base / ms],
        label: format!("{}×", super::cell::significant(base / ms)),
    };
    let bars: Vec<Bar> = timed.iter().map(bar).collect();
    // Two bars tell nothing that the table does not.
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
