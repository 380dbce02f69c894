//! Comparing results with the reference.

use crate::{Element, Operator};

/// Mismatches that a verdict keeps.
const SHOWN: usize = 5;

/// An element that differs from the reference.
///
/// ```
/// use warpwise::conformance::Mismatch;
///
/// let m = Mismatch { index: 3, found: "1".into(), expected: "2".into() };
/// assert_ne!(m.found, m.expected);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Its index.
    pub index: usize,
    /// What was computed.
    pub found: String,
    /// What the reference says.
    pub expected: String,
}

/// The outcome of a check.
///
/// ```
/// use warpwise::conformance::Verdict;
///
/// assert_eq!(Verdict::Passed { max_error: 1e-7 }.to_string(), "passed, largest error 1.0e-7");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Everything agrees; the largest error seen.
    Passed {
        /// 0 for integers.
        max_error: f64,
    },
    /// Something differs.
    Failed {
        /// How many elements do.
        count: usize,
        /// The first of them.
        first: Vec<Mismatch>,
        /// The largest error seen.
        max_error: f64,
        /// What would have been allowed.
        tolerance: f64,
    },
    /// The primitive gave an error.
    Error(String),
}

impl Verdict {
    /// Whether everything agrees.
    ///
    /// ```
    /// use warpwise::conformance::Verdict;
    ///
    /// assert!(Verdict::Passed { max_error: 0.0 }.passed());
    /// assert!(!Verdict::Error("no".into()).passed());
    /// ```
    pub fn passed(&self) -> bool {
        matches!(self, Self::Passed { .. })
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Passed { max_error } => write!(f, "passed, largest error {max_error:.1e}"),
            Self::Error(message) => f.write_str(message),
            Self::Failed { count, first, max_error, tolerance } => {
                write!(f, "{count} differ, largest error {max_error:.1e}, allowed {tolerance:.1e}")?;
                for m in first {
                    write!(f, "; [{}] is {} and should be {}", m.index, m.found, m.expected)?;
                }
                Ok(())
            }
        }
    }
}

/// Integers and places: equal or not.
///
/// ```
/// use warpwise::conformance::equal;
///
/// assert!(equal(&[1, 2], &[1, 2]).passed());
/// assert!(equal(&[1, 2], &[1, 3]).to_string().contains("[1] is 2 and should be 3"));
/// ```
pub fn equal<T: PartialEq + std::fmt::Display>(found: &[T], expected: &[T]) -> Verdict {
    let differ = |i: &usize| found.get(*i) != expected.get(*i);
    let show = |values: &[T], i: usize| values.get(i).map_or_else(|| "missing".to_owned(), T::to_string);
    let all = 0..found.len().max(expected.len());
    let count = all.clone().filter(differ).count();
    if count == 0 {
        return Verdict::Passed { max_error: 0.0 };
    }
    let first = all
        .filter(differ)
        .take(SHOWN)
        .map(|index| Mismatch { index, found: show(found, index), expected: show(expected, index) })
        .collect();
    Verdict::Failed { count, first, max_error: f64::INFINITY, tolerance: 0.0 }
}

/// Compares elements with exact ones: integers equal, floats within the tolerance of their type, scaled by the square
/// root of the number of terms that were summed.
///
/// ```
/// use warpwise::conformance::within;
///
/// assert!(within(&[0.1_f32], &[0.1_f64], 1).passed());
/// assert!(!within(&[0.11_f32], &[0.1_f64], 1).passed());
/// assert!(within(&[7], &[7], 1).passed());
/// ```
pub fn within<T: Element>(found: &[T], expected: &[T::Exact], terms: usize) -> Verdict {
    let tolerance = tolerance::<T>(terms);
    let mut max_error = 0.0_f64;
    let mut count = found.len().abs_diff(expected.len());
    let mut first = Vec::new();
    for (index, (x, e)) in found.iter().zip(expected).enumerate() {
        let error = error::<T>(*x, *e);
        max_error = max_error.max(error);
        if error > tolerance {
            count += 1;
            if first.len() < SHOWN {
                first.push(Mismatch { index, found: x.to_string(), expected: e.to_string() });
            }
        }
    }
    if count == 0 { Verdict::Passed { max_error } } else { Verdict::Failed { count, first, max_error, tolerance } }
}

/// The largest allowed error of results that sum that many terms: none for integers.
pub(crate) fn tolerance<T: Element>(terms: usize) -> f64 {
    let one = match (T::IS_FLOAT, size_of::<T>()) {
        (false, _) => 0.0,
        (true, 4) => 1e-5,
        _ => 1e-12,
    };
    one * (terms.max(1) as f64).sqrt()
}

/// Elements that are picked, not computed: equal, down to the sign of a zero. All NaNs are equivalent.
///
/// ```
/// use warpwise::conformance::picked;
///
/// assert!(picked(&[-0.0_f32, f32::NAN], &[-0.0_f64, f64::NAN]).passed());
/// assert!(picked(&[0.0_f32], &[-0.0_f64]).to_string().contains("[0] is 0 and should be -0"));
/// assert!(picked(&[7], &[7]).passed());
/// ```
pub fn picked<T: Element>(found: &[T], expected: &[T::Exact]) -> Verdict {
    fn key<T: Element>(x: T) -> u64 {
        if x.is_nan() { f64::NAN.to_bits() } else { x.to_f64().to_bits() }
    }
    let same = |x: T, e: T::Exact| if T::IS_FLOAT { key(x) == key(e) } else { x.exact() == e };
    let pairs = || found.iter().zip(expected).enumerate().filter(|&(_, (&x, &e))| !same(x, e));
    let count = pairs().count() + found.len().abs_diff(expected.len());
    if count == 0 {
        return Verdict::Passed { max_error: 0.0 };
    }
    let show =
        |(index, (x, e)): (usize, (&T, &T::Exact))| Mismatch { index, found: x.to_string(), expected: e.to_string() };
    Verdict::Failed { count, first: pairs().take(SHOWN).map(show).collect(), max_error: f64::INFINITY, tolerance: 0.0 }
}

/// The first of several verdicts that did not pass; else the largest error of all.
pub(crate) fn first_failed(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let mut largest = 0.0_f64;
    for verdict in verdicts {
        match verdict {
            Verdict::Passed { max_error } => largest = largest.max(max_error),
            other => return other,
        }
    }
    Verdict::Passed { max_error: largest }
}

/// The results of an operator: min and max pick an element, others compute within a tolerance.
pub(crate) fn combined<T: Element>(operator: Operator, found: &[T], expected: &[T::Exact], terms: usize) -> Verdict {
    match operator {
        Operator::Min | Operator::Max => picked(found, expected),
        Operator::Sum | Operator::Product => within(found, expected, terms),
    }
}

fn error<T: Element>(found: T, expected: T::Exact) -> f64 {
    if !T::IS_FLOAT {
        return if found.exact() == expected { 0.0 } else { f64::INFINITY };
    }
    let (x, e) = (found.to_f64(), expected.to_f64());
    match (x.is_nan(), e.is_nan()) {
        (true, true) => 0.0,
        (false, false) if x == e => 0.0,
        (false, false) if e.is_finite() => (x - e).abs() / e.abs().max(1.0),
        // An overflow of the narrower type is not the primitive's error.
        (false, false) if size_of::<T>() == 4 && x.is_infinite() && e.abs() > f64::from(f32::MAX) => 0.0,
        _ => f64::INFINITY,
    }
}
