//! The conformance suite as an experiment: every variant against the reference, on this machine.

mod render;
mod report;

pub use render::render;
pub use report::{Failure, Row, SelftestReport};

use crate::{NotHere, Place};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use warpwise::Device;
use warpwise::conformance::{Check, Plan, Verdict, checks};

/// What to test.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Where.
    pub place: Place,
    /// Primitives by name; all where there are none.
    pub primitives: Vec<String>,
    /// The long grid.
    pub full: bool,
}

/// Bad input to `selftest`.
#[derive(Debug, thiserror::Error)]
pub enum SelftestError {
    /// A device that is not there.
    #[error(transparent)]
    Place(#[from] NotHere),
    /// A primitive that there is not.
    #[error(transparent)]
    Primitive(#[from] warpwise::Error),
}

/// Runs the suite. `progress` hears of every check that is done: how many so far, and of how many.
pub fn run(request: &Request, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<SelftestReport, SelftestError> {
    let device = request.place.open(None)?;
    let plan = Plan { primitives: request.primitives.clone(), full: request.full, ..Plan::default() };
    let all = checks(&device, &plan)?;
    let started = Instant::now();
    let done = AtomicUsize::new(0);
    let count = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, all.len());
    let outcomes = if device.is_cpu() {
        // The parallel variants use all cores themselves.
        all.iter().map(|check| measured(check, &device, count)).collect()
    } else {
        in_parallel(&all, count)
    };
    Ok(SelftestReport::new(device.name(), &all, &outcomes, started.elapsed()))
}

/// What came of a check, and how long it took.
type Outcome = (Verdict, Duration);

fn measured(check: &Check, device: &Device, done: impl Fn()) -> Outcome {
    let started = Instant::now();
    // A suite that looks for defects must outlive them.
    let verdict = catch_unwind(AssertUnwindSafe(|| check.run(device)))
        .unwrap_or_else(|_| Verdict::Error("the program failed within this check".into()));
    done();
    (verdict, started.elapsed())
}

/// Runs checks on several emulators at once, one for every core.
fn in_parallel(all: &[Check], done: impl Fn() + Sync) -> Vec<Outcome> {
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(all.len());
    let next = AtomicUsize::new(0);
    let finished = Mutex::new(Vec::with_capacity(all.len()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let device = Device::emulator();
                while let Some((i, check)) = {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    all.get(i).map(|check| (i, check))
                } {
                    let outcome = measured(check, &device, &done);
                    finished.lock().expect("no holder panics").push((i, outcome));
                }
            });
        }
    });
    let mut finished = finished.into_inner().expect("no holder panics");
    finished.sort_by_key(|&(i, _)| i);
    finished.into_iter().map(|(_, outcome)| outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_passes_and_progress_is_told() {
        let seen = Mutex::new(Vec::new());
        let request = Request { place: Place::Cpu, primitives: vec!["reduce".into()], full: false };
        let report = run(&request, &|done, all| seen.lock().unwrap().push((done, all))).unwrap();
        assert_eq!((report.device.as_str(), report.failed), ("cpu", 0));
        let seen = seen.into_inner().unwrap();
        assert_eq!(seen.len(), report.passed);
        assert_eq!(seen.last(), Some(&(report.passed, report.passed)));
    }

    #[test]
    fn what_is_not_there_is_said() {
        let error = |place, name: &str| {
            let request = Request { place, primitives: vec![name.to_owned()], full: false };
            run(&request, &|_, _| ()).unwrap_err().to_string()
        };
        assert!(error(Place::Cuda, "reduce").contains("not in this build"));
        assert!(error(Place::Cpu, "redcue").contains("reduce"));
    }
}
