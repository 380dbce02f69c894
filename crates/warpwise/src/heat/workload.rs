//! Heat on a cylinder. Every sample starts from the same temperatures.

use crate::Error;
use crate::conformance::within;
use crate::heat::{self, Cylinder, Limits, Rung, Temperature, reference};
use crate::primitive::{Case, Expected, Job, Problem, Runner, Step, Timed};

struct Heat<T: Temperature> {
    size: (usize, usize),
    temperature: Vec<T>,
    conductivity: Vec<T>,
    iterations: usize,
    /// Iterations that are compared.
    compared: usize,
    comparison: Option<String>,
    expected: Expected<Vec<f64>>,
}

pub(super) fn case<T: Temperature>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let (size, n) = (problem.extent.plane(), problem.elements());
    let temperature = problem.data().elements::<T>(0, n);
    // Between 0 and 1.
    let conductivity: Vec<T> =
        problem.data().elements::<f64>(1, n).iter().map(|w| T::from_f64((w.clamp(-1.0, 1.0) + 1.0) / 2.0)).collect();
    let (compared, comparison) = problem.compared_steps();
    Cylinder::new(size.0, size.1, &temperature, &conductivity)?;
    let expected = Expected::later();
    let iterations = problem.steps();
    Ok(Box::new(Heat { size, temperature, conductivity, iterations, compared, comparison, expected }))
}

impl<T: Temperature> Case for Heat<T> {
    fn job(&self, runner: &Runner) -> Job<'_> {
        let how = heat::Heat::new().variant(runner.rung::<Rung>()).geometry(runner.geometry);
        let (device, again) = (runner.device.clone(), how.clone());
        let limits = Limits { iterations: self.compared, threshold: 0.0 };
        let compute = move || Ok(again.run(&device, self.cylinder()?, limits)?.0);
        let compare = |found: Vec<T>| Ok(within(&found, &T::exact_of(self.expected()?), 8 * self.compared));
        let job = Job::new(compute, compare, self.timed(runner, how.clone()));
        let (device, limits) = (runner.device.clone(), Limits { iterations: self.iterations, threshold: 0.0 });
        job.with_whole(move || how.run(&device, self.cylinder()?, limits).map(drop))
    }

    fn compared(&self) -> Option<String> {
        self.comparison.clone()
    }
}

impl<T: Temperature> Heat<T> {
    fn cylinder(&self) -> Result<Cylinder<'_, T>, Error> {
        Cylinder::new(self.size.0, self.size.1, &self.temperature, &self.conductivity)
    }

    fn expected(&self) -> Result<&Vec<f64>, Error> {
        let limits = Limits { iterations: self.compared, threshold: 0.0 };
        self.expected.get(|| Ok(reference::simulate(self.cylinder()?, limits).0))
    }

    fn timed(&self, runner: &Runner, how: heat::Heat) -> Timed<'_> {
        let (device, limits) = (runner.device.clone(), Limits { iterations: self.iterations, threshold: 0.0 });
        let mut simulation = None;
        Box::new(move |step| {
            if step == Step::Prepare || simulation.is_none() {
                simulation = Some(how.start(&device, self.cylinder()?)?);
            }
            match (step, &mut simulation) {
                (Step::Call, Some(simulation)) => simulation.run(limits).map(drop),
                _ => Ok(()),
            }
        })
    }
}
