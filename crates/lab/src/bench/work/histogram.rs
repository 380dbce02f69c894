//! Histogram.

use super::{Case, Job, Loops, Problem, Rung, Step, Timed};
use std::hint::black_box;
use warpwise::conformance::equal;
use warpwise::histogram::{self, Binning, Countable, Options, cpu, reference};
use warpwise::{Buffer, Error};

struct Histogram<T: Countable> {
    xs: Vec<T>,
    binning: Binning,
    expected: Vec<u64>,
}

/// Floats are counted in equal parts of the range of random data, bytes by their value, other integers by remainder.
fn binning<T: Countable>(problem: &Problem) -> Binning {
    match problem.settings.bins {
        None if size_of::<T>() == 1 => Binning::Value,
        _ if T::IS_FLOAT => Binning::Even { bins: problem.bins(), lo: -1.0, hi: 1.0 },
        _ => Binning::Modulo { bins: problem.bins() },
    }
}

pub(super) fn case<T: Countable>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let xs = problem.data.elements::<T>(0, problem.elements());
    let binning = binning::<T>(problem);
    let expected = reference::histogram(binning, &xs)?;
    Ok(Box::new(Histogram { xs, binning, expected }))
}

impl<T: Countable> Case for Histogram<T> {
    fn job(&self, rung: &Rung) -> Job<'_> {
        let options = Options { variant: rung.variant.clone(), geometry: rung.geometry, copies: None };
        let (device, again) = (rung.device.clone(), options.clone());
        let compute = move || histogram::run(&device, self.binning, &self.xs, &again);
        Job::new(compute, |counts| equal(&counts, &self.expected), self.timed(rung, options))
    }
}

impl<T: Countable> Histogram<T> {
    fn timed(&self, rung: &Rung, options: Options) -> Timed<'_> {
        if let Some(loops) = rung.loops() {
            return Box::new(move |step| {
                match (step, loops) {
                    (Step::Prepare, _) => {}
                    (Step::Call, Loops::Sequential) => {
                        black_box(cpu::seq(self.binning, black_box(&self.xs))?);
                    }
                    (Step::Call, Loops::Parallel) => {
                        black_box(cpu::par(self.binning, black_box(&self.xs))?);
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
                (Step::Call, Some(xs)) => histogram::run_buffer(&device, self.binning, xs, &options).map(drop),
                _ => Ok(()),
            }
        })
    }
}
