//! Counts as bars.

use super::Report;
use crate::applications::Verified;
use crate::applications::stages;
use crate::output::number::duration;
use crate::output::{self, Align, Style, Table, View};
use std::fmt::Write;

/// Characters of the longest bar.
const LONGEST: usize = 50;

/// Grey levels that share a bar: 32 bars fit a terminal, 256 do not.
const LEVELS: usize = 8;

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[View::Records(bins)];

    fn text(&self, _: Style) -> String {
        render(self) + &self.verified.as_ref().map_or_else(String::new, Verified::line)
    }
}

/// One row per bin: a group of letters, or a grey level.
fn bins(report: &Report) -> Table {
    let label = |i: usize| report.labels.get(i).map_or_else(|| i.to_string(), ToString::to_string);
    let rows = report.counts.iter().enumerate().map(|(i, count)| vec![label(i), count.to_string()]);
    Table::new("histogram", &[(report.binning, Align::Left), ("count", Align::Right)], rows)
}

/// A bar for each group of letters, or for each eight grey levels.
fn render(report: &Report) -> String {
    let bars: Vec<(String, u64)> = if report.labels.is_empty() {
        let group = |(i, counts): (usize, &[u64])| {
            (format!("{:>3}-{:<3}", i * LEVELS, i * LEVELS + counts.len() - 1), counts.iter().sum())
        };
        report.counts.chunks(LEVELS).enumerate().map(group).collect()
    } else {
        report.labels.iter().map(ToString::to_string).zip(report.counts.iter().copied()).collect()
    };
    let most = bars.iter().map(|&(_, count)| count).max().unwrap_or(0);
    let width = most.to_string().len();
    let mut out = String::new();
    for (label, count) in &bars {
        let line = format!("{label}  {count:>width$}  {}", bar(*count, most));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let what = if report.labels.is_empty() { "pixels" } else { "bytes are lower-case letters" };
    let of = if report.counted == report.elements as u64 { String::new() } else { format!(" of {}", report.elements) };
    let took = duration(report.time_ms / 1e3);
    let _ = writeln!(out, "\n{}{of} {what}; counted on the {} in {took}", report.counted, report.device);
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
