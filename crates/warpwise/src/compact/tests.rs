//! Compact against its reference.

use super::sift::Keep;
use super::{Condition, cpu, reference};
use crate::Error;
use crate::agreement::{Random, SIZES, Sample, bits, on_any_threads};
use crate::simd::Level;
use crate::simd::stream::Stores;

/// A few values only, so that every condition keeps some elements; with what compares in ways of its own.
fn sample<T: Sample>(random: &mut Random, n: usize) -> Vec<T> {
    let special = [f64::NAN, -0.0, f64::INFINITY, f64::from(i32::MIN)];
    let draw = |random: &mut Random| match random.below(12) {
        i if i < special.len() && (T::IS_FLOAT || i == 3) => T::of(special[i]),
        i => T::of(i as f64 - 6.0),
    };
    (0..n).map(|_| draw(random)).collect()
}

fn par<T: Sample>(level: Level, xs: &[T], keep: Keep<'_, T>) -> Vec<u64> {
    let [cached, streamed] = [Stores::Cached, Stores::Streamed].map(|stores| {
        let mut out = vec![T::default(); xs.len()];
        let count = cpu::par_at(level, stores, xs, keep, &mut out).unwrap();
        bits(&out[..count])
    });
    assert!(cached == streamed, "how {} elements are stored shows", xs.len());
    cached
}

fn agrees<T: Sample>() {
    let mut random = Random::new(61);
    for n in SIZES.into_iter().chain([12_345, 700_001]) {
        let xs = sample::<T>(&mut random, n);
        let mask: Vec<u8> = (0..n).map(|_| [0, 0, 1, 128][random.below(4)]).collect();
        let mut out = vec![T::default(); n];
        let compare = |what: &str, keep: Keep<'_, T>, truth: Vec<T>, count: usize, out: &[T]| {
            assert_eq!(bits(&out[..count]), bits(&truth), "seq {what}");
            for level in Level::available() {
                let found = on_any_threads(|| par(level, &xs, keep));
                assert!(found == bits(&truth), "{what} at {}", level.name());
            }
            let mut out = crate::memory::zeros(n);
            let count = cpu::par_fresh(&xs, keep, &mut out).unwrap();
            assert!(bits(&out[..count]) == bits(&truth), "fresh {what}");
        };
        for value in [2.0, -0.0, f64::NAN] {
            for condition in Condition::all(T::of(value)) {
                let what = format!("{} {condition:?} of {n}", T::NAME);
                let count = cpu::seq(&xs, condition, &mut out).unwrap();
                let truth = reference::compact(&xs, condition);
                compare(&what, Keep::Where(condition), truth, count, &out);
            }
        }
        let count = cpu::seq_by_mask(&xs, &mask, &mut out).unwrap();
        let truth = reference::by_mask(&xs, &mask).unwrap();
        compare(&format!("{} mask of {n}", T::NAME), Keep::Mask(&mask), truth, count, &out);
    }
}

#[test]
fn integers_agree() {
    agrees::<i32>();
    agrees::<u32>();
}

#[test]
fn floats_agree() {
    agrees::<f32>();
    agrees::<f64>();
}

/// All or nothing, of several windows of any number of threads.
#[test]
fn long_inputs_agree() {
    let xs: Vec<f32> = Random::new(62).elements(3_000_001);
    for level in Level::available() {
        for (condition, truth) in [
            (Condition::Less(2.0), bits(&xs)),
            (Condition::Greater(2.0), Vec::new()),
            (Condition::Less(0.0), bits(&reference::compact(&xs, Condition::Less(0.0)))),
        ] {
            assert!(on_any_threads(|| par(level, &xs, Keep::Where(condition))) == truth, "{condition:?}");
        }
    }
}

#[test]
fn lengths_must_match() {
    let error = cpu::par(&[1, 2], Condition::Less(2), &mut [0]).unwrap_err();
    assert_eq!(error, Error::Length { what: "the result", expected: 2, found: 1 });
    let error = cpu::seq_by_mask(&[1, 2], &[1], &mut [0, 0]).unwrap_err();
    assert_eq!(error, Error::Length { what: "the mask", expected: 2, found: 1 });
    assert!(cpu::seq(&[1, 2], Condition::Less(2), &mut [0]).is_err());
    assert!(cpu::par_by_mask(&[1, 2], &[1, 1], &mut [0, 0, 0]).is_err());
}
