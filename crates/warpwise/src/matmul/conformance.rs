//! Checks of matrix multiply.

use crate::conformance::Placed;
use crate::conformance::{Collector, Verdict, equal, within};
use crate::matmul::{self, HostMatrix, HostMatrixMut, Matmul, Matrix, MatrixMut, Rung, Scalar};
use crate::{Buffer, Error};

/// Rows of A, columns of A, columns of B: nothing, one, squares and odd shapes around the tiles, and a sum that is long
/// enough to be shared by blocks.
const SHAPES: [[usize; 3]; 16] = [
    [0, 3, 4],
    [3, 0, 4],
    [1, 1, 1],
    [1, 300, 1],
    [3, 301, 140],
    [7, 5, 3],
    [16, 16, 16],
    [17, 15, 33],
    [31, 64, 32],
    [64, 64, 64],
    [65, 33, 129],
    [100, 1, 100],
    [128, 128, 128],
    [130, 70, 67],
    [129, 257, 131],
    [65, 701, 66],
];

/// Both types, every shape, whole matrices and parts of larger ones.
pub(super) fn checks(c: &mut Collector<'_>) {
    typed::<f32>(c, 0);
    typed::<f64>(c, 1);
}

fn typed<T: Scalar>(c: &mut Collector<'_>, column: usize) {
    let name = c.variant().name;
    if !matmul::is_offered::<T>(c.device(), name) {
        return refused::<T>(c);
    }
    scaled::<T>(c);
    // Numbers with few bits are exact in tf32 as well.
    let coarse = name == "gpu-9-tensor-tf32";
    for (row, &[m, k, n]) in SHAPES.iter().enumerate() {
        for (j, extra) in [0, 3].into_iter().enumerate() {
            if !c.takes(row + column + j) {
                continue;
            }
            let how = Matmul::new().variant(c.rung::<Rung>());
            let part = if extra > 0 { ", parts of larger matrices" } else { "" };
            c.add(format!("{}, {m} x {k} times {k} x {n}{part}", T::NAME), move |device, random| {
                let mut draw = |length| -> Vec<T> {
                    let elements = random.elements::<T>(length).into_iter();
                    let rounded = |x: T| T::from_f64((x.to_f64() * 512.0).round() / 512.0);
                    elements.map(|x| if coarse { rounded(x) } else { x }).collect()
                };
                let (a, b) = (draw(m * (k + extra)), draw(k * (n + extra)));
                let left = HostMatrix::with_stride(&a, m, k, k + extra)?;
                let right = HostMatrix::with_stride(&b, k, n, n + extra)?;
                // The gaps between the rows of a part must stay unchanged.
                let poison = T::from_f64(-77.0);
                let mut found = vec![poison; m * (n + extra)];
                match (Placed::new(device, &a, random)?, Placed::new(device, &b, random)?) {
                    (a @ Placed::There { .. }, b) if extra == 0 => {
                        let (a, b) = (Matrix::new(&a, m, k)?, Matrix::new(&b, k, n)?);
                        how.run_buffer(device, &a, &b)?.download_into(&mut found)?;
                    }
                    _ => {
                        let (a, b) =
                            (Matrix::with_stride(&a, m, k, k + extra)?, Matrix::with_stride(&b, k, n, n + extra)?);
                        how.run_into(device, &a, &b, &mut MatrixMut::with_stride(&mut found, m, n, n + extra)?)?;
                    }
                }
                let mut expected = vec![poison.to_f64(); m * (n + extra)];
                let mut exact = vec![T::ZERO.exact(); m * n];
                matmul::reference::multiply(left, right, HostMatrixMut::new(&mut exact, m, n)?)?;
                for i in 0..m {
                    for j in 0..n {
                        expected[i * (n + extra) + j] = crate::Element::to_f64(exact[i * n + j]);
                    }
                }
                let gaps = |row: &[T]| row[n..].iter().filter(|&&x| x != poison).count();
                let touched = found.chunks((n + extra).max(1)).map(gaps).sum::<usize>();
                if touched > 0 {
                    return Ok(equal(&[touched], &[0]));
                }
                Ok(within(&found, &T::exact_of(&expected), k))
            });
        }
    }
}

/// Transposed factors, and a product that is scaled and added to what is there, on the device.
fn scaled<T: Scalar>(c: &mut Collector<'_>) {
    let how = Matmul::new().alpha(2.0).beta(-0.5).variant(c.rung::<Rung>());
    c.add(format!("{}, 2 A^T B^T - C / 2", T::NAME), move |device, random| {
        let [m, k, n] = [37, 20, 45];
        let mut draw = |length| -> Vec<T> {
            let elements = random.elements::<T>(length).into_iter();
            elements.map(|x| T::from_f64((x.to_f64() * 512.0).round() / 512.0)).collect()
        };
        let (a, b, c) = (draw(k * m), draw(n * k), draw(m * n));
        let (left, right) = (Buffer::from_slice(device, &a)?, Buffer::from_slice(device, &b)?);
        let (left, right) = (Matrix::new(&left, k, m)?.transposed(), Matrix::new(&right, n, k)?.transposed());
        let mut out = Buffer::from_slice(device, &c)?;
        how.run_into(device, &left, &right, &mut MatrixMut::new(&mut out, m, n)?)?;
        let entry =
            |i: usize, j: usize| -> f64 { (0..k).map(|l| a[l * m + i].to_f64() * b[j * k + l].to_f64()).sum::<f64>() };
        let expected: Vec<f64> = (0..m * n).map(|x| 2.0 * entry(x / n, x % n) - 0.5 * c[x].to_f64()).collect();
        Ok(within(&out.to_vec()?, &T::exact_of(&expected), k))
    });
}

/// A variant that cannot do it says so.
fn refused<T: Scalar>(c: &mut Collector<'_>) {
    let how = Matmul::new().variant(c.rung::<Rung>());
    c.add(format!("{}, refused", T::NAME), move |device, _| {
        let (one, mut product) = ([T::ZERO], [T::ZERO]);
        let matrix = Matrix::new(&one, 1, 1)?;
        let outcome = how.run_into(device, &matrix, &matrix, &mut MatrixMut::new(&mut product, 1, 1)?);
        Ok(match outcome {
            Err(Error::Needs { .. }) => Verdict::Passed { max_error: 0.0 },
            Err(error) => return Err(error),
            Ok(()) => Verdict::Error("it was done all the same".to_owned()),
        })
    });
}
