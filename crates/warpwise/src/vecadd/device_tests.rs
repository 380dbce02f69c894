//! Every rung against the reference, on the emulator.

use super::{Options, Summand, VARIANTS, reference, run};
use crate::agreement::{Random, Sample, assert_agree};
use crate::{Device, Error, Geometry};

fn options(variant: &str) -> Options {
    Options { variant: Some(variant.to_owned()), ..Options::default() }
}

fn agrees<T: Summand + Sample>() {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    let mut random = Random::new(21);
    for n in [0, 1, 31, 32, 33, 255, 256, 257, 1024, 1025] {
        let (a, b) = (random.elements::<T>(n), random.elements::<T>(n));
        let mut truth = vec![T::Exact::default(); n];
        reference::add(&a, &b, &mut truth).unwrap();
        for variant in VARIANTS {
            let device = if variant.name.starts_with("cpu") { &cpu } else { &gpu };
            let out = run(device, &a, &b, &options(variant.name));
            if variant.name == "gpu-one-block" && n > 1024 {
                assert!(matches!(out, Err(Error::Launch(_))), "{out:?}");
            } else {
                assert_agree(&format!("{} {n}", variant.name), &out.unwrap(), &truth, 1);
            }
        }
        // Few threads, so that each has several vectors.
        let geometry = Geometry { block: Some(33), grid: Some(2), ..Geometry::default() };
        let out = run(&gpu, &a, &b, &Options { geometry, ..Options::default() }).unwrap();
        assert_agree("two blocks", &out, &truth, 1);
    }
}

#[test]
fn every_rung_agrees() {
    agrees::<i32>();
    agrees::<f32>();
    agrees::<f64>();
}

#[test]
fn wrong_calls_are_refused() {
    let gpu = Device::emulator();
    assert!(matches!(run(&gpu, &[1, 2], &[1], &options("gpu-grid")), Err(Error::Length { .. })));
    assert!(matches!(run(&gpu, &[1], &[1], &options("cpu-seq")), Err(Error::UnknownVariant { .. })));
    assert!(matches!(run(&Device::cpu(), &[1], &[1], &options("gpu-grid")), Err(Error::UnknownVariant { .. })));
}
