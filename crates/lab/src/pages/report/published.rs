//! What others have published, beside the same experiments of this run.

use super::Section;
use super::cell::{Origin, count, nothing, time, traced};
use super::figure::figure;
use super::glossary::heading;
use crate::measure::figures::Estimated;
use crate::output::number::{article, raised, significant};
use crate::pages::plot::{Bar, BarChart, Chart, Fill, Series, Ticks, escape};
use crate::pages::tour::{FigureTable, Published, Results, TourRow};
use std::fmt::Write;

/// The section; none if there are no figures.
pub(super) fn section(results: &Results) -> Option<Section> {
    if results.figures.is_empty() {
        return None;
    }
    let mut html = String::from(
        "<p>Figures that others have published, on the machines that they name. They were not measured here. Beside each \
         is what the emulator counted for the same experiment, the time that a model estimates from it for the GPU of the \
         table, and the time that was measured here, if it was; no column mixes them. <code>warpwise bench --like \
         NAME</code> repeats an experiment and looks at it more closely.</p>\n",
    );
    html.push_str("<ul class=\"tables\">\n");
    for table in &results.figures {
        let name = escape(&table.name);
        let _ = writeln!(html, "<li><a href=\"#table-{name}\">{name}</a></li>");
    }
    html.push_str("</ul>\n");
    for (i, table) in results.figures.iter().enumerate() {
        one(&mut html, results, table, i);
    }
    Some(Section { id: "published".into(), title: "Published figures beside ours".into(), html })
}

/// A published row with the row that was measured here.
type Pair<'a> = (&'a Published, Option<(&'a TourRow, f64)>);

fn one(html: &mut String, results: &Results, table: &FigureTable, number: usize) {
    let pairs: Vec<Pair> = table.entries.iter().map(|entry| (entry, ours(results, entry))).collect();
    let gpu = match (table.gpu.as_str(), table.assumed) {
        ("", _) => String::new(),
        (gpu, false) => format!(" Estimates are for {} {}.", article(gpu), escape(&gpu.to_uppercase())),
        (gpu, true) => format!(" It names no GPU: estimates are for {} {}.", article(gpu), escape(&gpu.to_uppercase())),
    };
    let _ = write!(
        html,
        "<article id=\"table-{0}\">\n<h3>{0}</h3>\n<p>{1}.{gpu}</p>\n",
        escape(&table.name),
        escape(&raised(table.source.trim_end_matches('.')))
    );
    if !table.says.is_empty() {
        let items: String = table.says.iter().map(|line| format!("<li>{}</li>\n", escape(&raised(line)))).collect();
        let _ = write!(html, "<ul class=\"says\">\n{items}</ul>\n");
    }
    let _ = write!(html, "<div class=\"side\">\n{}{}</div>\n", plot(table, number), estimates(table, number));
    let all = pairs.len();
    let open = if all <= 16 { " open" } else { "" };
    let _ = writeln!(html, "<details{open}><summary>All {all} rows</summary>");
    whole(html, &table.name, &pairs);
    html.push_str("</details>\n</article>\n");
}

/// What was measured here for a published row.
fn ours<'a>(results: &'a Results, entry: &Published) -> Option<(&'a TourRow, f64)> {
    let id = entry.row.as_ref()?;
    let row = results.rows.iter().find(|row| &row.id == id)?;
    Some((row, row.row.median_ms.filter(|_| row.row.ok && !row.row.emulated)?))
}

/// A column of what the model estimates, with the path of its field.
type EstimatedColumn = (&'static str, &'static str, fn(&Estimated) -> Option<f64>);

/// Published columns that the model estimates too.
const BESIDE: [EstimatedColumn; 5] = [
    ("memory %", "estimated.memory_percent", |e| e.memory_percent),
    ("DRAM %", "estimated.dram_percent", |e| e.dram_percent),
    ("compute %", "estimated.compute_percent", |e| e.compute_percent),
    ("occupancy %", "estimated.occupancy_percent", |e| e.occupancy_percent),
    ("active warps", "estimated.active_warps", |e| e.active_warps),
];

/// Counters that are shown, with their headings.
const COUNTERS: [(&str, &str); 4] = [
    ("warp_instructions", "warp instructions"),
    ("global_load_sectors", "load sectors"),
    ("operations", "operations"),
    ("bytes", "bytes"),
];

/// Everything that was published, with what is beside it.
fn whole(html: &mut String, label: &str, pairs: &[Pair]) {
    let (published, estimated) = (Origin::Published.badge(), Origin::Estimated.badge());
    let (measured, emulated) = (Origin::Measured.badge(), Origin::Emulated.badge());
    let mut names: Vec<&str> = Vec::new();
    for name in pairs.iter().flat_map(|(entry, _)| entry.published.keys()) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let any = |test: &dyn Fn(&Pair) -> bool| pairs.iter().any(test);
    let estimates = any(&|(entry, _)| entry.estimated.is_some());
    let here = any(&|(_, ours)| ours.is_some());
    let counters: Vec<_> =
        COUNTERS.iter().filter(|(field, _)| any(&|(entry, _)| counted(entry, field).is_some())).collect();
    let head = |text: &str, badge: &str| format!("<th scope=\"col\" class=\"number\">{} {badge}</th>", heading(text));
    let mut heads = head("time", &published);
    if estimates {
        heads += &head("time", &estimated);
        heads += "<th scope=\"col\" class=\"number\">estimated for</th>";
    }
    if here {
        heads += &(head("time", &measured) + "<th scope=\"col\" class=\"number\">times as fast</th>");
    }
    for name in &names {
        heads += &head(name, &published);
        if BESIDE.iter().any(|(known, ..)| known == name) && estimates {
            heads += &head(name, &estimated);
        }
    }
    for (_, name) in &counters {
        heads += &head(name, &emulated);
    }
    let _ = writeln!(
        html,
        "<div class=\"wide\" role=\"region\" aria-label=\"{}: all rows\" tabindex=\"0\"><table class=\"ladder \
         published\">\n<thead><tr><th scope=\"col\">published as</th><th scope=\"col\" class=\"number\">size</th>{heads}\
         {}</tr></thead>\n<tbody>",
        escape(label),
        if estimates { "<th scope=\"col\">counted</th>" } else { "" }
    );
    for (entry, ours) in pairs {
        let mut cells = published_cells(entry);
        if estimates {
            cells += &estimate(entry, "time", "estimated.ms", |e| Some(e.ms), time);
            let on = entry.estimated.as_ref().map_or("–", |e| if e.device == "cpu" { "this CPU" } else { &e.device });
            let _ = write!(cells, "<td class=\"number\" data-label=\"estimated for\">{}</td>", escape(on));
        }
        if here {
            cells += &ours.map_or_else(|| nothing() + &nothing(), |(row, ms)| measured_cells(entry, row, ms));
        }
        for name in &names {
            let value = entry.published.get(*name).and_then(serde_json::Value::as_f64);
            let field = format!("published.{name}");
            cells += &value.map_or_else(nothing, |x| labelled(name, traced("td", &entry.id, &field, &amount(x))));
            if let Some((_, field, value)) = BESIDE.iter().find(|(known, ..)| known == name).filter(|_| estimates) {
                cells += &estimate(entry, &format!("{name}, estimated"), field, value, |x| format!("{x:.1}"));
            }
        }
        for (field, name) in &counters {
            let path = format!("estimated.counters.{field}");
            let cell = |n: u64| labelled(name, traced("td", &entry.id, &path, &count(n)));
            cells += &counted(entry, field).map_or_else(nothing, cell);
        }
        if estimates {
            let how = entry.estimated.as_ref().map_or("", |e| e.counted.as_str());
            let _ = write!(cells, "<td class=\"how\" data-label=\"counted\">{}</td>", escape(&raised(how)));
        }
        let _ = writeln!(html, "<tr id=\"{}\">{cells}</tr>", escape(&entry.id));
    }
    html.push_str("</tbody></table></div>\n");
}

/// A counter of a row.
fn counted(entry: &Published, field: &str) -> Option<u64> {
    entry.estimated.as_ref()?.counters.get(field)?.as_u64()
}

/// A number as printed: whole numbers with gaps, others with three digits.
fn amount(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() >= 1000.0 { count(value as u64) } else { significant(value) }
}

/// The cell of an estimate.
fn estimate(
    entry: &Published,
    label: &str,
    field: &str,
    value: impl Fn(&Estimated) -> Option<f64>,
    show: fn(f64) -> String,
) -> String {
    let value = entry.estimated.as_ref().and_then(value);
    value.map_or_else(nothing, |x| labelled(label, traced("td", &entry.id, field, &show(x))))
}

/// What was measured here, and how many times as fast it is.
fn measured_cells(entry: &Published, row: &TourRow, ms: f64) -> String {
    format!(
        "{}<td class=\"number\" data-label=\"times as fast\" data-row=\"{}\" data-field=\"median_ms\" data-published=\"{}\">{}×</td>",
        labelled("measured", traced("td", &row.id, "median_ms", &time(ms))),
        escape(&row.id),
        escape(&entry.id),
        significant(entry.published_ms / ms)
    )
}

/// The cells of a published time: its name over ours, its size, the time. A launch that fails has none.
fn published_cells(entry: &Published) -> String {
    let shown = match &entry.fails {
        Some(reason) => {
            format!("<td class=\"number wrong\" data-label=\"published\" title=\"{}\">fails</td>", escape(reason))
        }
        None => labelled("published", traced("td", &entry.id, "published_ms", &time(entry.published_ms))),
    };
    format!(
        "<th scope=\"row\">{}<span class=\"idea\">{} {} {}</span></th><td class=\"number\" data-label=\"size\">{}</td>{}",
        escape(&entry.published_as),
        escape(&entry.primitive),
        escape(&entry.variant),
        escape(&entry.ty),
        escape(&raised(&entry.size)),
        shown
    )
}

/// A cell that carries its heading, for screens without room for headings.
fn labelled(label: &str, cell: String) -> String {
    cell.replacen("<td", &format!("<td data-label=\"{label}\""), 1)
}

/// The same plot of what was estimated; none if nothing was.
fn estimates(table: &FigureTable, number: usize) -> String {
    let estimated = |entry: &Published| {
        let ms = entry.estimated.as_ref().filter(|e| e.device != "cpu")?.ms;
        Some(Published { published_ms: ms, ..entry.clone() })
    };
    let entries: Vec<Published> = table.entries.iter().filter_map(estimated).collect();
    // One bar says no more than the table.
    if entries.iter().filter(|entry| entry.fails.is_none()).count() < 2 {
        return String::new();
    }
    drawn(&FigureTable { entries, ..table.clone() }, &format!("est{number}"), Origin::Estimated)
}

/// Lines if a table covers several sizes, bars if not.
fn plot(table: &FigureTable, number: usize) -> String {
    drawn(table, &format!("fig{number}"), Origin::Published)
}

fn drawn(table: &FigureTable, id: &str, origin: Origin) -> String {
    let (kind, fill) = (origin.name(), if origin == Origin::Published { Fill::Hollow } else { Fill::Hatched });
    let mut series: Vec<Series> = Vec::new();
    for entry in table.entries.iter().filter(|entry| entry.fails.is_none()) {
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
        let (title, y) = (format!("{}: {kind} times", table.name), "time".into());
        let chart = Chart { title, x, y, ticks: Ticks::Times, series, fill };
        return figure(&ids, &chart.to_narrow_svg(), &format!("Times as {kind}, over size."), origin);
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
    let bars = table.entries.iter().filter(|entry| entry.fails.is_none()).map(bar).collect();
    let title = format!("{}: {kind} times", table.name);
    let chart = BarChart { id: id.into(), title, bars, fill, ..BarChart::default() };
    figure(&ids, &chart.to_svg(), &format!("Times as {kind}; shorter is faster."), origin)
}
