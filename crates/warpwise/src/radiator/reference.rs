//! The truth that other variants are verified against.

use super::Radiator;

/// All values after that many steps from the start, in `f64`.
///
/// ```
/// use warpwise::radiator::{Preset, Radiator, reference};
///
/// let radiator = Radiator::new(Preset::Year2019, 1, 8)?;
/// let end = reference::simulate(&radiator, 1);
/// assert_eq!(end[..2], [1.0, 0.8]);
/// assert!((end[2] - (1.9 * 1.0 + 1.5 * 0.8) / 5.0).abs() < 1e-12);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn simulate(radiator: &Radiator, iterations: usize) -> Vec<f64> {
    let (m, c) = (radiator.columns, radiator.preset.weights());
    let mut grid = radiator.start::<f64>();
    for row in grid.chunks_mut(m.max(1)) {
        for _ in 0..iterations {
            let old = row.to_vec();
            for j in radiator.preset.fixed()..m {
                let at = |offset: usize| old[(j + 2 * m + offset - 2) % m];
                row[j] = (c[0] * at(0) + c[1] * at(1) + c[2] * at(2) + c[3] * at(3) + c[4] * at(4)) / 5.0;
            }
        }
    }
    grid
}

/// The average of every row.
///
/// ```
/// use warpwise::radiator::{Preset, Radiator, reference};
///
/// let radiator = Radiator::new(Preset::Year2019, 2, 2)?;
/// assert_eq!(reference::averages(&radiator, &[1.0, 2.0, 3.0, 5.0]), [1.5, 4.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn averages(radiator: &Radiator, grid: &[f64]) -> Vec<f64> {
    grid.chunks(radiator.columns.max(1)).map(|row| row.iter().sum::<f64>() / radiator.columns as f64).collect()
}
