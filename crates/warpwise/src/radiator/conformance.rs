//! Checks of the radiator.

use crate::conformance::{Collector, within};
use crate::radiator::{self, Preset, Radiate, Radiator, Rung, Temperature};

/// Rows, columns and iterations.
const CASES: [(usize, usize, usize); 8] =
    [(1, 5, 1), (3, 32, 10), (32, 32, 10), (5, 33, 1), (7, 100, 25), (2, 257, 40), (3, 1030, 12), (2, 5000, 40)];
/// Rows too long for a block, with more steps than a launch can then take.
const LONG: (usize, usize, usize) = (1, 15_500, 130);

/// Both types, every preset, one and many iterations, and the averages of the rows.
pub(super) fn checks(c: &mut Collector<'_>) {
    for preset in Preset::ALL {
        typed::<f32>(c, preset);
        typed::<f64>(c, preset);
    }
}

fn typed<T: Temperature>(c: &mut Collector<'_>, preset: Preset) {
    for (rows, columns, iterations) in CASES.into_iter().chain(c.full.then_some(LONG)) {
        let how = Radiate::new().variant(c.rung::<Rung>());
        let what = format!("{} preset {}, {rows} x {columns}, {iterations} iterations", T::NAME, preset.name());
        c.add(what, move |device, _| {
            let radiator = Radiator::new(preset, rows, columns)?;
            let expected = radiator::reference::simulate(&radiator, iterations);
            let averages = radiator::reference::averages(&radiator, &expected);
            let mut simulation = how.start::<T>(device, radiator)?;
            simulation.run(iterations)?;
            let verdict = within(&simulation.values()?, &T::exact_of(&expected), 5 * iterations);
            if !verdict.passed() {
                return Ok(verdict);
            }
            Ok(within(&simulation.averages()?, &T::exact_of(&averages), columns))
        });
    }
}
