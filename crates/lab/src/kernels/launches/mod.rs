//! Launch files: many launches of the user's kernels, each with what is expected of it.
//!
//! [`run`] reads the files (`document`, `plan`), runs their launches side by side, compares each with what the file
//! expects of its findings, buffers (`buffer`) and counters (`budget`), and reports (`report`, `render`).

mod buffer;
mod budget;
mod document;
mod error;
mod judge;
mod nearest;
mod plan;
mod render;
mod report;

pub use error::LaunchFileError;
pub use judge::Rules;
pub use plan::Defaults;
pub use report::{LaunchReport, LaunchesReport, Missed, Verdict};

use document::Document;
use judge::Judged;
use plan::Planned;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpwise_gpu::Gpu;

/// Which launches to run, and how they are judged.
#[derive(Clone, Debug)]
pub struct Request {
    /// The launch files.
    pub files: Vec<PathBuf>,
    /// The file of all kernels, instead of those that the launches name.
    pub source: Option<PathBuf>,
    /// What launches do that do not say otherwise.
    pub defaults: Defaults,
    /// What decides whether a finding is a failure.
    pub rules: Rules,
    /// How many run at a time; as many as there are cores, if it does not say.
    pub jobs: Option<NonZero<usize>>,
}

/// Runs every launch of the files. `step` is told how many are done, and of how many.
pub fn run(request: &Request, step: &(dyn Fn(usize, usize) + Sync)) -> Result<LaunchesReport, LaunchFileError> {
    let name = &request.defaults.gpu;
    if Gpu::named(name).is_none() {
        return Err(LaunchFileError::Gpu { name: name.clone(), known: Gpu::names().join(", ") });
    }
    let mut planned: Vec<Planned> = Vec::new();
    for path in &request.files {
        let text = plan::read(path)?;
        planned.extend(plan::parse(Document { path, text: &text }, &request.defaults)?);
    }
    if let Some(source) = &request.source {
        planned.iter_mut().for_each(|launch| launch.request.file.clone_from(source));
    }
    let jobs = request.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let judged = side_by_side(&planned, jobs, |launch| judge::judge(launch, &request.rules), step);
    Ok(LaunchesReport::new(request, judged))
}

/// What the launches of a file run.
pub(crate) fn requests(file: &Path, defaults: &Defaults) -> Result<Vec<super::run::Request>, LaunchFileError> {
    let text = plan::read(file)?;
    let planned = plan::parse(Document { path: file, text: &text }, defaults)?;
    Ok(planned.into_iter().map(|launch| launch.request).collect())
}

/// Applies a function to all items, some at a time; the results are in the order of the items.
fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
    step: &(dyn Fn(usize, usize) + Sync),
) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    let result = work(item);
                    *results[at].lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(result);
                    step(done.fetch_add(1, Ordering::Relaxed) + 1, items.len());
                }
            });
        }
    });
    let taken = |cell: Mutex<Option<R>>| cell.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.into_iter().filter_map(taken).collect()
}

impl LaunchesReport {
    fn new(request: &Request, judged: Vec<Judged>) -> Self {
        let count = |verdict| judged.iter().filter(|one| one.report.result == verdict).count();
        let (good, broken, errors) = (count(Verdict::Good), count(Verdict::Broken), count(Verdict::Error));
        let (mut notes, mut warnings, mut launches) = (Vec::new(), Vec::new(), Vec::new());
        for one in judged {
            notes.extend(one.notes);
            warnings.extend(one.warnings);
            launches.push(one.report);
        }
        Self {
            schema: 1,
            files: request.files.iter().map(|file| file.display().to_string()).collect(),
            ok: broken == 0 && errors == 0,
            good,
            broken,
            errors,
            launches,
            warnings: unique(warnings),
            notes: unique(notes),
        }
    }
}

/// Launches of the same file have the same remarks: one of each is enough.
fn unique(all: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in all {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..50).collect();
        let last = AtomicUsize::new(0);
        for jobs in [1, 3, 100] {
            let squares = side_by_side(&items, jobs, |item| item * item, &|_, all| last.store(all, Ordering::Relaxed));
            assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
            assert_eq!(last.load(Ordering::Relaxed), 50);
        }
        assert!(side_by_side(&[] as &[u8], 4, |_| 0, &|_, _| ()).is_empty());
    }
}
