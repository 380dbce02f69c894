//! Counts as bars.

use super::Report;
use crate::applications::Verified;
use crate::applications::stages;
use crate::output::number::{duration, significant};
use crate::output::{self, Align, Style, Table, View};
use std::fmt::Write;

/// Characters of the longest bar.
const LONGEST: usize = 50;

/// Grey levels that share a bar: 32 bars fit a terminal, 256 do not.
const LEVELS: usize = 8;

/// Bars of a range at most.
const MOST_BARS: usize = 40;

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[View::Records(bins)];

    fn text(&self, _: Style) -> String {
        render(self) + &self.verified.as_ref().map_or_else(String::new, Verified::line)
    }
}

/// One row per bin: a group of letters, a grey level, or where a part of a range begins.
fn bins(report: &Report) -> Table {
    let label = |i: usize| match (report.labels.get(i), report.edges.get(i)) {
        (Some(letters), _) => (*letters).to_owned(),
        (_, Some(edge)) => edge.to_string(),
        _ => i.to_string(),
    };
    let rows = report.counts.iter().enumerate().map(|(i, count)| vec![label(i), count.to_string()]);
    Table::new("histogram", &[(report.binning, Align::Left), ("count", Align::Right)], rows)
}

/// A bar for each group of letters, for each eight grey levels, or for one or more parts of a range.
fn bars(report: &Report) -> Vec<(String, u64)> {
    let grouped = |each: usize, label: &dyn Fn(usize, usize) -> String| {
        let group = |(i, counts): (usize, &[u64])| (label(i * each, i * each + counts.len()), counts.iter().sum());
        report.counts.chunks(each).enumerate().map(group).collect::<Vec<(String, u64)>>()
    };
    if !report.labels.is_empty() {
        report.labels.iter().map(ToString::to_string).zip(report.counts.iter().copied()).collect()
    } else if report.edges.is_empty() {
        grouped(LEVELS, &|from, to| format!("{from:>3}-{:<3}", to - 1))
    } else {
        let edges: Vec<String> = report.edges.iter().map(|&edge| significant(edge)).collect();
        let width = edges.iter().map(String::len).max().unwrap_or(0);
        let each = report.counts.len().div_ceil(MOST_BARS).max(1);
        grouped(each, &|from, to| format!("{:>width$} to {:<width$}", edges[from], edges[to]))
    }
}

fn render(report: &Report) -> String {
    let bars = bars(report);
    let most = bars.iter().map(|&(_, count)| count).max().unwrap_or(0);
    let width = most.to_string().len();
    let mut out = String::new();
    for (label, count) in &bars {
        let line = format!("{label}  {count:>width$}  {}", bar(*count, most));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let of = if report.counted == report.elements as u64 { String::new() } else { format!(" of {}", report.elements) };
    let took = duration(report.time_ms / 1e3);
    let _ = writeln!(out, "\n{}{of} {}; counted on the {} in {took}", report.counted, report.what, report.device);
    if let Some(times) = &report.stages_ms {
        let _ = writeln!(out, "{}", stages::line(times));
    }
    out
}

/// A bar in eighths of a character; any count above zero is visible.
fn bar(count: u64, most: u64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if count == 0 || most == 0 {
        return String::new();
    }
    let eighths = u128::from(count) * (LONGEST as u128 * 8) / u128::from(most);
    let eighths = usize::try_from(eighths).unwrap_or(LONGEST * 8).max(1);
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_counts() {
        assert_eq!(bar(0, 10), "");
        assert_eq!(bar(10, 10).chars().count(), LONGEST);
        assert_eq!(bar(5, 10).chars().count(), LONGEST / 2);
        assert_eq!(bar(1, 1_000_000), "▏");
    }
}
