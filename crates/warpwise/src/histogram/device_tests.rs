//! Every rung against the reference, on the emulator.

use super::{Binning, Countable, Options, VARIANTS, reference, run};
use crate::agreement::{Random, Sample};
use crate::{Device, Error, Geometry};

fn options(variant: &str) -> Options {
    Options { variant: Some(variant.to_owned()), ..Options::default() }
}

fn agrees<T: Countable + Sample>(binnings: &[Binning]) {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    let mut random = Random::new(24);
    for n in [0, 1, 31, 32, 33, 255, 256, 257, 1025] {
        for &binning in binnings {
            // All in one bin, which is the worst case; and random data.
            for xs in [vec![T::of(99.0); n], random.elements::<T>(n)] {
                let truth = reference::histogram(binning, &xs).unwrap();
                for variant in VARIANTS {
                    let device = if variant.name.starts_with("cpu") { &cpu } else { &gpu };
                    let counts = run(device, binning, &xs, &options(variant.name)).unwrap();
                    assert_eq!(counts, truth, "{} {} {binning:?} {n}", variant.name, T::NAME);
                }
                assert_eq!(run(&gpu, binning, &xs, &Options::default()).unwrap(), truth, "auto");
            }
        }
    }
}

#[test]
fn every_rung_agrees() {
    let even = |bins, lo, hi| Binning::Even { bins, lo, hi };
    agrees::<u8>(&[Binning::Value, Binning::Letter, Binning::Modulo { bins: 10 }, even(3, 10.0, 120.0)]);
    agrees::<u32>(&[Binning::Modulo { bins: 7 }, even(16, 0.0, 4e9)]);
    agrees::<i32>(&[Binning::Modulo { bins: 1 }, Binning::Modulo { bins: 1000 }]);
    agrees::<f32>(&[even(101, -0.75, 0.9)]);
    agrees::<f64>(&[even(10, -1.0, 1.0)]);
}

#[test]
fn more_bins_than_fit_are_counted_in_parts() {
    let xs: Vec<u32> = Random::new(25).elements(3000);
    let binning = Binning::Modulo { bins: 60_000 };
    let truth = reference::histogram(binning, &xs).unwrap();
    let gpu = Device::emulator();
    for variant in ["gpu-3-shared", "gpu-4-tree", "gpu-5-replicated", "gpu-6-pipelined", "gpu-7-cached"] {
        assert_eq!(run(&gpu, binning, &xs, &options(variant)).unwrap(), truth, "{variant}");
    }
    assert_eq!(run(&gpu, binning, &xs, &Options::default()).unwrap(), truth);
}

/// Blocks of any size and number, tiles of four vectors per thread and their remainder, more than once on a device.
#[test]
fn tiles_and_their_rests_are_counted() {
    let gpu = Device::emulator();
    for (variant, block, grid) in
        [("gpu-6-pipelined", 32, 3), ("gpu-6-pipelined", 96, 2), ("gpu-7-cached", 64, 2), ("gpu-6-pipelined", 1024, 1)]
    {
        let geometry = Geometry { block: Some(block), grid: Some(grid), items: None };
        let options = Options { geometry, ..options(variant) };
        let bytes: Vec<u8> = Random::new(27).elements(20_011);
        let truth = reference::histogram(Binning::Value, &bytes).unwrap();
        assert_eq!(run(&gpu, Binning::Value, &bytes, &options).unwrap(), truth, "{variant} {block}");
        let numbers: Vec<i32> = Random::new(28).elements(5003);
        let binning = Binning::Modulo { bins: 70_000 };
        let truth = reference::histogram(binning, &numbers).unwrap();
        assert_eq!(run(&gpu, binning, &numbers, &options).unwrap(), truth, "{variant} {block}");
        let binning = Binning::Even { bins: 33, lo: -1e9, hi: 1e9 };
        let truth = reference::histogram(binning, &numbers).unwrap();
        assert_eq!(run(&gpu, binning, &numbers, &options).unwrap(), truth, "{variant} {block}");
    }
}

#[test]
fn copies_and_geometry_are_free() {
    let xs: Vec<u8> = Random::new(26).elements(2000);
    let truth = reference::histogram(Binning::Value, &xs).unwrap();
    for (copies, block, grid) in [(1, 64, 1), (4, 33, 3), (32, 256, 7)] {
        let geometry = Geometry { block: Some(block), grid: Some(grid), items: None };
        let options = Options { copies: Some(copies), geometry, ..options("gpu-5-replicated") };
        assert_eq!(run(&Device::emulator(), Binning::Value, &xs, &options).unwrap(), truth);
    }
    let options = Options { copies: Some(3), ..options("gpu-5-replicated") };
    assert!(matches!(run(&Device::emulator(), Binning::Value, &xs, &options), Err(Error::Choice { .. })));
}

#[test]
fn wrong_binnings_are_refused() {
    let gpu = Device::emulator();
    let refused = |binning| run(&gpu, binning, &[1.0_f32], &Options::default()).unwrap_err();
    assert!(matches!(refused(Binning::Modulo { bins: 3 }), Error::Binning { .. }));
    assert!(matches!(refused(Binning::Even { bins: 0, lo: 0.0, hi: 1.0 }), Error::Bins { .. }));
    assert!(matches!(refused(Binning::Even { bins: 1, lo: 1.0, hi: 1.0 }), Error::Range { .. }));
}
