//! The comparison as a table.

use super::Comparison;
use crate::output::number::duration;
use crate::output::{Align, Report, Style, Table, View};
use std::fmt::Write;

impl Report for Comparison {
    const VIEWS: &'static [View<Self>] = &[
        View::Records(|comparison| Table::records("compare", &comparison.results)),
        View::Tables(|comparison| vec![verdicts(comparison)]),
    ];

    fn text(&self, _: Style) -> String {
        render(self)
    }
}

/// Every configuration with its verdict.
fn verdicts(comparison: &Comparison) -> Table {
    let headings = [
        ("primitive", Align::Left),
        ("variant", Align::Left),
        ("device", Align::Left),
        ("type", Align::Left),
        ("n", Align::Right),
        ("before", Align::Right),
        ("after", Align::Right),
        ("change %", Align::Right),
        ("noise %", Align::Right),
        ("verdict", Align::Left),
    ];
    let rows = comparison.results.iter().map(|pair| {
        let c = &pair.configuration;
        vec![
            c.primitive.clone(),
            c.variant.clone(),
            c.device.clone(),
            c.ty.clone(),
            c.size(),
            duration(pair.before_ms / 1e3),
            duration(pair.after_ms / 1e3),
            format!("{:+.1}", pair.change_pct),
            format!("{:.1}", pair.noise_pct),
            pair.verdict.to_owned(),
        ]
    });
    Table::new("compare", &headings, rows)
}

/// Every configuration, and the number of each verdict.
fn render(comparison: &Comparison) -> String {
    let mut out = verdicts(comparison).markdown();
    let Comparison { faster, same, slower, .. } = comparison;
    let rounds = comparison.rounds.map_or_else(String::new, |n| format!(", in {n} rounds of two processes"));
    let _ = writeln!(out, "\n{faster} faster, {same} the same, {slower} slower{rounds}");
    if comparison.unmatched > 0 {
        let _ = writeln!(out, "note: {} configurations are in only one of the two", comparison.unmatched);
    }
    if comparison.emulated > 0 {
        let _ = writeln!(out, "note: {} emulated rows have no time to compare", comparison.emulated);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::compare;
    use super::*;
    use crate::measure::bench::testing::{measured, report};

    #[test]
    fn a_row_and_a_sum() {
        let before = report(vec![measured("cpu-par", 2048, 10.0), measured("cpu-par", 8, 1.0)]);
        let text = render(&compare(&before, &report(vec![measured("cpu-par", 2048, 8.0)])));
        for part in ["| 10.00 ms | 8.00 ms |    -20.0 |", "faster  |", "1 faster, 0 the same, 0 slower", "note: 1 conf"]
        {
            assert!(text.contains(part), "`{part}` in:\n{text}");
        }
    }
}
