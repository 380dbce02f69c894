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

use crate::machine::cores;
use document::Document;
use judge::Judged;
use plan::Planned;
use std::num::NonZero;
use std::path::{Path, PathBuf};
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
pub fn run(request: &Request, step: &dyn Fn(usize, usize)) -> Result<LaunchesReport, LaunchFileError> {
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
    let jobs = request.jobs.map_or_else(cores::count, NonZero::get);
    let judge = |_, launch: &Planned| judge::judge(launch, &request.rules);
    let judged = cores::side_by_side(&planned, jobs, judge, &|done| step(done, planned.len()), &|| false);
    Ok(LaunchesReport::new(request, judged.into_iter().flatten().collect()))
}

/// What the launches of a file run.
pub(crate) fn requests(file: &Path, defaults: &Defaults) -> Result<Vec<super::run::Request>, LaunchFileError> {
    let text = plan::read(file)?;
    let planned = plan::parse(Document { path: file, text: &text }, defaults)?;
    Ok(planned.into_iter().map(|launch| launch.request).collect())
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
