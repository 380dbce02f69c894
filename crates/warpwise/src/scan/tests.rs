//! Scan against its reference.

use super::{Kind, cpu, reference};
use crate::agreement::{Random, SIZES, Sample, assert_agree, bits, on_any_threads};
use crate::simd::Level;
use crate::simd::stream::Stores;
use crate::{Error, Operator};

fn par<T: Sample>(level: Level, operator: Operator, kind: Kind, xs: &[T]) -> Vec<T> {
    let [out, streamed] = [Stores::Cached, Stores::Streamed].map(|stores| {
        let mut out = vec![T::default(); xs.len()];
        cpu::par_at(level, stores, operator, kind, xs, &mut out).unwrap();
        out
    });
    assert!(bits(&out) == bits(&streamed), "how results are stored shows in {} of {}", operator.name(), xs.len());
    out
}

fn agrees<T: Sample>() {
    let mut random = Random::new(4);
    for n in SIZES.into_iter().chain([3333, 200_003]) {
        let any = random.elements::<T>(n);
        // Products of these floats stay near one.
        let near_one: Vec<T> = any.iter().map(|x| T::of(1.0 + x.to_f64() / (n as f64 + 1.0))).collect();
        for operator in Operator::ALL {
            let xs = if T::IS_FLOAT && operator == Operator::Product { &near_one } else { &any };
            for kind in Kind::ALL {
                let what = format!("{} {} of {n} {}", kind.name(), operator.name(), T::NAME);
                let mut truth = vec![T::Exact::default(); n];
                reference::scan(operator, kind, xs, &mut truth).unwrap();
                let mut out = vec![T::default(); n];
                cpu::seq(operator, kind, xs, &mut out).unwrap();
                assert_agree(&what, &out, &truth, n);
                for level in Level::available() {
                    on_any_threads(|| bits(&par(level, operator, kind, xs)));
                    assert_agree(&what, &par(level, operator, kind, xs), &truth, n);
                }
            }
        }
    }
}

#[test]
fn integers_agree() {
    agrees::<i32>();
    agrees::<u32>();
    agrees::<i64>();
    agrees::<u64>();
}

#[test]
fn floats_agree() {
    agrees::<f32>();
    agrees::<f64>();
}

#[test]
fn nan_stays() {
    for n in [20, 3000, 200_000] {
        let mut xs = vec![1.0_f32; n];
        xs[n / 2] = f32::NAN;
        for level in Level::available() {
            for operator in Operator::ALL {
                let out = par(level, operator, Kind::Inclusive, &xs);
                assert!(out[..n / 2].iter().all(|x| !x.is_nan()), "{operator:?} of {n}");
                assert!(out[n / 2..].iter().all(|x| x.is_nan()), "{operator:?} of {n}");
            }
        }
    }
}

#[test]
fn zeros_are_ordered_by_sign() {
    let mut xs = vec![0.0_f64; 100];
    xs[50] = -0.0;
    for level in Level::available() {
        let out = par(level, Operator::Min, Kind::Inclusive, &xs);
        assert!(out[..50].iter().all(|x| x.is_sign_positive()));
        assert!(out[50..].iter().all(|x| x.is_sign_negative()));
    }
}

#[test]
fn an_exclusive_scan_starts_with_the_identity() {
    for operator in Operator::ALL {
        assert_eq!(par(Level::current(), operator, Kind::Exclusive, &[5.0_f32]), [operator.identity::<f32>()]);
        assert_eq!(par(Level::current(), operator, Kind::Exclusive, &[5_u64]), [operator.identity::<u64>()]);
    }
}

#[test]
fn lengths_must_match() {
    let error = cpu::par(Operator::Sum, Kind::Inclusive, &[1, 2], &mut [0]).unwrap_err();
    assert_eq!(error, Error::Length { what: "the result", expected: 2, found: 1 });
}

/// Long enough for several windows of any number of threads.
#[test]
fn threads_do_not_show_in_long_scans() {
    let xs = Random::new(40).elements::<f32>(9_000_001);
    for level in Level::available() {
        let sums = on_any_threads(|| bits(&par(level, Operator::Sum, Kind::Inclusive, &xs)));
        assert_eq!(sums.len(), xs.len());
    }
}

/// Windows of fresh memory end elsewhere; the results are the same.
#[test]
fn fresh_memory_has_the_same_prefixes() {
    let xs = Random::new(42).elements::<f32>(9_000_001);
    for (operator, kind) in [(Operator::Sum, Kind::Inclusive), (Operator::Max, Kind::Exclusive)] {
        let found = on_any_threads(|| {
            let mut out = crate::memory::zeros(xs.len());
            cpu::par_fresh(operator, kind, &xs, &mut out).unwrap();
            bits(&out)
        });
        assert!(found == bits(&par(Level::current(), operator, kind, &xs)), "{operator:?}, {kind:?}");
    }
    assert!(cpu::par_fresh(Operator::Sum, Kind::Inclusive, &xs, &mut []).is_err());
}
