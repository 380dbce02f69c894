//! Transpose against its reference.

use super::{cpu, reference};
use crate::Error;
use crate::agreement::{Random, Sample, bits, on_any_threads};
use crate::matmul::{HostMatrix, HostMatrixMut};
use crate::simd::Level;
use crate::simd::stream::Stores;

/// Rows and columns around those of squares and blocks.
const SHAPES: [(usize, usize); 12] = [
    (0, 3),
    (3, 0),
    (1, 1),
    (1, 70),
    (70, 1),
    (16, 16),
    (15, 17),
    (64, 64),
    (33, 129),
    (257, 66),
    (70, 300),
    (520, 131),
];

fn agrees<T: Sample>() {
    let mut random = Random::new(51);
    for (rows, columns) in SHAPES {
        // Rows without gaps, and with some on either side.
        for (stride, out_stride) in [(columns, rows), (columns + 3, rows + 5)] {
            let data = random.elements::<T>(rows * stride + columns);
            let from = HostMatrix::with_stride(&data, rows, columns, stride).unwrap();
            let background = random.elements::<T>(columns * out_stride + rows);
            let into = |work: &dyn Fn(HostMatrixMut<'_, T>)| {
                let mut out = background.clone();
                work(HostMatrixMut::with_stride(&mut out, columns, rows, out_stride).unwrap());
                bits(&out)
            };
            let truth = into(&|to| reference::transpose(from, to).unwrap());
            let what = format!("{} {rows} x {columns}, {stride} to {out_stride}", T::NAME);
            assert!(into(&|to| cpu::seq(from, to).unwrap()) == truth, "seq {what}");
            assert!(into(&|to| cpu::par_fresh(from, to).unwrap()) == truth, "fresh {what}");
            for level in Level::available() {
                for stores in [Stores::Cached, Stores::Streamed] {
                    let found = on_any_threads(|| into(&|to| cpu::par_at(level, stores, from, to).unwrap()));
                    assert!(found == truth, "{what} at {}, {stores:?}", level.name());
                }
            }
        }
    }
}

#[test]
fn every_type_agrees() {
    agrees::<u8>();
    agrees::<f32>();
    agrees::<f64>();
}

/// Long enough to be shared out by pages.
#[test]
fn fresh_memory_has_the_same_rows() {
    let (rows, columns) = (2001, 4500);
    let data = Random::new(52).elements::<f32>(rows * columns);
    let from = HostMatrix::new(&data, rows, columns).unwrap();
    let mut expected = vec![0.0; data.len()];
    reference::transpose(from, HostMatrixMut::new(&mut expected, columns, rows).unwrap()).unwrap();
    let found = on_any_threads(|| {
        let mut out = crate::memory::zeros(data.len());
        cpu::par_fresh(from, HostMatrixMut::new(&mut out, columns, rows).unwrap()).unwrap();
        out
    });
    assert!(bits(&found) == bits(&expected));
}

#[test]
fn shapes_must_match() {
    let from = HostMatrix::new(&[1, 2, 3, 4, 5, 6], 2, 3).unwrap();
    let mut out = [0; 6];
    let error = cpu::par(from, HostMatrixMut::new(&mut out, 2, 3).unwrap()).unwrap_err();
    assert_eq!(error, Error::Length { what: "a column of the result", expected: 3, found: 2 });
    let error = cpu::seq(from, HostMatrixMut::new(&mut out, 3, 1).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "a row of the result has 1 elements but needs 2: make the lengths match");
}
