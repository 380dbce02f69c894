//! A primitive: what it computes, and its ladder on every device.

use super::cell::{Origin, traced};
use super::tables::{self, Group};
use super::{Section, changes, figure};
use crate::output::number::{raised, significant};
use crate::pages::plot::escape;
use crate::pages::tour::{Ladder, Results, TourRow};
use std::fmt::Write;
use warpwise::Primitive;
use warpwise::primitive;

/// Devices in the order of the page, with the heading of each.
const DEVICES: [(&str, &str); 3] =
    [("cpu", "On the CPU"), ("cuda", "On the GPU"), ("emulator", "As GPU kernels, on the emulator")];

/// The measurements of a primitive on a device.
pub(super) fn rows<'a>(results: &'a Results, primitive: &str, device: &str) -> Vec<&'a TourRow> {
    let here = |row: &&TourRow| {
        let c = &row.row.configuration;
        !row.figure && c.primitive == primitive && c.device == device
    };
    results.rows.iter().filter(here).collect()
}

/// The section of a primitive; none if nothing of it ran.
pub(super) fn section(results: &Results, ladder: &Ladder, number: usize) -> Option<Section> {
    let name = ladder.primitive.as_str();
    let mut html = String::new();
    let known = primitive::find(name).ok();
    if let Some(Primitive { about, lesson, .. }) = known {
        let _ = writeln!(html, "<p class=\"what\">{about}</p>\n<p>{lesson}</p>");
    }
    let mut any = false;
    for (device, heading) in DEVICES {
        let rows = rows(results, name, device);
        if rows.is_empty() {
            continue;
        }
        any = true;
        let _ = writeln!(html, "<h3>{heading}</h3>");
        on_device(&mut html, results, ladder, (number, device), &rows);
    }
    html.push_str(&super::source::list(ladder));
    any.then(|| Section { id: format!("primitive-{}", number + 1), title: name.into(), html })
}

fn on_device(
    html: &mut String,
    results: &Results,
    ladder: &Ladder,
    (number, device): (usize, &str),
    rows: &[&TourRow],
) {
    let name = ladder.primitive.as_str();
    let emulated = rows.iter().any(|row| row.row.emulated);
    let groups = tables::groups(ladder, rows);
    let Some(main) = groups.first() else { return };
    for (i, group) in groups.iter().enumerate() {
        html.push_str(&tables::table(ladder, group, &refused(results, name, device, group), &caption(group)));
        let id = format!("p{number}{device}{i}");
        if emulated {
            html.push_str("<div class=\"side\">\n");
            let title = raised(&format!("{name}: warp instructions, {}", group.size));
            html.push_str(&figure::instructions(&id, &title, &group.rows).unwrap_or_default());
            let list = changes::list(group);
            if !list.is_empty() {
                let _ =
                    write!(html, "<div><h4>What each idea did, {}</h4>\n{list}</div>\n", escape(&raised(&group.size)));
            }
            html.push_str("</div>\n");
        }
    }
    if !emulated {
        let on = if device == "cpu" { "the CPU" } else { "the GPU" };
        let title = raised(&format!("{name}: speed-up, {}", main.size));
        let copy = results.device(device).and_then(|facts| facts.copy_gb_per_s);
        let plots = [
            figure::speedups(&format!("p{number}{device}s"), &title, &main.rows),
            figure::times(&format!("{name} on {on}: time"), rows),
            figure::rates(&format!("{name} on {on}: rate"), rows, copy),
        ];
        html.push_str(&limit(&main.rows));
        let _ = write!(html, "<div class=\"side\">\n{}</div>\n", plots.into_iter().flatten().collect::<String>());
    }
}

/// What limits the last rung, as far as its rates show.
fn limit(rows: &[&TourRow]) -> String {
    let Some(row) = rows.last().filter(|row| row.row.ok) else { return String::new() };
    let (Some(percent), Some(rate)) = (row.row.percent_of_copy, row.row.gb_per_s) else { return String::new() };
    let what = if percent >= 110.0 {
        "That is more than a copy of data larger than all caches moves: caches serve part of it."
    } else if percent >= 60.0 {
        "Memory is the limit: more cores or wider instructions cannot make it much faster."
    } else {
        "Memory could deliver more: computation is the limit, so cores and wide instructions pay off."
    };
    format!(
        "<p>{} moves {} GB/s of the bytes that it must move, {} % of what a copy moves. {what}</p>\n",
        escape(&row.row.configuration.variant),
        traced("span", &row.id, "gb_per_s", &significant(rate)),
        traced("span", &row.id, "percent_of_copy", &significant(percent)),
    )
}

/// `2^18 i32, random input`.
fn caption(group: &Group) -> String {
    let Some(row) = group.rows.first() else { return String::new() };
    let c = &row.row.configuration;
    let n = if c.rows.is_some() { "" } else { "n = " };
    let mut text = format!("{n}{} {}", raised(&group.size), c.ty);
    if primitive::find(&c.primitive).is_ok_and(|primitive| !primitive.computes()) {
        text = format!("{} threads", group.size);
    }
    if let Some(steps) = c.iterations {
        let _ = write!(text, ", {steps} steps");
    }
    if !c.input.is_empty() {
        let _ = write!(text, ", {} input", c.input);
    }
    text
}

/// The rungs that were refused at the size of a group.
fn refused(results: &Results, primitive: &str, device: &str, group: &Group) -> Vec<(String, String)> {
    let size = group.rows.first().map_or(0, |row| row.row.configuration.elements());
    let here = results.refused.iter().filter(|refusal| {
        let c = &refusal.configuration;
        c.primitive == primitive && c.device == device && c.elements() == size
    });
    here.map(|refusal| (refusal.configuration.variant.clone(), refusal.reason.clone())).collect()
}

/// The row of a variant at the largest size that was measured on a device; the last rung that agrees if no variant
/// is named.
pub(super) fn best<'a>(
    results: &'a Results,
    primitive: &str,
    device: &str,
    variant: Option<&str>,
) -> Option<&'a TourRow> {
    let rows = rows(results, primitive, device);
    let largest = rows.iter().map(|row| row.row.configuration.elements()).max()?;
    let fits = |row: &&&TourRow| {
        row.row.configuration.elements() == largest
            && row.row.ok
            && Origin::of(row) == Origin::Measured
            && variant.is_none_or(|name| row.row.configuration.variant == name)
    };
    rows.iter()
        .filter(fits)
        .min_by(|a, b| {
            let time = |row: &TourRow| row.row.median_ms.unwrap_or(f64::INFINITY);
            time(a).total_cmp(&time(b))
        })
        .copied()
}
