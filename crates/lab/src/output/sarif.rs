//! Findings as SARIF 2.1.0, the format that code hosts show beside the lines of a change.

use super::{Exporter, Findings, Form};
use crate::kernels::finding::{Finding, SuppressedBy};
use serde_json::{Value, json};
use warpwise_trace::HOST_KINDS;

pub(super) const EXPORTER: Exporter = Exporter {
    name: "sarif",
    about: "SARIF 2.1.0, for code hosts and editors",
    forms: &[Form::Findings(|findings| log(findings) + "\n")],
};

/// Every kind of finding with what it means.
const RULES: [(&str, &str); 12] = [
    ("race", "Two accesses to the same bytes with no order between them, at least one a write."),
    ("out_of_bounds", "An access outside every buffer and variable."),
    ("misaligned", "An access at an address that is not a multiple of its size."),
    ("uninitialized", "A read of memory that was never written."),
    ("barrier_divergence", "A barrier or warp operation that not all of its threads reach together."),
    ("deadlock", "Threads wait for something that can no longer happen."),
    ("timeout", "The kernel did not end within its budget of instructions."),
    ("trap", "The kernel trapped, or an assertion failed."),
    ("launch_limit", "The launch asks for more than the GPU has."),
    ("unsupported", "An instruction that the emulator does not execute."),
    ("stack_overflow", "A thread needs more memory or call depth than it has."),
    ("division_by_zero", "An integer division by zero, the result of which is not defined."),
];

/// Kinds that are found only if asked for, and those of launch files.
const FURTHER_RULES: [(&str, &str); 3] = [
    ("idle_barrier", "A barrier that orders nothing."),
    ("expectation", "A launch that did not do what its launch file expects."),
    ("bad_launch", "A launch that cannot run as its launch file says."),
];

/// The rules: those of kernels, and those of hosts.
fn all_rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    RULES.iter().chain(&FURTHER_RULES).copied().chain(HOST_KINDS.map(|kind| (kind.name(), kind.about())))
}

/// The name of the fingerprints in a log.
pub(crate) const FINGERPRINT: &str = "warpwise/v1";

/// A log of one run of the tool.
fn log(runs: &[Findings<'_>]) -> String {
    let rules: Vec<Value> =
        all_rules().map(|(id, text)| json!({"id": id, "shortDescription": {"text": text}})).collect();
    let of = |findings: &Findings<'_>| -> Vec<Value> { findings.all.iter().map(|f| result(f, findings)).collect() };
    let results: Vec<Value> = runs.iter().flat_map(of).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "warpwise",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": [{"executionSuccessful": !runs.iter().any(|run| run.refused)}],
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).expect("a log has only strings, numbers and lists")
}

fn result(finding: &Finding, findings: &Findings<'_>) -> Value {
    let times = finding.times();
    let advice = if finding.advice.is_empty() { String::new() } else { format!(" {}.", finding.advice) };
    let mut result = json!({
        "ruleId": finding.kind,
        "level": finding.severity,
        "message": {"text": format!("{}{times}.{advice}", finding.message)},
        "locations": [location(finding.file.as_deref().filter(|_| is_file(finding)), finding.line, findings)],
        "partialFingerprints": {FINGERPRINT: fingerprint(finding, findings)},
    });
    if let Some(index) = all_rules().position(|(id, _)| id == finding.kind) {
        result["ruleIndex"] = json!(index);
    }
    if let Some(line) = finding.other_line {
        let mut other = location(finding.other_file.as_deref(), Some(line), findings);
        other["message"] = json!({"text": "the other access"});
        result["relatedLocations"] = json!([other]);
    }
    if let Some(suppressed) = &finding.suppressed {
        let kind = match suppressed.by {
            SuppressedBy::Comment => "inSource",
            SuppressedBy::LaunchFile => "external",
        };
        result["suppressions"] = json!([{"kind": kind}]);
        if let Some(reason) = &suppressed.reason {
            result["suppressions"][0]["justification"] = json!(reason);
        }
    }
    if let Some(known) = finding.known {
        result["baselineState"] = json!(if known { "unchanged" } else { "new" });
    }
    result
}

/// PTX that was compiled in memory is not a file.
fn is_file(finding: &Finding) -> bool {
    !(finding.in_ptx && finding.file.as_deref().is_some_and(|f| !f.ends_with(".ptx")))
}

/// A place in a file; by default, in the file that was checked.
fn location(file: Option<&str>, line: Option<u32>, findings: &Findings<'_>) -> Value {
    let mut physical =
        json!({"artifactLocation": {"uri": uri(file.filter(|f| !f.is_empty()).unwrap_or(&findings.file))}});
    if let Some(line) = line.filter(|&line| line > 0 && file.is_some()) {
        physical["region"] = json!({"startLine": line});
    }
    json!({"physicalLocation": physical})
}

/// A path as a URI reference: relative ones stay relative, and characters that a URI cannot hold are escaped.
fn uri(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    let mut out = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        match byte {
            b'\\' if cfg!(windows) => out.push('/'),
            b if plain(b) => out.push(char::from(b)),
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

/// A fingerprint that stays the same when the line of a mistake moves: made from the kind, the kernel and
/// the texts of the lines (FNV-1a).
pub(crate) fn fingerprint(finding: &Finding, findings: &Findings<'_>) -> String {
    let kernel = finding.kernel.as_deref().or(findings.kernel);
    let text = |excerpt: &Option<String>, line: Option<u32>| match excerpt {
        Some(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        None => line.map_or(String::new(), |line| line.to_string()),
    };
    let parts = [
        finding.kind.to_owned(),
        finding.file.clone().unwrap_or_default(),
        kernel.unwrap_or_default().to_owned(),
        text(&finding.excerpt, finding.line),
        text(&finding.other_excerpt, finding.other_line),
    ];
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("src/a b.cu"), "src/a%20b.cu");
        assert_eq!(uri("/home/x/k.cu"), "file:///home/x/k.cu");
        assert_eq!(uri("ä?#%.cu"), "%C3%A4%3F%23%25.cu");
        assert_eq!(uri("a:b"), "a%3Ab");
    }

    #[test]
    fn every_kind_of_finding_is_a_rule() {
        for kind in crate::kernels::finding::kinds() {
            assert!(all_rules().any(|(id, _)| id == kind), "{kind}");
        }
    }
}
