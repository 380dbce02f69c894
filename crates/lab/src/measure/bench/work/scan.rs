//! Scan.

use super::{Case, Job, Loops, Problem, Rung, Step, Timed};
use std::hint::black_box;
use warpwise::conformance::within;
use warpwise::scan::{self, Kind, Options, Scannable, cpu, reference};
use warpwise::{Buffer, Error, Operator};

struct Scan<T: Scannable> {
    xs: Vec<T>,
    operator: Operator,
    expected: Vec<T::Exact>,
}

pub(super) fn case<T: Scannable>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let xs = problem.data.elements::<T>(0, problem.elements());
    let operator = problem.settings.operator;
    let mut expected = vec![T::ZERO.exact(); xs.len()];
    reference::scan(operator, Kind::Inclusive, &xs, &mut expected)?;
    Ok(Box::new(Scan { xs, operator, expected }))
}

impl<T: Scannable> Case for Scan<T> {
    fn job(&self, rung: &Rung) -> Job<'_> {
        let options = Options { variant: rung.variant.clone(), geometry: rung.geometry };
        let (device, again) = (rung.device.clone(), options.clone());
        let compute = move || scan::run(&device, self.operator, Kind::Inclusive, &self.xs, &again);
        let compare = |found: Vec<T>| within(&found, &self.expected, self.xs.len());
        Job::new(compute, compare, self.timed(rung, options))
    }
}

impl<T: Scannable> Scan<T> {
    fn timed(&self, rung: &Rung, options: Options) -> Timed<'_> {
        let (operator, kind) = (self.operator, Kind::Inclusive);
        if let Some(loops) = rung.loops() {
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
        let (device, mut kept) = (rung.device.clone(), None);
        Box::new(move |step| {
            if kept.is_none() {
                kept = Some(Buffer::from_slice(&device, &self.xs)?);
            }
            match (step, &kept) {
                (Step::Call, Some(xs)) => scan::run_buffer(&device, operator, kind, xs, &options).map(drop),
                _ => Ok(()),
            }
        })
    }
}
