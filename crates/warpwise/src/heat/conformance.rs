//! Checks of the heat simulation.

use crate::conformance::{Collector, equal, within};
use crate::heat::{self, Cylinder, GpuSlab, Heat, Limits, Rung, Temperature};

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
    if c.rung::<Rung>() == Some(Rung::Passes) {
        slabs::<f64>(c);
        slabs::<f32>(c);
    }
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

/// Rows of a cylinder in three slabs, whose copies are renewed after every pass, give the bits of all rows together.
fn slabs<T: Temperature>(c: &mut Collector<'_>) {
    for (rows, columns, steps) in [(30, 7, 1), (41, 130, 3), (64, 61, GpuSlab::<T>::depth())] {
        c.add(format!("{}, {rows} x {columns} in slabs, {steps} steps a pass", T::NAME), move |device, random| {
            // A slope, which hardly changes where rows have their neighbours, and much where they have not.
            let slope = |(i, x): (usize, &f64)| T::from_f64((i / columns) as f64 + 0.001 * x);
            let temperature: Vec<T> = random.elements(rows * columns).iter().enumerate().map(slope).collect();
            let halves = random.elements::<f64>(rows * columns);
            let w: Vec<T> = halves.iter().map(|w| T::from_f64((w + 1.0) / 2.0)).collect();
            let limits = Limits { iterations: 3 * steps, threshold: 0.0 };
            let (expected, outcome) = heat::cpu::seq(Cylinder::new(rows, columns, &temperature, &w)?, limits);
            let fixed = [&temperature[..columns], &temperature[(rows - 1) * columns..]].concat();
            let cuts = [0, rows / 3, rows / 2, rows];
            let (mut cells, mut largest) = (temperature, 0.0_f64);
            for _ in 0..3 {
                let (mut next, mut changes) = (Vec::new(), 0.0_f64);
                for own in cuts.windows(2).map(|pair| pair[0]..pair[1]) {
                    let here = own.start.saturating_sub(steps)..rows.min(own.end + steps);
                    let (all, mine) =
                        (here.start * columns..here.end * columns, own.start - here.start..own.end - here.start);
                    let mut slab = GpuSlab::new(device, columns, &fixed, &cells[all.clone()], &w[all], mine.clone())?;
                    slab.begin()?;
                    // The edges first, as for others who wait for them.
                    let middle = mine.start + 2..mine.end - 1;
                    for part in [mine.start..middle.start, middle.end..mine.end, middle] {
                        slab.advance(steps, part)?;
                    }
                    changes = changes.max(slab.changes(steps)?[steps - 1]);
                    slab.swap();
                    next.extend(slab.rows(mine)?);
                }
                (cells, largest) = (next, changes);
            }
            let verdict = equal(&cells, &expected);
            if verdict.passed() { Ok(equal(&[largest], &[outcome.max_difference])) } else { Ok(verdict) }
        });
    }
}
