//! More elements than 31 bits can count: data whose sums and counts are known without a reference.
//!
//! They take gigabytes on the host and the device, so they run only on request.

use std::sync::OnceLock;

use super::Verdict;

/// Elements: past 2^31, and not a multiple of anything.
pub(crate) const N: usize = (1 << 31) + 12345;
/// Elements repeat after this many.
pub(crate) const PERIOD: usize = 251;
/// The one that stands out, and where.
pub(crate) const PEAK: i32 = 255;
pub(crate) const PEAK_AT: usize = N - 2;

/// The elements as `i32`, made on first use.
pub(crate) fn words() -> &'static [i32] {
    static WORDS: OnceLock<Vec<i32>> = OnceLock::new();
    WORDS.get_or_init(|| (0..N).map(value).collect())
}

/// The elements as bytes, made on first use.
pub(crate) fn bytes() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| (0..N).map(|i| value(i) as u8).collect())
}

/// Element `i`.
pub(crate) fn value(i: usize) -> i32 {
    if i == PEAK_AT { PEAK } else { (i % PERIOD) as i32 }
}

/// The sum of the first `n` elements.
pub(crate) fn sum_of(n: usize) -> i32 {
    let triangle = |n: u64| n * n.saturating_sub(1) / 2;
    let (whole, rest) = ((n / PERIOD) as u64, (n % PERIOD) as u64);
    let plain = whole * triangle(PERIOD as u64) + triangle(rest);
    let change = if n > PEAK_AT { i64::from(PEAK) - (PEAK_AT % PERIOD) as i64 } else { 0 };
    (plain as i64 + change) as i32
}

/// How often a value occurs.
pub(crate) fn count_of(value: usize) -> u64 {
    let plain = if value < PERIOD { (N - value).div_ceil(PERIOD) as u64 } else { 0 };
    plain - u64::from(value == PEAK_AT % PERIOD) + u64::from(value == PEAK as usize)
}

/// The name of a check with that many elements.
pub(crate) fn label(what: &str) -> String {
    format!("{what}, n = 2^31 + 12345")
}

/// Passed if both are equal.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Verdict {
    if found == expected {
        Verdict::Passed { max_error: 0.0 }
    } else {
        Verdict::Error(format!("{found:?} should be {expected:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_are_right() {
        let sum = |n: usize| (0..n).fold(0i32, |sum, i| sum.wrapping_add(value(i)));
        for n in [0, 1, 250, 251, 252, 100_000] {
            assert_eq!(sum_of(n), sum(n), "{n}");
        }
        assert_eq!((0..256).map(count_of).sum::<u64>(), N as u64);
        assert_eq!((count_of(255), count_of(252)), (1, 0));
    }
}
