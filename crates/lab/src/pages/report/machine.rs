//! What was run, and on what.

use super::Section;
use super::cell::Origin;
use crate::output::number::significant;
use crate::pages::plot::escape;
use crate::pages::tour::Results;
use std::fmt::Write;

/// The first lines of the page: the outcome, and when and how it was made.
pub(super) fn lead(results: &Results) -> String {
    let wrong = results.rows.iter().filter(|row| !row.row.ok).count();
    let rows = results.rows.len();
    let verdict = match (results.ok(), rows) {
        (_, 0) => "Nothing was run.".to_owned(),
        (true, _) => format!("{rows} configurations ran, and every one agrees with the reference."),
        (false, _) => {
            format!("{rows} configurations ran, and {wrong} of them do <strong>not</strong> agree with the reference.")
        }
    };
    let note = if results.interrupted { " The tour was ended early: these are the results so far." } else { "" };
    let host = &results.host;
    let mut made: Vec<String> = [&results.date, &host.cpu, &results.command].map(|text| escape(text)).into();
    made.retain(|text| !text.is_empty());
    format!(
        "<p class=\"lead\">Every primitive of the library, from the naive kernel to the production one: verified, \
         measured if the hardware is present, counted if not.</p>\n\
         <p>{verdict}{note}</p>\n<p class=\"aside\">{}</p>\n",
        made.join(" · ")
    )
}

/// What the badges mean.
pub(super) fn legend() -> String {
    let meanings = [
        (Origin::Measured, "timed in this run, on this machine"),
        (Origin::Emulated, "counted in this run, on the built-in emulator of a GPU; never a time"),
        (Origin::Estimated, "what a model of a GPU makes of what was counted; never measured"),
        (Origin::Published, "printed by others, on their machines"),
    ];
    let mut legend = String::new();
    for (origin, meaning) in meanings {
        let _ = writeln!(legend, "<li>{} {meaning}</li>", origin.badge());
    }
    format!("<ul class=\"legend\" aria-label=\"Where numbers come from\">\n{legend}</ul>\n")
}

/// The section.
pub(super) fn section(results: &Results) -> Section {
    let host = &results.host;
    let cpu = if host.cpu.is_empty() { "unknown processor" } else { host.cpu.as_str() };
    let mut facts = vec![
        ("processor", escape(&format!("{cpu}, {} cores, {}", host.cores, host.simd))),
        ("system", escape(&format!("{} {}", host.os, host.arch))),
        ("program", escape(&format!("warpwise {}", host.warpwise))),
        ("tour", format!("{}, {:.0} s", if results.quick { "quick" } else { "full" }, results.seconds)),
    ];
    for (name, text) in [("date", &results.date), ("command", &results.command)] {
        if !text.is_empty() {
            facts.push((name, escape(text)));
        }
    }
    for device in &results.devices {
        let mut text = match (device.kind.as_str(), &device.gpu) {
            ("gpu", Some(name)) => name.clone(),
            ("emulator", _) => "SIMT emulator with the limits of an H200".into(),
            _ => "all cores".into(),
        };
        if let (Some(cc), Some(sms)) = (&device.compute_capability, device.multiprocessors) {
            let _ = write!(text, ", compute capability {cc}, {sms} multiprocessors");
        }
        let mut text = escape(&format!("{}: {text}", device.name));
        if let Some(copy) = device.copy_gb_per_s {
            let from = format!("data-device=\"{}\" data-field=\"copy_gb_per_s\"", escape(&device.name));
            let _ = write!(text, "; a copy moves <span {from}>{}</span> GB/s", significant(copy));
        }
        facts.push(("device", text));
    }
    if results.device("cuda").is_none() {
        facts.push(("GPU", "none in this run: GPU kernels ran on the emulator".into()));
    }
    let mut html = String::from("<dl class=\"facts\">\n");
    for (name, text) in facts {
        let _ = writeln!(html, "<div><dt>{name}</dt><dd>{text}</dd></div>");
    }
    html.push_str("</dl>\n");
    if !results.notes.is_empty() {
        let items: String = results.notes.iter().map(|note| format!("<li>{}</li>\n", escape(note))).collect();
        let _ = write!(html, "<p>What could not be done:</p>\n<ul>\n{items}</ul>\n");
    }
    Section { id: "machine".into(), title: "What was run, and on what".into(), html }
}
