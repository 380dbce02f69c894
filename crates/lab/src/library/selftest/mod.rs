//! The conformance suite as an experiment: every variant against the reference, on this machine.

mod render;
mod report;

pub use report::{ComparisonReport, Failure, KernelDifference, Row, SelftestReport};

use crate::machine::cores;
use crate::{NotHere, Place};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::time::{Duration, Instant};
use warpwise::conformance::{Check, Plan, Verdict, checks};
use warpwise::{Device, Differences, MemoryPolicy};

/// What to test.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where.
    pub place: Place,
    /// On a GPU, make every allocation through the driver and leave fresh memory as it is, for memory checkers.
    pub plain_memory: bool,
    /// Primitives by name; all if there are none.
    pub primitives: Vec<String>,
    /// The long grid.
    pub full: bool,
    /// Instead of the grid, more than 2^31 elements.
    pub large: bool,
    /// Maximum number of checks per variant, spread over its grid.
    pub few: Option<usize>,
}

/// Bad input to `selftest`.
#[derive(Debug, thiserror::Error)]
pub enum SelftestError {
    /// No GPU.
    #[error("--device: {0}; use --device cpu or --device emulator")]
    NoCuda(warpwise::Error),
    /// A device that is not available.
    #[error(transparent)]
    Place(#[from] NotHere),
    /// An unknown primitive.
    #[error(transparent)]
    Primitive(warpwise::Error),
}

impl From<warpwise::Error> for SelftestError {
    fn from(error: warpwise::Error) -> Self {
        if matches!(error, warpwise::Error::NoCuda(_)) { Self::NoCuda(error) } else { Self::Primitive(error) }
    }
}

impl Default for Request {
    /// The short grid of everything, on the CPU.
    fn default() -> Self {
        let primitives = Vec::new();
        Self { place: Place::Cpu, plain_memory: false, primitives, full: false, large: false, few: None }
    }
}

impl Request {
    fn open(&self) -> Result<(Device, Option<Differences>), SelftestError> {
        // Results that were never written must not look like valid ones.
        let poison = (!self.plain_memory).then_some(0xcd);
        let policy = MemoryPolicy { poison, no_reuse: self.plain_memory, ..MemoryPolicy::default() };
        Ok(match self.place {
            Place::Cuda => (Device::cuda_with(policy)?, None),
            Place::Both => Device::both().map(|(device, seen)| (device, Some(seen)))?,
            place => (place.open(None)?, None),
        })
    }
}

/// Runs the suite. `progress` is called after every check with the number done and the total. When `interrupted`
/// returns true, the report has the checks done so far.
pub fn run(
    request: &Request,
    progress: &dyn Fn(usize, usize),
    interrupted: &dyn Fn() -> bool,
) -> Result<SelftestReport, SelftestError> {
    let (device, seen) = request.open()?;
    let plan =
        Plan { primitives: request.primitives.clone(), full: request.full, large: request.large, ..Plan::default() };
    let all = thinned(checks(&device, &plan)?, request.few);
    let started = Instant::now();
    let done = |count| progress(count, all.len());
    let outcomes: Vec<(&Check, Outcome)> = if request.place == Place::Emulator && !request.large {
        in_parallel(&all, &done, interrupted)
    } else {
        // The parallel variants of the CPU use all cores themselves, and there is only one GPU.
        let until = all.iter().zip(1..).take_while(|_| !interrupted());
        let outcome = |(check, count)| {
            let outcome = measured(check, &device);
            done(count);
            (check, outcome)
        };
        until.map(outcome).collect()
    };
    let seen = seen.map(|seen| seen.lock().unwrap_or_else(PoisonError::into_inner).clone());
    let interrupted = outcomes.len() < all.len();
    Ok(SelftestReport { interrupted, ..SelftestReport::new(device.name(), &outcomes, seen, started.elapsed()) })
}

/// Every n-th check, so that no variant has more than `few`.
fn thinned(all: Vec<Check>, few: Option<usize>) -> Vec<Check> {
    let Some(few) = few else { return all };
    let mut kept = Vec::new();
    let mut rest = all.into_iter().peekable();
    while let Some((primitive, variant)) = rest.peek().map(|check| (check.primitive, check.variant)) {
        let mut group = Vec::new();
        while let Some(check) = rest.next_if(|check| (check.primitive, check.variant) == (primitive, variant)) {
            group.push(check);
        }
        let step = group.len().div_ceil(few.max(1)).max(1);
        kept.extend(group.into_iter().skip(step / 2).step_by(step));
    }
    kept
}

/// The result of a check, and how long it took.
type Outcome = (Verdict, Duration);

fn measured(check: &Check, device: &Device) -> Outcome {
    let started = Instant::now();
    // A suite that looks for defects must survive them.
    let verdict = catch_unwind(AssertUnwindSafe(|| check.run(device)))
        .unwrap_or_else(|_| Verdict::Error("the program failed within this check".into()));
    (verdict, started.elapsed())
}

/// Runs checks on several emulators at once, one per core.
fn in_parallel<'a>(
    all: &'a [Check],
    done: &dyn Fn(usize),
    interrupted: &dyn Fn() -> bool,
) -> Vec<(&'a Check, Outcome)> {
    let devices: Vec<Device> = (0..cores::count()).map(|_| Device::emulator()).collect();
    let run = |worker: usize, check: &Check| measured(check, &devices[worker]);
    let outcomes = cores::side_by_side(all, devices.len(), run, done, interrupted);
    all.iter().zip(outcomes).filter_map(|(check, outcome)| Some((check, outcome?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Report;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn the_cpu_passes_and_progress_is_told() {
        let seen = Mutex::new(Vec::new());
        let request = Request { primitives: vec!["reduce".into()], ..Request::default() };
        let report = run(&request, &|done, all| seen.lock().unwrap().push((done, all)), &|| false).unwrap();
        assert_eq!((report.device.as_str(), report.failed, report.interrupted), ("cpu", 0, false));
        let seen = seen.into_inner().unwrap();
        assert_eq!(seen.len(), report.passed);
        assert_eq!(seen.last(), Some(&(report.passed, report.passed)));
    }

    #[test]
    fn an_interrupt_keeps_what_was_checked() {
        for place in [Place::Cpu, Place::Emulator] {
            let request = Request { place, primitives: vec!["vecadd".into()], ..Request::default() };
            let done = AtomicUsize::new(0);
            let progress = |_, _| _ = done.fetch_add(1, Ordering::SeqCst);
            let report = run(&request, &progress, &|| done.load(Ordering::SeqCst) >= 3).unwrap();
            assert!(report.interrupted && report.failed == 0);
            assert_eq!(report.passed, done.into_inner(), "every check that ended is counted");
            assert_eq!(report.rows.iter().map(|row| row.checks).sum::<usize>(), report.passed);
            assert!(report.to_json().contains(r#""interrupted":true"#));
        }
    }

    #[test]
    fn few_checks_are_spread_over_every_variant() {
        let all = || checks(&Device::cpu(), &Plan::default()).unwrap();
        let few = thinned(all(), Some(3));
        let count = |some: &[Check], variant| some.iter().filter(|c| (c.primitive, c.variant) == variant).count();
        for check in &all() {
            let variant = (check.primitive, check.variant);
            assert!((1..=3).contains(&count(&few, variant)), "{variant:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_said() {
        let request = Request { primitives: vec!["redcue".to_owned()], ..Request::default() };
        let error = run(&request, &|_, _| (), &|| false).unwrap_err().to_string();
        assert!(error.contains("reduce"), "{error}");
        let error =
            SelftestError::from(warpwise::Error::NoCuda(warpwise::DeviceError::Driver("none".into()))).to_string();
        assert!(error.contains("--device cpu"), "{error}");
    }
}
