//! The radiator against its reference.

use super::{Preset, Radiator, cpu, reference};
use crate::agreement::{Random, Sample, assert_agree, bits, on_any_threads};
use crate::simd::Level;
use crate::{Error, Float};

const SIZES: [(usize, usize); 16] = [
    (0, 5),
    (5, 0),
    (1, 1),
    (3, 2),
    (2, 3),
    (2, 4),
    (3, 5),
    (1, 31),
    (32, 32),
    (7, 33),
    (3, 255),
    (2, 1025),
    (100, 17),
    (33, 257),
    (40, 16),
    (67, 18),
];

fn agrees<T: Sample + Float<Exact = f64>>() {
    for preset in Preset::ALL {
        for (rows, columns) in SIZES {
            let radiator = Radiator::new(preset, rows, columns).unwrap();
            for iterations in [0, 1, 2, 4, 30] {
                let what = format!("{} {rows} x {columns} {} after {iterations}", preset.name(), T::NAME);
                let truth = reference::simulate(&radiator, iterations);
                let mut seq = radiator.start::<T>();
                cpu::seq(&radiator, iterations, &mut seq).unwrap();
                assert_agree(&what, &seq, &truth, 5 * iterations);
                for level in Level::available() {
                    let mut par = radiator.start::<T>();
                    cpu::par_at(level, &radiator, iterations, &mut par).unwrap();
                    assert_agree(&what, &par, &truth, 5 * iterations);
                }
                let averages = reference::averages(&radiator, &truth);
                assert_agree(&what, &cpu::averages_seq(&radiator, &seq).unwrap(), &averages, columns + 5 * iterations);
                assert_agree(&what, &cpu::averages_par(&radiator, &seq).unwrap(), &averages, columns + 5 * iterations);
            }
        }
    }
}

#[test]
fn every_type_agrees() {
    agrees::<f64>();
    agrees::<f32>();
}

#[test]
fn threads_do_not_show() {
    let radiator = Radiator::new(Preset::Year2025, 60, 300).unwrap();
    for level in Level::available() {
        on_any_threads(|| {
            let mut grid = radiator.start::<f32>();
            cpu::par_at(level, &radiator, 50, &mut grid).unwrap();
            (bits(&grid), bits(&cpu::averages_par(&radiator, &grid).unwrap()))
        });
    }
}

/// Steps work on any values, not only the start values.
#[test]
fn steps_add_up() {
    let radiator = Radiator::new(Preset::Year2025, 3, 50).unwrap();
    let mut once = Random::new(18).elements::<f64>(150);
    let mut twice = once.clone();
    cpu::par(&radiator, 9, &mut once).unwrap();
    cpu::par(&radiator, 4, &mut twice).unwrap();
    cpu::par(&radiator, 5, &mut twice).unwrap();
    assert_eq!(bits(&once), bits(&twice));
}

#[test]
fn the_grid_must_fit() {
    let radiator = Radiator::new(Preset::Year2019, 3, 4).unwrap();
    assert!(matches!(cpu::par(&radiator, 1, &mut [0.0_f32; 11]), Err(Error::Length { .. })));
    assert!(matches!(Radiator::new(Preset::Year2019, usize::MAX, 4), Err(Error::TooLarge { .. })));
}

/// The start is filled row by row, unlike its definition.
#[test]
fn the_start_is_what_the_preset_says() {
    for preset in Preset::ALL {
        for (rows, columns) in SIZES {
            let grid = Radiator::new(preset, rows, columns).unwrap().start::<f64>();
            let defined = (0..rows * columns).map(|k| preset.start(k / columns, k % columns, rows, columns));
            assert_eq!(bits(&grid), bits(&defined.collect::<Vec<_>>()), "{} {rows} x {columns}", preset.name());
        }
    }
}
