//! The radiator. Every sample starts from the start values.

use crate::Error;
use crate::conformance::within;
use crate::primitive::{Case, Expected, Job, Problem, Runner, Step, Timed};
use crate::radiator::{Preset, Radiate, Radiator, Rung, Temperature, reference};
use std::marker::PhantomData;

struct Rows<T: Temperature> {
    radiator: Radiator,
    iterations: usize,
    /// Iterations that are compared.
    compared: usize,
    comparison: Option<String>,
    expected: Expected<Vec<f64>>,
    element: PhantomData<T>,
}

pub(super) fn case<T: Temperature>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let (rows, cols) = problem.extent.plane();
    let preset = Preset::ALL.into_iter().find(|preset| preset.name() == problem.input).unwrap_or(Preset::Year2019);
    let radiator = Radiator::new(preset, rows, cols)?;
    let (compared, comparison) = problem.compared_steps();
    let expected = Expected::later();
    let iterations = problem.steps();
    Ok(Box::new(Rows::<T> { radiator, iterations, compared, comparison, expected, element: PhantomData }))
}

impl<T: Temperature> Case for Rows<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let how = Radiate::new().variant(runner.rung::<Rung>()).geometry(runner.geometry);
        let (device, again) = (runner.device.clone(), how.clone());
        let run = move |iterations| {
            let mut simulation = again.start::<T>(&device, self.radiator)?;
            simulation.run(iterations)?;
            simulation.values()
        };
        let expected = || self.expected.get(|| Ok(reference::simulate(&self.radiator, self.compared)));
        let compare = move |found: Vec<T>| Ok(within(&found, &T::exact_of(expected()?), 5 * self.compared));
        let once = run.clone();
        let job = Job::new(move || once(self.compared), compare, self.timed(runner, how));
        job.with_whole(move || run(self.iterations).map(drop))
    }

    fn compared(&self) -> Option<String> {
        self.comparison.clone()
    }
}

impl<T: Temperature> Rows<T> {
    fn timed(&self, runner: &Runner, how: Radiate) -> Timed<'_> {
        let (device, mut simulation) = (runner.device.clone(), None);
        Box::new(move |step| {
            if step == Step::Prepare || simulation.is_none() {
                simulation = Some(how.start::<T>(&device, self.radiator)?);
            }
            match (step, &mut simulation) {
                (Step::Call, Some(simulation)) => simulation.run(self.iterations),
                _ => Ok(()),
            }
        })
    }
}
