//! Findings as text, with the line that is wrong.

use super::Finding;
use crate::output::{Style, clean};
use std::fmt::Write;
use warpwise_gpu::compiler::printable;

/// A finding with the lines it is about and what to do.
pub(crate) fn describe(out: &mut String, finding: &Finding, style: Style) {
    let colour = if finding.is_error() { "31;1" } else { "33;1" };
    let head = style.paint(colour, &format!("{}: {}", finding.severity, finding.kind));
    let _ = writeln!(out, "{head}{}: {}", finding.times(), clean(&finding.message));
    if let (Some(file), Some(line)) = (&finding.file, finding.line) {
        let ptx = match finding.ptx_line {
            Some(ptx_line) if !finding.in_ptx => format!(" (PTX line {ptx_line})"),
            _ => String::new(),
        };
        let kernel = finding.kernel.as_ref().map_or(String::new(), |k| format!(" in {}", clean(k)));
        let _ = writeln!(out, "  at {}:{line}{ptx}{kernel}", clean(file));
        if !finding.in_ptx {
            quote(out, line, finding.excerpt.as_deref());
        }
        if let Some(instruction) = &finding.instruction {
            let mark = if finding.in_ptx { line.to_string() } else { "PTX".to_owned() };
            let _ = writeln!(out, "{mark:>6} | {}", printable(instruction.trim()));
        }
    }
    if let (Some(file), Some(line)) = (&finding.other_file, finding.other_line) {
        let same = Some(file) == finding.file.as_ref() && Some(line) == finding.line;
        let thread = match (finding.other_thread, finding.other_block) {
            (Some([x, y, z]), Some([bx, by, bz])) => format!(" by thread ({x}, {y}, {z}) of block ({bx}, {by}, {bz})"),
            _ => String::new(),
        };
        let where_ = if same { "the same line".to_owned() } else { format!("{}:{line}", clean(file)) };
        let _ = writeln!(out, "  and {where_}{thread}");
        if !same {
            quote(out, line, finding.other_excerpt.as_deref());
        }
    }
    if !finding.advice.is_empty() {
        let _ = writeln!(out, "  {} {}", style.paint("36", "try:"), clean(&finding.advice));
    }
}

fn quote(out: &mut String, line: u32, text: Option<&str>) {
    if let Some(text) = text {
        let _ = writeln!(out, "{line:>6} | {}", printable(text));
    }
}
