//! The radiator. Every sample begins at the start values.

use super::heat::{compared, comparison};
use super::{Case, Job, Problem, Rung, Step, Timed};
use std::marker::PhantomData;
use warpwise::conformance::within;
use warpwise::radiator::{Options, Radiator, Simulation, reference};
use warpwise::{Error, Float};

struct Rows<T: Float> {
    radiator: Radiator,
    iterations: usize,
    /// Iterations that are compared.
    compared: usize,
    expected: Vec<f64>,
    element: PhantomData<T>,
}

pub(super) fn case<T: Float>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let (rows, cols) = problem.plane();
    let radiator = Radiator::new(problem.settings.preset, rows, cols)?;
    let compared = compared(problem);
    let expected = reference::simulate(&radiator, compared);
    let iterations = problem.settings.iterations;
    Ok(Box::new(Rows::<T> { radiator, iterations, compared, expected, element: PhantomData }))
}

impl<T: Float> Case for Rows<T> {
    fn job(&self, rung: &Rung) -> Job<'_> {
        let options = Options { variant: rung.variant.clone(), geometry: rung.geometry };
        let (device, again) = (rung.device.clone(), options.clone());
        let run = move |iterations| {
            let mut simulation = Simulation::<T>::with_options(&device, self.radiator, &again)?;
            simulation.run(iterations)?;
            simulation.values()
        };
        let compare = |found: Vec<T>| within(&found, &T::exact_of(&self.expected), 5 * self.compared);
        let once = run.clone();
        let job = Job::new(move || once(self.compared), compare, self.timed(rung, options));
        Job { whole: Box::new(move || run(self.iterations).map(drop)), ..job }
    }

    fn compared(&self) -> Option<String> {
        comparison(self.compared, self.iterations)
    }
}

impl<T: Float> Rows<T> {
    fn timed(&self, rung: &Rung, options: Options) -> Timed<'_> {
        let (device, mut simulation) = (rung.device.clone(), None);
        Box::new(move |step| {
            if step == Step::Prepare || simulation.is_none() {
                simulation = Some(Simulation::<T>::with_options(&device, self.radiator, &options)?);
            }
            match (step, &mut simulation) {
                (Step::Call, Some(simulation)) => simulation.run(self.iterations),
                _ => Ok(()),
            }
        })
    }
}
