//! Grades the answers of a class.

use super::answers::{answers, entries, name_of};
use super::check::check;
use super::error::CourseError;
use super::lesson::{Lesson, lessons};
use serde::Serialize;
use std::path::Path;

/// What a class has solved: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Class {
    /// Version of this format.
    pub schema: u32,
    /// The folder.
    pub folder: String,
    /// The students, by name.
    pub students: Vec<Student>,
    /// Files that are no answers, with the reason.
    pub ignored: Vec<String>,
}

/// A student.
#[derive(Clone, Debug, Serialize)]
pub struct Student {
    /// The name of the folder.
    pub name: String,
    /// How many exercises are solved.
    pub passed: usize,
    /// All exercises, in order.
    pub marks: Vec<Mark>,
}

/// How a student did in an exercise.
#[derive(Clone, Debug, Serialize)]
pub struct Mark {
    /// Its number.
    pub exercise: usize,
    /// How it went.
    pub outcome: Outcome,
    /// The mistake, if it is a known one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
}

/// How an exercise went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The answer is right.
    Passed,
    /// The answer is wrong.
    Failed,
    /// The answer cannot run.
    Error,
    /// There is no answer.
    Missing,
}

impl Outcome {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Missing => "missing",
        }
    }
}

/// Grades a folder with a folder for each student. An answer is a file such as `07-banks.cu`, `07.cu` or `banks.cu`, or
/// `07-banks/exercise.cu`. `step` is told how many answers are graded, and of how many.
pub fn grade(folder: &Path, step: &(dyn Fn(usize, usize) + Sync)) -> Result<Class, CourseError> {
    let mut students = Vec::new();
    let mut ignored = Vec::new();
    for path in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        students.push((name_of(&path), answers(&path, &mut ignored)?));
    }
    let total = students.iter().map(|(_, answers)| answers.len()).sum();
    if total == 0 {
        return Err(CourseError::NoAnswers(folder.to_owned()));
    }
    let mut done = 0;
    let mut graded = Vec::new();
    for (name, answers) in students {
        let mut marks = Vec::new();
        for lesson in lessons() {
            let answer = answers.iter().find(|(number, _)| *number == lesson.number);
            marks.push(mark(lesson, answer.map(|(_, file)| file.as_path()))?);
            if answer.is_some() {
                done += 1;
                step(done, total);
            }
        }
        let passed = marks.iter().filter(|mark| mark.outcome == Outcome::Passed).count();
        graded.push(Student { name, passed, marks });
    }
    Ok(Class { schema: 1, folder: folder.display().to_string(), students: graded, ignored })
}

fn mark(lesson: &Lesson, file: Option<&Path>) -> Result<Mark, CourseError> {
    let exercise = lesson.number;
    let Some(file) = file else { return Ok(Mark { exercise, outcome: Outcome::Missing, mistake: None }) };
    let attempt = match check(lesson, file) {
        // One file that cannot be read is no reason to grade nobody.
        Err(CourseError::File(_)) => return Ok(Mark { exercise, outcome: Outcome::Error, mistake: None }),
        attempt => attempt?,
    };
    let outcome = match (attempt.passed, attempt.error) {
        (true, _) => Outcome::Passed,
        (_, true) => Outcome::Error,
        _ => Outcome::Failed,
    };
    Ok(Mark { exercise, outcome, mistake: attempt.mistake })
}
