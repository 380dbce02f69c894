//! The truth that other variants are verified against.

use super::{Cylinder, DIAGONAL, DIRECT, Limits, Outcome};
use crate::Float;

/// The temperatures at the end, in `f64`, and how the simulation ended.
///
/// ```
/// use warpwise::heat::{Cylinder, Limits, reference};
///
/// let (hot, half) = ([1.0_f32; 12], [0.5; 12]);
/// let cylinder = Cylinder::new(3, 4, &hot, &half)?;
/// let (end, outcome) = reference::simulate(cylinder, Limits { iterations: 100, threshold: 1e-6 });
/// assert_eq!(outcome.iterations, 1);
/// assert!(end.iter().all(|t| (t - 1.0).abs() < 1e-12));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn simulate<T: Float>(cylinder: Cylinder<T>, limits: Limits) -> (Vec<f64>, Outcome) {
    let Cylinder { rows, columns, temperature, conductivity } = cylinder;
    let start: Vec<f64> = temperature.iter().map(|t| t.to_f64()).collect();
    let mut old = start.clone();
    let mut new = start.clone();
    let outcome = limits.run(|| {
        let at = |i: isize, j: isize| {
            let j = j.rem_euclid(columns as isize) as usize;
            match usize::try_from(i) {
                Err(_) => start[j],
                Ok(i) if i == rows => start[(rows - 1) * columns + j],
                Ok(i) => old[i * columns + j],
            }
        };
        let mut max_difference: f64 = 0.0;
        for (cell, new) in new.iter_mut().enumerate() {
            let (i, j) = ((cell / columns) as isize, (cell % columns) as isize);
            let w = conductivity[cell].to_f64();
            let direct = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
            let diagonal = at(i - 1, j - 1) + at(i - 1, j + 1) + at(i + 1, j - 1) + at(i + 1, j + 1);
            *new = w * at(i, j) + (1.0 - w) * DIRECT * direct + (1.0 - w) * DIAGONAL * diagonal;
            let difference = (*new - at(i, j)).abs();
            max_difference = crate::Element::maximum(max_difference, difference);
        }
        std::mem::swap(&mut old, &mut new);
        max_difference
    });
    (old, outcome)
}
