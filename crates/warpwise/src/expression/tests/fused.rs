//! Reductions of an expression against those of what it gives.

use crate::agreement::SIZES;
use crate::device::trace::Watch;
use crate::expression::{Expression, x, y};
use crate::random::Random;
use crate::reduce::{self, Extreme, Order, Reduce, Reducible};
use crate::{Buffer, Device, Error, Operator, compact, map, scan};

fn parsed(text: &str) -> Expression {
    text.parse().expect("it is well formed")
}

/// All reductions of an expression agree with those of its elements: exactly on the CPU, and on the emulator where the
/// order does not show.
fn agrees<T: Reducible, R: Reducible>(text: &str, sizes: &[usize]) {
    let (expression, emulator) = (parsed(text), Device::emulator());
    let mut random = Random::new(5);
    for &n in sizes {
        let xs: Vec<T> = random.elements(n);
        let mapped = expression.of::<R, T, _>(&xs).unwrap();
        let elements = map::run(&Device::cpu(), &mapped).unwrap();
        for operator in Operator::ALL {
            let what = format!("{} of {text}, {n} of {}", operator.name(), T::NAME);
            let expected = Reduce::new().operator(operator).run(&Device::cpu(), &elements);
            let found = Reduce::new().operator(operator).run(&Device::cpu(), &mapped);
            assert_eq!(found.as_ref().map(|v| format!("{v:?}")), expected.as_ref().map(|v| format!("{v:?}")), "{what}");
            let found = Reduce::new().operator(operator).run(&emulator, &mapped);
            match (&found, &expected) {
                (Ok(found), Ok(expected)) if operator.order_shows::<R>() => {
                    let (found, expected) = (found.to_f64(), expected.to_f64());
                    let room = 1e-4 * expected.abs().max(n as f64 * 1e-2) + 1e-30;
                    assert!((found - expected).abs() <= room || found == expected, "{what}: {found}, not {expected}");
                }
                _ => assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{what} on the emulator"),
            }
            if operator.order_shows::<R>() {
                let found = Reduce::new().operator(operator).order(Order::Reproducible).run(&emulator, &mapped);
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{what} in the fixed order");
            }
        }
        for extreme in Extreme::ALL {
            let expected = Reduce::new().place(&Device::cpu(), extreme, &elements);
            for device in [&Device::cpu(), &emulator] {
                let found = Reduce::new().place(device, extreme, &mapped);
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{} of {text}, {n}", extreme.name());
            }
        }
    }
}

#[test]
fn reductions_of_an_expression_are_those_of_its_elements() {
    agrees::<f32, f32>("x * x", &SIZES);
    agrees::<i32, i32>("x // 7 - 3", &[0, 1, 33, 4099, (1 << 16) + 1]);
    agrees::<f64, f64>("exp(x) / (1 + exp(x))", &[1, 1025, 9000]);
    agrees::<f32, i64>("i64(x * 1000)", &[1, 257, 9000]);
    agrees::<u32, f64>("sqrt(x)", &[1, 257, 9000]);
    agrees::<i64, u64>("u64(abs(x)) % 1000", &[1, 257, 9000]);
    agrees::<f32, u32>("u32(x > 0.25)", &[1, 257, 9000]);
}

#[test]
fn nan_and_infinity_are_found() {
    let mut xs = vec![1.0_f32; 5000];
    xs[3000] = -1.0;
    let roots = parsed("sqrt(x)").of::<f32, _, _>(&xs).unwrap();
    for device in [Device::cpu(), Device::emulator()] {
        assert!(reduce::sum(&device, &roots).unwrap().is_nan());
        assert!(reduce::max(&device, &roots).unwrap().is_nan());
        assert_eq!(reduce::argmin(&device, &roots).unwrap(), 3000);
        let inverse = parsed("1 / (x + 1)").of::<f32, _, _>(&xs).unwrap();
        assert_eq!(reduce::max(&device, &inverse).unwrap(), f32::INFINITY);
        assert_eq!(reduce::argmax(&device, &inverse).unwrap(), 3000);
    }
}

#[test]
fn two_inputs_and_every_primitive() {
    let (xs, ys): (Vec<f32>, Vec<f64>) = ((0..3000).map(|i| i as f32).collect(), (0..3000).map(f64::from).collect());
    for device in [Device::cpu(), Device::emulator()] {
        let difference = (x() - y()).of_both::<f64, f32, f64, _, _>(&xs, &ys).unwrap();
        assert_eq!(reduce::sum(&device, &difference).unwrap(), 0.0);
        let odd = parsed("i32(x) % 2").of::<i32, _, _>(&xs).unwrap();
        let counts = scan::inclusive(&device, &odd).unwrap();
        assert_eq!((counts[0], counts[1], counts[2999]), (0, 1, 1500));
        // Part of a buffer, which does not begin at a multiple of a vector.
        let buffer = Buffer::from_slice(&device, &xs).unwrap();
        let view = buffer.view(1..2998).unwrap();
        let doubled: Vec<f32> = map::run(&device, &(x() + x()).of(&view).unwrap()).unwrap();
        assert_eq!((doubled.len(), doubled[0], doubled[2996]), (2997, 2.0, 2.0 * 2997.0));
        let smallest = reduce::min(&device, &(x() * 2).of::<f32, _, _>(&view).unwrap()).unwrap();
        assert_eq!(smallest, 2.0);
    }
}

#[test]
fn a_buffer_of_another_device_is_refused() {
    let buffer = Buffer::from_slice(&Device::emulator(), &[1, 2]).unwrap();
    for device in [Device::cpu(), Device::emulator()] {
        let mapped = (x() + 1).of::<i32, _, _>(&buffer).unwrap();
        assert!(matches!(map::run(&device, &mapped), Err(Error::OtherDevice { .. })));
        assert!(matches!(reduce::sum(&device, &mapped), Err(Error::OtherDevice { .. })));
        assert!(matches!(scan::inclusive(&device, &mapped), Err(Error::OtherDevice { .. })));
    }
}

#[test]
fn nothing_is_found_by_the_checks() {
    let device = Device::emulator_watching("h200", Watch::ALL).unwrap();
    let xs: Vec<f32> = (0..20_000).map(|i| (i % 100) as f32).collect();
    device.start_trace();
    let text = "where(x > 50, log(x), exp(-x)) + x % 7";
    let mapped = parsed(text).of::<f32, _, _>(&xs).unwrap();
    map::run(&device, &mapped).unwrap();
    reduce::sum(&device, &mapped).unwrap();
    reduce::argmax(&device, &mapped).unwrap();
    let trace = device.take_trace().unwrap();
    assert_eq!(trace.launches.len(), 3);
    for launch in trace.launches {
        assert!(launch.findings.is_empty(), "{}: {:?}", launch.kernel, launch.findings);
    }
}

#[test]
fn elements_for_which_an_expression_holds_are_kept() {
    for device in [Device::cpu(), Device::emulator()] {
        let xs: Vec<f32> = (0..5000).map(|i| (i * 37 % 101) as f32).collect();
        let holds = x().gt(50).of(&xs).unwrap();
        let right: Vec<f32> = xs.iter().copied().filter(|&x| x > 50.0).collect();
        assert_eq!(compact::by_mask(&device, &xs, &holds).unwrap(), right);
        let buffer = Buffer::from_slice(&device, &xs).unwrap();
        let between = parsed("(x > 10) & (x < 20)");
        let kept = compact::by_mask(&device, &buffer, &between.of(&buffer).unwrap()).unwrap();
        assert!(kept.iter().all(|&x| x > 10.0 && x < 20.0) && !kept.is_empty());
    }
}
