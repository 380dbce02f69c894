//! Scans and histograms of an expression, and what is kept where one holds: on a GPU in one launch.

use crate::compact::{self, Compactable};
use crate::device::trace::Watch;
use crate::expression::{Expression, x};
use crate::histogram::{Binning, Countable, Histogram};
use crate::random::Random;
use crate::scan::{Kind, Scan, Scannable};
use crate::{Buffer, Device, Element, Operator, map};

const SIZES: [usize; 10] = [0, 1, 31, 33, 1024, 4095, 4097, 9000, 40_000, 70_003];

fn parsed(text: &str) -> Expression {
    text.parse().expect("it is well formed")
}

/// The emulator scans an expression as the CPU scans its elements.
fn scans<T: Element, R: Scannable>(text: &str) {
    let (expression, emulator) = (parsed(text), Device::emulator());
    let mut random = Random::new(31);
    for n in SIZES {
        let xs: Vec<T> = random.elements(n);
        let buffer = Buffer::from_slice(&emulator, &[&random.elements::<T>(1)[..], &xs].concat()).unwrap();
        let view = buffer.view(1..).unwrap();
        let (there, here) = (expression.of::<R, T, _>(&view).unwrap(), expression.of::<R, T, _>(&xs).unwrap());
        let elements = map::run(&Device::cpu(), &here).unwrap();
        for operator in Operator::ALL {
            for kind in [Kind::Inclusive, Kind::Exclusive] {
                let how = Scan::new().operator(operator).kind(kind);
                let expected = how.run(&Device::cpu(), &elements).unwrap();
                for found in [how.run(&emulator, &there).unwrap(), how.run(&emulator, &here).unwrap()] {
                    assert_eq!(found.len(), n);
                    for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
                        let (a, b) = (a.to_f64(), b.to_f64());
                        let room = if operator.order_shows::<R>() { 1e-4 * b.abs().max(i as f64 * 1e-2) } else { 0.0 };
                        let same = a == b || (a - b).abs() <= room || (a.is_nan() && b.is_nan());
                        assert!(same, "{operator:?} {kind:?} of {text}, {i} of {n}: {a}, not {b}");
                    }
                }
            }
        }
    }
}

#[test]
fn scans_of_an_expression_are_those_of_its_elements() {
    scans::<f32, f32>("x * x");
    scans::<i32, i64>("i64(x) // 3");
    scans::<u8, u32>("u32(x) + 1");
}

#[test]
fn a_scan_is_written_anywhere() {
    let device = Device::emulator();
    let xs: Vec<f32> = (0..9001).map(|i| (i % 7) as f32).collect();
    let doubled = (x() + x()).of::<f32, _, _>(&xs).unwrap();
    let mut out = Buffer::from_slice(&device, &vec![-1.0_f32; 9005]).unwrap();
    Scan::new().run_into(&device, &doubled, &mut out.view_mut(3..9004).unwrap()).unwrap();
    let found = out.to_vec().unwrap();
    let right = Scan::new().run(&Device::cpu(), &xs).unwrap();
    assert!((0..9001).all(|i| found[i + 3] == 2.0 * right[i]));
    assert_eq!((found[2], found[9004]), (-1.0, -1.0));
}

/// The emulator counts what the CPU counts.
fn counts<T: Element, R: Countable>(text: &str, binnings: &[Binning]) {
    let (expression, emulator) = (parsed(text), Device::emulator());
    let mut random = Random::new(32);
    for n in SIZES {
        let xs: Vec<T> = random.elements(n);
        let elements: Vec<R> = map::run(&Device::cpu(), &expression.of::<R, T, _>(&xs).unwrap()).unwrap();
        for &binning in binnings {
            let how = Histogram::new(binning);
            let right = how.run(&Device::cpu(), &elements).unwrap();
            let found = how.run(&emulator, &expression.of::<R, T, _>(&xs).unwrap()).unwrap();
            assert_eq!(found, right, "{binning:?} of {text}, {n}");
        }
    }
}

#[test]
fn histograms_of_an_expression_are_those_of_its_elements() {
    let even = |bins| Binning::Even { bins, lo: -0.5, hi: 0.25 };
    counts::<f32, f32>("x * abs(x)", &[even(10), even(3000), even(100_000), even(1)]);
    counts::<f32, f64>("1 / (f64(x) - f64(x))", &[even(10)]);
    counts::<i32, i32>("x - 5", &[Binning::Modulo { bins: 7 }, Binning::Modulo { bins: 256 }, even(4)]);
    counts::<i32, u32>("u32(x)", &[Binning::Modulo { bins: 1000 }, Binning::Modulo { bins: 1 << 17 }]);
    counts::<u8, u8>("255 - x", &[Binning::Value, Binning::Letter, Binning::Modulo { bins: 300 }]);
}

fn keeps<T: Compactable>(text: &str) {
    let (expression, emulator) = (parsed(text), Device::emulator());
    let mut random = Random::new(33);
    for n in SIZES {
        let xs: Vec<T> = random.elements(n);
        let ys: Vec<i32> = random.elements(n);
        let right = compact::by_mask(&Device::cpu(), &xs, &expression.of::<u8, T, _>(&xs).unwrap()).unwrap();
        let same = |found: Vec<T>, right: &[T], what: &str| assert_eq!(found, right, "{text}, {n}, {what}");
        let here = expression.of(&xs).unwrap();
        same(compact::by_mask(&emulator, &xs, &here).unwrap(), &right, "what is tested");
        let buffer = Buffer::from_slice(&emulator, &xs).unwrap();
        let there = expression.of(&buffer).unwrap();
        same(compact::by_mask(&emulator, &buffer, &there).unwrap(), &right, "in a buffer");
        // Others than those that are tested, and no comparison but a number.
        let odd = parsed("u8(x % 4)").of(&ys).unwrap();
        let right: Vec<T> = xs.iter().zip(&ys).filter(|(_, y)| y.rem_euclid(4) != 0).map(|(&x, _)| x).collect();
        same(compact::by_mask(&emulator, &xs, &odd).unwrap(), &right, "others");
    }
}

#[test]
fn what_is_kept_where_an_expression_holds() {
    keeps::<f32>("x > 0.25");
    keeps::<f64>("(x > -0.5) & (x < 0.5)");
    keeps::<i32>("x % 3 == 0");
    keeps::<u32>("x != x");
}

#[test]
fn launches_are_few_and_nothing_is_found_by_the_checks() {
    let device = Device::emulator_watching("h200", Watch::ALL).unwrap();
    let xs: Vec<f32> = (0..20_000).map(|i| (i % 100) as f32).collect();
    let buffer = Buffer::from_slice(&device, &xs).unwrap();
    let mapped = parsed("where(x > 50, log(x), exp(-x)) + x % 7").of::<f32, _, _>(&buffer).unwrap();
    device.start_trace();
    Scan::new().run_buffer(&device, &mapped).unwrap();
    compact::Compact::by_mask(&x().gt(50).of(&buffer).unwrap()).run_buffer(&device, &buffer).unwrap();
    for bins in [10, 2000, 50_000] {
        Histogram::new(Binning::Even { bins, lo: 0.0, hi: 10.0 }).run_buffer(&device, &mapped).unwrap();
    }
    let launches = device.take_trace().unwrap().launches;
    let names: Vec<&str> = launches.iter().map(|launch| launch.kernel.as_str()).collect();
    assert_eq!(names, ["scan", "map", "compact_4_look_back_mask_b32", "histogram", "histogram", "histogram"]);
    for launch in &launches {
        assert!(launch.findings.is_empty(), "{}: {:?}", launch.kernel, launch.findings);
    }
}
