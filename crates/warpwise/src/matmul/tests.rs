//! Matrix multiply against its reference.

use super::cpu::cut::Sizes;
use super::cpu::product;
use super::{HostMatrix, HostMatrixMut, cpu, reference};
use crate::agreement::{Random, Sample, assert_agree, bits, on_any_threads};
use crate::simd::{Lanes, Level};
use crate::{Error, Float};

const SHAPES: [(usize, usize, usize); 30] = [
    (0, 3, 4),
    (3, 0, 4),
    (3, 4, 0),
    (1, 1, 1),
    (2, 3, 5),
    (1, 257, 33),
    (255, 1, 64),
    (31, 33, 32),
    (32, 31, 33),
    (64, 64, 64),
    (65, 47, 97),
    (128, 96, 300),
    (100, 49, 513),
    (257, 129, 65),
    (8, 48, 256),
    (17, 1025, 20),
    (3, 4200, 7),
    (250, 600, 210),
    // Few rows, and just too many of them for that.
    (2, 300, 515),
    (7, 130, 1030),
    (8, 1100, 40),
    (9, 200, 1030),
    (16, 515, 100),
    (24, 300, 70),
    // One row or one column, over more than one task.
    (1, 4999, 300),
    (1, 1, 40_001),
    (301, 1, 333),
    (6, 1, 20_000),
    // Few columns, with rows left over.
    (125, 20, 1030),
    (12, 128, 515),
];

/// Panels so small that small products have several blocks and panels.
const SMALL_SIZES: Sizes = Sizes { block: 48 << 10, panel: 96 << 10, rows: 24 << 10 };

fn agrees<T: Sample + Float + Lanes>() {
    let mut random = Random::new(8);
    for (m, n, k) in SHAPES {
        // Rows further apart than they are long, as in sub-matrices.
        for gap in [0, 3] {
            let (a, b) = (random.elements::<T>(m * (k + gap)), random.elements::<T>(k * (n + gap)));
            let a = HostMatrix::with_stride(&a, m, k, k + gap).unwrap();
            let b = HostMatrix::with_stride(&b, k, n, n + gap).unwrap();
            let mut truth = vec![T::Exact::default(); m * n];
            reference::multiply(a, b, HostMatrixMut::new(&mut truth, m, n).unwrap()).unwrap();
            let what = format!("{m} x {k} times {k} x {n}, gap {gap}, {}", T::NAME);

            let check = |multiply: &dyn Fn(HostMatrixMut<T>)| {
                let untouched = T::of(7.0);
                let mut c = vec![untouched; m * (n + gap)];
                multiply(HostMatrixMut::with_stride(&mut c, m, n, n + gap).unwrap());
                let mut packed: Vec<T> = Vec::new();
                for row in c.chunks((n + gap).max(1)) {
                    packed.extend(&row[..n]);
                    assert!(row[n..].iter().all(|&x| x == untouched), "{what} writes between rows");
                }
                assert_agree(&what, &packed, &truth, k);
            };
            check(&|c| cpu::seq(a, b, c).unwrap());
            for level in Level::available() {
                check(&|c| cpu::par_at(level, a, b, c).unwrap());
            }
        }
    }
}

#[test]
fn every_shape_agrees() {
    agrees::<f32>();
    agrees::<f64>();
}

/// Products with several packed blocks and panels, in every way.
fn agrees_in_small_pieces<T: Sample + Float + Lanes>() {
    let mut random = Random::new(11);
    for (m, n, k) in [(20, 301, 1100), (40, 330, 530), (110, 301, 1100), (61, 600, 90), (110, 37, 1300)] {
        let (a, b) = (random.elements::<T>(m * k), random.elements::<T>(k * n));
        let (a, b) = (HostMatrix::new(&a, m, k).unwrap(), HostMatrix::new(&b, k, n).unwrap());
        let mut truth = vec![T::Exact::default(); m * n];
        reference::multiply(a, b, HostMatrixMut::new(&mut truth, m, n).unwrap()).unwrap();
        for level in Level::available() {
            for members in 1..4 {
                let mut c = vec![T::of(7.0); m * n];
                product::multiply(level, members, a, b, HostMatrixMut::new(&mut c, m, n).unwrap(), &SMALL_SIZES);
                let what = format!("{m} x {k} times {k} x {n}, {members} members, {level:?}, {}", T::NAME);
                assert_agree(&what, &c, &truth, k);
            }
        }
    }
}

#[test]
fn small_pieces_agree() {
    agrees_in_small_pieces::<f32>();
    agrees_in_small_pieces::<f64>();
}

/// Rows a whole number of cache lines apart, beginning anywhere in a line.
#[test]
fn any_alignment_agrees() {
    let (m, n, k, stride) = (13, 2100, 21, 2112);
    let (a, b) = (Random::new(12).elements::<f32>(m * k), Random::new(13).elements::<f32>(k * stride + 16));
    let a = HostMatrix::new(&a, m, k).unwrap();
    for offset in 0..16 {
        let b = HostMatrix::with_stride(&b[offset..], k, n, stride).unwrap();
        let mut truth = vec![0.0; m * n];
        reference::multiply(a, b, HostMatrixMut::new(&mut truth, m, n).unwrap()).unwrap();
        for level in Level::available() {
            let mut c = vec![f32::NAN; m * n];
            cpu::par_at(level, a, b, HostMatrixMut::new(&mut c, m, n).unwrap()).unwrap();
            assert_agree(&format!("{offset} elements further on, {level:?}"), &c, &truth, k);
        }
    }
}

#[test]
fn threads_do_not_show() {
    for (m, n, k) in [
        (300, 500, 400),
        (3, 900, 700),
        (300, 40, 700),
        (600, 600, 520),
        (1, 900, 3000),
        (900, 1, 3000),
        (7, 1, 50_000),
    ] {
        let (a, b) = (Random::new(9).elements::<f32>(m * k), Random::new(10).elements::<f32>(k * n));
        let (a, b) = (HostMatrix::new(&a, m, k).unwrap(), HostMatrix::new(&b, k, n).unwrap());
        for level in Level::available() {
            on_any_threads(|| {
                let mut c = vec![0.0; m * n];
                cpu::par_at(level, a, b, HostMatrixMut::new(&mut c, m, n).unwrap()).unwrap();
                bits(&c)
            });
            on_any_threads(|| {
                let mut c = vec![0.0; m * n];
                let members = rayon::current_num_threads();
                product::multiply(level, members, a, b, HostMatrixMut::new(&mut c, m, n).unwrap(), &SMALL_SIZES);
                bits(&c)
            });
        }
    }
}

/// The old contents of C do not matter, and small integers are exact in `f32`.
#[test]
fn small_integers_are_exact() {
    let n = 200;
    let a: Vec<f32> = (0..n * n).map(|i| (i % 3) as f32).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % 2) as f32).collect();
    let (a, b) = (HostMatrix::new(&a, n, n).unwrap(), HostMatrix::new(&b, n, n).unwrap());
    let mut truth = vec![0.0; n * n];
    reference::multiply(a, b, HostMatrixMut::new(&mut truth, n, n).unwrap()).unwrap();
    for level in Level::available() {
        let mut c = vec![f32::NAN; n * n];
        cpu::par_at(level, a, b, HostMatrixMut::new(&mut c, n, n).unwrap()).unwrap();
        assert!(c.iter().zip(&truth).all(|(&x, &y)| f64::from(x) == y));
    }
}

#[test]
fn bad_shapes_are_refused() {
    let data = [0.0_f32; 12];
    let (a, b) = (HostMatrix::new(&data, 3, 4).unwrap(), HostMatrix::new(&data, 3, 4).unwrap());
    let mut c = [0.0; 9];
    let error = cpu::par(a, b, HostMatrixMut::new(&mut c, 3, 3).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "a 3 x 4 matrix times a 3 x 4 one does not give 3 x 3: make rows and columns match");
    assert!(matches!(HostMatrix::new(&data, 4, 4), Err(Error::Length { .. })));
    assert!(matches!(HostMatrix::with_stride(&data, 2, 4, 3), Err(Error::Stride { .. })));
    assert!(matches!(HostMatrix::with_stride(&data, usize::MAX, 2, 8), Err(Error::TooLarge { .. })));
}
