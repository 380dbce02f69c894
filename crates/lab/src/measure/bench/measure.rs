//! Measuring one configuration: first its correctness, then its time.

use super::report::{Configuration, Refusal, Row, tidy};
use super::station::Station;
use crate::measure::stats::{Clock, Measurement, Monotonic, Probe, Rule, measure};
use serde_json::{Map, Value};
use warpwise::conformance::Verdict;
use warpwise::primitive::{Case, Cost, Extent, Job, Problem, Runner, Setting, Step};
use warpwise::trace::{Counters, Trace};
use warpwise::{Device, Error, Geometry, Variant};

/// A configuration to measure.
pub(crate) struct Trial<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) case: &'a dyn Case,
    pub(crate) station: &'a Station,
    /// If `None`, the device's best.
    pub(crate) variant: Option<&'static Variant>,
    pub(crate) geometry: Geometry,
    /// Gigabytes per second of a copy on the device.
    pub(crate) copy: Option<f64>,
}

/// The outcome.
pub(crate) enum Outcome {
    /// It ran.
    Ran(Box<Row>),
    /// The variant or the device does not accept it.
    Refused(Box<Refusal>),
    /// The user interrupted before the first sample.
    Interrupted,
}

impl Trial<'_> {
    /// Verifies, then measures.
    pub(crate) fn run(&self, rule: &Rule, interrupted: &dyn Fn() -> bool) -> Result<Outcome, Error> {
        let device = &self.station.device;
        let runner = Runner { device: device.clone(), variant: self.variant, geometry: self.geometry };
        let small = self.station.estimator.as_ref().and_then(|estimator| estimator.comparable(self.problem));
        let small = small.map(|problem| Ok::<_, Error>(((problem.primitive.case)(&problem)?, problem))).transpose()?;
        let case = small.as_ref().map_or(self.case, |(case, _)| case.as_ref());
        let mut job = case.job(&runner);
        device.start_trace();
        let verdict = job.verify();
        let trace = device.take_trace();
        let configuration = self.configuration(trace.as_ref().ok());
        let verdict = match verdict {
            Err(error) if is_refusal(&error) => {
                let reason = error.to_string();
                return Ok(Outcome::Refused(Box::new(Refusal { configuration, reason })));
            }
            Err(error) => Verdict::Error(error.to_string()),
            Ok(verdict) => verdict,
        };
        let mut row = Row { configuration, ok: verdict.passed(), ..Row::default() };
        row.max_error = match &verdict {
            Verdict::Passed { max_error } | Verdict::Failed { max_error, .. } => Some(*max_error),
            Verdict::Error(_) => None,
        }
        .filter(|error| error.is_finite());
        row.compared = case.compared();
        if !row.ok {
            row.error = Some(verdict.to_string());
            return Ok(Outcome::Ran(Box::new(row)));
        }
        if self.station.emulated {
            let mut trace = trace?;
            if let Some(estimator) = &self.station.estimator {
                let (recorded, us) = estimator.estimate(self.problem, self.case, self.variant, self.geometry)?;
                (row.estimated_us, row.estimated_gpu) = (us, Some(estimator.gpu().to_owned()));
                if let Some((_, problem)) = &small {
                    row.compared = Some(format!("at {}, since all blocks of this size take long", problem.label()));
                    trace = recorded;
                }
            }
            emulated(&mut row, &trace);
            return Ok(Outcome::Ran(Box::new(row)));
        }
        let clock = Monotonic::default();
        let Some(measured) = measure(&clock, rule, interrupted, &mut Timer { device, job: &mut job, clock })? else {
            return Ok(Outcome::Interrupted);
        };
        row.stages_ms = stages(device, &job, &measured)?;
        self.rates(&mut row, &measured);
        Ok(Outcome::Ran(Box::new(row)))
    }

    /// Everything that identifies the row; the name of the best variant is read from its kernels.
    pub(crate) fn configuration(&self, trace: Option<&Trace>) -> Configuration {
        let problem = self.problem;
        let name = problem.primitive.name;
        let variant = match self.variant {
            Some(variant) => variant.name,
            None if self.station.device.is_cpu() => "cpu-par",
            None => trace.and_then(|trace| seen(problem, trace)).map_or("best", |v| v.name),
        };
        let (n, rows, cols) = match problem.extent {
            Extent::Length(n) | Extent::Side(n) => (Some(n as u64), None, None),
            Extent::Plane { rows, cols } => (None, Some(rows as u64), Some(cols as u64)),
        };
        let gpu = !self.station.device.is_cpu();
        let mut settings = self.settings(gpu);
        let number = |setting| if let Setting::Number(number) = setting { number } else { 0 };
        let mut take = |name| settings.iter().position(|(known, _)| *known == name).map(|at| settings.remove(at).1);
        Configuration {
            primitive: name.into(),
            variant: variant.into(),
            device: self.station.device.name(),
            ty: problem.ty.name().into(),
            n,
            rows,
            cols,
            iterations: take("iterations").map(number),
            input: problem.input.into(),
            op: take("op").map(|op| op.to_string()),
            finish: take("finish").map(|finish| finish.to_string()),
            bins: take("bins").map(number),
            block: self.geometry.block.filter(|_| gpu),
            grid: self.geometry.grid.filter(|_| gpu),
            items: self.geometry.items.filter(|_| gpu),
            settings: settings.into_iter().map(|(name, setting)| (name.to_owned(), value(setting))).collect(),
        }
    }

    /// The parameters that the row names, with their values.
    fn settings(&self, gpu: bool) -> Vec<(&'static str, Setting)> {
        let chosen = |name| self.problem.settings.get(name);
        let all = self.problem.primitive.parameters.iter();
        let named = all.filter(|p| !p.quiet || gpu && chosen(p.name).is_some_and(|setting| setting != p.default));
        named.map(|p| (p.name, chosen(p.name).unwrap_or(p.default))).collect()
    }

    /// Fills in times and the values derived from them.
    fn rates(&self, row: &mut Row, measured: &Measurement) {
        let summary = measured.summary;
        let cost = Cost::of(self.problem);
        let per_second = |amount: f64| tidy(amount / summary.median.max(1e-12));
        row.samples = summary.samples as u64;
        row.calls_per_sample = Some(measured.calls_per_sample);
        row.slow_outliers = (summary.slow > 0).then_some(summary.slow as u64);
        row.stopped_by = Some(measured.stop.name().into());
        row.median_ms = Some(tidy(summary.median.max(1e-12) * 1e3));
        row.noise_pct = Some(tidy(summary.noise * 100.0));
        row.gb_per_s = Some(per_second(cost.bytes / 1e9));
        row.gflop_per_s = Some(per_second(cost.operations / 1e9));
        row.elements_per_s = Some(per_second(cost.elements));
        row.percent_of_copy = self.copy.map(|copy| tidy(100.0 * per_second(cost.bytes / 1e9) / copy));
    }
}

fn value(setting: Setting) -> Value {
    match setting {
        Setting::Number(number) => number.into(),
        Setting::Word(word) => word.into(),
    }
}

/// Whether an error means that the variant or the device does not accept the problem, rather than that it failed.
pub(crate) fn is_refusal(error: &Error) -> bool {
    !matches!(error, Error::Kernel(_))
}

/// The variant whose kernel was launched first.
fn seen(problem: &Problem, trace: &Trace) -> Option<&'static Variant> {
    let of = |kernel: &str| {
        let rest = kernel.strip_prefix(problem.primitive.name)?.strip_prefix('_')?;
        problem.primitive.variants.iter().filter(|v| rest.starts_with(&v.stem())).max_by_key(|v| v.name.len())
    };
    trace.launches.iter().find_map(|launch| of(&launch.kernel))
}

/// One run, whose counters are the result.
fn emulated(row: &mut Row, trace: &Trace) {
    row.emulated = true;
    row.samples = 1;
    row.stopped_by = Some("emulated".into());
    row.median_ms = Some(tidy(trace.stages.kernel_ms.max(1e-9)));
    let mut sum: Option<Counters> = None;
    for profile in trace.launches.iter().filter_map(|launch| launch.profile.as_ref()) {
        *sum.get_or_insert_default() += &profile.total;
    }
    row.counters = sum.iter().flat_map(Counters::named).map(|(name, value)| (name.to_owned(), value.into())).collect();
}

/// Time by stage of a call from host memory to host memory. The CPU has only one stage.
fn stages(device: &Device, job: &Job<'_>, measured: &Measurement) -> Result<Map<String, Value>, Error> {
    if device.is_cpu() {
        return Ok(Map::from_iter([("kernel".to_owned(), tidy(measured.summary.median * 1e3).into())]));
    }
    device.start_trace();
    let whole = job.whole();
    let trace = device.take_trace()?;
    whole?;
    Ok(trace.stages.named().into_iter().map(|(name, ms)| (name.to_owned(), tidy(ms).into())).collect())
}

/// Times a job: on the CPU by the host's clock, on a GPU by the kernels' time on the device's own clock.
struct Timer<'a, 'b> {
    device: &'a Device,
    job: &'a mut Job<'b>,
    clock: Monotonic,
}

impl Probe for Timer<'_, '_> {
    type Error = Error;

    fn sample(&mut self, calls: u32) -> Result<f64, Error> {
        self.job.step(Step::Prepare)?;
        self.device.start_trace();
        let begin = self.clock.seconds();
        for _ in 0..calls {
            self.job.step(Step::Call)?;
        }
        let took = self.clock.seconds() - begin;
        let trace = self.device.take_trace()?;
        Ok(if self.device.is_cpu() { took } else { trace.stages.kernel_ms / 1e3 })
    }
}
