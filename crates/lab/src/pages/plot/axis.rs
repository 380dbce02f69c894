//! Logarithmic axes.

/// An axis from one power to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    base: f64,
    low: i32,
    high: i32,
}

/// Maximum number of labels on an axis.
const MOST_TICKS: i32 = 8;

impl Axis {
    /// The axis for some values, which are positive: whole powers around all of them.
    pub(super) fn new(base: f64, values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for power in values.map(|value| value.ln() / base.ln()) {
            (low, high) = (low.min(power), high.max(power));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // A value that is a power should not gain another one by rounding.
        let (low, high) = ((low + 1e-9).floor() as i32, (high - 1e-9).ceil() as i32);
        Self { base, low, high: high.max(low + 1) }
    }

    /// Where a value is: 0 at the low end, 1 at the high end.
    pub(super) fn place(self, value: f64) -> f64 {
        (value.ln() / self.base.ln() - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    /// The low end.
    pub(super) fn low(self) -> f64 {
        self.base.powi(self.low)
    }

    /// Powers with labels.
    pub(super) fn ticks(self) -> impl Iterator<Item = f64> {
        let step = (self.high - self.low + MOST_TICKS - 1) / MOST_TICKS;
        (self.low..=self.high).step_by(step.max(1) as usize).map(move |power| self.base.powi(power))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_around_the_values() {
        let axis = Axis::new(10.0, [0.02, 30.0].into_iter());
        assert_eq!(axis.ticks().map(|t| format!("{t}")).collect::<Vec<_>>(), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(axis.place(1.0), 0.5);
        let axis = Axis::new(2.0, [1024.0, 4096.0].into_iter());
        assert_eq!(axis.ticks().collect::<Vec<_>>(), [1024.0, 2048.0, 4096.0]);
    }

    #[test]
    fn one_value_and_none() {
        assert_eq!(Axis::new(10.0, [10.0].into_iter()).ticks().collect::<Vec<_>>(), [10.0, 100.0]);
        assert_eq!(Axis::new(10.0, std::iter::empty()).ticks().count(), 2);
        assert!(Axis::new(2.0, [1.0, 1e300].into_iter()).ticks().count() <= 9);
    }
}
