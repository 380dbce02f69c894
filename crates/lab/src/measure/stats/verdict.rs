//! Whether one measurement is faster than another.

/// A time and its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The median.
    pub time: f64,
    /// Its noise, as a fraction of it.
    pub noise: f64,
}

/// The result of comparing two measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The second takes less time, by more than the noise of both.
    Faster,
    /// The difference is within the noise.
    Same,
    /// The second takes more time, by more than the noise of both.
    Slower,
}

/// Smaller relative differences never count: sampling stops at this noise.
const FLOOR: f64 = 0.01;

impl Verdict {
    /// Compares a measurement with an earlier one.
    ///
    /// ```
    /// use warpwise_lab::measure::stats::{Estimate, Verdict};
    ///
    /// let before = Estimate { time: 10.0, noise: 0.01 };
    /// let after = Estimate { time: 9.0, noise: 0.02 };
    /// assert_eq!(Verdict::of(before, after), Verdict::Faster);
    /// ```
    pub fn of(before: Estimate, after: Estimate) -> Self {
        let limit = Self::limit(before, after);
        let change = after.time / before.time - 1.0;
        match change {
            change if change < -limit => Self::Faster,
            change if change > limit => Self::Slower,
            _ => Self::Same,
        }
    }

    /// The fraction by which two measurements must differ: the combined noise of both, and at least one
    /// per cent.
    pub fn limit(before: Estimate, after: Estimate) -> f64 {
        (before.noise + after.noise).max(FLOOR)
    }

    /// `faster`, `same` or `slower`.
    ///
    /// ```
    /// assert_eq!(warpwise_lab::measure::stats::Verdict::Same.name(), "same");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Same => "same",
            Self::Slower => "slower",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(before: (f64, f64), after: (f64, f64)) -> Verdict {
        let estimate = |(time, noise)| Estimate { time, noise };
        Verdict::of(estimate(before), estimate(after))
    }

    #[test]
    fn the_noise_decides() {
        assert_eq!(verdict((10.0, 0.02), (10.3, 0.02)), Verdict::Same);
        assert_eq!(verdict((10.0, 0.01), (10.3, 0.01)), Verdict::Slower);
        assert_eq!(verdict((10.0, 0.01), (9.7, 0.01)), Verdict::Faster);
        assert_eq!(verdict((10.0, 0.5), (5.1, 0.01)), Verdict::Same);
    }

    #[test]
    fn quiet_measurements_still_differ_by_a_per_cent() {
        assert_eq!(verdict((10.0, 0.0), (10.09, 0.0)), Verdict::Same);
        assert_eq!(verdict((10.0, 0.0), (10.11, 0.0)), Verdict::Slower);
    }
}
