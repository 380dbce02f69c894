//! Every rung against the reference, on the emulator.

use super::{Convolve1d, MAX_WIDTH, Rung, Signal, filter, reference};
use crate::agreement::{Random, Sample, assert_agree};
use crate::trace::Watch;
use crate::{Border, Buffer, Device, Error, Geometry};

fn with<T: Signal>(mask: &[T], rung: Rung, block: Option<u32>, items: Option<u32>) -> Convolve1d<'_, T> {
    Convolve1d::new(mask).variant(rung).geometry(Geometry { block, items, ..Geometry::default() })
}

fn agrees<T: Signal + Sample>() {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    let mut random = Random::new(28);
    for n in [0, 1, 31, 32, 33, 255, 256, 257, 1025, 4200] {
        for width in [1, 5, 129] {
            let (xs, mask) = (random.elements::<T>(n), random.elements::<T>(width));
            for border in Border::ALL {
                let mut truth = vec![T::Exact::default(); n];
                reference::convolve(&mask, border, &xs, &mut truth).unwrap();
                for &rung in Rung::ALL {
                    let device = if rung.name().starts_with("cpu") { &cpu } else { &gpu };
                    let choices: &[_] = if rung == Rung::Register { &[Some(4), Some(8), Some(16)] } else { &[None] };
                    for &items in choices {
                        let how = with(&mask, rung, None, items).border(border);
                        let what = format!("{rung} {items:?} {n} {width} {}", border.name());
                        assert_agree(&what, &how.run(device, &xs).unwrap(), &truth, width);
                    }
                    // Into part of a buffer that begins anywhere.
                    let mut room = Buffer::from_slice(device, &vec![T::ONE; n + 2]).unwrap();
                    let how = Convolve1d::new(&mask).border(border).variant(rung);
                    how.run_into(device, &xs, &mut room.view_mut(1..=n).unwrap()).unwrap();
                    let room = room.to_vec().unwrap();
                    assert_agree(rung.name(), &room[1..=n], &truth, width);
                    assert!([room[0], room[n + 1]] == [T::ONE; 2], "{rung} {n}: nothing beside it is written");
                }
            }
        }
    }
}

#[test]
fn every_rung_agrees_on_i32() {
    agrees::<i32>();
}

#[test]
fn every_rung_agrees_on_floats() {
    agrees::<f32>();
    agrees::<f64>();
}

#[test]
fn blocks_are_free() {
    let xs: Vec<i32> = Random::new(29).elements(3000);
    let mut truth = vec![0; xs.len()];
    reference::convolve(&[1, 2, 3, 4, 5], Border::Reflect, &xs, &mut truth).unwrap();
    for rung in [Rung::Tiled, Rung::Register] {
        for items in [None, Some(4), Some(8), Some(16)] {
            for block in [1, 33, 1024] {
                let how = with(&[1, 2, 3, 4, 5], rung, Some(block), items).border(Border::Reflect);
                assert_eq!(how.run(&Device::emulator(), &xs).unwrap(), truth);
            }
        }
        let refused = with(&[1], rung, Some(1025), None).run(&Device::emulator(), &xs);
        assert!(matches!(refused, Err(Error::Launch(_))));
    }
    let refused = with(&[1], Rung::Register, None, Some(5)).run(&Device::emulator(), &xs);
    assert!(matches!(refused, Err(Error::Choice { .. })));
}

/// Every width, and infinities, which must not affect results they do not belong to.
#[test]
fn widths_of_the_sliding_rung() {
    let mut xs: Vec<f32> = Random::new(30).elements(400);
    (xs[0], xs[150], xs[399]) = (f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY);
    for width in (1..=MAX_WIDTH).step_by(2) {
        let mask: Vec<f32> = (0..width).map(|j| 1.0 + j as f32).collect();
        let basic = with(&mask, Rung::Basic, None, None).run(&Device::emulator(), &xs).unwrap();
        for items in [4, 8, 16] {
            let out = with(&mask, Rung::Register, Some(32), Some(items)).run(&Device::emulator(), &xs).unwrap();
            let same = out.iter().zip(&basic).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan());
            assert!(same, "{width} {items}");
        }
    }
}

/// Warps that load and store rows of their own do not race.
#[test]
fn the_sliding_rung_is_silent_under_all_checks() {
    let device = Device::emulator_watching("h200", Watch::ALL).unwrap();
    let (xs, mask): (Vec<f64>, Vec<f64>) = (Random::new(31).elements(3000), Random::new(32).elements(33));
    for items in [4, 8, 16] {
        device.start_trace();
        let how = with(&mask, Rung::Register, Some(64), Some(items)).border(Border::Replicate);
        how.run(&device, &xs).unwrap();
        let launches = device.take_trace().unwrap().launches;
        assert_eq!(launches.len(), 1);
        assert!(launches[0].findings.is_empty(), "{items}: {:?}", launches[0].findings);
    }
}

/// A mask stays in constant memory until another one comes.
#[test]
fn masks_change() {
    let gpu = Device::emulator();
    for mask in [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]] {
        let shift = mask.iter().position(|&weight| weight == 1).unwrap();
        let expected = if shift == 0 {
            [0, 1, 2]
        } else if shift == 1 {
            [1, 2, 3]
        } else {
            [2, 3, 0]
        };
        for rung in [Rung::Constant, Rung::Register] {
            assert_eq!(with(&mask, rung, None, None).run(&gpu, &[1, 2, 3]).unwrap(), expected);
        }
    }
    assert_eq!(filter(&gpu, &[2.0], Border::Zero, &[1.0, 2.0]).unwrap(), [2.0, 4.0]);
}

#[test]
fn even_masks_are_refused() {
    for width in [0, 2, 130, 131] {
        let refused = filter(&Device::emulator(), &vec![1; width], Border::Zero, &[1]);
        assert!(matches!(refused, Err(Error::Odd { .. })));
    }
}
