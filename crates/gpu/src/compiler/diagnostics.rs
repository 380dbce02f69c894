//! NVRTC's messages, translated to the user's files.

use std::fmt::Write;

/// An error that the compiler reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, as the program or its `#include` names it.
    pub file: String,
    /// One-based line; 0 if the compiler names none.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// The errors in a compiler's log. Warnings and remarks are ignored: they are about code that compiles.
pub(super) fn errors(log: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut in_error = false;
    for line in log.lines() {
        if let Some((file, number, rest)) = located(line) {
            let message = rest.strip_prefix("catastrophic ").or_else(|| rest.strip_prefix("fatal ")).unwrap_or(rest);
            in_error = message.starts_with("error");
            if in_error {
                // `error: text` or `error #20: text`.
                let text = message.split_once(": ").map_or(message, |(_, text)| text);
                found.push(Diagnostic { file: file.to_owned(), line: number, message: text.trim().to_owned() });
            }
        } else if let Some(rest) = line.strip_prefix("nvrtc: error: ") {
            in_error = false;
            found.push(Diagnostic { file: String::new(), line: 0, message: rest.trim().to_owned() });
        } else if let (true, Some(last)) = (in_error, found.last_mut()) {
            // Long messages continue on lines indented by ten blanks; the source line that newer versions add is
            // indented by two.
            if line.starts_with("          ") && line.trim() != "^" && !line.trim().is_empty() {
                let continued = line.trim();
                let separator = if continued.starts_with("detected during") { "; " } else { " " };
                let _ = write!(last.message, "{separator}{continued}");
            } else {
                in_error = false;
            }
        }
    }
    found
}

/// `file(12): rest`.
fn located(line: &str) -> Option<(&str, usize, &str)> {
    let end = line.find("): ")?;
    let open = line[..end].rfind('(')?;
    let number = line[open + 1..end].parse().ok()?;
    Some((&line[..open], number, &line[end + 3..]))
}

/// The errors as text: `file:line: message`, each with its source line.
pub(super) fn render(errors: &[Diagnostic], source_line: impl Fn(&str, usize) -> Option<String>) -> String {
    const SHOWN: usize = 10;
    let mut out = String::new();
    for error in errors.iter().take(SHOWN) {
        if error.file.is_empty() {
            let _ = writeln!(out, "{}", error.message);
            continue;
        }
        let _ = writeln!(out, "{}:{}: {}", error.file, error.line, error.message);
        if let Some(text) = source_line(&error.file, error.line).filter(|t| !t.trim().is_empty()) {
            let _ = writeln!(out, "{:>6} | {}", error.line, printable(&text));
        }
    }
    if errors.len() > SHOWN {
        let _ = writeln!(out, "... and {} more", errors.len() - SHOWN);
    }
    out.truncate(out.trim_end().len());
    out
}

/// A source line for a terminal: no control characters, and clipped to a sensible length.
pub fn printable(line: &str) -> String {
    const LONGEST: usize = 200;
    let mut text: String =
        line.trim_end().chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.trim_end().chars().nth(LONGEST).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_of_old_and_new_versions_are_read() {
        let old = "t.cu(1): error: identifier \"x\" is undefined\n\n1 error detected in the compilation of \"t.cu\".\n";
        let new = "my (1).cu(12): error: identifier \"x\" is undefined\n  int a = x;\n          ^\n\nt.cu(3): warning #177-D: unused\n";
        let expected =
            |file: &str, line| Diagnostic { file: file.into(), line, message: "identifier \"x\" is undefined".into() };
        assert_eq!(errors(old), [expected("t.cu", 1)]);
        assert_eq!(errors(new), [expected("my (1).cu", 12)]);
        let stopped = errors("a.h(2): catastrophic error: could not open source file \"q.h\"\n");
        assert_eq!(stopped[0].message, "could not open source file \"q.h\"");
        assert!(errors("").is_empty());
    }

    #[test]
    fn errors_are_shown_with_their_line() {
        let error = Diagnostic { file: "t.cu".into(), line: 7, message: "bad".into() };
        let text = render(&[error], |_, _| Some("  int a;".into()));
        assert_eq!(text, "t.cu:7: bad\n     7 |   int a;");
    }
}
