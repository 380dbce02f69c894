//! Heat against its reference.

use super::{Cylinder, DIAGONAL, DIRECT, Limits, cpu, reference};
use crate::agreement::{Random, Sample, assert_agree, bits, on_any_threads};
use crate::simd::Level;
use crate::{Error, Float};

const GRIDS: [(usize, usize); 17] = [
    (0, 0),
    (0, 5),
    (5, 0),
    (1, 1),
    (1, 2),
    (2, 1),
    (3, 3),
    (5, 4),
    (31, 33),
    (32, 32),
    (17, 257),
    (300, 1),
    (3, 1025),
    (130, 255),
    // Large enough for several steps in a pass; the last for floats of both sizes.
    (40, 1700),
    (600, 129),
    (301, 450),
];

fn agrees<T: Sample + Float<Exact = f64>>() {
    let mut random = Random::new(16);
    for (rows, columns) in GRIDS {
        let temperature: Vec<T> = (0..rows * columns).map(|_| T::of(50.0 + 50.0 * random.unit())).collect();
        let conductivity: Vec<T> = (0..rows * columns).map(|_| T::of(0.5 + 0.5 * random.unit())).collect();
        let cylinder = Cylinder::new(rows, columns, &temperature, &conductivity).unwrap();
        for iterations in [0, 1, 2, 13, 37] {
            let limits = Limits { iterations, threshold: 0.0 };
            let what = format!("{rows} x {columns} {} after {iterations}", T::NAME);
            let (truth, outcome) = reference::simulate(cylinder, limits);
            assert_eq!(outcome.iterations, iterations);
            let (seq, seq_outcome) = cpu::seq(cylinder, limits);
            assert_agree(&what, &seq, &truth, 9 * iterations);
            assert!(
                (seq_outcome.max_difference == outcome.max_difference)
                    || (seq_outcome.max_difference - outcome.max_difference).abs() < 1e-3
            );
            for level in Level::available() {
                let (par, par_outcome) = cpu::par_at(level, cylinder, limits);
                assert_eq!(bits(&par), bits(&seq), "{what} at {}", level.name());
                assert_eq!(par_outcome, seq_outcome, "{what} at {}", level.name());
            }
        }
    }
}

#[test]
fn every_type_agrees() {
    agrees::<f64>();
    agrees::<f32>();
}

/// Rows of any length in lanes: shorter than a register, as long, and longer, with and without a remainder.
#[test]
fn rows_of_any_length_take_passes() {
    fn agrees<T: Sample + Float>() {
        let mut random = Random::new(19);
        for columns in [1, 2, 3, 5, 7, 8, 9, 16, 31, 33, 67] {
            // An odd number of rows, with enough cells for a pass.
            let rows = (1_usize << 17).div_ceil(columns) | 1;
            let temperature: Vec<T> = (0..rows * columns).map(|_| T::of(50.0 + 50.0 * random.unit())).collect();
            let conductivity: Vec<T> = (0..rows * columns).map(|_| T::of(0.5 + 0.5 * random.unit())).collect();
            let cylinder = Cylinder::new(rows, columns, &temperature, &conductivity).unwrap();
            for iterations in [1, 2, 33] {
                let limits = Limits { iterations, threshold: 0.0 };
                let (seq, seq_outcome) = cpu::seq(cylinder, limits);
                for level in Level::available() {
                    let (par, par_outcome) = cpu::par_at(level, cylinder, limits);
                    let what = format!("{rows} x {columns} {} after {iterations} at {}", T::NAME, level.name());
                    assert_eq!((par_outcome, bits(&par)), (seq_outcome, bits(&seq)), "{what}");
                }
            }
        }
    }
    agrees::<f64>();
    agrees::<f32>();
}

#[test]
fn threads_do_not_show() {
    let temperature = Random::new(17).elements::<f64>(300 * 400);
    let conductivity = vec![0.3; 300 * 400];
    let cylinder = Cylinder::new(300, 400, &temperature, &conductivity).unwrap();
    let end = on_any_threads(|| {
        let (end, outcome) = cpu::par(cylinder, Limits { iterations: 10, threshold: 0.0 });
        (bits(&end), outcome.max_difference.to_bits())
    });
    assert_eq!(end.0, bits(&cpu::seq(cylinder, Limits { iterations: 10, threshold: 0.0 }).0));
}

#[test]
fn it_ends_when_nothing_changes() {
    let temperature: Vec<f64> = (0..20 * 30).map(|cell| if cell < 30 { 100.0 } else { 0.0 }).collect();
    let conductivity = vec![0.1; 20 * 30];
    let cylinder = Cylinder::new(20, 30, &temperature, &conductivity).unwrap();
    let limits = Limits { iterations: 100_000, threshold: 1e-4 };
    let (truth, outcome) = reference::simulate(cylinder, limits);
    assert!(outcome.iterations > 10 && outcome.iterations < 100_000);
    let (end, par) = cpu::par(cylinder, limits);
    assert_eq!(par.iterations, outcome.iterations);
    assert!(par.max_difference < 1e-4);
    assert_agree("converged", &end, &truth, outcome.iterations);
}

/// A pass of several steps that goes past the last one returns to it.
#[test]
fn it_ends_within_a_pass() {
    let temperature: Vec<f64> = (0..300 * 300).map(|cell| if cell % 300 < 150 { 100.0 } else { 0.0 }).collect();
    let conductivity = vec![0.2; 300 * 300];
    let cylinder = Cylinder::new(300, 300, &temperature, &conductivity).unwrap();
    for last in [1, 2, 6, 7, 11, 12, 13, 15, 16, 17, 30] {
        // Changes shrink from step to step here, so this is the first below the next one.
        let change = |iterations| cpu::seq(cylinder, Limits { iterations, threshold: 0.0 }).1.max_difference;
        let limits = Limits { iterations: 100, threshold: (change(last) + change(last - 1).min(1e9)) / 2.0 };
        let (seq, outcome) = cpu::seq(cylinder, limits);
        assert_eq!(outcome.iterations, last);
        for level in Level::available() {
            let (par, par_outcome) = cpu::par_at(level, cylinder, limits);
            assert_eq!((bits(&par), par_outcome), (bits(&seq), outcome), "{last} steps at {}", level.name());
        }
    }
}

#[test]
fn nan_does_not_pass_for_converged() {
    let mut temperature = vec![1.0_f64; 50];
    temperature[25] = f64::NAN;
    let conductivity = vec![0.5; 50];
    let cylinder = Cylinder::new(5, 10, &temperature, &conductivity).unwrap();
    let limits = Limits { iterations: 7, threshold: 1.0 };
    assert_eq!(reference::simulate(cylinder, limits).1.iterations, 7);
    assert_eq!(cpu::seq(cylinder, limits).1.iterations, 7);
    assert_eq!(cpu::par(cylinder, limits).1.iterations, 7);
}

/// NaN and infinities at first, or temperatures that overflow later, in grids that take several steps in a pass: the
/// largest changes equal those of single steps.
#[test]
fn nan_shows_in_every_step_of_a_pass() {
    let (rows, columns) = (200, 330);
    let mut random = Random::new(18);
    let calm: Vec<f64> = (0..rows * columns).map(|_| 50.0 + random.unit()).collect();
    let conductivity: Vec<f64> = (0..rows * columns).map(|_| 0.5 + 0.4 * random.unit()).collect();
    let place = 120 * columns + 77;
    for (odd, w) in [(f64::NAN, 0.5), (f64::INFINITY, 0.5), (f64::NEG_INFINITY, 1.0), (f64::MAX, 1.5), (f64::MAX, -3.0)]
    {
        let (mut temperature, mut conductivity) = (calm.clone(), conductivity.clone());
        (temperature[place], conductivity[place]) = (odd, w);
        let cylinder = Cylinder::new(rows, columns, &temperature, &conductivity).unwrap();
        for iterations in [1, 2, 3, 5, 9, 15, 16, 17, 40] {
            // Changes of calm cells are below the threshold from some step on.
            for threshold in [0.0, 0.5] {
                let limits = Limits { iterations, threshold };
                let (seq, outcome) = cpu::seq(cylinder, limits);
                for level in Level::available() {
                    let (par, par_outcome) = cpu::par_at(level, cylinder, limits);
                    let what = format!("{odd} after {iterations} at {}", level.name());
                    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
                    assert!(par.iter().zip(&seq).all(|(&a, &b)| same(a, b)), "{what}");
                    assert_eq!(par_outcome.iterations, outcome.iterations, "{what}");
                    assert!(same(par_outcome.max_difference, outcome.max_difference), "{what}");
                }
            }
        }
    }
}

#[test]
fn the_weights_of_all_neighbours_sum_to_one() {
    assert!((4.0 * DIRECT + 4.0 * DIAGONAL - 1.0).abs() < 1e-15);
}

#[test]
fn bad_lengths_are_refused() {
    assert!(matches!(Cylinder::new(2, 2, &[0.0; 3], &[0.0; 4]), Err(Error::Length { .. })));
    assert!(matches!(Cylinder::new(2, 2, &[0.0; 4], &[0.0; 5]), Err(Error::Length { .. })));
}
