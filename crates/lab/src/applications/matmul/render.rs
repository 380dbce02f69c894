//! The product as text.

use super::{Corner, Report};
use crate::applications::Verified;
use crate::output::number::{duration, flops};
use crate::output::{self, Style, Table, View};
use serde::Serialize;
use std::fmt::Write;

/// Which matrices are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// None.
    #[default]
    Nothing,
    /// The product.
    Product,
    /// Both factors and the product.
    All,
}

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[View::Records(facts)];

    fn text(&self, _: Style) -> String {
        render(self) + &self.verified.as_ref().map_or_else(String::new, Verified::line)
    }
}

/// What was done, without the matrices.
fn facts(report: &Report) -> Table {
    #[derive(Serialize)]
    struct Facts<'a> {
        device: &'a str,
        variant: Option<&'a str>,
        #[serde(rename = "type")]
        ty: &'a str,
        m: usize,
        k: usize,
        n: usize,
        time_ms: f64,
        gflop_per_s: f64,
    }
    let Report { ty, m, k, n, time_ms, gflop_per_s, .. } = *report;
    let (device, variant) = (report.device.as_str(), report.variant.as_deref());
    Table::records("matmul", [Facts { device, variant, ty, m, k, n, time_ms, gflop_per_s }])
}

/// What was done, and the corners of the matrices.
fn render(report: &Report) -> String {
    let mut out = String::new();
    let matrices: &[(&str, &Corner)] = match report.shown {
        Shown::Nothing => &[],
        Shown::Product => &[("C", &report.c)],
        Shown::All => &[("A", &report.a), ("B", &report.b), ("C", &report.c)],
    };
    for (name, corner) in matrices {
        let _ = writeln!(out, "{name}, {} x {}:", corner.rows, corner.cols);
        matrix(&mut out, corner);
        out.push('\n');
    }
    let Report { m, k, n, .. } = report;
    let (took, rate) = (duration(report.time_ms / 1e3), flops(report.gflop_per_s * 1e9));
    let _ = writeln!(out, "{m} x {k} times {k} x {n}, {}, on the {} in {took}, {rate}", report.ty, report.device);
    if let Some(path) = &report.out {
        let _ = writeln!(out, "written to {}", path.display());
    }
    out
}

fn matrix(out: &mut String, corner: &Corner) {
    let text: Vec<Vec<String>> =
        corner.values.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
    let width = text.iter().flatten().map(String::len).max().unwrap_or(0);
    // The gap between the first values shown and the last.
    let gap = |shown: &[usize], at: usize| at > 0 && shown[at] > shown[at - 1] + 1;
    for (i, row) in text.iter().enumerate() {
        if gap(&corner.shown_rows, i) {
            let _ = writeln!(out, "  {:>width$}", "…");
        }
        out.push(' ');
        for (j, value) in row.iter().enumerate() {
            if gap(&corner.shown_cols, j) {
                out.push_str(" …");
            }
            let _ = write!(out, " {value:>width$}");
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_shows() {
        let values: Vec<i32> = (0..42).collect();
        let mut out = String::new();
        matrix(&mut out, &Corner::of(&values, 6, 7));
        let expected = "   0  1  2  3 …  6\n   7  8  9 10 … 13\n  14 15 16 17 … 20\n  21 22 23 24 … 27\n   …\n  35 36 37 38 … 41\n";
        assert_eq!(out, expected);
    }
}
