//! Measuring primitives: every configuration is verified against the reference, then timed until the samples are
//! steady.
//!
//! A [`Request`] names a primitive, variants, sizes, types and devices. [`run`] plans all combinations, so that
//! mistakes are reported before anything runs, and returns a [`Report`]. What an operation must move and compute is
//! declared in the description of its primitive. [`stats`](crate::measure::stats) decides when samples are enough.

mod copy;
mod error;
mod estimate;
mod facts;
mod measure;
mod page;
mod plan;
mod render;
mod report;
mod results;
mod sizes;
mod station;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod trial;

pub use error::BenchError;
pub use facts::{DeviceFacts, HostFacts};
pub use plan::{Request, Selection, parse_setting};
pub(crate) use report::axis;
pub use report::{Configuration, Refusal, Report, Row, SCHEMA};
pub(crate) use results::parse as parse_results;
pub use results::{BASELINES, ResultsError, check_name, load, save_baseline};
pub use sizes::{parse_lengths, parse_planes};

use crate::measure::stats::{Clock, Monotonic};
use measure::{Outcome, Trial};
use plan::Plan;

/// Measures. `progress` is called after every configuration with the number done and the total. When `interrupted`
/// returns true, the report has the results so far.
pub fn run(
    request: &Request,
    progress: &dyn Fn(usize, usize),
    interrupted: &dyn Fn() -> bool,
) -> Result<Report, BenchError> {
    let clock = Monotonic::default();
    let plan = Plan::new(request)?;
    let copies: Vec<Option<f64>> = plan
        .stations
        .iter()
        .map(|station| copy::rate(&station.device.name(), interrupted))
        .map(|rate| rate.map(report::tidy))
        .collect();
    let facts = plan.stations.iter().zip(&copies).map(|(s, copy)| DeviceFacts::new(&s.device.name(), *copy));
    let mut devices: Vec<DeviceFacts> = facts.collect();
    let mut report = Report {
        schema: SCHEMA,
        host: HostFacts::here(),
        device: devices.first().cloned().unwrap_or_default(),
        devices: if devices.len() > 1 { std::mem::take(&mut devices) } else { Vec::new() },
        interrupted: false,
        results: Vec::new(),
        refused: Vec::new(),
        left_out: 0,
    };
    let mut done = 0;
    'all: for (at, group) in plan.groups.iter().enumerate() {
        if interrupted() {
            report.interrupted = true;
            break;
        }
        let may_begin = || request.allowance.allows(clock.seconds(), at == 0);
        if !may_begin() {
            report.left_out += group.entries.len();
            done += group.entries.len();
            continue;
        }
        let case = (group.problem.primitive.case)(&group.problem).map_err(flagged)?;
        for entry in &group.entries {
            if !may_begin() {
                report.left_out += 1;
                done += 1;
                continue;
            }
            let rule = request.allowance.rule(&request.rule, clock.seconds(), plan.len() - done);
            let trial = Trial {
                problem: &group.problem,
                case: case.as_ref(),
                station: &plan.stations[entry.station],
                variant: entry.variant,
                geometry: request.geometry,
                copy: copies[entry.station],
            };
            match trial.run(&rule, interrupted)? {
                Outcome::Ran(row) => report.results.push(*row),
                Outcome::Refused(refusal) => report.refused.push(*refusal),
                Outcome::Interrupted => {}
            }
            done += 1;
            progress(done, plan.len());
            if interrupted() {
                report.interrupted = true;
                break 'all;
            }
        }
    }
    if let Some(baseline) = &request.baseline {
        report.add_speedups(baseline);
    }
    match report.refused.first() {
        Some(first) if report.results.is_empty() && !report.interrupted && report.left_out == 0 => {
            Err(BenchError::Nothing(format!("{}: {}", first.configuration.variant, first.reason)))
        }
        _ => Ok(report),
    }
}

/// An error of the library, with the flag that caused it.
fn flagged(error: warpwise::Error) -> BenchError {
    match error {
        warpwise::Error::Bins { .. } | warpwise::Error::Binning { .. } => BenchError::flag("--bins", error),
        other => BenchError::Library(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use crate::measure::stats::{Allowance, Rule};
    use crate::output::Report as _;
    use std::cell::RefCell;
    use warpwise::primitive::Setting;

    /// As few samples as possible: the time is not tested.
    fn quick(primitive: &str, lengths: &[usize]) -> Request {
        let rule = Rule { warm_up: 0.0, least_samples: 2, noise: 1e9, time_limit: 0.0, shortest_sample: 1e-6 };
        Request { lengths: lengths.to_vec(), rule, ..Request::new(primitive) }
    }

    #[test]
    fn the_cpu_is_measured_and_rates_follow() {
        let request = Request { variants: Selection::All, places: vec![Place::Cpu], ..quick("reduce", &[1000, 4000]) };
        let request = Request { baseline: Some("cpu-seq".into()), ..request };
        let seen = RefCell::new(Vec::new());
        let report = run(&request, &|done, all| seen.borrow_mut().push((done, all)), &|| false).unwrap();
        assert_eq!(seen.into_inner(), [(1, 4), (2, 4), (3, 4), (4, 4)]);
        assert_eq!(report.results.len(), 4);
        assert!(report.device.copy_gb_per_s.unwrap() > 0.0 && report.ok());
        for row in &report.results {
            let ms = row.median_ms.unwrap();
            let bytes = 4.0 * row.configuration.n.unwrap() as f64;
            assert!((row.gb_per_s.unwrap() / (bytes / ms / 1e6) - 1.0).abs() < 1e-5, "{row:?}");
            assert!(row.speedup.is_some() && row.percent_of_copy.is_some() && row.counters.is_empty());
            assert_eq!(row.stages_ms["kernel"].as_f64(), row.median_ms);
            assert_eq!(row.configuration.op.as_deref(), Some("sum"));
        }
    }

    #[test]
    fn the_emulator_counts_and_has_no_rates() {
        let request = Request { places: vec![Place::Emulator], ..quick("scan", &[500, 5000]) };
        let report = run(&request, &|_, _| (), &|| false).unwrap();
        let names: Vec<_> = report.results.iter().map(|row| row.configuration.variant.as_str()).collect();
        assert_eq!(names, ["gpu-6-warp-shuffle", "gpu-8-gather"], "what the library picks is named");
        for row in &report.results {
            assert!(row.emulated && row.ok && row.gb_per_s.is_none() && row.percent_of_copy.is_none());
            assert_eq!((row.samples, row.stopped_by.as_deref()), (1, Some("emulated")));
        }
    }

    #[test]
    fn what_a_variant_does_not_take_is_said() {
        let request = Request { variants: Selection::All, places: vec![Place::Emulator], ..quick("vecadd", &[2000]) };
        let report = run(&request, &|_, _| (), &|| false).unwrap();
        let rungs = warpwise::vecadd::VARIANTS.iter().filter(|v| v.runs_on == warpwise::RunsOn::Gpu).count();
        assert_eq!((report.results.len(), report.refused.len()), (rungs - 1, 1));
        assert_eq!(report.refused[0].configuration.variant, "gpu-one-block");
        assert!(report.refused[0].reason.contains("launch error"), "{}", report.refused[0].reason);
        let only = Request { variants: Selection::parse("gpu-one-block"), ..request };
        let error = run(&only, &|_, _| (), &|| false).unwrap_err().to_string();
        assert!(error.starts_with("gpu-one-block: launch error"), "{error}");
    }

    #[test]
    fn an_interrupt_keeps_what_was_measured() {
        let request =
            Request { variants: Selection::All, places: vec![Place::Emulator], ..quick("reduce", &[64, 128]) };
        let done = RefCell::new(0);
        let report = run(&request, &|n, _| *done.borrow_mut() = n, &|| *done.borrow() >= 3).unwrap();
        assert!(report.interrupted);
        assert_eq!(report.results.len(), 3);
    }

    #[test]
    fn what_there_is_no_time_for_is_left_out_and_counted() {
        let all = quick("reduce", &[4000, 64, 128]);
        let request = Request { variants: Selection::All, places: vec![Place::Cpu], ..all };
        let allowance = Allowance { share: 1e9, end: 1e9 };
        let report = run(&Request { allowance, ..request.clone() }, &|_, _| (), &|| false).unwrap();
        assert_eq!((report.results.len(), report.left_out), (6, 0));
        assert!(!report.to_json().contains("left_out"), "a count of zero is omitted");
        let over = Allowance { share: 0.0, end: 0.0 };
        let report = run(&Request { allowance: over, ..request }, &|_, _| (), &|| false).unwrap();
        assert_eq!((report.results.len(), report.left_out), (0, 6));
        assert!(report.to_json().contains(r#""left_out":6"#));
    }

    #[test]
    fn bins_that_there_cannot_be() {
        let mut request = quick("histogram", &[10]);
        request.settings = request.settings.with("bins", Setting::Number(0));
        let error = run(&request, &|_, _| (), &|| false).unwrap_err().to_string();
        assert!(error.starts_with("--bins: 0 bins are out of range"), "{error}");
    }
}
