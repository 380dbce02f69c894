//! Taking samples until there are enough.

use super::{Clock, Summary};

/// Something that can be timed.
pub trait Probe {
    /// Why it cannot.
    type Error;

    /// Makes that many calls and returns their total time in seconds.
    fn sample(&mut self, calls: u32) -> Result<f64, Self::Error>;
}

/// When there are enough samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Seconds of calls before the first sample.
    pub warm_up: f64,
    /// Samples that are always taken, however long that takes.
    pub least_samples: usize,
    /// The noise, as a fraction of the median, below which no more samples are needed.
    pub noise: f64,
    /// Seconds of sampling after which no more samples are taken.
    pub time_limit: f64,
    /// Minimum seconds of a sample: shorter calls are made several times in a row.
    pub shortest_sample: f64,
}

impl Default for Rule {
    fn default() -> Self {
        Self { warm_up: 0.05, least_samples: 10, noise: 0.005, time_limit: 1.0, shortest_sample: 20e-6 }
    }
}

/// What ended the sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The noise is low enough.
    Noise,
    /// The time is up.
    TimeLimit,
    /// The user asked for it.
    Interrupted,
}

impl Stop {
    /// Its name in reports.
    ///
    /// ```
    /// assert_eq!(warpwise_lab::measure::stats::Stop::TimeLimit.name(), "time limit");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::TimeLimit => "time limit",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Samples, summed up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// The summary of the samples, in seconds per call.
    pub summary: Summary,
    /// Calls per sample.
    pub calls_per_sample: u32,
    /// What ended the sampling.
    pub stop: Stop,
}

/// Maximum calls per sample.
const MOST_CALLS: u32 = 1 << 20;

/// Warms up, finds out how many calls make a sample, and takes samples until the rule or the user ends it. There is
/// no measurement if the user ends it before the first sample.
pub fn measure<P: Probe>(
    clock: &dyn Clock,
    rule: &Rule,
    interrupted: &dyn Fn() -> bool,
    probe: &mut P,
) -> Result<Option<Measurement>, P::Error> {
    let begin = clock.seconds();
    // The first call loads code and touches memory; it says nothing about those that follow.
    probe.sample(1)?;
    let mut calls = 1;
    loop {
        if interrupted() {
            return Ok(None);
        }
        let took = probe.sample(calls)?;
        if took < rule.shortest_sample && calls < MOST_CALLS {
            calls = more_calls(calls, took, rule.shortest_sample);
        } else if clock.seconds() - begin >= rule.warm_up {
            break;
        }
    }
    let mut samples = Vec::new();
    let begin = clock.seconds();
    // Summarising all samples after each one would take longer than the samples.
    let mut next_look = rule.least_samples.max(1);
    let stop = loop {
        if interrupted() {
            break Stop::Interrupted;
        }
        samples.push(probe.sample(calls)? / f64::from(calls));
        if samples.len() < rule.least_samples.max(1) {
            continue;
        }
        if samples.len() >= next_look {
            if Summary::of(&samples).is_some_and(|summary| summary.noise < rule.noise) {
                break Stop::Noise;
            }
            next_look = samples.len() + samples.len() / 10 + 1;
        }
        if clock.seconds() - begin >= rule.time_limit {
            break Stop::TimeLimit;
        }
    };
    Ok(Summary::of(&samples).map(|summary| Measurement { summary, calls_per_sample: calls, stop }))
}

/// How many calls a sample needs to be long enough, given the time of some calls.
fn more_calls(calls: u32, took: f64, wanted: f64) -> u32 {
    let factor = (1.2 * wanted / took.max(1e-12)).clamp(2.0, 100.0);
    ((f64::from(calls) * factor).ceil() as u32).min(MOST_CALLS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::convert::Infallible;

    /// A clock that only moves when it is told to.
    #[derive(Default)]
    struct Hand(Cell<f64>);

    impl Clock for Hand {
        fn seconds(&self) -> f64 {
            self.0.get()
        }
    }

    /// A device whose calls take times from a list, over and over.
    struct Device<'a> {
        clock: &'a Hand,
        times: Vec<f64>,
        calls: Vec<u32>,
    }

    impl Probe for Device<'_> {
        type Error = Infallible;

        fn sample(&mut self, calls: u32) -> Result<f64, Infallible> {
            let took = self.times[self.calls.len() % self.times.len()] * f64::from(calls);
            self.calls.push(calls);
            self.clock.0.set(self.clock.0.get() + took);
            Ok(took)
        }
    }

    fn run(times: &[f64], rule: &Rule, interrupted: &dyn Fn(f64) -> bool) -> (Option<Measurement>, Vec<u32>) {
        let clock = Hand::default();
        let mut device = Device { clock: &clock, times: times.to_vec(), calls: Vec::new() };
        let measured = measure(&clock, rule, &|| interrupted(clock.seconds()), &mut device);
        let Ok(measured) = measured;
        (measured, device.calls)
    }

    const RULE: Rule = Rule { warm_up: 0.0, least_samples: 10, noise: 0.005, time_limit: 1.0, shortest_sample: 20e-6 };

    #[test]
    fn a_quiet_device_needs_the_least_samples() {
        let (measured, calls) = run(&[1e-3], &RULE, &|_| false);
        let measured = measured.unwrap();
        assert_eq!((measured.stop, measured.summary.samples, measured.calls_per_sample), (Stop::Noise, 10, 1));
        assert!((measured.summary.median - 1e-3).abs() < 1e-9);
        assert_eq!(calls.len(), 12, "two calls to warm up");
    }

    #[test]
    fn a_noisy_device_ends_by_the_time_limit() {
        let (measured, _) = run(&[1e-3, 1.1e-3, 0.9e-3, 1.2e-3], &RULE, &|_| false);
        let measured = measured.unwrap();
        assert_eq!(measured.stop, Stop::TimeLimit);
        assert!((900..1100).contains(&measured.summary.samples), "{measured:?}");
        assert!(measured.summary.noise > 0.005);
    }

    #[test]
    fn the_least_samples_are_taken_however_long_they_last() {
        let (measured, _) = run(&[5.0, 6.0], &RULE, &|_| false);
        let measured = measured.unwrap();
        assert_eq!((measured.stop, measured.summary.samples), (Stop::TimeLimit, 10));
    }

    #[test]
    fn short_calls_are_made_several_times() {
        let (measured, calls) = run(&[1e-8], &RULE, &|_| false);
        let measured = measured.unwrap();
        assert!(f64::from(measured.calls_per_sample) * 1e-8 >= 20e-6, "{measured:?}");
        assert!(measured.calls_per_sample < 10_000, "not many more than needed: {measured:?}");
        assert!((measured.summary.median - 1e-8).abs() < 1e-12, "time is that of one call");
        assert_eq!(calls[..2], [1, 1]);
    }

    #[test]
    fn warming_up_takes_its_time() {
        let (_, calls) = run(&[1e-3], &Rule { warm_up: 0.02, ..RULE }, &|_| false);
        assert_eq!(calls.len(), 20 + 10);
    }

    #[test]
    fn a_slow_start_is_not_sampled() {
        let mut times = vec![1e-3; 12];
        times[0] = 1.0;
        let (measured, _) = run(&times, &RULE, &|_| false);
        assert_eq!(measured.unwrap().summary.slow, 0);
    }

    #[test]
    fn outliers_are_noted() {
        let mut times: Vec<f64> = (0..42).map(|i| 1e-3 * (1.0 + 0.02 * f64::from(i % 5))).collect();
        (times[10], times[20], times[30]) = (0.1, 0.1, 0.1);
        let rule = Rule { least_samples: 40, noise: 0.5, ..RULE };
        let (measured, _) = run(&times, &rule, &|_| false);
        assert_eq!(measured.unwrap().summary.note().unwrap(), "3 of 40 samples were slow outliers");
    }

    #[test]
    fn an_interrupt_keeps_what_was_sampled() {
        let (measured, _) = run(&[1e-3, 2e-3], &RULE, &|now| now > 0.5);
        let measured = measured.unwrap();
        assert_eq!(measured.stop, Stop::Interrupted);
        assert!(measured.summary.samples > 100);
        let (measured, _) = run(&[1e-3], &RULE, &|_| true);
        assert_eq!(measured, None);
    }
}
