//! Checks of runs, and of the different elements.

use super::cpu::same;
use super::{run_lengths, unique};
use crate::conformance::{Collector, Placed, SIZES, equal, first_failed};
use crate::random::Random;
use crate::sort::{Key, bits, made, reference};

/// What elements are like: "long" ones are in runs of thousands.
const KINDS: [&str; 7] = ["random", "few", "special", "sorted", "reversed", "equal", "long"];

/// Edges of tiles, besides those of warps and blocks.
const MORE: [usize; 3] = [2047, 2049, 20_011];

/// Every type at every size.
pub(crate) fn checks(c: &mut Collector<'_>) {
    typed::<u8>(c, 0);
    typed::<u16>(c, 1);
    typed::<u32>(c, 2);
    typed::<i32>(c, 3);
    typed::<u64>(c, 4);
    typed::<i64>(c, 5);
    typed::<f32>(c, 6);
    typed::<f64>(c, 7);
}

fn typed<K: Key>(c: &mut Collector<'_>, column: usize) {
    for (row, n) in SIZES.into_iter().chain(MORE).enumerate() {
        let kind = KINDS[(row + column) % KINDS.len()];
        if c.takes(row + column) {
            c.add(format!("run lengths {kind} {}, n = {n}", K::NAME), move |device, random| {
                let xs = elements::<K>(random, kind, n);
                let (found, lengths) = run_lengths(device, &Placed::new(device, &xs, random)?)?;
                let (firsts, expected) = runs(&xs);
                Ok(first_failed([equal(&bits(&found), &bits(&firsts)), equal(&lengths, &expected)]))
            });
        }
        if c.takes(row + column + 1) {
            c.add(format!("unique {kind} {}, n = {n}", K::NAME), move |device, random| {
                let mut xs = elements::<K>(random, kind, n);
                let found = unique(device, &Placed::new(device, &xs, random)?)?;
                xs.sort_by(reference::compare);
                Ok(equal(&bits(&found), &bits(&runs(&xs).0)))
            });
        }
    }
}

fn elements<K: Key>(random: &mut Random, kind: &str, n: usize) -> Vec<K> {
    if kind != "long" {
        return made(random, kind, n);
    }
    let pool: Vec<K> = made(random, "special", 1 + n / 3000);
    (0..n).map(|i| pool[i / 3000]).collect()
}

/// The first element of each run, and how long it is, one element after the other.
fn runs<K: Key>(xs: &[K]) -> (Vec<K>, Vec<u64>) {
    let (mut firsts, mut lengths) = (Vec::<K>::new(), Vec::<u64>::new());
    for &x in xs {
        match (firsts.last(), lengths.last_mut()) {
            (Some(&first), Some(length)) if same(first, x) => *length += 1,
            _ => {
                firsts.push(x);
                lengths.push(1);
            }
        }
    }
    (firsts, lengths)
}
