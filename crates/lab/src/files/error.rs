//! What can be wrong with a file.

use std::path::PathBuf;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read {}: {problem}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: std::io::Error,
    },
    /// It cannot be written.
    #[error("cannot write {}: {problem}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: std::io::Error,
    },
    /// Its name has the wrong extension.
    #[error("{}: give {expected}", .path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// What is accepted.
        expected: &'static str,
    },
    /// Its contents make no sense.
    #[error("{}: {problem}", .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
}
