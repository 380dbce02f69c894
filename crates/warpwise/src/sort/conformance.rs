//! Checks of sort.

use super::workload::bits;
use super::{Key, Rung, Sort, Value, reference};
use crate::conformance::{Collector, Placed, SIZES, Verdict, equal, large};
use crate::random::Random;
use crate::{Device, Error};

/// What keys are like.
const KINDS: [&str; 6] = ["random", "few", "special", "sorted", "reversed", "equal"];

/// Every type, both directions, with and without values, at every size.
pub(super) fn checks(c: &mut Collector<'_>) {
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
    let sort = Sort::new().variant(c.rung::<Rung>());
    // A network has many steps: the short grid stays short.
    let network = matches!(c.rung(), Some(Rung::Bitonic | Rung::BitonicShared));
    let most = if network && !c.full { 5001 } else { usize::MAX };
    for (row, &n) in SIZES.iter().enumerate() {
        let n = n.min(most);
        for along in 0..4 {
            if !c.takes(row + column + along) {
                continue;
            }
            let kind = KINDS[(row + 2 * column + along) % KINDS.len()];
            let descending = (row + column + along) % 2 == 1;
            let sort = sort.clone().descending(descending);
            let what = ["keys", "and 4 bytes", "and 8 bytes", "numbers"][along];
            let way = if descending { "descending" } else { "ascending" };
            c.add(format!("{kind} {} {what} {way}, n = {n}", K::NAME), move |device, random| {
                let keys = made::<K>(random, kind, n);
                let places = reference::places(&keys, descending);
                let there = Placed::new(device, &keys, random)?;
                match along {
                    1 => with::<K, f32>(device, random, &sort, &there, &keys, &places),
                    2 => with::<K, i64>(device, random, &sort, &there, &keys, &places),
                    3 => Ok(equal(&as_places(&sort.argsort(device, &there)?), &places)),
                    _ => Ok(equal(&bits(&sort.run(device, &there)?), &bits(&taken(&keys, &places)))),
                }
            });
        }
    }
}

#[inline(never)]
fn with<K: Key, V: Value>(
    device: &Device,
    random: &mut Random,
    sort: &Sort,
    there: &Placed<'_, K>,
    keys: &[K],
    places: &[usize],
) -> Result<Verdict, Error> {
    let values: Vec<V> = random.elements(keys.len());
    let along = Placed::new(device, &values, random)?;
    let (found, moved) = sort.run_pairs(device, there, &along)?;
    let verdict = equal(&bits(&found), &bits(&taken(keys, places)));
    Ok(if verdict.passed() { equal(&bits(&moved), &bits(&taken(&values, places))) } else { verdict })
}

/// The order that was found.
#[inline(never)]
fn as_places(found: &[u32]) -> Vec<usize> {
    found.iter().map(|&place| place as usize).collect()
}

/// Elements in an order.
#[inline(never)]
fn taken<T: Copy>(xs: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&place| xs[place]).collect()
}

/// Keys of a kind. The special ones are of any bits: infinities, zeros of both signs, numbers that are not normal and
/// NaNs of both signs are among them.
#[inline(never)]
pub(crate) fn made<K: Key>(random: &mut Random, kind: &str, n: usize) -> Vec<K> {
    let special = [K::ZERO, K::ONE, K::LOWEST, K::HIGHEST, K::LOWEST.plus(K::HIGHEST)];
    let any = |random: &mut Random| -> K {
        let all = random.bits().to_le_bytes();
        bytemuck::pod_read_unaligned(&all[..size_of::<K>()])
    };
    let keys: Vec<K> = match kind {
        "few" => (0..n).map(|_| special[random.below(2)]).collect(),
        "special" => (0..n)
            .map(|_| match random.below(4) {
                0 => any(random),
                1 if K::IS_FLOAT => {
                    // A zero, an infinity or a NaN with a sign.
                    let mut bytes = bytemuck::bytes_of(&special[random.below(special.len())]).to_vec();
                    bytes[size_of::<K>() - 1] |= 0x80;
                    bytemuck::pod_read_unaligned(&bytes)
                }
                _ => special[random.below(special.len())],
            })
            .collect(),
        "equal" => vec![any(random); n],
        _ => random.elements(n),
    };
    match kind {
        "sorted" | "reversed" => reference::sorted(&keys, kind == "reversed"),
        _ => keys,
    }
}

/// More keys than 31 bits can count.
pub(super) fn large(c: &mut Collector<'_>) {
    let rung = c.rung::<Rung>();
    // Comparing so many takes too long, and one tile a multiprocessor is too small.
    if matches!(rung, Some(Rung::Bitonic | Rung::BitonicShared | Rung::Together)) {
        return;
    }
    let sort = Sort::new().variant(rung);
    c.add(large::label("i32 keys"), move |device, _| {
        let sorted = sort.run(device, large::words())?;
        let in_order = sorted.windows(2).all(|two| two[0] <= two[1]);
        let last = sorted.last().copied();
        Ok(large::same(&(in_order, last, sorted.len()), &(true, Some(large::PEAK), large::words().len())))
    });
}
