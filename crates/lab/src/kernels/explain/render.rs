//! An explanation as text.

use super::report::{Diagnosis, Explanation, KernelReport, LineReport, Managed, Measure, Target};
use crate::output::number::article;
use crate::output::{Align, Report, Style, Table, View, clean};
use serde::Serialize;
use std::fmt::Write;
use warpwise_gpu::compiler::printable;

impl Report for Explanation {
    const VIEWS: &'static [View<Self>] =
        &[View::Records(lines), View::Tables(|explanation| explanation.kernels.iter().map(measures).collect())];

    fn text(&self, style: Style) -> String {
        render(self, style)
    }
}

/// What each line did.
fn lines(explanation: &Explanation) -> Table {
    #[derive(Serialize)]
    struct Record<'a> {
        kernel: &'a str,
        #[serde(flatten)]
        line: &'a LineReport,
    }
    let all = explanation
        .kernels
        .iter()
        .flat_map(|kernel| kernel.lines.iter().map(|line| Record { kernel: &kernel.kernel, line }));
    Table::records("explain", all)
}

/// The whole explanation, with every source line between the first and the last executed one, or only the hot ones.
fn render(explanation: &Explanation, style: Style) -> String {
    let mut out = String::new();
    title(&mut out, explanation, style);
    if let Some(first) = explanation.diagnoses.first() {
        let _ = writeln!(out, "{}", clean(&first.sentence));
    }
    for kernel in &explanation.kernels {
        out.push('\n');
        describe(&mut out, kernel, style);
        out.push('\n');
        heat(&mut out, &kernel.lines, explanation.all_lines, style);
    }
    let _ = writeln!(out, "\n{}", style.paint("1", "What costs most, in the order to mend it"));
    for (number, diagnosis) in explanation.diagnoses.iter().enumerate() {
        tell(&mut out, number + 1, diagnosis, explanation.kernels.len() > 1, style);
    }
    out
}

/// What is explained.
pub(super) fn title_of(out: &mut String, target: &Target, style: Style) {
    match target {
        Target::Rung { primitive, variant, element, size, idea } => {
            let name = style.paint("1", &format!("{primitive} {variant}"));
            let _ = writeln!(out, "{name}  {element}, {size}: {idea}");
        }
        Target::File { file, kernel } => {
            let _ = writeln!(out, "{}  of {}", style.paint("1", &clean(kernel)), clean(file));
        }
    }
}

pub(super) fn title(out: &mut String, explanation: &Explanation, style: Style) {
    title_of(out, &explanation.target, style);
    let launches = match explanation.launches {
        1 => "1 launch".to_owned(),
        n => format!("{n} launches"),
    };
    let us = explanation.estimated_us;
    let held = explanation.bound.map_or(String::new(), |bound| format!(", held by {}", bound.name()));
    let _ = writeln!(
        out,
        "{launches}, estimated at {} us on {} {}{held}",
        number(us),
        article(&explanation.gpu),
        explanation.gpu
    );
    if let Some(managed) = &explanation.managed {
        let _ = writeln!(out, "{}", on_the_way(managed, us));
    }
}

/// Managed memory on its way to the GPU, beside the time of the kernels.
fn on_the_way(managed: &Managed, us: f64) -> String {
    let arrays = if managed.arrays == 1 { "1 array".to_owned() } else { format!("{} arrays", managed.arrays) };
    let how = if managed.faults { "page by page, as threads fault on it" } else { "whole, before the first kernel" };
    let times = managed.estimated_us / us.max(1e-3);
    let beside =
        if times >= 1.5 { format!(": {} times as long", number(super::kernel::round(times))) } else { String::new() };
    format!(
        "managed memory that the host has filled ({} bytes in {arrays}) comes to the GPU {how}, in an estimated {} us{beside}",
        managed.bytes,
        number(managed.estimated_us)
    )
}

fn describe(out: &mut String, kernel: &KernelReport, style: Style) {
    let launches =
        if kernel.launches > 1 { format!(", {} launches, the largest", kernel.launches) } else { ",".into() };
    let shared = if kernel.shared_bytes > 0 {
        format!(", {} bytes of shared memory a block", kernel.shared_bytes)
    } else {
        String::new()
    };
    let name = style.paint("1", &clean(&kernel.kernel));
    let (grid, block) = (shape(kernel.grid), shape(kernel.block));
    let _ = writeln!(out, "{name}{launches} grid {grid} x block {block}{shared}");
    out.push_str(&measures(kernel).text());
    if let Some(figures) = &kernel.figures {
        let percent = |value: f64| format!("{value:.0} %");
        let _ = writeln!(
            out,
            "estimated: {} us held by {}; compute {}, memory {}, DRAM {}; L1 hits {}, L2 hits {}; occupancy {} of {}",
            number(super::kernel::round(figures.kernel_us)),
            figures.bound.name(),
            percent(figures.compute_percent),
            percent(figures.memory_percent),
            percent(figures.dram_percent),
            percent(figures.l1_hit_percent),
            percent(figures.l2_hit_percent),
            percent(figures.achieved_occupancy_percent),
            percent(figures.occupancy_percent),
        );
    }
}

/// Counters beside the ideal.
fn measures(kernel: &KernelReport) -> Table {
    let row = |m: &Measure| {
        let unit = if m.unit.is_empty() { String::new() } else { format!(" {}", m.unit) };
        let ideal = m.ideal.map_or(String::new(), |ideal| format!("{}{unit}", number(ideal)));
        vec![m.name.to_owned(), format!("{}{unit}", number(m.value)), ideal]
    };
    let headings = [("counter", Align::Left), ("value", Align::Right), ("ideal", Align::Right)];
    Table::new(format!("explain {}", clean(&kernel.kernel)), &headings, kernel.measures.iter().map(row))
}

/// A line is hot if it has this share of the instructions, sectors, conflicts or divergent branches.
const HOT: f64 = 4.0;
/// Gaps between hot lines up to this many lines are shown.
const GAP: u32 = 2;

fn heat(out: &mut String, lines: &[LineReport], all: bool, style: Style) {
    let sum = |value: fn(&LineReport) -> u64| lines.iter().map(value).sum::<u64>().max(1) as f64;
    let (sectors, conflicts, divergent) = (sum(|l| l.sectors), sum(|l| l.conflicts), sum(|l| l.divergent_branches));
    let hot = |l: &LineReport| {
        let parts = [
            l.instructions_percent,
            100.0 * l.sectors as f64 / sectors,
            100.0 * l.conflicts as f64 / conflicts,
            100.0 * l.divergent_branches as f64 / divergent,
        ];
        all || parts.iter().any(|&part| part >= HOT)
    };
    let mut file = "";
    let mut last = 0;
    for line in lines.iter().filter(|l| hot(l)) {
        if line.file != file {
            file = &line.file;
            last = 0;
            let _ = writeln!(out, "{}", style.paint("1", &clean(file)));
            let _ = writeln!(out, "{}", style.paint("2", HEADING));
        }
        let between: Vec<&LineReport> =
            lines.iter().filter(|l| l.file == file && l.line > last && l.line < line.line).collect();
        if last > 0 && line.line - last > GAP + 1 && !all {
            let _ = writeln!(out, "{:>width$}", "...", width = HEADING.len());
        } else if last > 0 {
            for cold in between {
                row(out, cold, style);
            }
        }
        row(out, line, style);
        last = line.line;
    }
}

const HEADING: &str = "     instructions   lanes     sectors   conflicts   divergent    line";

fn row(out: &mut String, line: &LineReport, style: Style) {
    let some = |value: u64| if value > 0 { value.to_string() } else { String::new() };
    let bar = "#".repeat((line.instructions_percent / 100.0 * 10.0).round() as usize);
    let numbers = format!(
        "{bar:>10}{:>5.1} %{:>8.1}{:>12}{:>12}{:>12}",
        line.instructions_percent,
        line.lanes,
        some(line.sectors),
        some(line.conflicts),
        some(line.divergent_branches),
    );
    let colour = match line.instructions_percent {
        p if p >= 20.0 => "31",
        p if p >= 8.0 => "33",
        _ => "0",
    };
    let text = line.text.as_deref().map_or(String::new(), printable);
    let _ = writeln!(out, "{}{:>8} | {text}", style.paint(colour, &numbers), line.line);
}

fn tell(out: &mut String, number: usize, diagnosis: &Diagnosis, name: bool, style: Style) {
    let kernel = if name { format!("[{}] ", clean(&diagnosis.kernel)) } else { String::new() };
    let _ = writeln!(out, "{number}. {kernel}{}", clean(&diagnosis.sentence));
    let _ = writeln!(out, "   {} {}", style.paint("36", "try:"), clean(&diagnosis.remedy));
}

/// A number with the digits that matter.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 || value.abs() >= 100.0 || value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

/// `16384`, or `(128, 64)` if it has more than one dimension.
fn shape([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("({x}, {y})"),
        _ => format!("({x}, {y}, {z})"),
    }
}
