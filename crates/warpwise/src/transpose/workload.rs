//! Transpose of a whole matrix.

use std::hint::black_box;

use super::{Options, Transposable, cpu, reference, run, run_buffer};
use crate::conformance::equal;
use crate::matmul::{Layout, Matrix, MatrixMut};
use crate::primitive::{Case, Job, Loops, Problem, Runner, Step, Timed};
use crate::{Buffer, Error};

struct Turn<T> {
    xs: Vec<T>,
    rows: usize,
    columns: usize,
    expected: Vec<T>,
}

pub(super) fn case<T: Transposable>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let (rows, columns) = problem.extent.plane();
    let xs = problem.data().elements::<T>(0, problem.elements());
    let mut expected = vec![T::ZERO; xs.len()];
    reference::transpose(Matrix::new(&xs, rows, columns)?, MatrixMut::new(&mut expected, columns, rows)?)?;
    Ok(Box::new(Turn { xs, rows, columns, expected }))
}

impl<T: Transposable> Case for Turn<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let options = Options { variant: runner.variant(), geometry: runner.geometry };
        let (device, again) = (runner.device.clone(), options.clone());
        let compute = move || run(&device, self.matrix()?, &again);
        Job::new(compute, |found: Vec<T>| equal(&found, &self.expected), self.timed(runner, options))
    }
}

impl<T: Transposable> Turn<T> {
    fn matrix(&self) -> Result<Matrix<'_, T>, Error> {
        Matrix::new(&self.xs, self.rows, self.columns)
    }

    fn timed(&self, runner: &Runner, options: Options) -> Timed<'_> {
        if let Some(loops) = runner.loops() {
            let mut out = Vec::new();
            return Box::new(move |step| {
                out.resize(self.xs.len(), T::ZERO);
                let to = MatrixMut::new(&mut out, self.columns, self.rows)?;
                match (step, loops) {
                    (Step::Prepare, _) => Ok(()),
                    (Step::Call, Loops::Sequential) => cpu::seq(black_box(self.matrix()?), to),
                    (Step::Call, Loops::Parallel) => cpu::par(black_box(self.matrix()?), to),
                }
            });
        }
        let (device, mut kept) = (runner.device.clone(), None);
        let layout = Layout::new(self.rows, self.columns);
        Box::new(move |step| {
            if kept.is_none() {
                kept = Some(Buffer::from_slice(&device, &self.xs)?);
            }
            match (step, &kept) {
                (Step::Call, Some(xs)) => run_buffer(&device, (xs, layout), &options).map(drop),
                _ => Ok(()),
            }
        })
    }
}
