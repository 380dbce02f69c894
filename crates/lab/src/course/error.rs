//! What can go wrong with the course.

use crate::files::FileError;
use crate::kernels::launches::LaunchFileError;
use crate::kernels::watch::WatchError;
use std::path::PathBuf;
use warpwise_gpu::compiler::CompileError;

/// Why an exercise cannot be shown, started or graded.
#[derive(Debug, thiserror::Error)]
pub enum CourseError {
    /// No such exercise.
    #[error("there is no exercise {name}: use a number from 1 to {count}, or a name such as `banks`")]
    Unknown {
        /// As requested.
        name: String,
        /// How many there are.
        count: usize,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The exercise is there already.
    #[error("{} is there already: give another folder with --out, or delete it", .0.display())]
    Exists(PathBuf),
    /// A folder without answers.
    #[error("{} has no answers: it needs a folder for each student, with files such as 07-banks.cu", .0.display())]
    NoAnswers(PathBuf),
    /// A folder without an answer to the exercise.
    #[error("{} is a folder without an answer to {exercise}: name a file, such as {exercise}/exercise.cu", folder.display())]
    NoAnswer {
        /// The folder.
        folder: PathBuf,
        /// The exercise.
        exercise: &'static str,
    },
    /// A file that is no answer.
    #[error("{} is not a .cu file: an answer is one, such as {exercise}/exercise.cu", file.display())]
    NoSource {
        /// The file.
        file: PathBuf,
        /// The exercise.
        exercise: &'static str,
    },
    /// The answer cannot be watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// There is no compiler.
    #[error(transparent)]
    Compiler(#[from] CompileError),
    /// The launch file of the exercise cannot be used.
    #[error(transparent)]
    Launches(#[from] LaunchFileError),
}
