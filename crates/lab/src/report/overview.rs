//! All primitives at a glance: speed-ups, the roofline, and copies beside kernels.

use super::cell::{Origin, significant};
use super::figure::{self, figure};
use super::{Section, ladder};
use crate::plot::{Bar, BarChart, Point, Roofline, escape};
use crate::tour::{Results, TourRow};

/// The section.
pub(super) fn section(results: &Results) -> Section {
    let mut html = String::from("<div class=\"side\">\n");
    html.push_str(&speedups(results).unwrap_or_default());
    for (device, on) in [("cpu", "the CPU"), ("cuda", "the GPU")] {
        html.push_str(&roofline(results, device, on).unwrap_or_default());
    }
    let on_gpu: Vec<&TourRow> =
        results.ladders.iter().filter_map(|l| ladder::best(results, &l.primitive, "cuda", None)).collect();
    match figure::stages("stages", "Where a call's time goes on the GPU", &on_gpu) {
        Some(plot) => html.push_str(&plot),
        None if results.device("cuda").is_none() => html.push_str(
            "<p class=\"aside\">There was no GPU in this run, so there are no copies to show beside kernels. On a \
             machine with one, the same command measures there too.</p>\n",
        ),
        None => {}
    }
    html.push_str("</div>\n");
    Section { id: "overview".into(), title: "All primitives at a glance".into(), html }
}

/// All cores against one, for every primitive.
fn speedups(results: &Results) -> Option<String> {
    let mut bars = Vec::new();
    let mut ids = Vec::new();
    for ladder in &results.ladders {
        let of = |variant| ladder::best(results, &ladder.primitive, "cpu", Some(variant));
        let (Some(one), Some(all)) = (of("cpu-seq"), of("cpu-par")) else { continue };
        let (Some(slow), Some(fast)) = (one.row.median_ms, all.row.median_ms) else { continue };
        let label = format!("{}×", significant(slow / fast));
        bars.push(Bar { name: ladder.primitive.clone(), parts: vec![slow / fast], label });
        ids.extend([one.id.as_str(), all.id.as_str()]);
    }
    let title = "cpu-par: times as fast as cpu-seq".to_owned();
    let chart = BarChart { id: "cores".into(), title, bars, ..BarChart::default() };
    let caption = "All cores and vector instructions against one plain loop, each at the largest size of its ladder.";
    (!ids.is_empty()).then(|| figure(&ids, &chart.to_svg(), caption, Origin::Measured))
}

/// What memory and the machine allow, and what each primitive reaches.
fn roofline(results: &Results, device: &str, on: &str) -> Option<String> {
    let bandwidth = results.device(device)?.copy_gb_per_s.filter(|rate| *rate > 0.0)?;
    let mut points = Vec::new();
    let mut ids = Vec::new();
    for ladder in &results.ladders {
        let Some(row) = ladder::best(results, &ladder.primitive, device, None) else { continue };
        if let (Some(rate), Some(bytes)) = (row.row.gflop_per_s, row.row.gb_per_s.filter(|x| *x > 0.0)) {
            points.push(Point { name: ladder.primitive.clone(), intensity: rate / bytes, rate });
            ids.push(row.id.as_str());
        }
    }
    let fastest = points.iter().max_by(|a, b| a.rate.total_cmp(&b.rate))?.clone();
    let caption = format!(
        "The slope is what a copy on {on} moves, {} GB/s; the flat part is the most operations seen in this run, those of \
         {}. Bytes are what must be moved: what a cache holds from step to step may rise above the slope.",
        significant(bandwidth),
        escape(&fastest.name)
    );
    let plot = Roofline {
        id: format!("roof-{device}"),
        title: format!("Roofline of {on}"),
        bandwidth,
        peak: fastest.rate,
        points,
    };
    Some(figure(&ids, &plot.to_svg(), &caption, Origin::Measured))
}
