//! Comparing the result of an application with the reference.

use super::Setup;
use crate::Place;
use crate::files::{Array, Number, with_numbers};
use crate::kernels::run::Value;
use crate::output::number::scientific;
use serde::Serialize;

/// Whether a result is compared with the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// If that takes less than a second or so.
    #[default]
    Small,
    /// In any case.
    Always,
    /// In no case.
    Never,
}

/// Basic operations that the sequential reference does in well under a second.
const SMALL: u128 = 50_000_000;

impl Verify {
    /// Whether to compare, if the reference takes this many basic operations.
    ///
    /// ```
    /// use warpwise_lab::applications::Verify;
    ///
    /// assert!(Verify::Small.wants(1_000) && !Verify::Small.wants(u128::MAX));
    /// assert!(Verify::Always.wants(u128::MAX) && !Verify::Never.wants(1));
    /// ```
    pub fn wants(self, operations: u128) -> bool {
        match self {
            Self::Small => operations <= SMALL,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// What was compared, and how it came out: part of a report's JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verified {
    /// Whether everything agrees.
    pub ok: bool,
    /// What the result was compared with.
    pub with: &'static str,
    /// Number of values compared.
    pub values: usize,
    /// Values that differ by more than the tolerance.
    pub differing: usize,
    /// The largest error: the difference, relative to the reference where that is above 1.
    pub max_error: f64,
    /// The largest error that counts as agreement.
    pub tolerance: f64,
    /// The first value that differs: its index, the value, and the reference's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<(usize, f64, f64)>,
}

impl Verified {
    /// Compares pairs of our value and the reference's.
    pub(crate) fn of(with: &'static str, tolerance: f64, pairs: &mut dyn Iterator<Item = (f64, f64)>) -> Self {
        let (mut values, mut differing, mut max_error, mut first) = (0, 0, 0.0_f64, None);
        for (at, (ours, theirs)) in pairs.enumerate() {
            let same = ours == theirs || ours.is_nan() && theirs.is_nan();
            let error = if same { 0.0 } else { (ours - theirs).abs() / theirs.abs().max(1.0) };
            values += 1;
            // NaN is not larger than the tolerance, but it is not agreement either.
            if error > tolerance || error.is_nan() {
                differing += 1;
                first = first.or(Some((at, ours, theirs)));
            }
            max_error = max_error.max(error);
        }
        Self { ok: differing == 0, with, values, differing, max_error, tolerance, first }
    }

    /// Compares counts with those of plain sequential code.
    pub(super) fn of_counts(ours: &[u64], theirs: &[u64]) -> Self {
        let mut pairs = ours.iter().zip(theirs).map(|(&ours, &theirs)| (ours as f64, theirs as f64));
        Self::of("plain sequential code", 0.0, &mut pairs)
    }

    /// What was compared, in a line.
    ///
    /// ```
    /// use warpwise_lab::applications::Verified;
    ///
    /// let with = "the reference";
    /// let all = Verified { ok: true, with, values: 9, differing: 0, max_error: 0.0, tolerance: 1e-5, first: None };
    /// assert_eq!(all.line(), "verified: 9 values agree with the reference exactly\n");
    /// ```
    pub fn line(&self) -> String {
        let values = match self.values {
            1 => "1 value".to_owned(),
            n => format!("{n} values"),
        };
        let error = match self.max_error {
            0.0 => "exactly".to_owned(),
            error => format!("largest error {}, {} allowed", scientific(error), scientific(self.tolerance)),
        };
        match self.first {
            None if self.max_error == 0.0 => format!("verified: {values} agree with {} {error}\n", self.with),
            None => format!("verified: {values} agree with {}: {error}\n", self.with),
            Some((at, ours, theirs)) => format!(
                "wrong: {} of {values} differ from {}, the first at index {at}: {ours} instead of {theirs} ({error})\n",
                self.differing, self.with
            ),
        }
    }
}

/// The setup of the plain sequential code, which results are compared with.
pub(super) fn plain() -> Setup {
    Setup { place: Place::Cpu, variant: Some("cpu-seq".into()), verify: Verify::Never }
}

/// What sums of floats are compared with: plain code in their own precision is off by more than any rung.
pub(super) const EXACT: &str = "sums in double precision";

/// The sums of all values up to each one, in double precision; without it itself if they are exclusive.
pub(super) fn running_sums(values: &[f64], exclusive: bool) -> Vec<Value> {
    let mut sum = 0.0;
    let next = |value: &f64| {
        let before = sum;
        sum += value;
        Value::Double(if exclusive { before } else { sum })
    };
    values.iter().map(next).collect()
}

/// Compares two results of a type. Sums of that many floats may differ by as much as their order changes them.
pub(super) fn of_values(with: &'static str, ours: &[Value], theirs: &[Value], summed: usize) -> Verified {
    let each = match ours.first() {
        Some(Value::Single(_)) => 1e-5,
        Some(Value::Double(_)) => 1e-12,
        _ => 0.0,
    };
    let tolerance = each * (summed.max(1) as f64).sqrt();
    if ours.len() != theirs.len() {
        return Verified {
            ok: false,
            differing: ours.len().abs_diff(theirs.len()),
            ..Verified::of(with, tolerance, &mut std::iter::empty())
        };
    }
    Verified::of(with, tolerance, &mut ours.iter().map(|x| x.to_f64()).zip(theirs.iter().map(|x| x.to_f64())))
}

/// Compares two arrays.
pub(super) fn of_arrays(with: &'static str, ours: &Array, theirs: &Array, summed: usize) -> Verified {
    let values =
        |array: &Array| -> Vec<Value> { with_numbers!(&array.numbers, xs => xs.iter().map(|x| x.value()).collect()) };
    of_values(with, &values(ours), &values(theirs), summed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verified(pairs: &[(f64, f64)]) -> Verified {
        Verified::of("the reference", 1e-5, &mut pairs.iter().copied())
    }

    #[test]
    fn agreement_is_counted_and_told() {
        let exact = verified(&[(1.0, 1.0), (f64::INFINITY, f64::INFINITY), (f64::NAN, f64::NAN)]);
        assert_eq!(exact.line(), "verified: 3 values agree with the reference exactly\n");
        let close = verified(&[(1000.001, 1000.0)]);
        assert!(close.ok && close.line().contains("largest error 1.000000e-06, 1.000000e-05 allowed"), "{close:?}");
    }

    #[test]
    fn types_have_their_tolerance() {
        let single = |x: f32| [Value::Single(x)];
        assert!(of_values("it", &single(1.0), &single(1.000_05), 100).ok, "a sum of a hundred");
        assert!(!of_values("it", &single(1.0), &single(1.000_05), 1).ok);
        assert!(!of_values("it", &[Value::Integer(3)], &[Value::Integer(4)], 100).ok, "integers are equal or wrong");
        assert!(!of_values("it", &[Value::Integer(3)], &[], 1).ok);
    }

    #[test]
    fn sums_run_with_or_without_the_value_itself() {
        let sums =
            |exclusive| running_sums(&[1.0, 0.5, 0.25], exclusive).iter().map(|x| x.to_f64()).collect::<Vec<_>>();
        assert_eq!((sums(false), sums(true)), (vec![1.0, 1.5, 1.75], vec![0.0, 1.0, 1.5]));
    }

    #[test]
    fn what_differs_is_named() {
        let wrong = verified(&[(1.0, 1.0), (2.5, 2.0), (f64::NAN, 1.0)]);
        assert_eq!((wrong.ok, wrong.differing, wrong.first), (false, 2, Some((1, 2.5, 2.0))));
        assert!(wrong.line().starts_with("wrong: 2 of 3 values differ from the reference, the first at index 1: 2.5"));
    }
}
