//! The result of the suite.

use super::Outcome;
use serde::Serialize;
use std::time::Duration;
use warpwise::Comparison;
use warpwise::conformance::{Check, Verdict};
use warpwise::primitive::why_free;

/// The report: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct SelftestReport {
    /// Version of this format.
    pub schema: u32,
    /// Where the checks ran.
    pub device: String,
    /// Checks that passed.
    pub passed: usize,
    /// Number of checks that failed.
    pub failed: usize,
    /// The checks that failed.
    pub failures: Vec<Failure>,
    /// Whether the user interrupted the suite.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// The comparison of the emulator and a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ComparisonReport>,
    /// One row per variant.
    #[serde(skip)]
    pub rows: Vec<Row>,
    /// The total time.
    #[serde(skip)]
    pub time: Duration,
}

/// The emulator and a GPU, launch by launch.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonReport {
    /// Launches whose memory was compared afterwards.
    pub launches: u64,
    /// Bytes compared.
    pub bytes: u64,
    /// Kernels with different results: how often, and the first time.
    pub differences: Vec<KernelDifference>,
}

/// Of two NaNs an addition gives one, without saying which, and NaNs of f64 keep their bits.
const NANS: &str = "which of two NaNs a sum keeps depends on how the assembler orders its operands";

/// A kernel with different results on the two.
#[derive(Clone, Debug, Serialize)]
pub struct KernelDifference {
    /// The kernel.
    pub kernel: String,
    /// Launches after which a buffer differed.
    pub count: usize,
    /// Whether that is expected: its float results are not fixed to the last bit.
    pub expected: bool,
    /// Why it is.
    #[serde(skip)]
    pub why: Option<&'static str>,
    /// The first of them.
    pub first: String,
}

impl From<Comparison> for ComparisonReport {
    fn from(seen: Comparison) -> Self {
        let mut differences: Vec<KernelDifference> = Vec::new();
        for difference in seen.differences {
            let why = why_free(&difference.kernel).or(difference.only_nans.then_some(NANS));
            let same = |known: &&mut KernelDifference| (&known.kernel, known.why) == (&difference.kernel, why);
            match differences.iter_mut().find(same) {
                Some(known) => known.count += 1,
                None => differences.push(KernelDifference {
                    expected: why.is_some(),
                    why,
                    first: difference.to_string(),
                    kernel: difference.kernel,
                    count: 1,
                }),
            }
        }
        Self { launches: seen.launches, bytes: seen.bytes, differences }
    }
}

/// A check that did not pass.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// The primitive.
    pub primitive: &'static str,
    /// The variant.
    pub variant: &'static str,
    /// Type, operator and size.
    pub check: String,
    /// The first mismatches, or the error.
    pub message: String,
}

/// The checks of one variant.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The primitive.
    pub primitive: &'static str,
    /// The variant.
    pub variant: &'static str,
    /// Checks that passed.
    pub passed: usize,
    /// Checks.
    pub checks: usize,
    /// The largest error seen.
    pub max_error: f64,
    /// Time of all checks together.
    pub time: Duration,
}

impl SelftestReport {
    pub(super) fn new(
        device: String,
        outcomes: &[(&Check, Outcome)],
        seen: Option<Comparison>,
        time: Duration,
    ) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        let mut failures = Vec::new();
        for (check, (verdict, took)) in outcomes {
            let (primitive, variant) = (check.primitive, check.variant);
            if !verdict.passed() {
                failures.push(Failure { primitive, variant, check: check.what.clone(), message: verdict.to_string() });
            }
            let at = rows.iter().position(|row| (row.primitive, row.variant) == (primitive, variant));
            let at = at.unwrap_or_else(|| {
                rows.push(Row { primitive, variant, passed: 0, checks: 0, max_error: 0.0, time: Duration::ZERO });
                rows.len() - 1
            });
            let row = &mut rows[at];
            row.checks += 1;
            row.passed += usize::from(verdict.passed());
            row.time += *took;
            if let Verdict::Passed { max_error } | Verdict::Failed { max_error, .. } = verdict {
                row.max_error = row.max_error.max(*max_error);
            }
        }
        let failed = failures.len();
        Self {
            schema: 1,
            device,
            passed: outcomes.len() - failed,
            failed,
            failures,
            interrupted: false,
            comparison: seen.map(Into::into),
            rows,
            time,
        }
    }

    /// Whether everything passed.
    pub fn ok(&self) -> bool {
        let same = |seen: &ComparisonReport| seen.differences.iter().all(|difference| difference.expected);
        self.failed == 0 && self.comparison.as_ref().is_none_or(same)
    }
}
