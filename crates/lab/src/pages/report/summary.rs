//! What a reader wants to know first: what is fast, what is right, what was learnt.

use super::cell::{count, counter, ratio, time, traced};
use super::{Section, ladder, tables};
use crate::output::number::{raised, significant};
use crate::pages::plot::escape;
use crate::pages::tour::{Results, TourRow};
use std::fmt::Write;

/// The section.
pub(super) fn section(results: &Results) -> Section {
    let mut html = String::from("<div class=\"cards\">\n");
    card(&mut html, "What is fast", &fast(results));
    card(&mut html, "What is right", &right(results));
    card(&mut html, "What was learnt", &learnt(results));
    html.push_str("</div>\n");
    html.push_str(&super::machine::legend());
    Section { id: "short".into(), title: "In short".into(), html }
}

fn card(html: &mut String, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let items: String = items.iter().map(|item| format!("<li>{item}</li>\n")).collect();
    let _ = write!(html, "<div class=\"card\">\n<h3>{title}</h3>\n<ul>\n{items}</ul>\n</div>\n");
}

/// Where a primitive's section is.
fn link(results: &Results, primitive: &str) -> String {
    let at = results.ladders.iter().position(|ladder| ladder.primitive == primitive).unwrap_or(0);
    format!("<a href=\"#primitive-{}\">{}</a>", at + 1, escape(primitive))
}

/// The fastest variants: on a GPU if there is one, else on the CPU.
fn fast(results: &Results) -> Vec<String> {
    let device = if results.device("cuda").is_some() { "cuda" } else { "cpu" };
    let best = |name: &str| ladder::best(results, name, device, None);
    let mut rows: Vec<(&TourRow, f64)> = results
        .ladders
        .iter()
        .filter_map(|ladder| best(&ladder.primitive).and_then(|row| Some((row, row.row.percent_of_copy?))))
        .collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut items = Vec::new();
    for (row, percent) in rows.iter().take(3) {
        let c = &row.row.configuration;
        items.push(format!(
            "{} <span class=\"rung\">{}</span>: {} for {} {}, {} % of what a copy moves",
            link(results, &c.primitive),
            escape(&c.variant),
            traced("strong", &row.id, "median_ms", &time(row.row.median_ms.unwrap_or(0.0))),
            escape(&raised(&c.size())),
            escape(&c.ty),
            traced("span", &row.id, "percent_of_copy", &significant(*percent))
        ));
    }
    let mut gains: Vec<(&TourRow, &TourRow, f64)> = Vec::new();
    for ladder in &results.ladders {
        let of = |variant| ladder::best(results, &ladder.primitive, "cpu", Some(variant));
        if let (Some(one), Some(all)) = (of("cpu-seq"), of("cpu-par"))
            && let (Some(slow), Some(quick)) = (one.row.median_ms, all.row.median_ms)
        {
            gains.push((one, all, slow / quick));
        }
    }
    if let Some((one, all, gain)) = gains.iter().max_by(|a, b| a.2.total_cmp(&b.2)).filter(|best| best.2 > 1.0) {
        items.push(format!(
            "All cores and vector instructions make {} {} as fast as one plain loop, more than any other",
            link(results, &all.row.configuration.primitive),
            ratio("strong", (&one.id, &all.id), "median_ms", *gain)
        ));
    }
    items
}

/// What was compared, and what is wrong.
fn right(results: &Results) -> Vec<String> {
    let all = results.rows.len();
    if all == 0 {
        return vec!["Nothing was run.".into()];
    }
    let wrong: Vec<&TourRow> = results.rows.iter().filter(|row| !row.row.ok).collect();
    let mut items = vec![match wrong.len() {
        0 => format!("All <strong>{all}</strong> configurations agree with the reference"),
        n => format!("<strong>{n}</strong> of {all} configurations do <strong>not</strong> agree with the reference"),
    }];
    for row in wrong.iter().take(4) {
        let c = &row.row.configuration;
        items.push(format!(
            "wrong: {} <span class=\"rung\">{}</span>",
            link(results, &c.primitive),
            escape(&c.variant)
        ));
    }
    let largest = results.rows.iter().filter(|row| row.row.ok && row.row.configuration.ty == "f32");
    let largest = largest.filter_map(|row| Some((row, row.row.max_error?)));
    if let Some((row, error)) = largest.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, error)| *error > 0.0) {
        items.push(format!(
            "The largest error of f32 is {}, of {}",
            traced("strong", &row.id, "max_error", &format!("{error:.0e}")),
            link(results, &row.row.configuration.primitive)
        ));
    }
    let published: usize = results.figures.iter().map(|table| table.entries.len()).sum();
    let estimated = results.figures.iter().flat_map(|table| &table.entries);
    let estimated = estimated.filter(|entry| entry.estimated.is_some() || entry.fails.is_some()).count();
    if estimated > 0 {
        items.push(format!(
            "{estimated} of {published} <a href=\"#published\">published figures</a> have counters and an estimate beside \
             them"
        ));
    }
    items
}

/// The steps of the ladders that changed most, and what published tables say.
fn learnt(results: &Results) -> Vec<String> {
    let mut steps: Vec<(&TourRow, &TourRow, &'static str, &'static str, f64)> = Vec::new();
    for ladder in &results.ladders {
        let rows = ladder::rows(results, &ladder.primitive, "emulator");
        let groups = tables::groups(ladder, &rows);
        let Some(group) = groups.first() else { continue };
        let mut most = None;
        for pair in group.rows.windows(2) {
            for (field, name) in [("warp_instructions", "instructions"), ("global_load_sectors", "sectors loaded")] {
                let (Some(old), Some(new)) = (counter(pair[0], field), counter(pair[1], field)) else { continue };
                let factor = old as f64 / new.max(1) as f64;
                if new > 0 && factor > most.map_or(1.5, |(.., known): (_, _, _, _, f64)| known) {
                    most = Some((pair[0], pair[1], field, name, factor));
                }
            }
        }
        steps.extend(most);
    }
    steps.sort_by(|a, b| b.4.total_cmp(&a.4));
    let mut items = Vec::new();
    for (before, after, field, name, factor) in steps.iter().take(3) {
        let c = &after.row.configuration;
        let value = |row: &TourRow| traced("span", &row.id, field, &count(counter(row, field).unwrap_or(0)));
        let lesson = warpwise::primitive::find(&c.primitive).ok().and_then(|p| p.variant(&c.variant));
        let lesson = lesson.map_or("", |variant| variant.idea);
        items.push(format!(
            "{} <span class=\"rung\">{}</span>: {}, so {} fewer {name} ({} → {})",
            link(results, &c.primitive),
            escape(&c.variant),
            escape(lesson),
            ratio("strong", (&before.id, &after.id), field, *factor),
            value(before),
            value(after)
        ));
    }
    let contradicted =
        results.figures.iter().flat_map(|table| &table.says).find(|line| line.contains("but the minimum"));
    items.extend(contradicted.map(|line| escape(line.trim_end_matches('.'))));
    items
}
