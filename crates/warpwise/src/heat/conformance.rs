//! Checks of the heat simulation.

use crate::conformance::{Collector, equal, within};
use crate::heat::{self, Cylinder, Heat, Limits, Rung, Temperature};

/// Rows, columns and steps.
const CASES: [(usize, usize, usize); 10] = [
    (1, 1, 1),
    (1, 8, 3),
    (8, 1, 3),
    (3, 3, 10),
    (17, 33, 1),
    (32, 32, 7),
    (65, 31, 12),
    (100, 130, 2),
    (40, 64, 50),
    (70, 257, 13),
];

/// Both types, odd grids, one and many steps, and a simulation that converges before its last step.
pub(super) fn checks(c: &mut Collector<'_>) {
    typed::<f64>(c);
    typed::<f32>(c);
    convergence(c);
}

fn how(c: &Collector<'_>) -> Heat {
    Heat::new().variant(c.rung::<Rung>())
}

fn typed<T: Temperature>(c: &mut Collector<'_>) {
    for (rows, columns, iterations) in CASES {
        let how = how(c);
        c.add(format!("{}, {rows} x {columns}, {iterations} steps", T::NAME), move |device, random| {
            let temperature: Vec<T> = random.elements(rows * columns);
            let halves = random.elements::<f64>(rows * columns);
            let conductivity: Vec<T> = halves.iter().map(|w| T::from_f64((w + 1.0) / 2.0)).collect();
            let cylinder = Cylinder::new(rows, columns, &temperature, &conductivity)?;
            let limits = Limits { iterations, threshold: 0.0 };
            let (expected, outcome) = heat::reference::simulate(cylinder, limits);
            let (found, got) = how.run(device, cylinder, limits)?;
            let verdict = within(&found, &T::exact_of(&expected), 8 * iterations);
            if !verdict.passed() {
                return Ok(verdict);
            }
            let difference = [T::from_f64(got.max_difference)];
            Ok(within(&difference, &T::exact_of(&[outcome.max_difference]), 8 * iterations))
        });
    }
}

/// Stops at the same step as the reference, long before the last one allowed.
fn convergence(c: &mut Collector<'_>) {
    let how = how(c);
    c.add("f64, converges before the last step".to_owned(), move |device, random| {
        let (rows, columns) = (20, 24);
        let temperature: Vec<f64> = random.elements(rows * columns);
        let cylinder_conductivity = vec![0.3; rows * columns];
        let cylinder = Cylinder::new(rows, columns, &temperature, &cylinder_conductivity)?;
        let limits = Limits { iterations: 5000, threshold: 0.01 };
        let (expected, outcome) = heat::reference::simulate(cylinder, limits);
        let (found, got) = how.run(device, cylinder, limits)?;
        if got.iterations != outcome.iterations || outcome.iterations == 5000 {
            return Ok(equal(&[got.iterations], &[outcome.iterations.min(4999)]));
        }
        Ok(within(&found, &expected, 8 * outcome.iterations))
    });
}
