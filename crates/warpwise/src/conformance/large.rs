//! More elements than 31 bits count: reduce, scan and histogram, with data whose results are known.
//!
//! They take gigabytes on the host and the device, so they run only when they are asked for.

use std::sync::{Arc, OnceLock};

use super::{Check, Verdict};
use crate::reduce::Extreme;
use crate::scan::Kind;
use crate::{Device, Error, Operator, RunsOn, histogram, reduce, scan};

/// Elements: past 2^31, and no multiple of anything.
const N: usize = (1 << 31) + 12345;
/// Elements repeat after this many.
const PERIOD: usize = 251;
/// The one that stands out, and where.
const PEAK: i32 = 255;
const PEAK_AT: usize = N - 2;

/// Numbers that are made at their first use.
struct Numbers<T>(OnceLock<Vec<T>>);

impl<T: TryFrom<i32>> Numbers<T> {
    fn get(&self) -> &[T] {
        let number = |i: usize| T::try_from(value(i)).ok().expect("values are small");
        self.0.get_or_init(|| (0..N).map(number).collect())
    }
}

fn value(i: usize) -> i32 {
    if i == PEAK_AT { PEAK } else { (i % PERIOD) as i32 }
}

/// The sum of the first `n` elements.
fn sum_of(n: usize) -> i32 {
    let triangle = |n: u64| n * n.saturating_sub(1) / 2;
    let (whole, rest) = ((n / PERIOD) as u64, (n % PERIOD) as u64);
    let plain = whole * triangle(PERIOD as u64) + triangle(rest);
    let change = if n > PEAK_AT { i64::from(PEAK) - (PEAK_AT % PERIOD) as i64 } else { 0 };
    (plain as i64 + change) as i32
}

/// How often a value occurs.
fn count_of(value: usize) -> u64 {
    let plain = if value < PERIOD { (N - value).div_ceil(PERIOD) as u64 } else { 0 };
    plain - u64::from(value == PEAK_AT % PERIOD) + u64::from(value == PEAK as usize)
}

/// The checks of a kind of device.
pub(super) fn checks(runs_on: RunsOn) -> Vec<Check> {
    let words = Arc::new(Numbers::<i32>(OnceLock::new()));
    let bytes = Arc::new(Numbers::<u8>(OnceLock::new()));
    let mut all = Vec::new();
    for variant in reduce::VARIANTS.iter().filter(|v| v.runs_on == runs_on) {
        let (name, xs) = (variant.name, Arc::clone(&words));
        all.push(check("reduce", name, "sum, max and argmax i32", move |device| {
            let options = || reduce::Options { variant: Some(name.to_owned()), ..Default::default() };
            let xs = crate::Buffer::from_slice(device, xs.get())?;
            let found = (
                reduce::run(device, Operator::Sum, &xs, &options())?,
                reduce::run(device, Operator::Max, &xs, &options())?,
                reduce::place(device, Extreme::Max, &xs, &options())?,
            );
            Ok(same(&found, &(sum_of(N), PEAK, PEAK_AT)))
        }));
    }
    for variant in scan::VARIANTS.iter().filter(|v| v.runs_on == runs_on) {
        let (name, xs) = (variant.name, Arc::clone(&words));
        all.push(check("scan", name, "inclusive sum i32", move |device| {
            let options = scan::Options { variant: Some(name.to_owned()), ..Default::default() };
            let sums = match scan::run(device, Operator::Sum, Kind::Inclusive, xs.get(), &options) {
                // The rungs of one block say so.
                Err(Error::OneBlock { .. }) => return Ok(Verdict::Passed { max_error: 0.0 }),
                other => other?,
            };
            let mut expected = 0i32;
            let wrong = sums.iter().enumerate().find_map(|(i, &sum)| {
                expected = expected.wrapping_add(value(i));
                (sum != expected).then_some((i, sum, expected))
            });
            Ok(same(&(sums.len(), wrong), &(N, None)))
        }));
    }
    for variant in histogram::VARIANTS.iter().filter(|v| v.runs_on == runs_on) {
        let (name, xs) = (variant.name, Arc::clone(&bytes));
        all.push(check("histogram", name, "u8 by value", move |device| {
            let options = histogram::Options { variant: Some(name.to_owned()), ..Default::default() };
            let counts = histogram::run(device, histogram::Binning::Value, xs.get(), &options)?;
            Ok(same(&counts, &(0..256).map(count_of).collect()))
        }));
    }
    all
}

fn check(
    primitive: &'static str,
    variant: &'static str,
    what: &str,
    run: impl Fn(&Device) -> Result<Verdict, Error> + Send + Sync + 'static,
) -> Check {
    Check { primitive, variant, what: format!("{what}, n = 2^31 + 12345"), run: Box::new(run) }
}

fn same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Verdict {
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
