//! Grades an answer.

use super::answers::answer;
use super::error::CourseError;
use super::lesson::Lesson;
use super::mistake::bare;
use super::start::Workplace;
use crate::files::{self, FileError};
use crate::kernels::fail_on::FailOn;
use crate::kernels::launches::{self, Defaults, LaunchReport, Request, Rules};
use crate::kernels::run::{DEFAULT_MAX_INSTRUCTIONS, DEFAULT_TIME_LIMIT};
use serde::Serialize;
use std::num::NonZero;
use std::path::Path;
use warpwise_gpu::compiler::{self, CompileError};
use warpwise_simt::Checks;

/// How an answer did: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Attempt {
    /// Version of this format.
    pub schema: u32,
    /// The number of the exercise.
    pub exercise: usize,
    /// Its folder.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The answer.
    pub file: String,
    /// Whether it is right.
    pub passed: bool,
    /// Whether it cannot run at all: it does not compile, or has no such kernel.
    pub error: bool,
    /// The mistake, by its name; omitted if it is right, or the mistake is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
    /// What to say to its author; omitted if it is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// The launches, with what was found and counted.
    pub launches: Vec<LaunchReport>,
    /// Remarks for the user.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Said if nothing better is known.
const UNKNOWN: &str = "Something is not as it should be: see above what was found and what was expected.";

/// How the launches of exercises run.
pub(super) fn defaults() -> Defaults {
    Defaults {
        gpu: "h200".to_owned(),
        max_instructions: DEFAULT_MAX_INSTRUCTIONS,
        time_limit: DEFAULT_TIME_LIMIT,
        checks: Checks::ALL,
        debug: false,
        defines: Vec::new(),
        includes: Vec::new(),
    }
}

/// Runs the launches of an exercise on an answer, and says what is wrong with it. A folder means the answer in it.
pub fn check(lesson: &Lesson, path: &Path) -> Result<Attempt, CourseError> {
    let file = &answer(lesson, path)?;
    let unreadable = || FileError::Content { path: file.to_owned(), problem: "it is not a text file".to_owned() };
    let source = String::from_utf8(files::read(file)?).map_err(|_| unreadable())?;
    if let (None, places) = compiler::find() {
        return Err(CompileError::NoCompiler { places }.into());
    }
    let place = Workplace::new(lesson)?;
    let request = Request {
        files: vec![place.launch_file()],
        source: Some(file.to_owned()),
        defaults: defaults(),
        rules: Rules { fail_on: FailOn::Warning, baseline: None },
        jobs: NonZero::new(1),
    };
    let mut report = launches::run(&request, &|_, _| ())?;
    let bare = bare(&source);
    let mistake = lesson.mistakes.iter().find(|mistake| !report.ok && mistake.is_in(&bare, &report));
    let error = report.errors > 0;
    let says = match (report.ok, error, mistake) {
        (true, ..) => None,
        (_, true, _) => Some("It does not compile, or the kernel of the exercise is missing: see above.".to_owned()),
        (.., Some(mistake)) => Some(mistake.says.clone()),
        _ => Some(UNKNOWN.to_owned()),
    };
    for launch in &mut report.launches {
        // The launch file was a copy: it is the exercise's.
        launch.launch_file = format!("{}/launches.toml", lesson.folder);
        launch.broken.iter_mut().for_each(|broken| broken.file = Some(launch.launch_file.clone()));
    }
    Ok(Attempt {
        schema: 1,
        exercise: lesson.number,
        name: lesson.folder.to_owned(),
        title: lesson.title.clone(),
        file: file.display().to_string(),
        passed: report.ok,
        error,
        mistake: mistake.filter(|_| !error).map(|mistake| mistake.name.clone()),
        says,
        launches: report.launches,
        notes: report.notes,
    })
}
