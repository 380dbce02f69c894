//! Reduce.

use crate::conformance::within;
use crate::primitive::{Case, Expected, Job, Problem, Runner, of_vector};
use crate::reduce::{self, Finish, Reducible, cpu, reference};
use crate::{Error, Operator};

struct Reduce<T: Reducible> {
    xs: Vec<T>,
    operator: Operator,
    finish: Finish,
    expected: Expected<T::Exact>,
}

pub(super) fn case<T: Reducible>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let xs = problem.data().elements::<T>(0, problem.elements());
    let operator = Operator::of(problem);
    let finish = Finish::ALL.into_iter().find(|finish| finish.name() == problem.word("finish")).unwrap_or_default();
    // There is no minimum of nothing: say so before anything runs.
    reference::reduce(operator, &xs[..xs.len().min(1)])?;
    Ok(Box::new(Reduce { xs, operator, finish, expected: Expected::later() }))
}

impl<T: Reducible> Case for Reduce<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let how = reduce::Reduce::new().operator(self.operator).variant(runner.rung::<reduce::Rung>());
        let how = how.geometry(runner.geometry).finish(self.finish);
        let (device, again) = (runner.device.clone(), how.clone());
        let compute = move || again.run(&device, &self.xs);
        let expected = || self.expected.get(|| reference::reduce(self.operator, &self.xs));
        let compare = move |found| Ok(within(&[found], &[*expected()?], self.xs.len()));
        let loops = [cpu::seq::<T>, cpu::par::<T>].map(|reduce| move |xs: &[T]| reduce(self.operator, xs));
        let timed = of_vector(runner, &self.xs, loops, move |device, xs| how.run(device, xs).map(|_| ()));
        Job::new(compute, compare, timed)
    }
}
