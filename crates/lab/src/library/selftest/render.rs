//! The suite's report as a table.

use super::SelftestReport;
use crate::output::number::duration;
use crate::output::{Align, Report, Style, Table, View};
use std::fmt::Write;

/// Failures that are shown; JSON has all of them.
const SHOWN: usize = 20;

impl Report for SelftestReport {
    const VIEWS: &'static [View<Self>] = &[
        View::Records(|report| Table::records("selftest", &report.rows)),
        View::Tables(|report| vec![variants(report)]),
    ];

    fn text(&self, _: Style) -> String {
        render(self)
    }
}

/// What passed, variant by variant.
fn variants(report: &SelftestReport) -> Table {
    let headings = [
        ("primitive", Align::Left),
        ("variant", Align::Left),
        ("passed", Align::Right),
        ("checks", Align::Right),
        ("largest error", Align::Right),
        ("time", Align::Right),
    ];
    let rows = report.rows.iter().map(|row| {
        vec![
            row.primitive.to_owned(),
            row.variant.to_owned(),
            row.passed.to_string(),
            row.checks.to_string(),
            if row.max_error == 0.0 { "0".to_owned() } else { format!("{:.1e}", row.max_error) },
            duration(row.time.as_secs_f64()),
        ]
    });
    Table::new("selftest", &headings, rows)
}

/// What passed, and the first failures.
fn render(report: &SelftestReport) -> String {
    let mut out = variants(report).text();
    for failure in report.failures.iter().take(SHOWN) {
        let _ = writeln!(out, "\n{} {}, {}:\n  {}", failure.primitive, failure.variant, failure.check, failure.message);
    }
    if report.failed > SHOWN {
        let _ = writeln!(out, "\n{} more failed; --json lists all of them", report.failed - SHOWN);
    }
    if let Some(seen) = &report.comparison {
        for d in seen.differences.iter().take(SHOWN) {
            let why = d.why.map(|why| format!("; {why}")).unwrap_or_default();
            let _ = writeln!(out, "\n{} launches left something different{why}\n  {}", d.count, d.first);
        }
        let kernels = seen.differences.iter().filter(|d| !d.expected).count();
        let (launches, bytes) = (seen.launches, seen.bytes);
        let free: usize = seen.differences.iter().filter(|d| d.expected).map(|d| d.count).sum();
        let but = if free > 0 { format!(", except {free} whose last bits are not fixed") } else { String::new() };
        let _ = match kernels {
            0 => writeln!(out, "\n{launches} launches left the same {bytes} bytes on the emulator and the GPU{but}"),
            n => writeln!(out, "\n{n} kernels differ between the emulator and the GPU, of {launches} launches"),
        };
    }
    let total = report.passed + report.failed;
    let took = duration(report.time.as_secs_f64());
    let _ = match report.failed {
        0 if report.interrupted => {
            writeln!(
                out,
                "\ninterrupted: {total} checks passed on the {} in {took}, the rest did not run",
                report.device
            )
        }
        0 => writeln!(out, "\nall {total} checks passed on the {} in {took}", report.device),
        failed => writeln!(out, "\n{failed} of {total} checks failed on the {} in {took}", report.device),
    };
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Failure, Row};
    use super::*;
    use std::time::Duration;
    use warpwise::{Comparison, Difference};

    #[test]
    fn failures_are_shown_and_counted() {
        let failure = Failure {
            primitive: "reduce",
            variant: "cpu-seq",
            check: "sum f32, n = 7".into(),
            message: "1 differ; [0] is 2 and should be 3".into(),
        };
        let row = Row {
            primitive: "reduce",
            variant: "cpu-seq",
            passed: 3,
            checks: 33,
            max_error: 0.5,
            time: Duration::from_millis(12),
        };
        let report = SelftestReport {
            schema: 1,
            device: "cpu".into(),
            passed: 3,
            failed: 30,
            failures: vec![failure; 30],
            interrupted: false,
            comparison: None,
            rows: vec![row],
            time: Duration::from_secs(2),
        };
        let text = render(&report);
        for part in ["reduce     cpu-seq", "5.0e-1  12.00 ms", "[0] is 2", "10 more failed", "30 of 33 checks failed"] {
            assert!(text.contains(part), "`{part}` in:\n{text}");
        }
        assert!(report.to_json().starts_with(r#"{"schema":1,"device":"cpu","passed":3,"failed":30,"failures":[{"#));
    }

    #[test]
    fn differences_that_may_be_are_told_apart() {
        let difference = |kernel: &str, only_nans| Difference {
            kernel: kernel.into(),
            buffer: 1,
            bytes: 64,
            differing: 2,
            first_byte: 8,
            words: [[1; 8], [2; 8]],
            only_nans,
        };
        let with = |differences| SelftestReport {
            schema: 1,
            device: "both".into(),
            passed: 3,
            failed: 0,
            failures: Vec::new(),
            interrupted: false,
            comparison: Some(Comparison { launches: 10, bytes: 64, differences }.into()),
            rows: Vec::new(),
            time: Duration::from_secs(2),
        };
        let free =
            ["scan_7_look_back_inclusive_sum_f32", "matmul_10_tensor_split_f32"].map(|name| difference(name, false));
        let nans = difference("by_key_totals_sum_f64", true);
        let expected = with([&free[..], &free, &[nans.clone(), nans]].concat());
        let text = render(&expected);
        let parts =
            ["its order of operations is not fixed", "tensor cores truncate", "which of two NaNs", "except 6 whose"];
        for part in parts {
            assert!(text.contains(part), "`{part}` in:\n{text}");
        }
        assert!(expected.ok(), "{text}");
        assert!(render(&with(Vec::new())).contains("10 launches left the same 64 bytes on the emulator and the GPU\n"));
        // A difference of another kind is none of those that may be, of the same kernel as well.
        let wrong = with(["by_key_totals_sum_f64", "vecadd_grid_i32"].map(|name| difference(name, false)).to_vec());
        assert!(!wrong.ok() && render(&wrong).contains("2 kernels differ"));
        let both = with([true, false].map(|only_nans| difference("by_key_totals_sum_f64", only_nans)).to_vec());
        assert!(!both.ok() && render(&both).contains("1 kernels differ"));
    }
}
