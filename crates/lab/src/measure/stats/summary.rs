//! Summaries of samples.

/// The interquartile range of a normal distribution, in standard deviations.
const QUARTILES: f64 = 1.349;

/// A set of samples in a few numbers. Medians throughout: a few slow samples do not move them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many samples.
    pub samples: usize,
    /// The sample in the middle.
    pub median: f64,
    /// The spread of the samples, as a fraction of the median: the interquartile range divided by 1.349, which is the
    /// standard deviation if samples are normally distributed. (The median absolute deviation, robust too, is zero if
    /// samples alternate between two values.)
    pub noise: f64,
    /// Samples that are far slower than most: above the upper quartile by more than three times the interquartile
    /// range, and by more than one per cent of the median.
    pub slow: usize,
}

impl Summary {
    /// Summarises samples, none of which may be NaN. `None` if there are no samples.
    ///
    /// ```
    /// use warpwise_lab::measure::stats::Summary;
    ///
    /// let summary = Summary::of(&[1.0, 1.1, 0.9, 1.0, 9.0]).unwrap();
    /// assert_eq!((summary.samples, summary.median, summary.slow), (5, 1.0, 1));
    /// assert_eq!(Summary::of(&[]), None);
    /// ```
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let median = quantile(&sorted, 0.5)?;
        let (lower, upper) = (quantile(&sorted, 0.25)?, quantile(&sorted, 0.75)?);
        let noise = (upper - lower) / QUARTILES / median.max(f64::MIN_POSITIVE);
        let fence = (upper + 3.0 * (upper - lower)).max(1.01 * median);
        let slow = sorted.iter().filter(|&&x| x > fence).count();
        Some(Self { samples: sorted.len(), median, noise, slow })
    }

    /// `3 of 40 samples were slow outliers`, if there are any.
    ///
    /// ```
    /// let summary = warpwise_lab::measure::stats::Summary { samples: 40, median: 1.0, noise: 0.01, slow: 3 };
    /// assert_eq!(summary.note().unwrap(), "3 of 40 samples were slow outliers");
    /// ```
    pub fn note(&self) -> Option<String> {
        let were = if self.slow == 1 { "was a slow outlier" } else { "were slow outliers" };
        (self.slow > 0).then(|| format!("{} of {} samples {were}", self.slow, self.samples))
    }
}

/// The value below which this fraction of the sorted samples lies, by linear interpolation.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 samples")]
    let place = last as f64 * part;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    Some(sorted[below] + (sorted[above] - sorted[below]) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quantiles() {
        assert_eq!(Summary::of(&[3.0]).unwrap(), Summary { samples: 1, median: 3.0, noise: 0.0, slow: 0 });
        assert_eq!(Summary::of(&[4.0, 1.0, 3.0, 2.0]).unwrap().median, 2.5);
        assert_eq!(quantile(&[0.0, 1.0, 2.0, 3.0, 4.0], 0.25), Some(1.0));
        assert_eq!(quantile(&[0.0, 1.0], 0.75), Some(0.75));
    }

    #[test]
    fn noise_is_the_spread_in_parts_of_the_median() {
        // Quartiles at 99 and 101.
        let noise = Summary::of(&[98.0, 99.0, 100.0, 101.0, 102.0]).unwrap().noise;
        assert!((noise - 0.02 / QUARTILES).abs() < 1e-9, "{noise}");
        let two = Summary::of(&[1.0, 2.0, 1.0, 2.0, 1.0]).unwrap().noise;
        assert!(two > 0.5, "two values in turn are noise: {two}");
        assert_eq!(Summary::of(&[0.0, 0.0, 0.0]).unwrap().noise, 0.0);
    }

    #[test]
    fn outliers_are_counted_and_do_not_move_the_median() {
        let mut samples: Vec<f64> = (0..37).map(|i| 100.0 + f64::from(i % 3)).collect();
        let clean = Summary::of(&samples).unwrap();
        samples.extend([500.0, 300.0, 1000.0]);
        let summary = Summary::of(&samples).unwrap();
        assert_eq!((clean.slow, summary.slow), (0, 3));
        assert_eq!(clean.median, summary.median);
        assert_eq!(summary.note().unwrap(), "3 of 40 samples were slow outliers");
        assert_eq!(clean.note(), None);
    }

    #[test]
    fn a_quarter_of_a_per_cent_is_no_outlier() {
        let mut samples = vec![100.0; 20];
        samples.push(100.25);
        assert_eq!(Summary::of(&samples).unwrap().slow, 0);
    }
}
