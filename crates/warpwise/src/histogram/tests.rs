//! Histogram against its reference.

use super::{Binning, cpu, reference};
use crate::Error;
use crate::agreement::{Random, SIZES, Sample, on_any_threads};
use crate::simd::Level;

const BINS: [usize; 8] = [1, 2, 7, 8, 256, 1000, 1 << 16, 1 << 20];

fn agrees<T: Sample>(binning: Binning, xs: &[T]) {
    let truth = reference::histogram(binning, xs).unwrap();
    let what = format!("{binning:?} of {} {}", xs.len(), T::NAME);
    assert!(cpu::seq(binning, xs).unwrap() == truth, "seq, {what}");
    for level in Level::available() {
        assert!(cpu::par_at(level, binning, xs).unwrap() == truth, "par, {what} at {}", level.name());
    }
}

/// Random, sorted and single-valued data of every size.
fn inputs<T: Sample>() -> Vec<Vec<T>> {
    let mut random = Random::new(5);
    let mut inputs = Vec::new();
    // The last is long enough for several tables of 2^16 bins.
    for n in SIZES.into_iter().chain([600_000]) {
        let xs = random.elements::<T>(n);
        let mut sorted = xs.clone();
        sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
        inputs.extend([vec![crate::random::element(random.bits()); n], sorted, xs]);
    }
    inputs
}

fn modulo_agrees<T: Sample>() {
    for xs in inputs::<T>() {
        for bins in BINS.into_iter().filter(|&bins| bins < 1 << 17 || xs.len() == 4099) {
            agrees(Binning::Modulo { bins }, &xs);
        }
    }
}

fn even_agrees<T: Sample>(lo: f64, hi: f64) {
    for xs in inputs::<T>() {
        for bins in BINS.into_iter().filter(|&bins| bins < 1 << 17 || xs.len() == 4099) {
            agrees(Binning::Even { bins, lo, hi }, &xs);
        }
    }
}

#[test]
fn modulo_agrees_for_integers() {
    modulo_agrees::<u8>();
    modulo_agrees::<i32>();
    modulo_agrees::<u32>();
    modulo_agrees::<i64>();
    modulo_agrees::<u64>();
}

#[test]
fn even_agrees_for_every_type() {
    even_agrees::<u8>(16.0, 200.5);
    even_agrees::<i32>(-1e9, 1.5e9);
    even_agrees::<u32>(7.0, 4e9);
    even_agrees::<f32>(-1.0, 1.0);
    even_agrees::<f64>(-0.9, 0.3);
}

#[test]
fn bytes_agree() {
    let every: Vec<u8> = (0..=255).cycle().take(3000).collect();
    for xs in inputs::<u8>().into_iter().chain([every, b"The quick brown fox jumps over the lazy dog".to_vec()]) {
        agrees(Binning::Value, &xs);
        agrees(Binning::Letter, &xs);
    }
}

/// Bytes of few values, in order, in stretches and in turns: they cannot be counted in pairs, from the beginning or
/// from some point on.
#[test]
fn bytes_agree_however_they_are_mixed() {
    let mut random = Random::new(8);
    let any = random.elements::<u8>(600_000);
    let few = |values: u8, n: usize| any[..n].iter().map(move |x| x % values * 3);
    let stretches = |length: usize| (0..any.len()).map(move |i| i / length).zip(&any);
    let mut inputs = vec![
        (0..=255).cycle().take(400_000).collect(),
        any.iter().map(|x| x / 9).collect(),
        few(1, 300_000).chain(any.iter().copied()).collect(),
        any[..300_000].iter().copied().chain(few(2, 300_000)).chain(any.iter().copied()).collect(),
        stretches(50).map(|(i, x)| if i % 2 == 0 { 255 } else { *x }).collect(),
        stretches(300).map(|(i, x)| if i % 3 == 0 { 7 } else { *x }).collect(),
        stretches(900).map(|(i, _)| i as u8).collect(),
    ];
    inputs.extend([1, 2, 3, 40].map(|values| few(values, 400_000).collect::<Vec<_>>()));
    inputs.extend([65_535, 65_536, 65_537, 131_071, 131_200, 262_145].map(|n| any[..n].to_vec()));
    for xs in inputs {
        agrees(Binning::Value, &xs);
    }
}

/// Two bytes meet in a pair 4096 bytes apart at first, so often that their counter wraps to its start, or one beyond.
#[test]
fn counters_of_pairs_may_overflow() {
    let any = Random::new(9).elements::<u8>(1 << 17);
    for times in [254, 255, 256, 257, 511, 512, 513] {
        let mut xs = any.clone();
        for i in 0..times {
            // Spread out, so that they are not runs.
            (xs[8 * i], xs[4096 + 8 * i]) = if i % 2 == 0 { (200, 50) } else { (50, 200) };
        }
        agrees(Binning::Value, &xs);
    }
}

#[test]
fn threads_do_not_show() {
    let xs = Random::new(6).elements::<u32>(700_000);
    for bins in [8, 1000, 1 << 16] {
        let counts = on_any_threads(|| cpu::par(Binning::Modulo { bins }, &xs).unwrap());
        assert_eq!(counts.iter().sum::<u64>(), 700_000);
    }
    let bytes = Random::new(7).elements::<u8>(1_000_000);
    assert_eq!(on_any_threads(|| cpu::par(Binning::Value, &bytes).unwrap()).iter().sum::<u64>(), 1_000_000);
}

/// Remainders next to multiples of the divisor, where a rounded quotient would show.
#[test]
fn modulo_is_exact_at_the_edges() {
    for bins in [3, 7, 1000, 65_537, 999_999] {
        let mut xs = vec![i32::MIN, i32::MAX, 0, -1, 1];
        for k in [1_i64, 2, 3, 1000, 2147, 700_000_000] {
            for d in -1..=1 {
                let x = k * bins as i64 + d;
                xs.extend(i32::try_from(x).ok().into_iter().flat_map(|x| [x, -x]));
            }
        }
        agrees(Binning::Modulo { bins }, &xs);
        let unsigned: Vec<u32> = xs.iter().map(|&x| x as u32).collect();
        agrees(Binning::Modulo { bins }, &unsigned);
    }
}

#[test]
fn values_outside_the_range_are_left_out() {
    let xs = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -0.0, 0.0, 0.999, 1.0, 1.0_f64.next_down(), 1e300];
    for level in Level::available() {
        let counts = cpu::par_at(level, Binning::Even { bins: 4, lo: 0.0, hi: 1.0 }, &xs).unwrap();
        assert_eq!(counts, [2, 0, 0, 2]);
    }
    agrees(Binning::Even { bins: 1 << 20, lo: 0.1, hi: 0.3 }, &[0.3_f64.next_down(), 0.1, 0.1_f64.next_down()]);
}

#[test]
fn bad_bins_are_refused() {
    assert_eq!(cpu::par(Binning::Modulo { bins: 0 }, &[1]), Err(Error::Bins { bins: 0 }));
    assert_eq!(cpu::par(Binning::Modulo { bins: (1 << 20) + 1 }, &[1]), Err(Error::Bins { bins: (1 << 20) + 1 }));
    let error = cpu::par(Binning::Modulo { bins: 8 }, &[1.0_f32]).unwrap_err();
    assert_eq!(error.to_string(), "modulo bins do not work on f32: use even bins");
    assert!(cpu::par(Binning::Value, &[1_u32]).is_err());
    assert!(cpu::seq(Binning::Letter, &[1.0_f64]).is_err());
    for (lo, hi) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-f64::MAX, f64::MAX)] {
        assert!(matches!(cpu::par(Binning::Even { bins: 2, lo, hi }, &[1.0_f32]), Err(Error::Range { .. })));
    }
}
