//! Folds on the CPU and on the emulator against plain loops.

use crate::device::trace::Watch;
use crate::expression::{Fold, Operand};
use crate::random::Random;
use crate::{Device, Error};

const SIZES: [usize; 7] = [0, 1, 5, 1023, 1025, 40_000, 70_001];

#[test]
fn an_operator_that_is_not_commutative_keeps_the_order() {
    // Steps s -> x * s + y, one after the other.
    let steps = Fold::associative().field("factor", "x", "a.factor * b.factor", 1).field(
        "addend",
        "y",
        "b.factor * a.addend + b.addend",
        0,
    );
    let emulator = Device::emulator();
    let mut random = Random::new(11);
    for n in SIZES {
        let (xs, ys) = (random.elements::<i32>(n), random.elements::<i32>(n));
        let expected = xs.iter().zip(&ys).fold((1_i32, 0_i32), |(factor, addend), (x, y)| {
            (factor.wrapping_mul(*x), x.wrapping_mul(addend).wrapping_add(*y))
        });
        for device in [&Device::cpu(), &emulator] {
            let found = steps.run(device, vec![Operand::new(&xs), Operand::new(&ys)]).unwrap();
            let found = (found.get::<i32>("factor").unwrap(), found.get::<i32>("addend").unwrap());
            assert_eq!(found, expected, "{n} on the {}", device.name());
        }
    }
}

#[test]
fn four_fields_of_several_types() {
    let smaller = "(b.value < a.value)";
    let choose = |field: &str| format!("where({smaller}, b.{field}, a.{field})");
    let fold = Fold::associative()
        .field("value", "x", &choose("value"), f64::INFINITY)
        .field("place", "index", &choose("place"), 0)
        .field("payload", "y", &choose("payload"), 0)
        .field("count", "i64(x > 0)", "a.count + b.count", 0);
    let emulator = Device::emulator();
    let mut random = Random::new(12);
    for n in SIZES.into_iter().filter(|&n| n > 0) {
        let (xs, ys) = (random.elements::<f32>(n), random.elements::<u8>(n));
        let place = (0..n).fold(0, |best, i| if xs[i] < xs[best] { i } else { best });
        for device in [&Device::cpu(), &emulator] {
            let found = fold.run(device, vec![Operand::new(&xs), Operand::new(&ys)]).unwrap();
            assert_eq!(found.get::<f32>("value").unwrap(), xs[place], "{n}");
            assert_eq!(found.get::<u64>("place").unwrap(), place as u64, "{n}");
            assert_eq!(found.get::<u8>("payload").unwrap(), ys[place], "{n}");
            let positive = xs.iter().filter(|x| **x > 0.0).count();
            assert_eq!(found.get::<i64>("count").unwrap(), positive as i64, "{n}");
        }
    }
}

#[test]
fn mean_and_variance_by_merging() {
    let n = "(a.n + b.n)";
    let fold = Fold::associative()
        .field("n", "1.0", n, 0)
        .field("mean", "f64(x)", &format!("a.mean + (b.mean - a.mean) * (b.n / max({n}, 1))"), 0)
        .field("m2", "0.0", &format!("a.m2 + b.m2 + (b.mean - a.mean)**2 * (a.n * b.n / max({n}, 1))"), 0)
        .commutative();
    let xs: Vec<f32> = Random::new(13).elements(50_000);
    let mean = xs.iter().map(|x| f64::from(*x)).sum::<f64>() / 5e4;
    let variance = xs.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / 5e4;
    for device in [Device::cpu(), Device::emulator()] {
        let found = fold.run(&device, vec![Operand::new(&xs)]).unwrap();
        let field = |name: &str| found.get::<f64>(name).unwrap();
        assert_eq!(field("n"), 5e4);
        assert!((field("mean") - mean).abs() < 1e-12 && (field("m2") / 5e4 - variance).abs() < 1e-12);
    }
}

#[test]
fn nothing_is_found_by_the_checks() {
    let device = Device::emulator_watching("h200", Watch::ALL).unwrap();
    let last = Fold::associative().field("value", "x", "where(b.any != 0, b.value, a.value)", 0).field(
        "any",
        "u8(1 == 1)",
        "a.any | b.any",
        0,
    );
    let xs: Vec<i32> = (0..10_000).collect();
    device.start_trace();
    assert_eq!(last.run(&device, vec![Operand::new(&xs)]).unwrap().get::<i32>("value").unwrap(), 9999);
    for launch in device.take_trace().unwrap().launches {
        assert!(launch.findings.is_empty(), "{:?}", launch.findings);
    }
}

#[test]
fn wrong_fields_are_explained() {
    let said = |fold: Fold| match fold.run(&Device::cpu(), vec![Operand::new(&[1.0_f32])]) {
        Err(Error::Expression { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    assert!(said(Fold::associative()).contains("one to four fields"));
    assert!(said(Fold::associative().field("s", "x + z", "a.s", 0)).contains("there is no value for z"));
    assert!(said(Fold::associative().field("s", "x", "a.s + b.t", 0)).contains("there is no value for b.t"));
    assert!(said(Fold::associative().field("s", "x", "f64(a.s)", 0)).contains("the result is f64, not f32"));
    assert!(said(Fold::associative().field("s", "x", "a.s", crate::expression::x())).contains("no elements"));
}
