//! Dividing a limited time among measurements.

use super::Rule;

/// Seconds that several measurements may take together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// Their share: when it is used up, only what matters most goes on.
    pub share: f64,
    /// The end: after it, nothing new begins.
    pub end: f64,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { share: f64::INFINITY, end: f64::INFINITY }
    }
}

impl Allowance {
    /// The rule for the next measurement, given the seconds that have passed and the number of measurements left: the
    /// requested rule, or a shorter one. The minimum number of samples is always taken.
    ///
    /// ```
    /// use warpwise_lab::measure::stats::{Allowance, Rule};
    ///
    /// let rule = Rule { time_limit: 1.0, ..Rule::default() };
    /// assert_eq!(Allowance::default().rule(&rule, 3.0, 5), rule);
    /// let short = Allowance { share: 4.0, end: 60.0 };
    /// assert_eq!(short.rule(&rule, 3.0, 5).time_limit, 0.1);
    /// ```
    pub fn rule(&self, rule: &Rule, passed: f64, left: usize) -> Rule {
        #[allow(clippy::cast_precision_loss, reason = "a few thousand")]
        let each = (self.share.min(self.end) - passed).max(0.0) / left.max(1) as f64;
        // Verifying takes time too: about as much as measuring.
        Rule { warm_up: rule.warm_up.min(each / 8.0), time_limit: rule.time_limit.min(each / 2.0), ..*rule }
    }

    /// Whether something may begin after this many seconds; required work may begin up to twice its share.
    pub fn allows(&self, passed: f64, needed: bool) -> bool {
        let share = if needed { 2.0 * self.share } else { self.share };
        passed < share.min(self.end)
    }

    /// The allowance of one of several parts, by their expected times.
    pub fn part(&self, passed: f64, expected: f64, rest: f64) -> Self {
        let left = (self.end - passed).max(0.0);
        Self { share: left * expected / rest.max(expected).max(f64::MIN_POSITIVE), end: left }
    }

    /// A part's allowance if more time is left than everything is expected to take: half of the spare time may go to a
    /// part that takes longer than expected.
    pub fn stretched(self, expected: f64, rest: f64) -> Self {
        Self { share: self.share.max(expected + (self.end - rest) / 2.0), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_changes_nothing() {
        let all = Allowance::default();
        assert!(all.allows(1e9, false));
        assert_eq!(all.rule(&Rule::default(), 1e9, 7), Rule::default());
        let part = all.part(5.0, 1.0, 10.0);
        assert!(part.allows(1e9, false) && part.end.is_infinite());
    }

    #[test]
    fn rules_shrink_as_time_is_used() {
        let allowance = Allowance { share: 8.0, end: 100.0 };
        let limits: Vec<f64> =
            [0.0, 4.0, 6.0, 9.0].iter().map(|&t| allowance.rule(&Rule::default(), t, 4).time_limit).collect();
        assert_eq!(limits, [1.0, 0.5, 0.25, 0.0]);
        assert_eq!(allowance.rule(&Rule::default(), 9.0, 4).least_samples, Rule::default().least_samples);
    }

    #[test]
    fn what_is_needed_may_take_twice_its_share_but_never_past_the_end() {
        let allowance = Allowance { share: 8.0, end: 12.0 };
        assert!(allowance.allows(7.9, false) && !allowance.allows(8.0, false));
        assert!(allowance.allows(11.9, true) && !allowance.allows(12.0, true));
    }

    #[test]
    fn parts_share_what_is_left() {
        let all = Allowance { share: 60.0, end: 60.0 };
        assert_eq!(all.part(0.0, 10.0, 120.0), Allowance { share: 5.0, end: 60.0 });
        assert_eq!(all.part(50.0, 10.0, 20.0), Allowance { share: 5.0, end: 10.0 });
        assert_eq!(all.part(0.0, 2.0, 20.0).stretched(2.0, 20.0).share, 22.0, "half of what is to spare");
        assert_eq!(all.part(0.0, 10.0, 120.0).stretched(10.0, 120.0).share, 5.0, "nothing is to spare");
        assert!(!all.part(61.0, 10.0, 20.0).allows(0.0, true), "nothing is left");
    }
}
