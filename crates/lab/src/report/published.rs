//! What others have published, with the same experiments of this run beside it.

use super::Section;
use super::cell::{Origin, nothing, significant, time, traced};
use super::figure::figure;
use crate::plot::{Bar, BarChart, Chart, Fill, Series, escape};
use crate::tour::{FigureTable, Published, Results, TourRow};
use std::fmt::Write;

/// The section; none where there are no figures.
pub(super) fn section(results: &Results) -> Option<Section> {
    if results.figures.is_empty() {
        return None;
    }
    let mut html = String::from(
        "<p>Times that others have printed for the same work, on the machines that they name. They were not measured here, \
         and no column mixes them with what was. Where this run did the same experiment, its own time stands beside, in a \
         column of its own. <code>warpwise bench --like NAME</code> runs an experiment again.</p>\n",
    );
    for (i, table) in results.figures.iter().enumerate() {
        one(&mut html, results, table, i);
    }
    Some(Section { id: "published".into(), title: "Published figures beside ours".into(), html })
}

fn one(html: &mut String, results: &Results, table: &FigureTable, number: usize) {
    let _ = writeln!(html, "<h3>{}</h3>\n<p>{}.</p>", escape(&table.name), escape(table.source.trim_end_matches('.')));
    html.push_str(&plot(table, number));
    let ours: Vec<Option<&TourRow>> = table
        .entries
        .iter()
        .map(|entry| entry.row.as_ref().and_then(|id| results.rows.iter().find(|row| &row.id == id)))
        .collect();
    let measured = ours.iter().flatten().count();
    let short = table.entries.len() <= 8;
    let summary = match measured {
        0 => format!("The table: {} published times", table.entries.len()),
        n => format!("The table: {} published times, {n} of the experiments run here too", table.entries.len()),
    };
    let open = if short || measured > 0 { " open" } else { "" };
    let _ = write!(
        html,
        "<details{open}><summary>{summary}</summary>\n<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\
         <table class=\"published\">\n<thead><tr><th scope=\"col\">published as</th><th scope=\"col\">here it is</th>\
         <th scope=\"col\" class=\"number\">size</th><th scope=\"col\" class=\"number\">{}</th>",
        escape(&table.name),
        Origin::Published.badge()
    );
    if measured > 0 {
        let _ = write!(html, "<th scope=\"col\" class=\"number\">{}</th>", Origin::Measured.badge());
        html.push_str("<th scope=\"col\">on</th><th scope=\"col\" class=\"number\">published by measured</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for (entry, ours) in table.entries.iter().zip(ours) {
        row(html, entry, ours, measured > 0);
    }
    html.push_str("</tbody></table></div></details>\n");
}

fn row(html: &mut String, entry: &Published, ours: Option<&TourRow>, beside: bool) {
    let _ = write!(
        html,
        "<tr id=\"{}\"><th scope=\"row\">{}</th><td>{} {} {}</td><td class=\"number\">{}</td>{}",
        escape(&entry.id),
        escape(&entry.published_as),
        escape(&entry.primitive),
        escape(&entry.variant),
        escape(&entry.ty),
        escape(&entry.size),
        traced("td", &entry.id, "published_ms", &time(entry.published_ms))
    );
    if beside {
        match ours.and_then(|row| Some((row, row.row.median_ms.filter(|_| row.row.ok && !row.row.emulated)?))) {
            Some((row, ms)) => {
                let _ = write!(
                    html,
                    "{}<td>{}</td><td class=\"number\" data-row=\"{}\" data-field=\"median_ms\" data-published=\"{}\">{}×</td>",
                    traced("td", &row.id, "median_ms", &time(ms)),
                    escape(&row.row.configuration.device),
                    escape(&row.id),
                    escape(&entry.id),
                    significant(entry.published_ms / ms)
                );
            }
            None => {
                let _ = write!(html, "{}<td></td>{}", nothing(), nothing());
            }
        }
    }
    html.push_str("</tr>\n");
}

/// Lines where a table goes over sizes, bars where it does not.
fn plot(table: &FigureTable, number: usize) -> String {
    let mut series: Vec<Series> = Vec::new();
    for entry in &table.entries {
        #[allow(clippy::cast_precision_loss, reason = "places in a picture")]
        let point = (entry.elements as f64, entry.published_ms);
        match series.iter_mut().find(|s| s.name == entry.published_as) {
            Some(s) => s.points.push(point),
            None => series.push(Series { name: entry.published_as.clone(), points: vec![point] }),
        }
    }
    series.iter_mut().for_each(|s| s.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let ids: Vec<&str> = table.entries.iter().map(|entry| entry.id.as_str()).collect();
    if series.iter().any(|s| s.points.len() > 2) {
        let side = table.entries.iter().any(|entry| entry.primitive == "matmul");
        let x = if side { "side of the matrices" } else { "elements" }.into();
        let chart = Chart { title: table.name.clone(), x, y: "time in ms (published)".into(), series };
        return figure(&ids, &chart.to_narrow_svg(), "Times as printed, over size.", Origin::Published);
    }
    let bar = |entry: &Published| {
        let several = table.entries.iter().any(|other| other.size != entry.size);
        let name = if several { format!("{} {}", entry.published_as, entry.size) } else { entry.published_as.clone() };
        Bar { name, parts: vec![entry.published_ms], label: time(entry.published_ms) }
    };
    let bars = table.entries.iter().map(bar).collect();
    let title = format!("{}: time", table.name);
    let chart = BarChart { id: format!("fig{number}"), title, bars, fill: Fill::Hollow, ..BarChart::default() };
    figure(&ids, &chart.to_svg(), "Times as printed; shorter is faster.", Origin::Published)
}
