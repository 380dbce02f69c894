//! Every rung against the reference, on the emulator.

use super::{Binning, Countable, Histogram, Rung, reference};
use crate::agreement::{Random, Sample};
use crate::{Buffer, Device, Error, Geometry};

fn agrees<T: Countable + Sample>(binnings: &[Binning]) {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    let mut random = Random::new(24);
    for n in [0, 1, 31, 32, 33, 255, 256, 257, 1025] {
        for &binning in binnings {
            // All in one bin, which is the worst case; and random data.
            for xs in [vec![T::of(99.0); n], random.elements::<T>(n)] {
                let truth = reference::histogram(binning, &xs).unwrap();
                for &rung in Rung::ALL {
                    let device = if rung.name().starts_with("cpu") { &cpu } else { &gpu };
                    let how = Histogram::new(binning).variant(rung);
                    assert_eq!(how.run(device, &xs).unwrap(), truth, "{rung} {} {binning:?} {n}", T::NAME);
                    let mut room = Buffer::from_slice(device, &vec![7; truth.len() + 1]).unwrap();
                    how.run_into(device, &xs, &mut room.view_mut(1..).unwrap()).unwrap();
                    assert!(room.to_vec().unwrap()[1..] == truth, "{rung} {} {binning:?} {n}", T::NAME);
                }
                assert_eq!(Histogram::new(binning).run(&gpu, &xs).unwrap(), truth, "auto");
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
    let count = Histogram::new(binning);
    for rung in [Rung::Shared, Rung::Tree, Rung::Replicated, Rung::Pipelined, Rung::Cached] {
        assert_eq!(count.clone().variant(rung).run(&gpu, &xs).unwrap(), truth, "{rung}");
    }
    assert_eq!(count.run(&gpu, &xs).unwrap(), truth);
}

/// Blocks of any size and number, tiles of four vectors per thread and their remainder, more than once on a device.
#[test]
fn tiles_and_their_rests_are_counted() {
    let gpu = Device::emulator();
    for (rung, block, grid) in
        [(Rung::Pipelined, 32, 3), (Rung::Pipelined, 96, 2), (Rung::Cached, 64, 2), (Rung::Pipelined, 1024, 1)]
    {
        let geometry = Geometry { block: Some(block), grid: Some(grid), items: None };
        let count = |binning| Histogram::new(binning).variant(rung).geometry(geometry);
        let bytes: Vec<u8> = Random::new(27).elements(20_011);
        let truth = reference::histogram(Binning::Value, &bytes).unwrap();
        assert_eq!(count(Binning::Value).run(&gpu, &bytes).unwrap(), truth, "{rung} {block}");
        let numbers: Vec<i32> = Random::new(28).elements(5003);
        let binning = Binning::Modulo { bins: 70_000 };
        let truth = reference::histogram(binning, &numbers).unwrap();
        assert_eq!(count(binning).run(&gpu, &numbers).unwrap(), truth, "{rung} {block}");
        let binning = Binning::Even { bins: 33, lo: -1e9, hi: 1e9 };
        let truth = reference::histogram(binning, &numbers).unwrap();
        assert_eq!(count(binning).run(&gpu, &numbers).unwrap(), truth, "{rung} {block}");
    }
}

#[test]
fn copies_and_geometry_are_free() {
    let xs: Vec<u8> = Random::new(26).elements(2000);
    let truth = reference::histogram(Binning::Value, &xs).unwrap();
    let replicated = Histogram::new(Binning::Value).variant(Rung::Replicated);
    for (copies, block, grid) in [(1, 64, 1), (4, 33, 3), (32, 256, 7)] {
        let geometry = Geometry { block: Some(block), grid: Some(grid), items: None };
        let count = replicated.clone().copies(copies).geometry(geometry);
        assert_eq!(count.run(&Device::emulator(), &xs).unwrap(), truth);
    }
    assert!(matches!(replicated.copies(3).run(&Device::emulator(), &xs), Err(Error::Choice { .. })));
}

#[test]
fn wrong_binnings_are_refused() {
    let gpu = Device::emulator();
    let refused = |binning| Histogram::new(binning).run(&gpu, &[1.0_f32]).unwrap_err();
    assert!(matches!(refused(Binning::Modulo { bins: 3 }), Error::Binning { .. }));
    assert!(matches!(refused(Binning::Even { bins: 0, lo: 0.0, hi: 1.0 }), Error::Bins { .. }));
    assert!(matches!(refused(Binning::Even { bins: 1, lo: 1.0, hi: 1.0 }), Error::Range { .. }));
    let mut short = [0; 3];
    let refused = Histogram::new(Binning::Letter).run_into(&gpu, b"abc", &mut short);
    assert!(matches!(refused, Err(Error::Length { expected: 7, found: 3, .. })));
}
