//! What can be wrong with launch files.

use crate::files::FileError;
use std::path::PathBuf;

/// Why launch files cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LaunchFileError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// An unknown `--gpu`.
    #[error("--gpu: `{name}` is not a known GPU: use one of {known}")]
    Gpu {
        /// As requested.
        name: String,
        /// The known names.
        known: String,
    },
    /// A file makes no sense.
    #[error("{}:{line}: {problem}", .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u32,
        /// What is wrong there.
        problem: String,
    },
}
