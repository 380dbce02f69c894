//! Reduce.

use super::{Case, Job, Loops, Problem, Rung, Step, Timed};
use std::hint::black_box;
use warpwise::conformance::within;
use warpwise::reduce::{self, Finish, Options, Reducible, cpu, reference};
use warpwise::{Buffer, Error, Operator};

struct Reduce<T: Reducible> {
    xs: Vec<T>,
    operator: Operator,
    finish: Finish,
    expected: T::Exact,
}

pub(super) fn case<T: Reducible>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let xs = problem.data.elements::<T>(0, problem.elements());
    let (operator, finish) = (problem.settings.operator, problem.settings.finish);
    let expected = reference::reduce(operator, &xs)?;
    Ok(Box::new(Reduce { xs, operator, finish, expected }))
}

impl<T: Reducible> Case for Reduce<T> {
    fn job(&self, rung: &Rung) -> Job<'_> {
        let (variant, geometry) = (rung.variant.clone(), rung.geometry);
        let options = Options { variant, geometry, finish: self.finish, ..Options::default() };
        let (device, again) = (rung.device.clone(), options.clone());
        let compute = move || reduce::run(&device, self.operator, &self.xs, &again);
        let compare = |found| within(&[found], &[self.expected], self.xs.len());
        Job::new(compute, compare, self.timed(rung, options))
    }
}

impl<T: Reducible> Reduce<T> {
    fn timed(&self, rung: &Rung, options: Options) -> Timed<'_> {
        if let Some(loops) = rung.loops() {
            return Box::new(move |step| {
                match (step, loops) {
                    (Step::Prepare, _) => {}
                    (Step::Call, Loops::Sequential) => {
                        black_box(cpu::seq(self.operator, black_box(&self.xs))?);
                    }
                    (Step::Call, Loops::Parallel) => {
                        black_box(cpu::par(self.operator, black_box(&self.xs))?);
                    }
                }
                Ok(())
            });
        }
        let (device, mut kept) = (rung.device.clone(), None);
        Box::new(move |step| {
            if kept.is_none() {
                kept = Some(Buffer::from_slice(&device, &self.xs)?);
            }
            match (step, &kept) {
                (Step::Call, Some(xs)) => reduce::run(&device, self.operator, xs, &options).map(|_| ()),
                _ => Ok(()),
            }
        })
    }
}
