//! Matrix multiply against its reference.

use super::{Matrix, MatrixMut, cpu, reference};
use crate::agreement::{Random, Sample, assert_agree, bits, on_any_threads};
use crate::simd::{Lanes, Level};
use crate::{Error, Float};

const SHAPES: [(usize, usize, usize); 18] = [
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
    // More than is packed at a time, in every direction.
    (250, 600, 210),
];

fn agrees<T: Sample + Float + Lanes>() {
    let mut random = Random(8);
    for (m, n, k) in SHAPES {
        // Rows further apart than they are long, which is what sub-matrices are.
        for gap in [0, 3] {
            let (a, b) = (random.vec::<T>(m * (k + gap)), random.vec::<T>(k * (n + gap)));
            let a = Matrix::with_stride(&a, m, k, k + gap).unwrap();
            let b = Matrix::with_stride(&b, k, n, n + gap).unwrap();
            let mut truth = vec![T::Exact::default(); m * n];
            reference::multiply(a, b, MatrixMut::new(&mut truth, m, n).unwrap()).unwrap();
            let what = format!("{m} x {k} times {k} x {n}, gap {gap}, {}", T::NAME);

            let check = |multiply: &dyn Fn(MatrixMut<T>)| {
                let untouched = T::of(7.0);
                let mut c = vec![untouched; m * (n + gap)];
                multiply(MatrixMut::with_stride(&mut c, m, n, n + gap).unwrap());
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

#[test]
fn threads_do_not_show() {
    let (a, b) = (Random(9).vec::<f32>(300 * 400), Random(10).vec::<f32>(400 * 500));
    for level in Level::available() {
        on_any_threads(|| {
            let mut c = vec![0.0; 300 * 500];
            let (a, b) = (Matrix::new(&a, 300, 400).unwrap(), Matrix::new(&b, 400, 500).unwrap());
            cpu::par_at(level, a, b, MatrixMut::new(&mut c, 300, 500).unwrap()).unwrap();
            bits(&c)
        });
    }
}

/// What was in C does not matter, and small integers are exact in `f32`.
#[test]
fn small_integers_are_exact() {
    let n = 200;
    let a: Vec<f32> = (0..n * n).map(|i| (i % 3) as f32).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % 2) as f32).collect();
    let (a, b) = (Matrix::new(&a, n, n).unwrap(), Matrix::new(&b, n, n).unwrap());
    let mut truth = vec![0.0; n * n];
    reference::multiply(a, b, MatrixMut::new(&mut truth, n, n).unwrap()).unwrap();
    for level in Level::available() {
        let mut c = vec![f32::NAN; n * n];
        cpu::par_at(level, a, b, MatrixMut::new(&mut c, n, n).unwrap()).unwrap();
        assert!(c.iter().zip(&truth).all(|(&x, &y)| f64::from(x) == y));
    }
}

#[test]
fn bad_shapes_are_refused() {
    let data = [0.0_f32; 12];
    let (a, b) = (Matrix::new(&data, 3, 4).unwrap(), Matrix::new(&data, 3, 4).unwrap());
    let mut c = [0.0; 9];
    let error = cpu::par(a, b, MatrixMut::new(&mut c, 3, 3).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "a 3 x 4 matrix times a 3 x 4 one does not give 3 x 3: make rows and columns match");
    assert!(matches!(Matrix::new(&data, 4, 4), Err(Error::Length { .. })));
    assert!(matches!(Matrix::with_stride(&data, 2, 4, 3), Err(Error::Stride { .. })));
    assert!(matches!(Matrix::with_stride(&data, usize::MAX, 2, 8), Err(Error::TooLarge { .. })));
}
