//! Vector add.

use crate::conformance::within;
use crate::primitive::{Case, Expected, Job, Loops, Problem, Runner, Step, Timed};
use crate::vecadd::{Rung, Summand, VecAdd, cpu, reference};
use crate::{Buffer, Error};
use std::hint::black_box;

struct Add<T: Summand> {
    a: Vec<T>,
    b: Vec<T>,
    expected: Expected<Vec<T::Exact>>,
}

pub(super) fn case<T: Summand>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let n = problem.elements();
    let (a, b) = (problem.data().elements::<T>(0, n), problem.data().elements::<T>(1, n));
    Ok(Box::new(Add { a, b, expected: Expected::later() }))
}

impl<T: Summand> Case for Add<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let how = VecAdd::new().variant(runner.rung::<Rung>()).geometry(runner.geometry);
        let (device, again) = (runner.device.clone(), how.clone());
        let compute = move || again.run(&device, &self.a, &self.b);
        Job::new(compute, |sums| Ok(within(&sums, self.expected()?, 1)), self.timed(runner, how))
    }
}

impl<T: Summand> Add<T> {
    fn expected(&self) -> Result<&Vec<T::Exact>, Error> {
        self.expected.get(|| {
            let mut sums = vec![T::ZERO.exact(); self.a.len()];
            reference::add(&self.a, &self.b, &mut sums)?;
            Ok(sums)
        })
    }

    fn timed(&self, runner: &Runner, how: VecAdd) -> Timed<'_> {
        if let Some(loops) = runner.loops() {
            let mut out = Vec::new();
            return Box::new(move |step| match (step, loops) {
                (Step::Prepare, _) => {
                    out.resize(self.a.len(), T::ZERO);
                    Ok(())
                }
                (Step::Call, Loops::Sequential) => cpu::seq(black_box(&self.a), &self.b, &mut out),
                (Step::Call, Loops::Parallel) => cpu::par(black_box(&self.a), &self.b, &mut out),
            });
        }
        let (device, mut kept) = (runner.device.clone(), None);
        Box::new(move |step| {
            if kept.is_none() {
                kept = Some((Buffer::from_slice(&device, &self.a)?, Buffer::from_slice(&device, &self.b)?));
            }
            match (step, &kept) {
                (Step::Call, Some((a, b))) => how.run_buffer(&device, a, b).map(drop),
                _ => Ok(()),
            }
        })
    }
}
