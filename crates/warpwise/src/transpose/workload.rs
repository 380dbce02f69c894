//! Transpose of a whole matrix.

use std::hint::black_box;

use super::{Rung, Transposable, Transpose, cpu, reference};
use crate::conformance::equal;
use crate::matmul::{HostMatrix, HostMatrixMut, Matrix};
use crate::primitive::{Case, Expected, Job, Loops, Problem, Runner, Step, Timed};
use crate::{Buffer, Error};

struct Turn<T> {
    xs: Vec<T>,
    rows: usize,
    columns: usize,
    expected: Expected<Vec<T>>,
}

pub(super) fn case<T: Transposable>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let (rows, columns) = problem.extent.plane();
    let xs = problem.data().elements::<T>(0, problem.elements());
    Ok(Box::new(Turn { xs, rows, columns, expected: Expected::later() }))
}

impl<T: Transposable> Case for Turn<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let how = Transpose::new().variant(runner.rung::<Rung>()).geometry(runner.geometry);
        let (device, again) = (runner.device.clone(), how.clone());
        let compute = move || again.run(&device, &Matrix::new(&self.xs, self.rows, self.columns)?);
        Job::new(compute, |found: Vec<T>| Ok(equal(&found, self.expected()?)), self.timed(runner, how))
    }
}

impl<T: Transposable> Turn<T> {
    fn expected(&self) -> Result<&Vec<T>, Error> {
        self.expected.get(|| {
            let mut turned = vec![T::ZERO; self.xs.len()];
            reference::transpose(self.matrix()?, HostMatrixMut::new(&mut turned, self.columns, self.rows)?)?;
            Ok(turned)
        })
    }

    fn matrix(&self) -> Result<HostMatrix<'_, T>, Error> {
        HostMatrix::new(&self.xs, self.rows, self.columns)
    }

    fn timed(&self, runner: &Runner, how: Transpose) -> Timed<'_> {
        if let Some(loops) = runner.loops() {
            let mut out = Vec::new();
            return Box::new(move |step| {
                out.resize(self.xs.len(), T::ZERO);
                let to = HostMatrixMut::new(&mut out, self.columns, self.rows)?;
                match (step, loops) {
                    (Step::Prepare, _) => Ok(()),
                    (Step::Call, Loops::Sequential) => cpu::seq(black_box(self.matrix()?), to),
                    (Step::Call, Loops::Parallel) => cpu::par(black_box(self.matrix()?), to),
                }
            });
        }
        let (device, mut kept) = (runner.device.clone(), None);
        Box::new(move |step| {
            if kept.is_none() {
                kept = Some(Buffer::from_slice(&device, &self.xs)?);
            }
            match (step, &kept) {
                (Step::Call, Some(xs)) => how.run_buffer(&device, &Matrix::new(xs, self.rows, self.columns)?).map(drop),
                _ => Ok(()),
            }
        })
    }
}
