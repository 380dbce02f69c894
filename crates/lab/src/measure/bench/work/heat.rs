//! Heat on a cylinder. Every sample begins at the same temperatures.

use super::{Case, Job, Problem, Rung, Step, Timed};
use warpwise::conformance::within;
use warpwise::heat::{self, Cylinder, Limits, Options, Simulation, reference};
use warpwise::{Error, Float};

/// Cells that the reference updates at most.
pub(super) const MOST_UPDATES: usize = 1 << 28;

struct Heat<T: Float> {
    size: (usize, usize),
    temperature: Vec<T>,
    conductivity: Vec<T>,
    iterations: usize,
    /// Iterations that are compared.
    compared: usize,
    expected: Vec<f64>,
}

/// How many iterations the reference computes.
pub(super) fn compared(problem: &Problem) -> usize {
    (MOST_UPDATES / problem.elements().max(1)).clamp(1, problem.settings.iterations.max(1))
}

/// What to say about it.
pub(super) fn comparison(compared: usize, iterations: usize) -> Option<String> {
    (compared < iterations).then(|| format!("{compared} of {iterations} iterations"))
}

pub(super) fn case<T: Float>(problem: &Problem) -> Result<Box<dyn Case>, Error> {
    let (size, n) = (problem.plane(), problem.elements());
    let temperature = problem.data.elements::<T>(0, n);
    // Between 0 and 1.
    let conductivity: Vec<T> =
        problem.data.elements::<f64>(1, n).iter().map(|w| T::from_f64((w.clamp(-1.0, 1.0) + 1.0) / 2.0)).collect();
    let compared = compared(problem);
    let cylinder = Cylinder::new(size.0, size.1, &temperature, &conductivity)?;
    let (expected, _) = reference::simulate(cylinder, Limits { iterations: compared, threshold: 0.0 });
    let iterations = problem.settings.iterations;
    Ok(Box::new(Heat { size, temperature, conductivity, iterations, compared, expected }))
}

impl<T: Float> Case for Heat<T> {
    fn job(&self, rung: &Rung) -> Job<'_> {
        let options = Options { variant: rung.variant.clone(), geometry: rung.geometry };
        let (device, again) = (rung.device.clone(), options.clone());
        let limits = Limits { iterations: self.compared, threshold: 0.0 };
        let compute = move || Ok(heat::run(&device, self.cylinder()?, limits, &again)?.0);
        let compare = |found: Vec<T>| within(&found, &T::exact_of(&self.expected), 8 * self.compared);
        let job = Job::new(compute, compare, self.timed(rung, options.clone()));
        let (device, limits) = (rung.device.clone(), Limits { iterations: self.iterations, threshold: 0.0 });
        Job { whole: Box::new(move || heat::run(&device, self.cylinder()?, limits, &options).map(drop)), ..job }
    }

    fn compared(&self) -> Option<String> {
        comparison(self.compared, self.iterations)
    }
}

impl<T: Float> Heat<T> {
    fn cylinder(&self) -> Result<Cylinder<'_, T>, Error> {
        Cylinder::new(self.size.0, self.size.1, &self.temperature, &self.conductivity)
    }

    fn timed(&self, rung: &Rung, options: Options) -> Timed<'_> {
        let (device, limits) = (rung.device.clone(), Limits { iterations: self.iterations, threshold: 0.0 });
        let mut simulation = None;
        Box::new(move |step| {
            if step == Step::Prepare || simulation.is_none() {
                simulation = Some(Simulation::with_options(&device, self.cylinder()?, &options)?);
            }
            match (step, &mut simulation) {
                (Step::Call, Some(simulation)) => simulation.run(limits).map(drop),
                _ => Ok(()),
            }
        })
    }
}
