//! Tables of a ladder: one row per rung.

use super::cell::{Origin, count, counter, from, nothing, ratio, time, traced};
use super::glossary::heading;
use crate::output::number::significant;
use crate::pages::plot::escape;
use crate::pages::tour::{Ladder, TourRow};
use std::fmt::Write;

/// Rows of one device and one size, in the order of the ladder.
pub(super) struct Group<'a> {
    pub(super) size: String,
    pub(super) rows: Vec<&'a TourRow>,
}

/// The sizes that tables show: the largest, and for rungs that are missing there the largest that they accepted.
pub(super) fn groups<'a>(ladder: &Ladder, rows: &[&'a TourRow]) -> Vec<Group<'a>> {
    let elements = |row: &TourRow| row.row.configuration.elements();
    let place = |row: &TourRow| ladder.rungs.iter().position(|rung| rung.name == row.row.configuration.variant);
    let mut sizes: Vec<u64> = Vec::new();
    for rung in &ladder.rungs {
        let here = rows.iter().filter(|row| row.row.configuration.variant == rung.name);
        let largest = here.map(|row| elements(row)).max();
        sizes.extend(largest.filter(|size| !sizes.contains(size)));
    }
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let group = |size: u64| {
        let mut rows: Vec<&TourRow> = rows.iter().copied().filter(|row| elements(row) == size).collect();
        rows.sort_by_key(|row| place(row));
        rows.dedup_by_key(|row| row.row.configuration.variant.clone());
        Group { size: rows.first().map_or_else(String::new, |row| row.row.configuration.size()), rows }
    };
    sizes.into_iter().map(group).collect()
}

/// A column of numbers: heading, and the cell of a row, given the row before.
struct Column {
    heading: &'static str,
    cell: fn(&TourRow, Option<&TourRow>) -> String,
    /// Whether a row has a value there.
    used: fn(&TourRow) -> bool,
}

fn value(row: &TourRow, field: &str, value: Option<f64>, show: fn(f64) -> String) -> String {
    value.map_or_else(nothing, |x| traced("td", &row.id, field, &show(x)))
}

fn counted(row: &TourRow, field: &str) -> String {
    counter(row, field).map_or_else(nothing, |n| traced("td", &row.id, field, &count(n)))
}

const SECTORS: &str = "global_load_sectors+global_store_sectors";
const CONFLICTS: &str = "shared_load_conflicts+shared_store_conflicts";
const ATOMICS: &str = "global_atomics+shared_atomics";

const MEASURED: [Column; 6] = [
    Column {
        heading: "time",
        cell: |row, _| value(row, "median_ms", row.row.median_ms, time),
        used: |row| row.row.median_ms.is_some(),
    },
    Column {
        heading: "speed-up over the rung before",
        cell: |row, before| match (before.and_then(|b| Some((b, b.row.median_ms?))), row.row.median_ms) {
            (Some((b, old)), Some(new)) => ratio("td", (&b.id, &row.id), "median_ms", old / new),
            _ => nothing(),
        },
        used: |row| row.row.median_ms.is_some(),
    },
    Column {
        heading: "noise %",
        cell: |row, _| value(row, "noise_pct", row.row.noise_pct, |x| format!("{x:.1}")),
        used: |row| row.row.noise_pct.is_some(),
    },
    Column {
        heading: "GB/s",
        cell: |row, _| value(row, "gb_per_s", row.row.gb_per_s, significant),
        used: |row| row.row.gb_per_s.is_some(),
    },
    Column {
        heading: "GFLOP/s",
        cell: |row, _| value(row, "gflop_per_s", row.row.gflop_per_s, significant),
        used: |row| row.row.gflop_per_s.is_some(),
    },
    Column {
        heading: "% of a copy",
        cell: |row, _| value(row, "percent_of_copy", row.row.percent_of_copy, significant),
        used: |row| row.row.percent_of_copy.is_some(),
    },
];

const EMULATED: [Column; 8] = [
    Column {
        heading: "warp instructions",
        cell: |row, _| counted(row, "warp_instructions"),
        used: |row| counter(row, "warp_instructions").is_some(),
    },
    Column {
        heading: "times fewer than the rung before",
        cell: |row, before| {
            let of = |row: &TourRow| counter(row, "warp_instructions").filter(|n| *n > 0);
            match (before.and_then(|b| Some((b, of(b)?))), of(row)) {
                (Some((b, old)), Some(new)) =>
                {
                    #[allow(clippy::cast_precision_loss, reason = "a ratio with three digits")]
                    ratio("td", (&b.id, &row.id), "warp_instructions", old as f64 / new as f64)
                }
                _ => nothing(),
            }
        },
        used: |row| counter(row, "warp_instructions").is_some(),
    },
    Column {
        heading: "lanes of 32",
        cell: |row, _| match (counter(row, "thread_instructions"), counter(row, "warp_instructions")) {
            (Some(threads), Some(warps)) if warps > 0 => {
                #[allow(clippy::cast_precision_loss, reason = "an average with three digits")]
                let lanes = threads as f64 / warps as f64;
                let from = from(&row.id, "thread_instructions");
                format!("<td class=\"number\" data-per=\"warp_instructions\"{from}>{lanes:.1}</td>")
            }
            _ => nothing(),
        },
        used: |row| counter(row, "thread_instructions").is_some(),
    },
    Column {
        heading: "divergent branches",
        cell: |row, _| counted(row, "divergent_branches"),
        used: |row| counter(row, "divergent_branches").is_some_and(|n| n > 0),
    },
    Column {
        heading: "memory sectors",
        cell: |row, _| counted(row, SECTORS),
        used: |row| counter(row, SECTORS).is_some_and(|n| n > 0),
    },
    Column {
        heading: "bank conflicts",
        cell: |row, _| counted(row, CONFLICTS),
        used: |row| counter(row, CONFLICTS).is_some_and(|n| n > 0),
    },
    Column {
        heading: "atomics",
        cell: |row, _| counted(row, ATOMICS),
        used: |row| counter(row, ATOMICS).is_some_and(|n| n > 0),
    },
    Column {
        heading: "barriers",
        cell: |row, _| counted(row, "barriers"),
        used: |row| counter(row, "barriers").is_some_and(|n| n > 0),
    },
];

/// A table of rungs, with what was refused at this size.
pub(super) fn table(ladder: &Ladder, group: &Group, refused: &[(String, String)], caption: &str) -> String {
    let origin = group.rows.first().map_or(Origin::Measured, |row| Origin::of(row));
    let all: &[Column] = if origin == Origin::Emulated { &EMULATED } else { &MEASURED };
    let columns: Vec<&Column> = all.iter().filter(|c| group.rows.iter().any(|row| (c.used)(row))).collect();
    let mut out = format!(
        "<div class=\"wide\" role=\"region\" aria-label=\"{4}, {1}: {0}\" tabindex=\"0\"><table class=\"ladder {1}\">\n\
         <caption>{0} {2}</caption>\n<thead><tr><th scope=\"col\">rung</th><th scope=\"col\">{3}</th>",
        escape(caption),
        origin.name(),
        origin.badge(),
        heading("result"),
        escape(&ladder.primitive)
    );
    for column in &columns {
        let over = if column.heading.ends_with("rung before") { " over" } else { "" };
        let _ = write!(out, "<th scope=\"col\" class=\"number{over}\">{}</th>", heading(column.heading));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let mut before: Option<&TourRow> = None;
    let of = |name: &str| group.rows.iter().copied().find(|row| row.row.configuration.variant == name);
    for name in ladder.rungs.iter().map(|rung| rung.name.as_str()) {
        let Some(row) = of(name) else {
            for (_, reason) in refused.iter().filter(|(other, _)| other == name).take(1) {
                let _ = writeln!(
                    out,
                    "<tr>{}<td colspan=\"{}\" class=\"refused\">not run: {}</td></tr>",
                    rung(ladder, name),
                    columns.len() + 1,
                    escape(reason)
                );
            }
            continue;
        };
        let _ = write!(out, "<tr id=\"{}\">{}{}", escape(&row.id), rung(ladder, name), verdict(row));
        for column in &columns {
            // On a narrow screen, each cell carries its heading.
            let label = column.heading.split(" over the").next().unwrap_or_default();
            let label = label.split(" than the").next().unwrap_or_default();
            let labelled = format!("<td data-label=\"{label}\"");
            out.push_str(&(column.cell)(row, before).replacen("<td", &labelled, 1));
        }
        out.push_str("</tr>\n");
        before = Some(row).filter(|row| row.row.ok).or(before);
    }
    out + "</tbody></table></div>\n"
}

/// A rung's name over its idea.
fn rung(ladder: &Ladder, name: &str) -> String {
    let idea = ladder.rungs.iter().find(|rung| rung.name == name).map_or("", |rung| rung.idea.as_str());
    format!(
        "<th scope=\"row\"><span class=\"rung\">{}</span><span class=\"idea\">{}</span></th>",
        escape(name),
        escape(idea)
    )
}

/// Whether it agrees with the reference.
fn verdict(row: &TourRow) -> String {
    let error = match (row.row.ok, row.row.max_error) {
        (false, _) => {
            let why = row.row.error.as_deref().unwrap_or("it differs from the reference");
            return format!("<td class=\"wrong\">✗ wrong<span class=\"idea\">{}</span></td>", escape(why));
        }
        (true, Some(error)) if error > 0.0 => {
            traced("span", &row.id, "max_error", &format!("{error:.0e}")).replacen("<span", "<span class=\"idea\"", 1)
        }
        _ => String::new(),
    };
    let within = if error.is_empty() { "" } else { "<span class=\"sr\"> within </span>" };
    format!("<td class=\"right\">✓ agrees{within}{error}</td>")
}
