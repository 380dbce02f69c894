//! Reduce.

use super::{Case, Job, Problem, Rung, of_vector};
use warpwise::conformance::within;
use warpwise::reduce::{self, Finish, Options, Reducible, cpu, reference};
use warpwise::{Error, Operator};

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
        let loops = [cpu::seq::<T>, cpu::par::<T>].map(|reduce| move |xs: &[T]| reduce(self.operator, xs));
        let timed = of_vector(rung, &self.xs, loops, move |device, xs| {
            reduce::run(device, self.operator, xs, &options).map(|_| ())
        });
        Job::new(compute, compare, timed)
    }
}
