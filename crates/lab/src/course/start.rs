//! Writes what a student needs.

use super::error::CourseError;
use super::lesson::Lesson;
use crate::files::{FileError, save};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writes an exercise into a folder of its own in `folder`: the file to mend, the task, and what is needed to check it.
/// Returns the folder.
pub fn start(lesson: &Lesson, folder: &Path) -> Result<PathBuf, CourseError> {
    let own = folder.join(lesson.folder);
    if own.exists() {
        return Err(CourseError::Exists(own));
    }
    create(&own)?;
    write(lesson, &own)?;
    let shown = if folder == Path::new(".") { PathBuf::from(lesson.folder) } else { own.clone() };
    save(&own.join("TASK.md"), task(lesson, &shown).as_bytes())?;
    Ok(own)
}

/// The task as a file to read; the exercise lies in `folder`.
fn task(lesson: &Lesson, folder: &Path) -> String {
    let (Lesson { number, title, teaches, task, .. }, folder) = (lesson, folder.display());
    let mut text = format!("# {number}. {title}\n\n{teaches}.\n\n{task}\n");
    let _ = write!(
        text,
        "## What to do\n\nChange `exercise.cu` until this says that it is solved:\n\n    warpwise course check {number} \
         {folder}/exercise.cu\n\nHints, one after the other: `warpwise course show {number} --hints 1`. To see it at work: \
         `warpwise course watch {number} {folder}/exercise.cu`.\n"
    );
    text
}

fn write(lesson: &Lesson, folder: &Path) -> Result<(), CourseError> {
    Ok(lesson.given.iter().try_for_each(|(name, text)| save(&folder.join(name), text.as_bytes()))?)
}

fn create(folder: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(folder).map_err(|problem| FileError::Write { path: folder.to_owned(), problem })
}

/// A copy of an exercise in a temporary folder, which goes when it is dropped.
pub(super) struct Workplace(PathBuf);

impl Workplace {
    pub(super) fn new(lesson: &Lesson) -> Result<Self, CourseError> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let place = Self(std::env::temp_dir().join(format!("warpwise-course-{process}-{number}")));
        create(&place.0)?;
        write(lesson, &place.0)?;
        Ok(place)
    }

    pub(super) fn launch_file(&self) -> PathBuf {
        self.0.join("launches.toml")
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // Nothing depends on it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;
    use crate::files::testing;

    #[test]
    fn an_exercise_is_written_once() {
        let (folder, lesson) = (testing::folder("course-start"), find("9").unwrap());
        let own = start(lesson, &folder).unwrap();
        let mut names: Vec<_> = own.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort_unstable();
        assert_eq!(names, ["TASK.md", "exercise.cu", "launches.toml", "values.csv"]);
        let text = std::fs::read_to_string(own.join("TASK.md")).unwrap();
        assert!(text.starts_with("# 9. Lost updates\n\n") && text.contains("09-atomics/exercise.cu"), "{text}");
        assert!(text.contains(&format!("course check 9 {}/exercise.cu", own.display())), "{text}");
        let error = start(lesson, &folder).unwrap_err().to_string();
        assert!(error.contains("is there already: give another folder with --out"), "{error}");
    }
}
