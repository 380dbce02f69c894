//! How much of a sweep is measured.

/// What ends a sweep before everything is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// A number of seconds.
    Seconds(f64),
    /// A number of configurations.
    Configurations(usize),
}

/// Reads `90s`, `5min` or a number of configurations.
///
/// ```
/// use warpwise_lab::measure::sweep::{Budget, parse_budget};
///
/// assert_eq!(parse_budget("90s"), Ok(Budget::Seconds(90.0)));
/// assert_eq!(parse_budget("12"), Ok(Budget::Configurations(12)));
/// assert!(parse_budget("soon").is_err());
/// ```
pub fn parse_budget(text: &str) -> Result<Budget, String> {
    let wrong = || format!("`{text}` is not a budget: give a time like 90s or 5min, or a number of configurations");
    let seconds = |number: &str, unit: f64| match number.trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value * unit <= 1e7 => Ok(Budget::Seconds(value * unit)),
        _ => Err(wrong()),
    };
    if let Some(minutes) = text.strip_suffix("min") {
        return seconds(minutes, 60.0);
    }
    if let Some(number) = text.strip_suffix('s') {
        return seconds(number, 1.0);
    }
    match text.parse::<usize>() {
        Ok(count) if count > 0 => Ok(Budget::Configurations(count)),
        _ => Err(wrong()),
    }
}

impl Budget {
    /// Whether it is used up.
    pub(super) fn is_over(self, seconds: f64, configurations: usize) -> bool {
        match self {
            Self::Seconds(limit) => seconds >= limit,
            Self::Configurations(limit) => configurations >= limit,
        }
    }
}

/// The order in which configurations are measured: one after the other, or, if there may be no time for all, spread out
/// from the beginning, each far from those before it (indices in bit-reversed order).
pub(super) fn order(count: usize, budget: Option<Budget>) -> Vec<usize> {
    if budget.is_none() || count < 3 {
        return (0..count).collect();
    }
    let bits = usize::BITS - (count - 1).leading_zeros();
    (0..1_usize << bits).map(|i| i.reverse_bits() >> (usize::BITS - bits)).filter(|&at| at < count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets() {
        assert_eq!(parse_budget("5min"), Ok(Budget::Seconds(300.0)));
        for text in ["", "s", "0", "-3", "0s", "1h", "nans", "infs"] {
            assert!(parse_budget(text).is_err(), "{text}");
        }
        assert!(Budget::Seconds(2.0).is_over(2.0, 0) && !Budget::Seconds(2.0).is_over(1.9, 99));
        assert!(Budget::Configurations(2).is_over(0.0, 2) && !Budget::Configurations(2).is_over(99.0, 1));
    }

    #[test]
    fn the_order_is_spread_out_and_complete() {
        assert_eq!(order(4, None), [0, 1, 2, 3]);
        let spread = order(6, Some(Budget::Configurations(2)));
        assert_eq!(spread, [0, 4, 2, 1, 5, 3]);
        for count in 0..40 {
            let mut all = order(count, Some(Budget::Seconds(1.0)));
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
    }
}
