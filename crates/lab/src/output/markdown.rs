//! Markdown, as code hosts show it in issues and notes: tables under their titles, findings as a list.

use super::{Exporter, Findings, Form, Table};
use crate::kernels::finding::Finding;

pub(super) const EXPORTER: Exporter = Exporter {
    name: "markdown",
    about: "Tables and lists, for issues and notes",
    forms: &[Form::Tables(tables), Form::Findings(list), Form::Records(Table::markdown)],
};

/// Tables, each under its title.
fn tables(all: &[Table]) -> String {
    let parts: Vec<String> = all.iter().map(|table| format!("### {}\n\n{}", table.title, table.markdown())).collect();
    parts.join("\n")
}

/// One item per finding.
fn list(findings: &[Findings<'_>]) -> String {
    match findings.iter().all(|findings| findings.all.is_empty()) {
        true => "No findings.\n".to_owned(),
        false => findings.iter().flat_map(|findings| findings.all).map(item).collect(),
    }
}

fn item(finding: &Finding) -> String {
    let times = finding.times();
    let place = match (&finding.file, finding.line) {
        (Some(file), Some(line)) => format!(", at `{file}:{line}`"),
        _ => String::new(),
    };
    let advice = if finding.advice.is_empty() { String::new() } else { format!(". Try: {}", finding.advice) };
    let state = finding.state().map_or(String::new(), |state| format!(" ({state})"));
    let text = format!("**{}: {}**{state}{times}: {}{place}{advice}.", finding.severity, finding.kind, finding.message);
    format!("- {}\n", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::source::SourceMap;
    use warpwise_gpu::{Fault, FaultKind, Place};

    #[test]
    fn every_table_has_its_title() {
        let table = |title: &str| Table::facts(title, [("a|b", "two\nlines".to_owned())]);
        let expected = "\
### one

| what | value     |
|------|-----------|
| a\\|b | two lines |

### two

| what | value     |
|------|-----------|
| a\\|b | two lines |
";
        assert_eq!(tables(&[table("one"), table("two")]), expected);
    }

    #[test]
    fn findings_are_a_list() {
        let fault = Fault {
            kind: FaultKind::OutOfBounds,
            message: "load of 4 bytes at 0x10".to_owned(),
            place: Some(Box::new(Place {
                function: "sum".into(),
                ptx_line: 20,
                instruction: "ld.global.u32 %r1, [%rd1];".into(),
                source: None,
                inner: None,
                block: [1, 0, 0],
                thread: [7, 0, 0],
            })),
            address: Some(16),
            printed: String::new(),
            findings: Vec::new(),
        };
        let sources = SourceMap::of_launches("reduce", &[]).expect("its kernels are in the library");
        let mut finding = Finding::of_fault(&fault, &sources);
        (finding.file, finding.line, finding.advice) = (Some("sum.cu".into()), Some(7), "check the index".into());
        let all = [finding.clone(), Finding { count: 3, ..finding }];
        let findings = Findings { all: &all, file: String::new(), kernel: None, refused: false };
        let text = list(std::slice::from_ref(&findings));
        let start = "- **error: out_of_bounds**: load of 4 bytes at 0x10, by thread (7, 0, 0) of block (1, 0, 0)";
        assert!(text.starts_with(start), "{text}");
        assert!(
            text.contains(", at `sum.cu:7`. Try: check the index.\n- **error: out_of_bounds** (3 times): "),
            "{text}"
        );
        assert_eq!(list(&[Findings { all: &[], ..findings }]), "No findings.\n");
    }
}
