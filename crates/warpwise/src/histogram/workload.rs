//! Histogram.

use crate::Error;
use crate::conformance::equal;
use crate::histogram::{self, Binning, Countable, Rung, cpu, reference};
use crate::primitive::{Case, Expected, Job, Problem, Runner, of_vector};

struct Histogram<T: Countable> {
    xs: Vec<T>,
    binning: Binning,
    expected: Expected<Vec<u64>>,
}

/// Floats are counted in equal parts of the range of random data, bytes by value, other integers by remainder.
fn binning<T: Countable>(problem: &Problem) -> Binning {
    let bins = problem.number("bins");
    match problem.settings.get("bins") {
        None if size_of::<T>() == 1 => Binning::Value,
        _ if T::IS_FLOAT => Binning::Even { bins, lo: -1.0, hi: 1.0 },
        _ => Binning::Modulo { bins },
    }
}

pub(super) fn case<T: Countable>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let xs = problem.data().elements::<T>(0, problem.elements());
    let binning = binning::<T>(problem);
    binning.check::<T>()?;
    Ok(Box::new(Histogram { xs, binning, expected: Expected::later() }))
}

impl<T: Countable> Case for Histogram<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let how = histogram::Histogram::new(self.binning).variant(runner.rung::<Rung>()).geometry(runner.geometry);
        let (device, again) = (runner.device.clone(), how.clone());
        let compute = move || again.run(&device, &self.xs);
        let loops = [cpu::seq::<T>, cpu::par::<T>].map(|count| move |xs: &[T]| count(self.binning, xs));
        let timed = of_vector(runner, &self.xs, loops, move |device, xs| how.run_buffer(device, xs).map(drop));
        let expected = || self.expected.get(|| reference::histogram(self.binning, &self.xs));
        Job::new(compute, move |counts| Ok(equal(&counts, expected()?)), timed)
    }
}
