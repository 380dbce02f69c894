//! Matrix multiply.
//!
//! The reference takes n^3 steps, one after the other. If these are too many, it computes only the first rows, and all
//! rows are checked by a projection: for a vector x, C x must be A (B x). Test data are small whole numbers, so both
//! sides are exact in `f64`, and a wrong element of C shows.

use crate::conformance::{Verdict, within};
use crate::matmul::{HostMatrix, HostMatrixMut, Matmul, Matrix, Rung, Scalar, cpu, reference};
use crate::primitive::{Case, Expected, Job, Loops, Problem, Runner, Step, Timed};
use crate::{Buffer, Error};
use std::hint::black_box;

/// The most products that the reference computes.
const MOST_PRODUCTS: usize = 1 << 28;

struct Product<T: Scalar> {
    a: Vec<T>,
    b: Vec<T>,
    n: usize,
    /// The first rows of the product.
    expected: Expected<Vec<f64>>,
    /// How many of them the reference computes.
    rows: usize,
}

pub(super) fn case<T: Scalar>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let (n, length) = (problem.extent.plane().0, problem.elements());
    let (a, b) = (problem.data().small::<T>(0, length, 3), problem.data().small::<T>(1, length, 2));
    let rows = (MOST_PRODUCTS / length.max(1)).clamp(1, n);
    Ok(Box::new(Product { a, b, n, expected: Expected::later(), rows }))
}

impl<T: Scalar> Case for Product<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let how = Matmul::new().variant(runner.rung::<Rung>()).geometry(runner.geometry);
        let (device, again, n) = (runner.device.clone(), how.clone(), self.n);
        let compute = move || again.run(&device, &Matrix::new(&self.a, n, n)?, &Matrix::new(&self.b, n, n)?);
        Job::new(compute, |c: Vec<T>| self.compare(&c), self.timed(runner, how))
    }

    fn compared(&self) -> Option<String> {
        (self.rows < self.n).then(|| format!("{} rows, all others by a projection", self.rows))
    }
}

impl<T: Scalar> Product<T> {
    fn expected(&self) -> Result<&Vec<f64>, Error> {
        self.expected.get(|| {
            let (rows, n) = (self.rows, self.n);
            let mut exact = vec![T::ZERO.exact(); rows * n];
            reference::multiply(
                HostMatrix::new(&self.a[..rows * n], rows, n)?,
                HostMatrix::new(&self.b, n, n)?,
                HostMatrixMut::new(&mut exact, rows, n)?,
            )?;
            Ok(exact.into_iter().map(crate::Element::to_f64).collect())
        })
    }

    fn compare(&self, c: &[T]) -> Result<Verdict, Error> {
        let expected = self.expected()?;
        let verdict = within(&c[..expected.len()], &T::exact_of(expected), self.n);
        if !verdict.passed() || self.rows == self.n {
            return Ok(verdict);
        }
        // A vector of small whole numbers whose pattern is unrelated to the data's.
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let x: Vec<f64> = (0..self.n).map(|i| ((i * i) % 7) as f64 - 3.0).collect();
        let expected = times(&self.a, &times(&self.b, &x));
        let found: Vec<f64> = times(c, &x);
        Ok(within(&found, &expected, self.n))
    }

    fn timed(&self, runner: &Runner, how: Matmul) -> Timed<'_> {
        let n = self.n;
        if let Some(loops) = runner.loops() {
            let mut c = Vec::new();
            return Box::new(move |step| {
                c.resize(n * n, T::ZERO);
                if step == Step::Prepare {
                    return Ok(());
                }
                let (a, b) = (HostMatrix::new(black_box(&self.a), n, n)?, HostMatrix::new(&self.b, n, n)?);
                match loops {
                    Loops::Sequential => cpu::seq(a, b, HostMatrixMut::new(&mut c, n, n)?),
                    Loops::Parallel => cpu::par(a, b, HostMatrixMut::new(&mut c, n, n)?),
                }
            });
        }
        let (device, mut kept) = (runner.device.clone(), None);
        Box::new(move |step| {
            if kept.is_none() {
                kept = Some((Buffer::from_slice(&device, &self.a)?, Buffer::from_slice(&device, &self.b)?));
            }
            match (step, &kept) {
                (Step::Call, Some((a, b))) => {
                    how.run_buffer(&device, &Matrix::new(a, n, n)?, &Matrix::new(b, n, n)?).map(drop)
                }
                _ => Ok(()),
            }
        })
    }
}

/// A square matrix times a vector.
fn times<T: Scalar>(matrix: &[T], x: &[f64]) -> Vec<f64> {
    let dot = |row: &[T]| row.iter().zip(x).map(|(a, x)| a.to_f64() * x).sum();
    matrix.chunks(x.len().max(1)).map(dot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::{Data, Extent, Type};

    #[test]
    fn a_projection_finds_one_wrong_element() {
        let n = 40;
        let (a, b) = (Data::Random.small::<f32>(0, n * n, 3), Data::Random.small::<f32>(1, n * n, 2));
        let mut exact = vec![0.0; n * n];
        let (left, right) = (HostMatrix::new(&a, n, n).unwrap(), HostMatrix::new(&b, n, n).unwrap());
        reference::multiply(left, right, HostMatrixMut::new(&mut exact, n, n).unwrap()).unwrap();
        let mut c: Vec<f32> = exact.iter().map(|&x| x as f32).collect();
        let few = Product { a, b, n, expected: Expected::later(), rows: 2 };
        assert!(few.compare(&c).unwrap().passed());
        assert_eq!(few.compared().unwrap(), "2 rows, all others by a projection");
        c[30 * n + 7] += 1.0;
        assert!(!few.compare(&c).unwrap().passed());
        let problem = Problem { ty: Type::F32, extent: Extent::Side(n), ..Problem::usual(&crate::matmul::PRIMITIVE) };
        assert_eq!(case::<f32>(&problem).unwrap().compared(), None, "small products are compared in full");
    }
}
