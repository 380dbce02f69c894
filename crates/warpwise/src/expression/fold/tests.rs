//! Folds on the CPU and on the emulator against plain loops.

use crate::device::trace::Watch;
use crate::expression::{Fold, Operand};
use crate::random::Random;
use crate::scan::Kind;
use crate::{Buffer, Device, Error};

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
fn a_field_that_is_alone_needs_no_name() {
    let product = Fold::associative().field("value", "x", "a * b", 1);
    for device in [Device::cpu(), Device::emulator()] {
        let found = product.run(&device, vec![Operand::new(&[3, 1, 4])]).unwrap();
        assert_eq!(found.get::<i32>("value").unwrap(), 12);
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

const SCANNED: [usize; 9] = [0, 1, 5, 31, 1023, 1025, 4097, 40_000, 70_001];

#[test]
fn a_scan_with_an_operator_that_is_not_commutative() {
    let steps = Fold::associative().field("factor", "x", "a.factor * b.factor", 1).field(
        "addend",
        "y",
        "b.factor * a.addend + b.addend",
        0,
    );
    let emulator = Device::emulator();
    let mut random = Random::new(21);
    for n in SCANNED {
        let (xs, ys) = (random.elements::<i32>(n), random.elements::<i32>(n));
        let mut so_far = (1_i32, 0_i32);
        let mut all = vec![so_far];
        for (x, y) in xs.iter().zip(&ys) {
            so_far = (so_far.0.wrapping_mul(*x), x.wrapping_mul(so_far.1).wrapping_add(*y));
            all.push(so_far);
        }
        for (kind, right) in [(Kind::Inclusive, &all[1..]), (Kind::Exclusive, &all[..n])] {
            for device in [&Device::cpu(), &emulator] {
                let mut found = steps.scan(device, kind, vec![Operand::new(&xs), Operand::new(&ys)]).unwrap();
                let mut field = |name: &str| found.take::<i32>(name).unwrap().to_vec().unwrap();
                let pairs: Vec<(i32, i32)> = field("factor").into_iter().zip(field("addend")).collect();
                assert!(pairs == *right, "{kind:?} of {n} on the {}", device.name());
            }
        }
    }
}

#[test]
fn a_scan_of_four_fields_of_several_types() {
    let larger = "(b.value > a.value)";
    let choose = |field: &str| format!("where({larger}, b.{field}, a.{field})");
    let fold = Fold::associative()
        .field("value", "x", &choose("value"), f64::NEG_INFINITY)
        .field("place", "index", &choose("place"), u64::MAX)
        .field("payload", "y", &choose("payload"), 0)
        .field("count", "f64(x > 0)", "a.count + b.count", 0);
    let emulator = Device::emulator();
    let mut random = Random::new(22);
    for n in SCANNED.into_iter().filter(|&n| n > 0) {
        let (xs, ys) = (random.elements::<f32>(n), random.elements::<u8>(n));
        let (mut best, mut count) = (0, 0.0);
        let right: Vec<(f32, u64, u8, f64)> = (0..n)
            .map(|i| {
                best = if xs[i] > xs[best] { i } else { best };
                count += f64::from(u8::from(xs[i] > 0.0));
                (xs[best], best as u64, ys[best], count)
            })
            .collect();
        for device in [&Device::cpu(), &emulator] {
            // Inputs that do not begin at a multiple of a vector.
            let around: Vec<f32> = [&[0.0][..], &xs].concat();
            let buffer = Buffer::from_slice(device, &around).unwrap();
            let view = buffer.view(1..).unwrap();
            let operands = vec![Operand::new(&view), Operand::new(&ys)];
            let mut found = fold.scan(device, Kind::Inclusive, operands).unwrap();
            let values = found.take::<f32>("value").unwrap().to_vec().unwrap();
            let places = found.take::<u64>("place").unwrap().to_vec().unwrap();
            let payloads = found.take::<u8>("payload").unwrap().to_vec().unwrap();
            let counts = found.take::<f64>("count").unwrap().to_vec().unwrap();
            for (i, right) in right.iter().enumerate() {
                let found = (values[i], places[i], payloads[i], counts[i]);
                assert_eq!(found, *right, "{i} of {n} on the {}", device.name());
            }
        }
    }
}

#[test]
fn nothing_is_found_in_a_scan_by_the_checks() {
    let device = Device::emulator_watching("h200", Watch::ALL).unwrap();
    let last = Fold::associative().field("value", "x", "where(b.any != 0, b.value, a.value)", 0).field(
        "any",
        "u8(x % 3 == 0)",
        "a.any | b.any",
        0,
    );
    let xs: Vec<i32> = (0..20_000).collect();
    device.start_trace();
    let mut found = last.scan(&device, Kind::Inclusive, vec![Operand::new(&xs)]).unwrap();
    let values = found.take::<i32>("value").unwrap().to_vec().unwrap();
    assert!(values.iter().zip(&xs).all(|(value, x)| *value == x - x % 3));
    for launch in device.take_trace().unwrap().launches {
        assert!(launch.findings.is_empty(), "{:?}", launch.findings);
    }
}

#[test]
fn a_field_is_taken_once_and_by_its_type() {
    let sum = Fold::associative().field("sum", "x", "a.sum + b.sum", 0);
    for device in [Device::cpu(), Device::emulator()] {
        let mut found = sum.scan(&device, Kind::Inclusive, vec![Operand::new(&[1_u32, 2])]).unwrap();
        let said = |error: Error| error.to_string();
        assert!(said(found.take::<u32>("sums").unwrap_err()).contains("there is no field sums"));
        assert!(said(found.take::<i32>("sum").unwrap_err()).contains("sum is u32, not i32"));
        assert_eq!(found.take::<u32>("sum").unwrap().to_vec().unwrap(), [1, 3]);
        assert!(said(found.take::<u32>("sum").unwrap_err()).contains("taken before"));
    }
}
