//! Two results, side by side.

use super::Side;
use serde::Serialize;

/// The largest difference that two results may have.
pub(super) const TOLERANCE: f64 = 1e-5;

/// How far apart two results are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The allowed difference.
    pub tolerance: f64,
    /// Cells.
    pub cells: usize,
    /// Cells that differ by more than that.
    pub differing: usize,
    /// The largest error seen.
    pub max_error: f64,
    /// Row averages that differ by more than that; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differing_averages: Option<usize>,
    /// The first cell that differs: its index, and the value on either side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<(usize, f64, f64)>,
}

impl Comparison {
    pub(super) fn of(cpu: &Side, gpu: &Side) -> Self {
        let error = |(a, b): (&f64, &f64)| (a - b).abs() / a.abs().max(1.0);
        // NaN is not larger than the tolerance, but it is not agreement either.
        let differs = |pair: (&f64, &f64)| error(pair) > TOLERANCE || error(pair).is_nan();
        let pairs = || cpu.grid.iter().zip(&gpu.grid);
        let first = pairs().enumerate().find(|&(_, pair)| differs(pair)).map(|(i, (&a, &b))| (i, a, b));
        let averages = cpu.averages.as_ref().zip(gpu.averages.as_ref());
        Self {
            tolerance: TOLERANCE,
            cells: cpu.grid.len(),
            differing: pairs().filter(|&pair| differs(pair)).count(),
            max_error: pairs().map(error).fold(0.0, f64::max),
            differing_averages: averages.map(|(a, b)| a.iter().zip(b).filter(|&pair| differs(pair)).count()),
            first,
        }
    }

    /// Whether both sides agree.
    pub fn agrees(&self) -> bool {
        self.differing == 0 && self.differing_averages.unwrap_or(0) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(grid: &[f64]) -> Side {
        Side {
            device: "cpu".into(),
            variant: None,
            time_ms: 0.0,
            stages_ms: serde_json::Map::new(),
            averages: None,
            grid: grid.to_vec(),
        }
    }

    #[test]
    fn differences_are_counted() {
        let c = Comparison::of(&side(&[1.0, 2.0, 300.0]), &side(&[1.000001, 2.1, 300.001]));
        assert_eq!((c.cells, c.differing, c.first), (3, 1, Some((1, 2.0, 2.1))));
        assert!(!c.agrees());
        assert!(Comparison::of(&side(&[1.0]), &side(&[1.0])).agrees());
        assert!(!Comparison::of(&side(&[1.0]), &side(&[f64::NAN])).agrees());
    }
}
