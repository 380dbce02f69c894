//! Checks of reduce and scan by key.

use super::ByKey;
use crate::conformance::{Collector, Placed, SIZES, Verdict, combined, equal, first_failed};
use crate::random::Random;
use crate::scan::{Kind, Scannable};
use crate::sort::{Key, bits, made};
use crate::unique::cpu::same;
use crate::{Device, Error, Operator};

/// What keys are like: in runs of one, of a few and of very many elements, or in one run; as bits, they are anything.
const KINDS: [&str; 7] = ["random", "short runs", "long runs", "equal", "special", "sorted", "reversed"];

/// Edges of tiles, besides those of warps and blocks.
const MORE: [usize; 4] = [4095, 4096, 4097, 20_011];

/// Values of every type, and keys of every type.
pub(crate) fn checks(c: &mut Collector<'_>) {
    typed::<u8, i32>(c, 0);
    typed::<u16, u32>(c, 1);
    typed::<u32, i64>(c, 2);
    typed::<f32, u64>(c, 3);
    typed::<f64, f32>(c, 4);
    typed::<u64, f64>(c, 5);
    typed::<i32, f32>(c, 6);
    typed::<i64, u32>(c, 7);
}

fn typed<K: Key, T: Scannable>(c: &mut Collector<'_>, column: usize) {
    for (row, n) in SIZES.into_iter().chain(MORE).enumerate() {
        for (k, operator) in Operator::ALL.into_iter().enumerate() {
            if !c.full && k != (row + column) % 4 {
                continue;
            }
            for (j, what) in ["reduce", "inclusive scan", "exclusive scan"].into_iter().enumerate() {
                if !c.takes(row + column + j) {
                    continue;
                }
                let kind = KINDS[(row + 2 * column + 3 * k + j) % KINDS.len()];
                let label = format!("{what} {} {} by {kind} {}, n = {n}", operator.name(), T::NAME, K::NAME);
                c.add(label, move |device, random| {
                    let keys = keys::<K>(random, kind, n);
                    let values = values::<T>(random, operator, (row + k).is_multiple_of(3), n);
                    check(device, random, (operator, j), &keys, &values)
                });
            }
        }
    }
}

fn check<K: Key, T: Scannable>(
    device: &Device,
    random: &mut Random,
    (operator, what): (Operator, usize),
    keys: &[K],
    values: &[T],
) -> Result<Verdict, Error> {
    let (by, along) = (Placed::new(device, keys, random)?, Placed::new(device, values, random)?);
    let how = ByKey::new().operator(operator);
    let (starts, values) = (starts(keys), exact(values));
    if what == 0 {
        let (found, all) = how.reduce(device, &by, &along)?;
        let expected = reduced(operator, &starts, &values);
        return Ok(first_failed([
            equal(&bits(&found), &bits(&firsts(keys, &starts))),
            combined(operator, &all, &expected, keys.len()),
        ]));
    }
    let kind = if what == 1 { Kind::Inclusive } else { Kind::Exclusive };
    let found = how.kind(kind).scan(device, &by, &along)?;
    Ok(combined(operator, &found, &scanned(operator, kind, &starts, &values), keys.len()))
}

/// Where runs start.
#[inline(never)]
fn starts<K: Key>(keys: &[K]) -> Vec<bool> {
    (0..keys.len()).map(|i| i == 0 || !same(keys[i - 1], keys[i])).collect()
}

/// The keys of runs.
#[inline(never)]
fn firsts<K: Key>(keys: &[K], starts: &[bool]) -> Vec<K> {
    keys.iter().zip(starts).filter(|(_, starts)| **starts).map(|(&key, _)| key).collect()
}

/// Values as the reference combines them.
#[inline(never)]
fn exact<T: Scannable>(values: &[T]) -> Vec<T::Exact> {
    values.iter().map(|value| value.exact()).collect()
}

/// Every run combined, one element after the other.
#[inline(never)]
fn reduced<E: crate::Element>(operator: Operator, starts: &[bool], values: &[E]) -> Vec<E> {
    let mut all: Vec<E> = Vec::new();
    for (&starts, &value) in starts.iter().zip(values) {
        match all.last_mut() {
            Some(last) if !starts => *last = operator.apply(*last, value),
            _ => all.push(value),
        }
    }
    all
}

/// Every run scanned, one element after the other.
#[inline(never)]
fn scanned<E: crate::Element>(operator: Operator, kind: Kind, starts: &[bool], values: &[E]) -> Vec<E> {
    let mut so_far = operator.identity();
    let step = |(&starts, &value): (&bool, &E)| {
        let before = if starts { operator.identity() } else { so_far };
        so_far = if starts { value } else { operator.apply(so_far, value) };
        if kind == Kind::Exclusive { before } else { so_far }
    };
    starts.iter().zip(values).map(step).collect()
}

/// Keys of a kind.
#[inline(never)]
fn keys<K: Key>(random: &mut Random, kind: &str, n: usize) -> Vec<K> {
    let length = match kind {
        "short runs" => 5,
        "long runs" => 3000,
        _ => return made(random, kind, n),
    };
    let pool: Vec<K> = made(random, "special", 300);
    let mut current = 0;
    let mut next = || {
        if random.below(length) == 0 {
            current = random.below(pool.len());
        }
        pool[current]
    };
    (0..n).map(|_| next()).collect()
}

/// Values that an operator can be tested with: with NaN, infinities and zeros of both signs among them, or without.
#[inline(never)]
pub(crate) fn values<T: Scannable>(random: &mut Random, operator: Operator, special: bool, n: usize) -> Vec<T> {
    let nan = T::HIGHEST.plus(T::LOWEST);
    let rare = [T::ZERO, T::from_random(0, -0.0), T::HIGHEST, T::LOWEST, nan];
    let mut value = || {
        let x: T = random.elements(1)[0];
        match operator {
            // Products of many numbers below one underflow and test nothing.
            Operator::Product if T::IS_FLOAT => T::from_random(0, if x.to_f64() < 0.0 { -1.0 } else { 1.0 }),
            Operator::Min | Operator::Max if special && random.below(4) == 0 => rare[random.below(rare.len())],
            Operator::Sum if special && random.below(50) == 0 => rare[random.below(rare.len())],
            _ => x,
        }
    };
    (0..n).map(|_| value()).collect()
}
