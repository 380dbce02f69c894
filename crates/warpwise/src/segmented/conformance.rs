//! Checks of segments.

use super::{reduce, sort};
use crate::by_key::conformance::values;
use crate::conformance::{Collector, Placed, SIZES, combined, equal};
use crate::random::Random;
use crate::scan::Scannable;
use crate::sort::{Key, Value, bits, made, reference};
use crate::{Buffer, Operator};

/// What segments are like.
const SHAPES: [&str; 5] = ["of one", "short", "few", "one", "empty"];

/// A segment that a whole block combines, with its neighbours.
const MORE: [usize; 3] = [4097, 16_385, 40_003];

/// Every type, combined and sorted, in segments of every kind.
pub(crate) fn checks(c: &mut Collector<'_>) {
    reduced::<i32>(c, 0);
    reduced::<u32>(c, 1);
    reduced::<i64>(c, 2);
    reduced::<u64>(c, 3);
    reduced::<f32>(c, 4);
    reduced::<f64>(c, 5);
    sorted::<i32>(c, 0);
    sorted::<u32>(c, 1);
    sorted::<i64>(c, 2);
    sorted::<u64>(c, 3);
    sorted::<f32>(c, 4);
    sorted::<f64>(c, 5);
}

fn reduced<T: Scannable>(c: &mut Collector<'_>, column: usize) {
    for (row, n) in SIZES.into_iter().chain(MORE).enumerate() {
        for (k, operator) in Operator::ALL.into_iter().enumerate() {
            if !c.takes(row + column + k) {
                continue;
            }
            let shape = SHAPES[(row + column + 2 * k) % SHAPES.len()];
            c.add(format!("{} {}, {shape}, n = {n}", operator.name(), T::NAME), move |device, random| {
                let xs: Vec<T> = values(random, operator, (row + k).is_multiple_of(2), n);
                let offsets = offsets(random, shape, n);
                let there = Placed::new(device, &xs, random)?;
                let found = match random.below(2) {
                    0 => reduce(device, operator, &there, &offsets)?,
                    _ => reduce(device, operator, &there, &Buffer::from_slice(device, &offsets)?)?,
                };
                let one = |range: std::ops::Range<usize>| {
                    xs[range].iter().fold(operator.identity::<T::Exact>(), |all, x| operator.apply(all, x.exact()))
                };
                Ok(combined(operator, &found, &ranges(&offsets).map(one).collect::<Vec<_>>(), n))
            });
        }
    }
}

fn sorted<K: Key + Value>(c: &mut Collector<'_>, column: usize) {
    let kinds = ["random", "few", "special", "sorted", "reversed", "equal"];
    for (row, n) in SIZES.into_iter().chain(MORE).enumerate() {
        if !c.takes(row + column) {
            continue;
        }
        let (kind, shape) = (kinds[(row + column) % kinds.len()], SHAPES[(row + 2 * column) % SHAPES.len()]);
        c.add(format!("sort {kind} {}, {shape}, n = {n}", K::NAME), move |device, random| {
            let xs: Vec<K> = made(random, kind, n);
            let offsets = offsets(random, shape, n);
            let found = sort(device, &Placed::new(device, &xs, random)?, &offsets)?;
            let mut expected = xs;
            ranges(&offsets).for_each(|range| expected[range].sort_by(reference::compare));
            Ok(equal(&bits(&found), &bits(&expected)))
        });
    }
}

/// Where segments are.
fn ranges(offsets: &[u64]) -> impl Iterator<Item = std::ops::Range<usize>> {
    offsets.windows(2).map(|pair| pair[0] as usize..pair[1] as usize)
}

/// Offsets of segments of a kind: some of them leave elements out at both ends.
fn offsets(random: &mut Random, shape: &str, n: usize) -> Vec<u64> {
    let count = match shape {
        "of one" => return (0..=n as u64).collect(),
        "one" => return vec![0, n as u64],
        "empty" => return vec![random.below(n + 1) as u64; 40],
        "short" => n / 7 + 2,
        _ => 4,
    };
    let mut offsets: Vec<u64> = (0..count).map(|_| random.below(n + 1) as u64).collect();
    offsets.sort_unstable();
    offsets
}
