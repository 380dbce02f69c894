//! Reduce against its reference.

use super::{Extreme, cpu, reference};
use crate::agreement::{Random, SIZES, Sample, assert_agree, on_any_threads};
use crate::simd::Level;
use crate::{Error, Operator};

fn sizes() -> impl Iterator<Item = usize> {
    SIZES.into_iter().chain([777, 54_321, 500_000])
}

/// Data whose product neither vanishes nor overflows, in any order: for floats, numbers near one.
fn factors<T: Sample>(random: &mut Random, n: usize) -> Vec<T> {
    if T::IS_FLOAT { (0..n).map(|_| T::of(1.0 + random.unit() / n as f64)).collect() } else { random.elements(n) }
}

fn agrees<T: Sample>() {
    let mut random = Random::new(2);
    for n in sizes() {
        for operator in Operator::ALL {
            let xs = if operator == Operator::Product { factors::<T>(&mut random, n) } else { random.elements::<T>(n) };
            let Ok(truth) = reference::reduce(operator, &xs) else {
                assert_eq!(cpu::seq(operator, &xs), Err(Error::Empty { operator: operator.name() }));
                assert_eq!(cpu::par(operator, &xs), Err(Error::Empty { operator: operator.name() }));
                continue;
            };
            let what = format!("{} of {n} {}", operator.name(), T::NAME);
            assert_agree(&what, &[cpu::seq(operator, &xs).unwrap()], &[truth], n);
            let mut results = Vec::new();
            for level in Level::available() {
                let par = on_any_threads(|| cpu::par_at(level, operator, &xs).unwrap().all_bits());
                results.push(par);
                assert_agree(&what, &[cpu::par_at(level, operator, &xs).unwrap()], &[truth], n);
            }
            assert!(results.iter().all(|&bits| bits == results[0]), "{what} depends on the SIMD level");
        }
    }
}

fn places_agree<T: Sample>() {
    let mut random = Random::new(3);
    for n in sizes().filter(|&n| n > 0) {
        let any = random.elements::<T>(n);
        let mut sorted = any.clone();
        sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let reversed: Vec<T> = sorted.iter().rev().copied().collect();
        let few: Vec<T> = any.iter().map(|&x| if x > T::ZERO { T::ONE } else { T::ZERO }).collect();
        for (name, xs) in [("any", &any), ("sorted", &sorted), ("reversed", &reversed), ("few", &few)] {
            for extreme in Extreme::ALL {
                let truth = reference::place(extreme, xs).unwrap();
                for level in Level::available() {
                    let place = on_any_threads(|| cpu::par_place_at(level, extreme, xs).unwrap());
                    assert_eq!(place, truth, "{} of {n} {} ({name})", extreme.name(), T::NAME);
                }
            }
        }
    }
}

#[test]
fn integers_agree() {
    agrees::<u8>();
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
fn places_agree_for_every_type() {
    places_agree::<u8>();
    places_agree::<i32>();
    places_agree::<u32>();
    places_agree::<i64>();
    places_agree::<u64>();
    places_agree::<f32>();
    places_agree::<f64>();
}

#[test]
fn nothing_gives_the_identity_or_an_error() {
    assert_eq!(cpu::par::<i32>(Operator::Sum, &[]), Ok(0));
    assert_eq!(cpu::par::<f64>(Operator::Product, &[]), Ok(1.0));
    assert!(cpu::par::<f64>(Operator::Sum, &[]).unwrap().is_sign_positive());
    assert!(cpu::par_place::<f64>(Extreme::Min, &[]).is_err());
    assert!(cpu::seq_place::<f64>(Extreme::Max, &[]).is_err());
}

/// NaN is found at any place of any block, lane and tail.
#[test]
fn nan_wins() {
    for n in [1, 2, 40, 1024, 5000, 70_001] {
        for place in [0, 1, n / 3, n / 2, n - 1] {
            let mut xs: Vec<f32> = (0..n).map(|i| i as f32).collect();
            if place >= n {
                continue;
            }
            xs[place] = f32::NAN;
            for level in Level::available() {
                for operator in Operator::ALL {
                    assert!(cpu::seq(operator, &xs).unwrap().is_nan());
                    assert!(cpu::par_at(level, operator, &xs).unwrap().is_nan(), "{operator:?} of {n}, NaN at {place}");
                }
                for extreme in Extreme::ALL {
                    assert_eq!(cpu::par_place_at(level, extreme, &xs), Ok(place));
                }
            }
        }
    }
}

#[test]
fn zeros_are_ordered_by_sign_and_tie_as_places() {
    for n in [2, 70, 3000] {
        let mut xs = vec![0.0_f64; n];
        xs[n - 1] = -0.0;
        for level in Level::available() {
            assert!(cpu::par_at(level, Operator::Min, &xs).unwrap().is_sign_negative());
            assert!(cpu::par_at(level, Operator::Max, &xs).unwrap().is_sign_positive());
            assert_eq!(cpu::par_place_at(level, Extreme::Min, &xs), Ok(0));
            assert_eq!(cpu::par_place_at(level, Extreme::Max, &xs), Ok(0));
        }
        let negative = vec![-0.0_f64; n];
        assert!(cpu::par(Operator::Max, &negative).unwrap().is_sign_negative());
        assert!(cpu::par(Operator::Sum, &negative).unwrap().is_sign_positive());
    }
}

/// Extremes that are zeros of either sign, unique or not, and zeros of one sign only.
#[test]
fn extremes_have_the_bits_of_seq() {
    fn agree<T: Sample>() {
        let mut random = Random::new(10);
        for n in [1, 2, 31, 33, 64, 65, 127, 1000, 1024, 1025, 70_001] {
            let any: Vec<f64> = (0..n).map(|_| random.unit()).collect();
            let zeros = |x: f64| if x > 0.5 { 0.0 } else { -0.0 };
            let some = |x: f64| if x.abs() < 0.1 { zeros(x * 10.0) } else { x.abs() };
            let shapes: [(&str, &dyn Fn(f64) -> f64); 6] = [
                ("positive", &|x| 1.0 + x.abs()),
                ("negative", &|x| -1.0 - x.abs()),
                ("zeros", &zeros),
                ("not negative", &some),
                ("not positive", &|x| -some(x)),
                ("infinite", &|x| if x > 0.0 { f64::INFINITY } else { f64::NEG_INFINITY }),
            ];
            for (name, shape) in shapes {
                let xs: Vec<T> = any.iter().map(|&x| T::of(shape(x))).collect();
                for operator in [Operator::Min, Operator::Max] {
                    let expected = cpu::seq(operator, &xs).unwrap().all_bits();
                    for level in Level::available() {
                        let found = cpu::par_at(level, operator, &xs).unwrap().all_bits();
                        assert_eq!(found, expected, "{} of {n} {name} {}", operator.name(), T::NAME);
                    }
                }
            }
        }
    }
    agree::<f32>();
    agree::<f64>();
}

#[test]
fn infinities_are_values() {
    let mut xs = vec![1.0_f32; 3000];
    xs[1234] = f32::INFINITY;
    assert_eq!(cpu::par(Operator::Sum, &xs), Ok(f32::INFINITY));
    assert_eq!(cpu::par(Operator::Max, &xs), Ok(f32::INFINITY));
    assert_eq!(cpu::par_place(Extreme::Max, &xs), Ok(1234));
    xs[2345] = f32::NEG_INFINITY;
    assert!(cpu::par(Operator::Sum, &xs).unwrap().is_nan());
    assert_eq!(cpu::par(Operator::Min, &xs), Ok(f32::NEG_INFINITY));
    // Elements that all equal the identity still have a place.
    assert_eq!(cpu::par_place(Extreme::Min, &[f32::INFINITY; 5000]), Ok(0));
    assert_eq!(cpu::par_place(Extreme::Max, &[i32::MIN; 5000]), Ok(0));
}

/// Adding 0.1 ten million times drifts by percents from left to right, and hardly at all in a tree.
#[test]
fn sums_are_as_accurate_as_pairwise_ones() {
    let xs = vec![0.1_f32; 10_000_000];
    let truth = 10_000_000.0 * f64::from(0.1_f32);
    let error = (f64::from(cpu::par(Operator::Sum, &xs).unwrap()) - truth).abs() / truth;
    assert!(error < 1e-6, "{error:e}");
}

/// The fixed tree exactly as described, step by step.
fn tree<T: Sample>(operator: Operator, xs: &[T]) -> T {
    let (columns, loaded) = (512 / size_of::<T>(), 16 / size_of::<T>());
    let combine = |a: T, b: T| operator.apply(a, b);
    let tile = |xs: &[T]| {
        let at = |i: usize| xs.get(i).copied().unwrap_or(operator.identity());
        let column = |group: usize, c: usize| {
            let rows = (8 * group..8 * group + 8).map(|row| at(row * columns + c));
            rows.reduce(combine).unwrap()
        };
        let whole = |c: usize| {
            let [a, b, c, d, e, f, g, h] = std::array::from_fn(|group| column(group, c));
            combine(combine(combine(a, b), combine(c, d)), combine(combine(e, f), combine(g, h)))
        };
        let lane = |i: usize| match loaded {
            2 => combine(whole(2 * i), whole(2 * i + 1)),
            _ => combine(combine(whole(4 * i), whole(4 * i + 1)), combine(whole(4 * i + 2), whole(4 * i + 3))),
        };
        let mut lanes: Vec<T> = (0..32).map(lane).collect();
        while lanes.len() > 1 {
            let half = lanes.len() / 2;
            lanes = (0..half).map(|i| combine(lanes[i], lanes[i + half])).collect();
        }
        lanes[0]
    };
    let mut values: Vec<T> = xs.chunks(64 * columns).map(tile).collect();
    while values.len() > 1 {
        values = values.chunks(64 * columns).map(tile).collect();
    }
    combine(operator.identity(), values[0])
}

fn is_the_tree<T: Sample>(sizes: &[usize]) {
    let mut random = Random::new(4);
    for &n in sizes {
        for operator in [Operator::Sum, Operator::Product] {
            let xs = if operator == Operator::Product { factors::<T>(&mut random, n) } else { random.elements::<T>(n) };
            let expected = tree(operator, &xs).all_bits();
            for level in Level::available() {
                let found = on_any_threads(|| cpu::par_at(level, operator, &xs).unwrap().all_bits());
                assert_eq!(found, expected, "{} of {n} {} at {}", operator.name(), T::NAME, level.name());
            }
        }
    }
}

#[test]
fn sums_and_products_of_floats_are_the_fixed_tree() {
    is_the_tree::<f32>(&[1, 3, 127, 128, 129, 1023, 1024, 1025, 8191, 8192, 8193, 100_003]);
    is_the_tree::<f64>(&[1, 63, 64, 65, 511, 513, 4095, 4096, 4097, 70_001]);
}

/// More tiles than a tile has elements, so that there are three rounds.
#[test]
fn tiles_of_tiles_are_the_fixed_tree() {
    is_the_tree::<f64>(&[4096 * 4096 + 4097]);
}

#[test]
fn there_is_one_nan() {
    for xs in [vec![f32::INFINITY, f32::NEG_INFINITY], vec![1.0, -f32::NAN, 2.0], vec![f32::from_bits(0x7fa0_0001)]] {
        assert_eq!(cpu::par(Operator::Sum, &xs).unwrap().to_bits(), f32::NAN.to_bits());
    }
}
