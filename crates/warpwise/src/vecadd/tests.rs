//! Vector add against its reference.

use super::{cpu, reference};
use crate::Error;
use crate::agreement::{Random, SIZES, Sample, assert_agree, bits, on_any_threads};
use crate::simd::Level;
use crate::simd::stream::Stores;

fn agrees<T: Sample>() {
    let mut random = Random::new(1);
    for n in SIZES.into_iter().chain([12_345, 300_001]) {
        let (a, b) = (random.elements::<T>(n), random.elements::<T>(n));
        let mut truth = vec![T::Exact::default(); n];
        reference::add(&a, &b, &mut truth).unwrap();
        let mut out = vec![T::default(); n];
        cpu::seq(&a, &b, &mut out).unwrap();
        assert_agree("seq", &out, &truth, 1);
        for level in Level::available() {
            for stores in [Stores::Cached, Stores::Streamed] {
                let par = on_any_threads(|| {
                    let mut out = vec![T::default(); n];
                    cpu::par_at(level, stores, &a, &b, &mut out).unwrap();
                    bits(&out)
                });
                assert_eq!(par, bits(&out), "{} {n} at {}, {stores:?}", T::NAME, level.name());
            }
        }
    }
}

#[test]
fn every_type_agrees() {
    agrees::<i32>();
    agrees::<f32>();
    agrees::<f64>();
}

#[test]
fn lengths_must_match() {
    let error = cpu::par(&[1, 2], &[1], &mut [0, 0]).unwrap_err();
    assert_eq!(error, Error::Length { what: "the second vector", expected: 2, found: 1 });
    assert_eq!(error.to_string(), "the second vector has 1 elements but needs 2: make the lengths match");
    assert!(cpu::seq(&[1, 2], &[1, 2], &mut [0]).is_err());
}

/// Long enough to be shared out by pages.
#[test]
fn fresh_memory_has_the_same_sums() {
    let mut random = Random::new(41);
    let (a, b) = (random.elements::<f32>(9_000_001), random.elements::<f32>(9_000_001));
    let mut expected = vec![0.0; a.len()];
    cpu::seq(&a, &b, &mut expected).unwrap();
    let found = on_any_threads(|| {
        let mut out = crate::memory::zeros(a.len());
        cpu::par_fresh(&a, &b, &mut out).unwrap();
        out
    });
    assert_eq!(bits(&found), bits(&expected));
    assert!(cpu::par_fresh(&a, &b[1..], &mut expected).is_err());
}
