//! Exercises: what they ask, and what they teach.

use super::error::CourseError;
use super::files::{EXERCISES, Files};
use super::mistake::Mistake;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// An exercise.
pub struct Lesson {
    /// Its number, from 1.
    pub number: usize,
    /// Its folder, which is its number and its name: `07-banks`.
    pub folder: &'static str,
    /// Its title.
    pub title: String,
    /// What it teaches, in a few words.
    pub teaches: String,
    /// What to do.
    pub task: String,
    /// Hints, from a nudge to the answer.
    pub hints: Vec<String>,
    pub(super) mistakes: Vec<Mistake>,
    pub(super) given: &'static [(&'static str, &'static str)],
}

/// A lesson as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    title: String,
    teaches: String,
    task: String,
    hints: Vec<String>,
    mistake: Vec<Mistake>,
}

/// All exercises, in order.
///
/// ```
/// assert_eq!(warpwise_lab::course::lessons()[0].title, "Hello, threads");
/// ```
pub fn lessons() -> &'static [Lesson] {
    static ALL: OnceLock<Vec<Lesson>> = OnceLock::new();
    ALL.get_or_init(|| EXERCISES.iter().enumerate().map(|(at, files)| Lesson::read(at + 1, files)).collect())
}

/// The exercise of that number or name; an error says what there is.
///
/// ```
/// use warpwise_lab::course::find;
///
/// assert_eq!(find("7")?.folder, "07-banks");
/// assert_eq!(find("banks")?.number, 7);
/// assert!(find("15").is_err());
/// # Ok::<(), warpwise_lab::course::CourseError>(())
/// ```
pub fn find(name: &str) -> Result<&'static Lesson, CourseError> {
    let is_it = |lesson: &&Lesson| name == lesson.folder || name == lesson.name() || name.parse() == Ok(lesson.number);
    let unknown = || CourseError::Unknown { name: name.to_owned(), count: lessons().len() };
    lessons().iter().find(is_it).ok_or_else(unknown)
}

impl Lesson {
    fn read(number: usize, files: &Files) -> Self {
        // The tests read them all.
        let Text { title, teaches, task, hints, mistake } = toml::from_str(files.lesson).expect("a lesson of ours");
        Self { number, folder: files.folder, title, teaches, task, hints, mistakes: mistake, given: files.given }
    }

    /// Its name without the number: `banks`.
    pub fn name(&self) -> &'static str {
        self.folder.split_once('-').map_or(self.folder, |(_, name)| name)
    }

    /// What it asks for, with the first hints.
    pub fn task(&self, hints: usize) -> Task {
        Task {
            schema: 1,
            exercise: self.number,
            name: self.folder.to_owned(),
            title: self.title.clone(),
            teaches: self.teaches.clone(),
            task: self.task.clone(),
            hints: self.hints.iter().take(hints).cloned().collect(),
            more_hints: self.hints.len().saturating_sub(hints),
        }
    }
}

impl std::fmt::Debug for Lesson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Lesson").field(&self.folder).finish()
    }
}

/// What an exercise asks for: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Task {
    /// Version of this format.
    pub schema: u32,
    /// Its number.
    pub exercise: usize,
    /// Its folder.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What it teaches.
    pub teaches: String,
    /// What to do.
    pub task: String,
    /// Hints.
    pub hints: Vec<String>,
    /// How many more there are.
    pub more_hints: usize,
}

/// The list of exercises: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Contents {
    /// Version of this format.
    pub schema: u32,
    /// All of them.
    pub exercises: Vec<Entry>,
}

/// An exercise in the list.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its number.
    pub exercise: usize,
    /// Its folder.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it teaches.
    pub teaches: &'static str,
}

/// The list of exercises.
pub fn contents() -> Contents {
    let entry = |lesson: &'static Lesson| Entry {
        exercise: lesson.number,
        name: lesson.folder,
        title: &lesson.title,
        teaches: &lesson.teaches,
    };
    Contents { schema: 1, exercises: lessons().iter().map(entry).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exercise_is_complete() {
        for (at, lesson) in lessons().iter().enumerate() {
            assert_eq!(format!("{:02}-{}", at + 1, lesson.name()), lesson.folder);
            assert!(!lesson.title.is_empty() && !lesson.teaches.is_empty() && !lesson.task.is_empty());
            assert!(lesson.hints.len() >= 2 && lesson.mistakes.len() >= 3, "{}", lesson.folder);
            assert!(!lesson.given[0].1.contains("solution"), "{}", lesson.folder);
        }
        assert_eq!(lessons().len(), 14);
    }

    #[test]
    fn hints_come_one_after_another() {
        let lesson = find("07-banks").unwrap();
        assert_eq!((lesson.task(0).hints.len(), lesson.task(0).more_hints), (0, 3));
        assert_eq!((lesson.task(9).hints.len(), lesson.task(9).more_hints), (3, 0));
        assert!(find("hello ").is_err() && find("0").is_err() && find("").is_err());
    }
}
