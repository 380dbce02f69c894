//! 1-D convolution, with a mask that rises to its middle and zeros beyond the ends.

use crate::conformance::within;
use crate::convolve1d::{Convolve1d, Rung, Signal, cpu, reference};
use crate::primitive::{Case, Expected, Job, Loops, Problem, Runner, Step, Timed};
use crate::{Border, Buffer, Error};
use std::hint::black_box;

struct Convolution<T: Signal> {
    mask: Vec<T>,
    xs: Vec<T>,
    expected: Expected<Vec<T::Exact>>,
}

pub(super) fn case<T: Signal>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    // 1 2 3 2 1, divided by nine for floats: a mean.
    let width = problem.number("mask");
    let weight = |i: usize| 1 + i.min(width - 1 - i);
    let sum: usize = (0..width).map(weight).sum();
    let mask: Vec<T> = (0..width).map(|i| T::from_random(weight(i) as u64, weight(i) as f64 / sum as f64)).collect();
    let xs = problem.data().elements::<T>(0, problem.elements());
    Ok(Box::new(Convolution { mask, xs, expected: Expected::later() }))
}

impl<T: Signal> Case for Convolution<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let how = Convolve1d::new(&self.mask).variant(runner.rung::<Rung>()).geometry(runner.geometry);
        let (device, again) = (runner.device.clone(), how.clone());
        let compute = move || again.run(&device, &self.xs);
        let compare = |found: Vec<T>| Ok(within(&found, self.expected()?, self.mask.len()));
        Job::new(compute, compare, self.timed(runner, how))
    }
}

impl<T: Signal> Convolution<T> {
    fn expected(&self) -> Result<&Vec<T::Exact>, Error> {
        self.expected.get(|| {
            let mut sums = vec![T::ZERO.exact(); self.xs.len()];
            reference::convolve(&self.mask, Border::Zero, &self.xs, &mut sums)?;
            Ok(sums)
        })
    }

    fn timed<'a>(&'a self, runner: &Runner, how: Convolve1d<'a, T>) -> Timed<'a> {
        let (mask, border) = (&self.mask, Border::Zero);
        if let Some(loops) = runner.loops() {
            let mut out = Vec::new();
            return Box::new(move |step| match (step, loops) {
                (Step::Prepare, _) => {
                    out.resize(self.xs.len(), T::ZERO);
                    Ok(())
                }
                (Step::Call, Loops::Sequential) => cpu::seq(mask, border, black_box(&self.xs), &mut out),
                (Step::Call, Loops::Parallel) => cpu::par(mask, border, black_box(&self.xs), &mut out),
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
