//! Structure in filters that makes them cheaper.

use super::{Filter, Pixel};

/// How a filter is applied to streamed rows: the kernel, and its weights.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Structure {
    /// The part of the kernel's name before the side.
    pub(super) kernel: &'static str,
    /// The weights as the kernel takes them.
    pub(super) weights: Vec<f32>,
}

impl Structure {
    /// The structure of a filter of 3 x 3, 5 x 5 or 7 x 7 for a pixel type; `None` for other sides. Rung 6 uses no
    /// structure.
    pub(super) fn new<T: Pixel>(rung: &str, filter: &Filter) -> Option<Self> {
        if filter.rows() != filter.columns() || !matches!(filter.rows(), 3 | 5 | 7) {
            return None;
        }
        let bytes = size_of::<T>() == 1;
        if rung == "gpu-7-structured" {
            // Bytes are rounded, and a sum halfway between two must stay there: no weight may change.
            let allowed = if bytes { 0.0 } else { 2.0_f64.powi(-21) };
            if let Some(weights) = factors(filter, allowed) {
                return Some(Self { kernel: "7_separable", weights });
            }
            // Pairs of other pixels are added as halves, so that none overflows.
            let scale = if bytes { 1.0 } else { 2.0 };
            let weights = quarter(filter).map(|quarter| quarter.into_iter().map(|w| scale * w).collect::<Vec<_>>());
            if let Some(weights) = weights.filter(|weights| weights.iter().all(|w| w.is_finite())) {
                return Some(Self { kernel: "7_symmetric", weights });
            }
        }
        Some(Self { kernel: "6_streamed", weights: filter.weights().to_vec() })
    }

    /// Rows of the output per warp, if there are enough of them for all warps. They are few, so that the rows in flight
    /// are close to each other in memory. They are more if multiplications take longer than memory, because rows that
    /// two warps load are multiplied twice, and if rows are not aligned and so take longer to load.
    pub(super) fn height<T: Pixel>(&self, columns: usize) -> u64 {
        match (size_of::<T>(), self.kernel, self.weights.len()) {
            (1, "7_symmetric", _) => 16,
            // 7 x 7.
            (1, ..) | (_, "6_streamed", 49) => 32,
            (_, "6_streamed", _) if !columns.is_multiple_of(4) => 20,
            (_, "7_symmetric", 16) => 12,
            _ => 10,
        }
    }
}

/// A column and a row of weights whose products are the filter, if there are any within the tolerance, which is
/// relative to the largest weight.
fn factors(filter: &Filter, allowed: f64) -> Option<Vec<f32>> {
    let (weights, side) = (filter.weights(), filter.columns());
    let largest = weights.iter().fold(0.0_f32, |largest, w| largest.max(w.abs()));
    let pivot = weights.iter().position(|w| w.abs() == largest && largest > 0.0 && largest.is_finite())?;
    let (top, left) = (pivot / side, pivot % side);
    // The row with the largest weight, in units of one of its weights; each unit is tried until one has no rounding
    // errors.
    (0..side).map(|c| weights[top * side + c]).filter(|unit| *unit != 0.0).find_map(|unit| {
        let row: Vec<f32> = (0..side).map(|c| weights[top * side + c] / unit).collect();
        let column: Vec<f32> = (0..side).map(|r| weights[r * side + left] / row[left]).collect();
        let near = weights.iter().enumerate().all(|(i, &w)| {
            let product = f64::from(column[i / side]) * f64::from(row[i % side]);
            (product - f64::from(w)).abs() <= allowed * f64::from(largest)
        });
        // With a row of sum 1 or less, sums along it are no larger than pixels. Powers of two cause no rounding.
        let sum: f64 = row.iter().map(|&w| f64::from(w.abs())).sum();
        let scale = sum.log2().ceil().exp2() as f32;
        let scaled: Vec<f32> = column.iter().map(|w| w * scale).chain(row.iter().map(|w| w / scale)).collect();
        (near && scaled.iter().all(|w| w.is_normal() || *w == 0.0)).then_some(scaled)
    })
}

/// The upper left quarter, with the middle row and column, of a filter that is symmetric both vertically and
/// horizontally.
fn quarter(filter: &Filter) -> Option<Vec<f32>> {
    let side = filter.columns();
    let at = |r: usize, c: usize| filter.weights()[r * side + c];
    let same = |r: usize, c: usize| at(r, c) == at(side - 1 - r, c) && at(r, c) == at(r, side - 1 - c);
    let all = (0..side * side).all(|i| same(i / side, i % side));
    let half = side / 2 + 1;
    all.then(|| (0..half * half).map(|i| at(i / half, i % half)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel<T: Pixel>(weights: &[f32], side: usize) -> &'static str {
        let filter = Filter::new(weights, side, side).unwrap();
        Structure::new::<T>("gpu-7-structured", &filter).map_or("none", |s| s.kernel)
    }

    fn product(column: &[f32], row: &[f32]) -> Vec<f32> {
        column.iter().flat_map(|r| row.iter().map(move |c| r * c)).collect()
    }

    #[test]
    fn structures_are_found() {
        let binomial = [1.0, 4.0, 6.0, 4.0, 1.0].map(|w: f32| w / 16.0);
        assert_eq!(kernel::<u8>(&product(&binomial, &binomial), 5), "7_separable");
        assert_eq!(kernel::<f32>(&product(&[-1.0, 0.0, 1.0], &[1.0, 2.0, 1.0]), 3), "7_separable");
        assert_eq!(kernel::<u8>(&[1.0 / 9.0; 9], 3), "7_separable");
        // Thirds of weights are not exact in f32: close enough for f32, not for bytes, which get the symmetric one.
        let thirds = product(&[3.0, 10.0, 3.0], &[3.0, 10.0, 3.0]).iter().map(|w| w / 256.0).collect::<Vec<_>>();
        assert_eq!((kernel::<f32>(&thirds, 3), kernel::<u8>(&thirds, 3)), ("7_separable", "7_symmetric"));
        let rings = Filter::default();
        assert_eq!(
            (kernel::<f32>(rings.weights(), 5), kernel::<u8>(rings.weights(), 5)),
            ("7_symmetric", "7_symmetric")
        );
    }

    #[test]
    fn nothing_is_made_up() {
        assert_eq!(kernel::<u8>(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 3), "6_streamed");
        assert_eq!(kernel::<f32>(&[0.0; 9], 3), "7_symmetric");
        assert_eq!(kernel::<f32>(&[f32::NAN; 9], 3), "6_streamed");
        // Twice the largest number is infinite.
        assert_eq!(kernel::<f32>(&[f32::INFINITY; 9], 3), "6_streamed");
        assert_eq!(kernel::<f32>(&[0.0, 1.0, 0.0, 1.0, f32::MAX, 1.0, 0.0, 1.0, 0.0], 3), "6_streamed");
        assert_eq!(kernel::<f32>(&[1.0], 1), "none");
        assert_eq!(kernel::<f32>(&[1.0; 81], 9), "none");
        assert!(Structure::new::<f32>("gpu-6-streamed", &Filter::new(&[1.0; 15], 3, 5).unwrap()).is_none());
        let boxes = Structure::new::<f32>("gpu-6-streamed", &Filter::new(&[1.0; 9], 3, 3).unwrap()).unwrap();
        assert_eq!((boxes.kernel, boxes.weights), ("6_streamed", vec![1.0; 9]));
    }

    #[test]
    fn factors_are_exact_where_they_can_be() {
        let gauss = product(&[1.0, 2.0, 1.0], &[1.0, 2.0, 1.0]);
        let filter = Filter::new(&gauss, 3, 3).unwrap();
        let found = factors(&filter, 0.0).unwrap();
        assert_eq!(product(&found[..3], &found[3..]), gauss);
        assert!(found[3..].iter().sum::<f32>() <= 1.0);
    }
}
