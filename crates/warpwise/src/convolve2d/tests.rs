//! 2-D convolution against its reference.

use super::{Edge, Filter, Image, Pixel, cpu, reference};
use crate::agreement::{Random, Sample, assert_agree, bits, on_any_threads};
use crate::simd::Level;
use crate::{Border, Error};

const IMAGES: [(usize, usize); 12] =
    [(0, 0), (1, 1), (1, 2), (2, 1), (3, 5), (31, 33), (32, 32), (1, 700), (257, 3), (33, 255), (65, 129), (37, 1025)];

/// Weights that are multiples of 1/64, so that sums of bytes are exact and round the same way everywhere.
fn filters(random: &mut Random) -> Vec<Filter> {
    let mut filters = vec![Filter::default()];
    for (rows, columns) in [(1, 1), (3, 3), (1, 5), (7, 1), (3, 9), (31, 31)] {
        let weights: Vec<f32> = (0..rows * columns).map(|_| random.below(33) as f32 / 64.0 - 0.2).collect();
        let weights: Vec<f32> = weights.iter().map(|w| (w * 64.0).round() / 64.0).collect();
        filters.push(Filter::new(&weights, rows, columns).unwrap());
    }
    filters
}

fn par<T: Pixel + Sample>(level: Level, filter: &Filter, edge: Edge, image: Image<T>) -> Vec<T> {
    let (rows, columns) = edge.result(filter, image.rows, image.columns);
    let mut out = vec![T::default(); rows * columns];
    cpu::par_at(level, filter, edge, image, &mut out).unwrap();
    out
}

fn agrees<T: Pixel + Sample>(from_truth: impl Fn(f64) -> T::Exact) {
    let mut random = Random::new(14);
    let filters = filters(&mut random);
    for (rows, columns) in IMAGES {
        let pixels = random.elements::<T>(rows * columns);
        let image = Image::new(&pixels, rows, columns).unwrap();
        for filter in &filters {
            let terms = filter.weights().len();
            // The largest filter takes the reference a while.
            if terms * pixels.len() > 3_000_000 {
                continue;
            }
            for edge in Edge::ALL {
                let what = format!(
                    "{rows} x {columns} {}, filter {} x {}, {}",
                    T::NAME,
                    filter.rows(),
                    filter.columns(),
                    edge.name()
                );
                let (height, width) = edge.result(filter, rows, columns);
                let mut truth = vec![0.0; height * width];
                reference::convolve(filter, edge, image, &mut truth).unwrap();
                let truth: Vec<T::Exact> = truth.into_iter().map(&from_truth).collect();
                let mut out = vec![T::default(); height * width];
                cpu::seq(filter, edge, image, &mut out).unwrap();
                assert_agree(&what, &out, &truth, terms);
                for level in Level::available() {
                    assert_agree(&what, &par(level, filter, edge, image), &truth, terms);
                }
            }
        }
    }
}

#[test]
fn bytes_agree() {
    agrees::<u8>(|sum| sum.round_ties_even() as u8);
}

#[test]
fn floats_agree() {
    agrees::<f32>(|sum| sum);
}

#[test]
fn threads_do_not_show() {
    let pixels = Random::new(15).elements::<f32>(301 * 257);
    let image = Image::new(&pixels, 301, 257).unwrap();
    for level in Level::available() {
        on_any_threads(|| bits(&par(level, &Filter::default(), Edge::Border(Border::Reflect), image)));
    }
}

#[test]
fn bytes_are_rounded_and_clamped() {
    let image = Image::new(&[0_u8, 1, 3, 100, 255], 1, 5).unwrap();
    let border = Edge::Border(Border::Zero);
    for level in Level::available() {
        let by = |weight| par(level, &Filter::new(&[weight], 1, 1).unwrap(), border, image);
        assert_eq!(by(0.5), [0, 0, 2, 50, 128]);
        assert_eq!(by(3.0), [0, 3, 9, 255, 255]);
        assert_eq!(by(-1.0), [0; 5]);
        assert_eq!(by(f32::NAN), [0; 5]);
    }
}

#[test]
fn infinity_reaches_no_further_than_the_filter() {
    let mut pixels = vec![1.0_f32; 40 * 40];
    pixels[20 * 40 + 20] = f32::INFINITY;
    let image = Image::new(&pixels, 40, 40).unwrap();
    for level in Level::available() {
        let out = par(level, &Filter::default(), Edge::Border(Border::Zero), image);
        for (i, x) in out.iter().enumerate() {
            let near = (i / 40).abs_diff(20) <= 2 && (i % 40).abs_diff(20) <= 2;
            assert_eq!(x.is_infinite(), near, "pixel {i} is {x}");
            assert!(!x.is_nan());
        }
    }
}

#[test]
fn the_default_filter_sums_to_one() {
    let rings = Filter::default().weights().iter().map(|w| (w * 35.0).round() as u32).collect::<Vec<_>>();
    assert_eq!(rings, [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 2, 3, 2, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1]);
    assert_eq!(rings.iter().sum::<u32>(), 35);
}

#[test]
fn bad_sizes_are_refused() {
    assert!(matches!(Filter::new(&[1.0; 4], 2, 2), Err(Error::Odd { size: 2, .. })));
    assert!(matches!(Filter::new(&[1.0; 33], 1, 33), Err(Error::Odd { size: 33, .. })));
    assert!(matches!(Filter::new(&[1.0; 8], 3, 3), Err(Error::Length { .. })));
    let image = Image::new(&[0.0_f32; 9], 3, 3).unwrap();
    assert!(cpu::par(&Filter::default(), Edge::Border(Border::Zero), image, &mut [0.0; 8]).is_err());
    // The filter is larger than the image: the result is empty.
    assert_eq!(cpu::par(&Filter::default(), Edge::Valid, image, &mut []), Ok(()));
}

/// Large enough to be shared out by pages, whose ends are not those of rows.
#[test]
fn fresh_memory_has_the_same_pixels() {
    let (rows, columns) = (3001, 3003);
    let pixels = Random::new(45).elements::<f32>(rows * columns);
    let image = Image::new(&pixels, rows, columns).unwrap();
    for edge in [Edge::Border(Border::Wrap), Edge::Valid] {
        let (height, width) = edge.result(&Filter::default(), rows, columns);
        let found = on_any_threads(|| {
            let mut out = crate::memory::zeros(height * width);
            cpu::par_fresh(&Filter::default(), edge, image, &mut out).unwrap();
            bits(&out)
        });
        assert!(found == bits(&par(Level::current(), &Filter::default(), edge, image)), "{}", edge.name());
    }
    assert!(cpu::par_fresh(&Filter::default(), Edge::Valid, image, &mut []).is_err());
}
