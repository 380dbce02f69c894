//! Sort on the CPU against the reference.

use super::conformance::made;
use super::workload::bits;
use super::{Key, Rung, Sort, reference};
use crate::Device;
use crate::agreement::{Random, on_any_threads};

const KINDS: [&str; 6] = ["random", "few", "special", "sorted", "reversed", "equal"];

fn agrees<K: Key>(keys: &[K], what: &str) {
    let cpu = Device::cpu();
    for rung in [Rung::CpuSeq, Rung::CpuPar] {
        for descending in [false, true] {
            let sort = Sort::new().variant(rung).descending(descending);
            let places = reference::places(keys, descending);
            let expected: Vec<K> = places.iter().map(|&place| keys[place]).collect();
            let found = sort.run(&cpu, keys).unwrap();
            assert!(bits(&found) == bits(&expected), "{rung} {what}, descending {descending}");
            let numbers = sort.argsort(&cpu, keys).unwrap();
            assert!(numbers.iter().map(|&place| place as usize).eq(places.iter().copied()), "{rung} {what} argsort");
            let values: Vec<u64> = (0..keys.len() as u64).map(|i| i * i).collect();
            let (found, moved) = sort.run_pairs(&cpu, keys, &values).unwrap();
            assert!(bits(&found) == bits(&expected), "{rung} {what} pairs");
            assert!(moved.iter().eq(places.iter().map(|&place| &values[place])), "{rung} {what} values");
        }
    }
}

fn typed<K: Key>() {
    let mut random = Random::new(90);
    for n in [0, 1, 2, 33, 1000, 20_000] {
        for kind in KINDS {
            agrees(&made::<K>(&mut random, kind, n), &format!("{} {kind} {n}", K::NAME));
        }
    }
}

#[test]
fn every_type_is_sorted() {
    typed::<u8>();
    typed::<u16>();
    typed::<u32>();
    typed::<i32>();
    typed::<u64>();
    typed::<i64>();
    typed::<f32>();
    typed::<f64>();
}

/// Many keys in one bucket, which is spread again; keys that share their upper bits; and one that stands out.
#[test]
fn keys_may_be_close_together() {
    let mut random = Random::new(91);
    let n = 60_000;
    let mut one_far: Vec<u64> = (0..n).map(|_| random.bits() >> 24).collect();
    one_far[n / 2] = u64::MAX;
    agrees(&one_far, "one far away");
    let mostly: Vec<u32> = (0..n).map(|_| if random.below(3) > 0 { 7 } else { random.bits() as u32 }).collect();
    agrees(&mostly, "mostly one key");
    let close: Vec<i32> = (0..n).map(|_| 1_000_000 + random.below(100) as i32).collect();
    agrees(&close, "upper bits the same");
    let clusters: Vec<u64> = (0..n).map(|_| ((random.below(3) as u64) << 60) | (random.bits() % (1 << 20))).collect();
    agrees(&clusters, "three clusters");
    let units: Vec<f32> = (0..n).map(|_| random.below(1 << 24) as f32 / (1 << 24) as f32).collect();
    agrees(&units, "between 0 and 1");
}

#[test]
fn the_number_of_threads_does_not_show() {
    let mut random = Random::new(92);
    let keys: Vec<f32> = (0..200_000).map(|_| random.below(1000) as f32 - 500.0).collect();
    let cpu = Device::cpu();
    let found = on_any_threads(|| Sort::new().argsort(&cpu, &keys).unwrap());
    assert!(found.iter().map(|&place| place as usize).eq(reference::places(&keys, false)));
}

#[test]
fn nan_is_last_whatever_its_sign_and_minus_zero_is_before_zero() {
    let sorted = super::sort(&Device::cpu(), &[f64::NAN, 0.0, -f64::NAN, -0.0, f64::INFINITY, -1.0]).unwrap();
    assert_eq!(sorted[0], -1.0);
    assert!(sorted[1] == 0.0 && sorted[1].is_sign_negative() && sorted[2].is_sign_positive());
    assert_eq!(sorted[3], f64::INFINITY);
    assert!(sorted[4].is_nan() && sorted[5].is_nan());
}
