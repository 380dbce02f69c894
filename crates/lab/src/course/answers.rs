//! Which files are answers, and to which exercises.

use super::error::CourseError;
use super::lesson::{Lesson, lessons};
use crate::files::FileError;
use std::path::{Path, PathBuf};

/// The answer that a path means: a file, the folder of the exercise, or a folder with answers to several.
pub(super) fn answer(lesson: &Lesson, path: &Path) -> Result<PathBuf, CourseError> {
    let there = std::fs::metadata(path).map_err(|problem| FileError::Read { path: path.to_owned(), problem })?;
    if !there.is_dir() {
        let is_source = path.extension().is_some_and(|ending| ending == "cu");
        let wrong = || CourseError::NoSource { file: path.to_owned(), exercise: lesson.folder };
        return is_source.then(|| path.to_owned()).ok_or_else(wrong);
    }
    let own = path.join("exercise.cu");
    if own.is_file() {
        return Ok(own);
    }
    let found = answers(path, &mut Vec::new())?.into_iter().find(|(number, _)| *number == lesson.number);
    let missing = || CourseError::NoAnswer { folder: path.to_owned(), exercise: lesson.folder };
    found.map(|(_, file)| file).ok_or_else(missing)
}

/// The answers of a student, by exercise: the first file for each.
pub(super) fn answers(folder: &Path, ignored: &mut Vec<String>) -> Result<Vec<(usize, PathBuf)>, CourseError> {
    let mut found: Vec<(usize, PathBuf)> = Vec::new();
    for path in entries(folder)? {
        let file = if path.is_dir() { path.join("exercise.cu") } else { path.clone() };
        let named = if path.is_dir() { name_of(&path) } else { stem_of(&path) };
        let is_answer = file.is_file() && file.extension().is_some_and(|ending| ending == "cu");
        let Some(number) = is_answer.then(|| exercise_of(&named)).flatten() else {
            if is_answer {
                ignored.push(format!("{}: no exercise is named `{named}`", file.display()));
            }
            continue;
        };
        if found.iter().any(|(other, _)| *other == number) {
            ignored.push(format!("{}: a second answer to exercise {number}", file.display()));
        } else {
            found.push((number, file));
        }
    }
    Ok(found)
}

/// The exercise that a name means: `07-banks`, `07`, `7-my-answer`, `banks`.
fn exercise_of(name: &str) -> Option<usize> {
    let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = name[..digits].parse().ok();
    lessons().iter().find(|lesson| number == Some(lesson.number) || lesson.name() == name).map(|lesson| lesson.number)
}

pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let unreadable = |problem| FileError::Read { path: folder.to_owned(), problem };
    let all = std::fs::read_dir(folder).map_err(unreadable)?;
    let mut paths = all.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    paths.sort_unstable();
    Ok(paths)
}

pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn stem_of(path: &Path) -> String {
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_known_by_their_names() {
        for (name, number) in [("07-banks", Some(7)), ("7", Some(7)), ("07_mine", Some(7)), ("banks", Some(7))] {
            assert_eq!(exercise_of(name), number, "{name}");
        }
        for name in ["", "notes", "15", "99999999999999999999999", "my-banks"] {
            assert_eq!(exercise_of(name), None, "{name}");
        }
    }
}
