//! Findings as text, with the line that is wrong.

use super::{Finding, SuppressedBy, Suppression};
use crate::output::{Style, clean};
use std::fmt::Write;
use warpwise_gpu::compiler::printable;

/// Text of one or more lines, those after the first indented.
fn lines(text: &str) -> String {
    text.trim_end().lines().map(clean).collect::<Vec<_>>().join("\n  ")
}

/// A finding with the lines it is about and what to do.
pub(crate) fn describe(out: &mut String, finding: &Finding, style: Style) {
    let colour = match (finding.counts(), finding.is_error()) {
        (false, _) => "2",
        (true, true) => "31;1",
        (true, false) => "33;1",
    };
    let state = finding.state().map_or(String::new(), |state| format!(", {state}"));
    let head = style.paint(colour, &format!("{}: {}{state}", finding.severity, finding.kind));
    let _ = writeln!(out, "{head}{}: {}", finding.times(), lines(&finding.message));
    if let (Some(file), Some(line)) = (&finding.file, finding.line) {
        let ptx = match finding.ptx_line {
            Some(ptx_line) if !finding.in_ptx => format!(" (PTX line {ptx_line})"),
            _ => String::new(),
        };
        let kernel = finding.kernel.as_ref().map_or(String::new(), |k| format!(" in {}", clean(k)));
        let kernel = kernel + &launch(finding);
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
    if let (Some(file), Some(line)) = (&finding.host_file, finding.host_line) {
        let _ = writeln!(out, "  launched at {}:{line}", clean(file));
        quote(out, line, finding.host_excerpt.as_deref());
    }
    if let Some(Suppression { by: SuppressedBy::Comment, line, reason }) = &finding.suppressed {
        let reason = reason.as_ref().map_or(String::new(), |reason| format!(": {}", clean(reason)));
        let _ = writeln!(out, "  allowed by the comment at line {line}{reason}");
    } else if !finding.advice.is_empty() {
        let _ = writeln!(out, "  {} {}", style.paint("36", "try:"), clean(&finding.advice));
    }
}

/// Which launches of a program it is about.
fn launch(finding: &Finding) -> String {
    match (finding.launch, finding.launches) {
        (Some(first), Some(2)) => format!(", launch {first} and another"),
        (Some(first), Some(many)) if many > 2 => format!(", launch {first} and {} others", many - 1),
        (Some(first), _) => format!(", launch {first}"),
        _ => String::new(),
    }
}

fn quote(out: &mut String, line: u32, text: Option<&str>) {
    if let Some(text) = text {
        let _ = writeln!(out, "{line:>6} | {}", printable(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_of_programs_are_told_with_the_line_of_the_host() {
        let finding = Finding {
            file: Some("a.cu".to_owned()),
            line: Some(3),
            kernel: Some("sum".to_owned()),
            launch: Some(2),
            launches: Some(5),
            host_file: Some("a.cu".to_owned()),
            host_line: Some(9),
            host_excerpt: Some("sum<<<1, 64>>>(x);".to_owned()),
            ..Finding::new("race", "error", "two writes".to_owned(), 1)
        };
        let mut text = String::new();
        describe(&mut text, &finding, Style::default());
        let expected = "error: race: two writes\n  at a.cu:3 in sum, launch 2 and 4 others\n  launched at a.cu:9\n     \
                        9 | sum<<<1, 64>>>(x);\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_does_not_count_says_so() {
        let error = Finding::new("race", "error", "two writes".to_owned(), 3);
        let text = |finding: &Finding| {
            let mut text = String::new();
            describe(&mut text, finding, Style::default());
            text
        };
        assert_eq!(text(&error), "error: race (3 times): two writes\n");
        let known = Finding { known: Some(true), ..error.clone() };
        assert_eq!(text(&known), "error: race, known (3 times): two writes\n");
        let reason = Some("both write 1".to_owned());
        let suppressed = Some(Suppression { by: SuppressedBy::Comment, line: 6, reason });
        let expected =
            "error: race, suppressed (3 times): two writes\n  allowed by the comment at line 6: both write 1\n";
        assert_eq!(text(&Finding { suppressed, ..error }), expected);
    }
}
