//! What others have published, beside the same experiments of this run.

use super::Section;
use super::cell::{Origin, raised, significant, time, traced};
use super::figure::figure;
use crate::pages::plot::{Bar, BarChart, Chart, Fill, Series, Ticks, escape};
use crate::pages::tour::{FigureTable, Published, Results, TourRow};
use std::fmt::Write;

/// The section; none if there are no figures.
pub(super) fn section(results: &Results) -> Option<Section> {
    if results.figures.is_empty() {
        return None;
    }
    let mut html = String::from(
        "<p>Times that others have published for the same work, on the machines that they name. They were not measured \
         here, and no column mixes them with our measurements. If this run did the same experiment, its time is beside \
         them, in a column of its own. <code>warpwise bench --like NAME</code> repeats an experiment.</p>\n<div \
         class=\"figures\">\n",
    );
    // Experiments that also ran here come first.
    let here = |table: &FigureTable| table.entries.iter().any(|entry| ours(results, entry).is_some());
    let (with, without): (Vec<_>, Vec<_>) = results.figures.iter().enumerate().partition(|(_, table)| here(table));
    for (i, table) in with.into_iter().chain(without) {
        one(&mut html, results, table, i);
    }
    html.push_str("</div>\n");
    Some(Section { id: "published".into(), title: "Published figures beside ours".into(), html })
}

/// A published row with the row that was measured here.
type Pair<'a> = (&'a Published, Option<(&'a TourRow, f64)>);

fn one(html: &mut String, results: &Results, table: &FigureTable, number: usize) {
    let pairs: Vec<Pair> = table.entries.iter().map(|entry| (entry, ours(results, entry))).collect();
    let (here, all) = (pairs.iter().filter(|(_, ours)| ours.is_some()).count(), pairs.len());
    let class = if here > 0 { " class=\"beside\"" } else { "" };
    let _ = write!(
        html,
        "<article{class}>\n<h3>{}</h3>\n<p>{}.</p>\n<div class=\"side\">\n{}",
        escape(&table.name),
        escape(&raised(table.source.trim_end_matches('.'))),
        plot(table, number)
    );
    if here > 0 {
        let label = format!("{}: published and measured", table.name);
        html.push_str("<div>\n");
        beside(html, &label, &pairs);
        html.push_str("</div>\n");
    }
    html.push_str("</div>\n");
    let summary = match here {
        0 => format!("All {all} published times"),
        n => format!("All {all} published times; {n} of the experiments ran here too"),
    };
    let _ = writeln!(html, "<details><summary>{summary}</summary>");
    whole(html, &table.name, &pairs);
    html.push_str("</details>\n</article>\n");
}

/// What was measured here for a published row.
fn ours<'a>(results: &'a Results, entry: &Published) -> Option<(&'a TourRow, f64)> {
    let id = entry.row.as_ref()?;
    let row = results.rows.iter().find(|row| &row.id == id)?;
    Some((row, row.row.median_ms.filter(|_| row.row.ok && !row.row.emulated)?))
}

/// The beginning of a table, up to its columns.
fn open(html: &mut String, label: &str) {
    let _ = write!(
        html,
        "<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table class=\"ladder published\">\n<thead><tr>\
         <th scope=\"col\">published as</th><th scope=\"col\" class=\"number\">size</th>\
         <th scope=\"col\" class=\"number\">{}</th>",
        escape(label),
        Origin::Published.badge()
    );
}

/// The rows that were also measured here.
fn beside(html: &mut String, label: &str, pairs: &[Pair]) {
    open(html, label);
    let _ = writeln!(
        html,
        "<th scope=\"col\" class=\"number\">{}</th><th scope=\"col\" class=\"number\">on</th>\
         <th scope=\"col\" class=\"number\">times as fast</th></tr></thead>\n<tbody>",
        Origin::Measured.badge()
    );
    for (entry, ours) in pairs {
        let Some((row, ms)) = ours else { continue };
        let _ = writeln!(
            html,
            "<tr>{}{}<td class=\"number\" data-label=\"on\">{}</td>\
             <td class=\"number\" data-label=\"times as fast\" data-row=\"{}\" data-field=\"median_ms\" data-published=\"{}\">{}×</td></tr>",
            published(entry),
            labelled("measured", traced("td", &row.id, "median_ms", &time(*ms))),
            escape(&row.row.configuration.device),
            escape(&row.id),
            escape(&entry.id),
            significant(entry.published_ms / ms)
        );
    }
    html.push_str("</tbody></table></div>\n");
}

/// Everything that was published.
fn whole(html: &mut String, label: &str, pairs: &[Pair]) {
    open(html, label);
    html.push_str("</tr></thead>\n<tbody>\n");
    for (entry, _) in pairs {
        let _ = writeln!(html, "<tr id=\"{}\">{}</tr>", escape(&entry.id), published(entry));
    }
    html.push_str("</tbody></table></div>\n");
}

/// The cells of a published time: its name over ours, its size, the time.
fn published(entry: &Published) -> String {
    format!(
        "<th scope=\"row\">{}<span class=\"idea\">{} {} {}</span></th><td class=\"number\" data-label=\"size\">{}</td>{}",
        escape(&entry.published_as),
        escape(&entry.primitive),
        escape(&entry.variant),
        escape(&entry.ty),
        escape(&raised(&entry.size)),
        labelled("published", traced("td", &entry.id, "published_ms", &time(entry.published_ms)))
    )
}

/// A cell that carries its heading, for screens without room for headings.
fn labelled(label: &str, cell: String) -> String {
    cell.replacen("<td", &format!("<td data-label=\"{label}\""), 1)
}

/// Lines if a table covers several sizes, bars if not.
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
        let x = table.entries.first().map_or("elements", |entry| crate::measure::bench::axis(&entry.primitive)).into();
        let (title, y) = (format!("{}: published times", table.name), "time".into());
        let chart = Chart { title, x, y, ticks: Ticks::Times, series, fill: Fill::Hollow };
        return figure(&ids, &chart.to_narrow_svg(), "Times as printed, over size.", Origin::Published);
    }
    let bar = |entry: &Published| {
        let types = table.entries.iter().any(|other| other.ty != entry.ty);
        let several = table.entries.iter().any(|other| other.size != entry.size);
        let mut name = entry.published_as.clone();
        if types {
            name = format!("{name} {}", entry.ty);
        }
        if several {
            name = format!("{name} {}", raised(&entry.size));
        }
        Bar { name, parts: vec![entry.published_ms], label: time(entry.published_ms) }
    };
    let bars = table.entries.iter().map(bar).collect();
    let title = format!("{}: published times", table.name);
    let chart = BarChart { id: format!("fig{number}"), title, bars, fill: Fill::Hollow, ..BarChart::default() };
    figure(&ids, &chart.to_svg(), "Times as printed; shorter is faster.", Origin::Published)
}
