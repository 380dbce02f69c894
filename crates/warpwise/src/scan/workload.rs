//! Scan.

use crate::conformance::within;
use crate::primitive::{Case, Expected, Job, Loops, Problem, Runner, Step, Timed};
use crate::scan::{self, Kind, Scannable, cpu, reference};
use crate::{Buffer, Error, Operator};
use std::hint::black_box;

struct Scan<T: Scannable> {
    xs: Vec<T>,
    operator: Operator,
    expected: Expected<Vec<T::Exact>>,
}

pub(super) fn case<T: Scannable>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let xs = problem.data().elements::<T>(0, problem.elements());
    let operator = Operator::of(problem);
    Ok(Box::new(Scan { xs, operator, expected: Expected::later() }))
}

impl<T: Scannable> Case for Scan<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let how = scan::Scan::new().operator(self.operator).variant(runner.rung::<scan::Rung>());
        let how = how.geometry(runner.geometry);
        let (device, again) = (runner.device.clone(), how.clone());
        let compute = move || again.run(&device, &self.xs);
        let compare = |found: Vec<T>| Ok(within(&found, self.expected()?, self.xs.len()));
        Job::new(compute, compare, self.timed(runner, how))
    }
}

impl<T: Scannable> Scan<T> {
    fn expected(&self) -> Result<&Vec<T::Exact>, Error> {
        self.expected.get(|| {
            let mut sums = vec![T::ZERO.exact(); self.xs.len()];
            reference::scan(self.operator, Kind::Inclusive, &self.xs, &mut sums)?;
            Ok(sums)
        })
    }

    fn timed(&self, runner: &Runner, how: scan::Scan) -> Timed<'_> {
        let (operator, kind) = (self.operator, Kind::Inclusive);
        if let Some(loops) = runner.loops() {
            let mut out = Vec::new();
            return Box::new(move |step| match (step, loops) {
                (Step::Prepare, _) => {
                    out.resize(self.xs.len(), T::ZERO);
                    Ok(())
                }
                (Step::Call, Loops::Sequential) => cpu::seq(operator, kind, black_box(&self.xs), &mut out),
                (Step::Call, Loops::Parallel) => cpu::par(operator, kind, black_box(&self.xs), &mut out),
            });
        }
        let (device, mut kept) = (runner.device.clone(), None);
        Box::new(move |step| {
            if kept.is_none() {
                kept = Some(Buffer::from_slice(&device, &self.xs)?);
            }
            match (step, &kept) {
                (Step::Call, Some(xs)) => how.run_buffer(&device, xs).map(drop),
                _ => Ok(()),
            }
        })
    }
}
