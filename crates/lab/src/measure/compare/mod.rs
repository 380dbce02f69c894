//! Two measurements side by side: what is faster, slower, or the same within the noise.

mod programs;
mod render;

pub use programs::{ProgramError, Programs, alternate, is_program};

use crate::measure::bench::{Configuration, Report, Row};
use crate::measure::stats::{Estimate, Verdict};
use serde::Serialize;

/// The comparison: its fields are the JSON, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Version of this format.
    pub schema: u32,
    /// Configurations that got faster.
    pub faster: usize,
    /// Configurations that take as long as before, within the noise.
    pub same: usize,
    /// Configurations that got slower.
    pub slower: usize,
    /// Every configuration that both have.
    pub results: Vec<Pair>,
    /// Configurations that only one of them has.
    pub unmatched: usize,
    /// Configurations of the emulator, which have no time to compare.
    pub emulated: usize,
    /// Rounds in which two programs took turns; omitted for two measurements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
}

/// A configuration in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Which one it is.
    #[serde(flatten)]
    pub configuration: Configuration,
    /// The first time.
    pub before_ms: f64,
    /// The second time.
    pub after_ms: f64,
    /// How much longer the second is, in per cent of the first.
    pub change_pct: f64,
    /// The smallest difference that counts, in per cent.
    pub noise_pct: f64,
    /// `faster`, `same` or `slower`.
    pub verdict: &'static str,
}

/// Compares the second measurement with the first.
pub fn compare(before: &Report, after: &Report) -> Comparison {
    let timed = |row: &&Row| row.median_ms.is_some() && !row.emulated;
    let emulated = before.results.iter().chain(&after.results).filter(|row| row.emulated).count();
    let earlier: Vec<&Row> = before.results.iter().filter(timed).collect();
    let later: Vec<&Row> = after.results.iter().filter(timed).collect();
    let mut results = Vec::new();
    for row in &earlier {
        let Some(other) = later.iter().find(|other| other.configuration == row.configuration) else { continue };
        let (Some(before), Some(after)) = (estimate(row), estimate(other)) else { continue };
        results.push(Pair {
            configuration: row.configuration.clone(),
            before_ms: before.time,
            after_ms: after.time,
            change_pct: 100.0 * (after.time / before.time - 1.0),
            noise_pct: 100.0 * Verdict::limit(before, after),
            verdict: Verdict::of(before, after).name(),
        });
    }
    let count = |verdict: Verdict| results.iter().filter(|pair| pair.verdict == verdict.name()).count();
    Comparison {
        schema: 1,
        faster: count(Verdict::Faster),
        same: count(Verdict::Same),
        slower: count(Verdict::Slower),
        unmatched: earlier.len() + later.len() - 2 * results.len(),
        emulated,
        rounds: None,
        results,
    }
}

fn estimate(row: &Row) -> Option<Estimate> {
    Some(Estimate { time: row.median_ms?, noise: row.noise_pct.unwrap_or(0.0) / 100.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::bench::testing::{emulated, measured, report};
    use crate::output::Report as _;

    #[test]
    fn verdicts_are_by_configuration() {
        let before = report(vec![
            measured("cpu-seq", 8, 10.0),
            measured("cpu-par", 8, 10.0),
            measured("cpu-par", 16, 10.0),
            measured("cpu-par", 32, 1.0),
            emulated("gpu-1", 8, 5),
        ]);
        let after = report(vec![
            measured("cpu-par", 8, 8.0),
            measured("cpu-seq", 8, 10.05),
            measured("cpu-par", 16, 12.0),
            measured("cpu-par", 64, 1.0),
        ]);
        let found = compare(&before, &after);
        assert_eq!((found.faster, found.same, found.slower), (1, 1, 1));
        assert_eq!((found.unmatched, found.emulated), (2, 1));
        let verdicts: Vec<_> = found.results.iter().map(|pair| pair.verdict).collect();
        assert_eq!(verdicts, ["same", "faster", "slower"]);
        assert!((found.results[1].change_pct + 20.0).abs() < 1e-9);
        assert!(found.to_json().starts_with(r#"{"schema":1,"faster":1,"same":1,"slower":1,"results":[{"primitive":"#));
    }
}
