//! 1-D convolution against its reference.

use super::{cpu, reference};
use crate::agreement::{Random, SIZES, Sample, assert_agree, bits, on_any_threads};
use crate::simd::{Lanes, Level};
use crate::{Border, Error};

fn par<T: Sample + Lanes>(level: Level, mask: &[T], border: Border, xs: &[T]) -> Vec<T> {
    let mut out = vec![T::default(); xs.len()];
    cpu::par_at(level, mask, border, xs, &mut out).unwrap();
    out
}

fn agrees<T: Sample + Lanes>() {
    let mut random = Random::new(11);
    for n in SIZES {
        let xs = random.elements::<T>(n);
        for width in [1, 3, 5, 31, 129] {
            let mask = random.elements::<T>(width);
            for border in Border::ALL {
                let what = format!("{n} {}, mask of {width}, {}", T::NAME, border.name());
                let mut truth = vec![T::Exact::default(); n];
                reference::convolve(&mask, border, &xs, &mut truth).unwrap();
                let mut out = vec![T::default(); n];
                cpu::seq(&mask, border, &xs, &mut out).unwrap();
                assert_agree(&what, &out, &truth, width);
                for level in Level::available() {
                    assert_agree(&what, &par(level, &mask, border, &xs), &truth, width);
                }
            }
        }
    }
}

#[test]
fn every_type_agrees() {
    agrees::<i32>();
    agrees::<f32>();
    agrees::<f64>();
}

#[test]
fn threads_do_not_show() {
    let xs = Random::new(12).elements::<f32>(100_003);
    let mask = Random::new(13).elements::<f32>(17);
    for level in Level::available() {
        on_any_threads(|| bits(&par(level, &mask, Border::Reflect, &xs)));
    }
}

#[test]
fn nan_spreads_over_the_mask_and_no_further() {
    let mut xs = vec![1.0_f64; 500];
    xs[250] = f64::NAN;
    for level in Level::available() {
        let out = par(level, &[1.0; 5], Border::Zero, &xs);
        assert!(out.iter().enumerate().all(|(i, x)| x.is_nan() == (248..=252).contains(&i)));
    }
}

#[test]
fn bad_masks_are_refused() {
    let mut out = [0; 3];
    assert!(matches!(cpu::par(&[1, 2], Border::Zero, &[1, 2, 3], &mut out), Err(Error::Odd { size: 2, .. })));
    assert!(matches!(cpu::par(&[], Border::Zero, &[1, 2, 3], &mut out), Err(Error::Odd { size: 0, .. })));
    let error = cpu::seq(&[1; 131], Border::Zero, &[1, 2, 3], &mut out).unwrap_err();
    assert_eq!(error.to_string(), "a mask width of 131 is not supported: use an odd number from 1 to 129");
    assert!(matches!(cpu::par(&[1], Border::Zero, &[1, 2], &mut out), Err(Error::Length { .. })));
}

/// Long enough to be shared out by pages.
#[test]
fn fresh_memory_has_the_same_elements() {
    let xs = Random::new(43).elements::<f32>(9_000_001);
    let mask = Random::new(44).elements::<f32>(7);
    for border in Border::ALL {
        let found = on_any_threads(|| {
            let mut out = crate::memory::zeros(xs.len());
            cpu::par_fresh(&mask, border, &xs, &mut out).unwrap();
            bits(&out)
        });
        assert!(found == bits(&par(Level::current(), &mask, border, &xs)), "{}", border.name());
    }
    assert!(cpu::par_fresh(&mask, Border::Zero, &xs, &mut []).is_err());
}
