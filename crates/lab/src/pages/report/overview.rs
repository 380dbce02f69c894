//! All primitives at a glance: speed-ups, the roofline, and copies beside kernels.

use super::cell::{Origin, count, counter, nothing, ratio, time, traced};
use super::figure::{self, figure};
use super::glossary::heading;
use super::{Section, ladder, tables};
use crate::output::number::significant;
use crate::pages::plot::{Bar, BarChart, Point, Roofline, escape};
use crate::pages::tour::{Ladder, Results, TourRow};
use std::fmt::Write;

/// The section.
pub(super) fn section(results: &Results) -> Section {
    let mut html = summary(results);
    html.push_str("<div class=\"side\">\n");
    html.push_str(&speedups(results).unwrap_or_default());
    for (device, on) in [("cpu", "the CPU"), ("cuda", "the GPU")] {
        html.push_str(&roofline(results, device, on).unwrap_or_default());
    }
    let on_gpu: Vec<&TourRow> =
        results.ladders.iter().filter_map(|l| ladder::best(results, &l.primitive, "cuda", None)).collect();
    if let Some(plot) = figure::stages("stages", "Where a call's time goes on the GPU", &on_gpu) {
        html.push_str(&plot);
    }
    html.push_str("</div>\n");
    if results.device("cuda").is_none() {
        html.push_str(
            "<p class=\"aside\">There was no GPU in this run, so there are no copies to show beside kernels. On a \
             machine with one, the same command measures there too.</p>\n",
        );
    }
    Section { id: "overview".into(), title: "All primitives at a glance".into(), html }
}

/// A row for each primitive: whether its variants agree, and the times of its best ones.
fn summary(results: &Results) -> String {
    let gpu = results.device("cuda").is_some();
    let (measured, emulated) = (Origin::Measured.badge(), Origin::Emulated.badge());
    let head = |text: &str, badge: &str| format!("<th scope=\"col\" class=\"number\">{} {badge}</th>", heading(text));
    let mut body = String::new();
    for (i, ladder) in results.ladders.iter().enumerate() {
        let name = ladder.primitive.as_str();
        let here = |row: &&TourRow| !row.figure && row.row.configuration.primitive == name;
        let rows: Vec<&TourRow> = results.rows.iter().filter(here).collect();
        if rows.is_empty() {
            continue;
        }
        let of = |rung: &&str| rows.iter().filter(|row| row.row.configuration.variant == **rung).collect::<Vec<_>>();
        let ran: Vec<&str> = ladder.rungs.iter().map(|rung| rung.name.as_str()).filter(|r| !of(r).is_empty()).collect();
        let right = ran.iter().filter(|rung| of(rung).iter().all(|row| row.row.ok)).count();
        let (class, mark) = if right == ran.len() { ("right", "✓") } else { ("wrong", "✗") };
        let _ = write!(
            body,
            "<tr><th scope=\"row\"><a href=\"#primitive-{}\">{}</a></th><td class=\"{class}\">{mark} {right} of {}</td>",
            i + 1,
            escape(name),
            ran.len()
        );
        let par = ladder::best(results, name, "cpu", Some("cpu-par"));
        let seq = ladder::best(results, name, "cpu", Some("cpu-seq"));
        body.push_str(&cells(par));
        body.push_str(&match (seq, par) {
            (Some(seq), Some(par)) => over(seq, par),
            _ => nothing(),
        });
        if gpu {
            body.push_str(&cells(ladder::best(results, name, "cuda", None)));
        }
        body.push_str(&counted(results, ladder));
        body.push_str("</tr>\n");
    }
    if body.is_empty() {
        return body;
    }
    let on_gpu = if gpu {
        head("best rung on the GPU", &measured) + &head("% of a copy there", &measured)
    } else {
        String::new()
    };
    format!(
        "<div class=\"wide\" role=\"region\" aria-label=\"All primitives\" tabindex=\"0\"><table \
         class=\"all\">\n<thead><tr>\
         <th scope=\"col\">primitive</th><th scope=\"col\">{}</th>{}{}{}{on_gpu}{}</tr></thead>\n\
         <tbody>\n{body}</tbody></table></div>\n",
        heading("agree"),
        head("cpu-par", &measured),
        head("% of a copy", &measured),
        head("times as fast as cpu-seq", &measured),
        head("warp instructions, first to last rung", &emulated)
    )
}

/// A time with its percentage of a copy.
fn cells(row: Option<&TourRow>) -> String {
    let cell = |field: &str, value: Option<f64>, show: fn(f64) -> String| match (row, value) {
        (Some(row), Some(value)) => traced("td", &row.id, field, &show(value)),
        _ => nothing(),
    };
    let of = |value: fn(&TourRow) -> Option<f64>| row.and_then(value);
    cell("median_ms", of(|row| row.row.median_ms), time)
        + &cell("percent_of_copy", of(|row| row.row.percent_of_copy), significant)
}

fn over(before: &TourRow, after: &TourRow) -> String {
    match (before.row.median_ms, after.row.median_ms) {
        (Some(old), Some(new)) => ratio("td", (&before.id, &after.id), "median_ms", old / new),
        _ => nothing(),
    }
}

/// Instructions of the first and of the last rung at the largest size on the emulator.
fn counted(results: &Results, ladder: &Ladder) -> String {
    let rows = ladder::rows(results, &ladder.primitive, "emulator");
    let groups = tables::groups(ladder, &rows);
    let ends = groups.first().and_then(|group| Some((group.rows.first()?, group.rows.last()?)));
    let one = |row: &TourRow| {
        let n = counter(row, "warp_instructions")?;
        Some(traced("span", &row.id, "warp_instructions", &count(n)))
    };
    match ends.and_then(|(first, last)| Some((first.id != last.id, one(first)?, one(last)?))) {
        Some((true, first, last)) => format!("<td class=\"number\">{first} → {last}</td>"),
        Some((false, only, _)) => format!("<td class=\"number\">{only}</td>"),
        None => nothing(),
    }
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
        "The slope is what a copy on {on} moves, {} GB/s; the flat part is the most operations seen in this run, \
         those of {}. Bytes are what must be moved: what a cache holds from step to step may rise above the slope.",
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
