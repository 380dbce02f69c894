//! Two programs that take turns: how much their times differ, and what difference counts.

use super::Verdict;

/// Pairs of times, one of each program in every round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turns {
    /// The median time of the first.
    pub before: f64,
    /// The median time of the second.
    pub after: f64,
    /// How much longer the second is, as a fraction: the geometric mean over the rounds.
    pub change: f64,
    /// The fraction by which they must differ to count.
    pub limit: f64,
}

/// Smaller relative differences never count.
const FLOOR: f64 = 0.01;
/// How often equal programs may be told apart, over all the configurations that are compared at once.
const MISTAKEN: f64 = 0.01;

impl Turns {
    /// Judges the rounds of one configuration out of `among` that are compared at once: the more there are, the more one
    /// of them must differ, because among many some differ by chance.
    ///
    /// ```
    /// use warpwise_lab::measure::stats::{Turns, Verdict};
    ///
    /// let same = Turns::of(&[(10.0, 10.1), (9.9, 9.8), (10.2, 10.2), (10.0, 10.1)], 1);
    /// assert_eq!(same.verdict(), Verdict::Same);
    /// let slower = Turns::of(&[(10.0, 12.1), (9.9, 12.0), (10.2, 12.2), (10.0, 11.9)], 1);
    /// assert_eq!(slower.verdict(), Verdict::Slower);
    /// ```
    pub fn of(pairs: &[(f64, f64)], among: usize) -> Self {
        let logarithms: Vec<f64> = pairs.iter().map(|(before, after)| (after / before).ln()).collect();
        let n = logarithms.len() as f64;
        let mean = logarithms.iter().sum::<f64>() / n.max(1.0);
        let variance = logarithms.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        let likely = 1.0 - MISTAKEN / (2.0 * among.max(1) as f64);
        let margin = student(likely, (n - 1.0).max(1.0)) * (variance / n.max(1.0)).sqrt();
        Self {
            before: median(pairs.iter().map(|pair| pair.0).collect()),
            after: median(pairs.iter().map(|pair| pair.1).collect()),
            change: mean.exp_m1(),
            limit: margin.exp_m1().max(FLOOR),
        }
    }

    /// Which is faster.
    ///
    /// ```
    /// use warpwise_lab::measure::stats::{Turns, Verdict};
    ///
    /// assert_eq!(Turns::of(&[(2.0, 1.0); 5], 3).verdict(), Verdict::Faster);
    /// ```
    pub fn verdict(&self) -> Verdict {
        // Twice as fast and half as fast are equally far from the same.
        let far = self.change.ln_1p().abs() > self.limit.ln_1p();
        match far {
            false => Verdict::Same,
            true if self.change > 0.0 => Verdict::Slower,
            true => Verdict::Faster,
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

/// The quantile of Student's distribution with that many degrees of freedom, above one half: found by halving, from the
/// distribution function summed up.
fn student(probability: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e4);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if above(middle, freedom) > 1.0 - probability { low = middle } else { high = middle }
    }
    high
}

/// The probability of a value above `t`: the integral of the density, in the variable in which it is finite.
fn above(t: f64, freedom: f64) -> f64 {
    // With x = sqrt(freedom) tan(u), the density is cos(u)^(freedom - 1) up to a factor.
    const STEPS: usize = 400;
    let density = |u: f64| u.cos().powf(freedom - 1.0);
    let integral = |from: f64| {
        let width = (std::f64::consts::FRAC_PI_2 - from) / STEPS as f64;
        (0..STEPS).map(|i| density(from + (i as f64 + 0.5) * width)).sum::<f64>() * width
    };
    0.5 * integral((t / freedom.sqrt()).atan()) / integral(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (probability, freedom, expected) in [(0.975, 4.0, 2.776), (0.995, 6.0, 3.707), (0.9995, 10.0, 4.587)] {
            let found = student(probability, freedom);
            assert!((found - expected).abs() < 0.01, "{probability} {freedom}: {found}");
        }
    }

    #[test]
    fn equal_programs_are_the_same_nearly_always() {
        // Times with a tenth of noise, drawn from a fixed sequence.
        let mut state = 1_u64;
        let mut noisy = || {
            let draw = |state: &mut u64| {
                *state = warpwise::random::mix(*state);
                (*state >> 11) as f64 / (1_u64 << 53) as f64
            };
            let sum: f64 = (0..12).map(|_| draw(&mut state)).sum();
            10.0 * (0.1 * (sum - 6.0)).exp()
        };
        let (mut same, all) = (0, 1000);
        for _ in 0..all {
            let pairs: Vec<(f64, f64)> = (0..7).map(|_| (noisy(), noisy())).collect();
            same += usize::from(Turns::of(&pairs, 1).verdict() == Verdict::Same);
        }
        assert!(same >= 970, "{same} of {all}");
        let slower: Vec<(f64, f64)> = (0..7).map(|_| (noisy(), 2.0 * noisy())).collect();
        assert_eq!(Turns::of(&slower, 1).verdict(), Verdict::Slower);
    }

    #[test]
    fn medians() {
        assert_eq!((median(vec![3.0, 1.0, 2.0]), median(vec![4.0, 1.0]), median(vec![])), (2.0, 2.5, 0.0));
    }
}
