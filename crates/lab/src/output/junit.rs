//! Launches as JUnit XML, the format in which CI systems read the results of tests.

use super::{Case, Exporter, Form, Suite};
use std::fmt::Write;

pub(super) const EXPORTER: Exporter =
    Exporter { name: "junit", about: "JUnit XML, for CI systems", forms: &[Form::Cases(document)] };

/// All suites in one document.
fn document(suites: &[Suite]) -> String {
    let all: Vec<&Case> = suites.iter().flat_map(|suite| &suite.cases).collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"warpwise\"{}>", numbers(&all));
    for suite in suites {
        let cases: Vec<&Case> = suite.cases.iter().collect();
        let _ = writeln!(out, "  <testsuite name=\"{}\"{}>", escape(&suite.name), numbers(&cases));
        cases.iter().for_each(|case| element(&mut out, case));
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// How many cases there are, how many of them are bad, and how long they took.
fn numbers(cases: &[&Case]) -> String {
    let bad =
        |is_error: bool| cases.iter().filter_map(|c| c.problem.as_ref()).filter(|p| p.is_error == is_error).count();
    let seconds: f64 = cases.iter().filter_map(|case| case.seconds).sum();
    let (failures, errors) = (bad(false), bad(true));
    format!(
        " tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"{seconds:.6}\"",
        cases.len()
    )
}

fn element(out: &mut String, case: &Case) {
    let _ = write!(out, "    <testcase name=\"{}\" classname=\"{}\"", escape(&case.name), escape(&case.group));
    if let Some((file, line)) = &case.place {
        let _ = write!(out, " file=\"{}\" line=\"{line}\"", escape(file));
    }
    if let Some(seconds) = case.seconds {
        let _ = write!(out, " time=\"{seconds:.6}\"");
    }
    let Some(problem) = &case.problem else {
        out.push_str("/>\n");
        return;
    };
    let name = if problem.is_error { "error" } else { "failure" };
    let (kind, message, text) = (escape(problem.kind), escape(&problem.message), escape(&problem.text));
    let _ = writeln!(out, ">\n      <{name} type=\"{kind}\" message=\"{message}\">{text}</{name}>\n    </testcase>");
}

/// A text as XML can hold it: without markup, and without the control characters that XML has no way to write.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Problem;

    #[test]
    fn cases_are_counted_and_shown() {
        let good = Case {
            name: "a <b>".to_owned(),
            group: "k.cu".to_owned(),
            place: Some(("l.toml".to_owned(), 3)),
            seconds: Some(0.25),
            problem: None,
        };
        let problem = |is_error| Problem {
            is_error,
            kind: "race",
            message: "\"x\" & y".to_owned(),
            text: "two\nlines\u{1b}\n".to_owned(),
        };
        let failed = Case { seconds: None, place: None, problem: Some(problem(false)), ..good.clone() };
        let wrong = Case { problem: Some(problem(true)), ..good.clone() };
        let suites = [
            Suite { name: "l.toml".to_owned(), cases: vec![good, failed] },
            Suite { name: "m.toml".to_owned(), cases: vec![wrong] },
        ];
        let expected = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"warpwise\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\" time=\"0.500000\">
  <testsuite name=\"l.toml\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"0.250000\">
    <testcase name=\"a &lt;b&gt;\" classname=\"k.cu\" file=\"l.toml\" line=\"3\" time=\"0.250000\"/>
    <testcase name=\"a &lt;b&gt;\" classname=\"k.cu\">
      <failure type=\"race\" message=\"&quot;x&quot; &amp; y\">two\nlines\u{fffd}\n</failure>
    </testcase>
  </testsuite>
  <testsuite name=\"m.toml\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0.250000\">
    <testcase name=\"a &lt;b&gt;\" classname=\"k.cu\" file=\"l.toml\" line=\"3\" time=\"0.250000\">
      <error type=\"race\" message=\"&quot;x&quot; &amp; y\">two\nlines\u{fffd}\n</error>
    </testcase>
  </testsuite>
</testsuites>
";
        assert_eq!(document(&suites), expected);
    }
}
