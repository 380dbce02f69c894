//! What can be wrong with the request of an application.

use crate::NotHere;
use crate::files::FileError;
use crate::machine::memory::NotEnough;

/// Bad input to an application: one sentence on what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// A file that cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A device that is not available.
    #[error(transparent)]
    Place(#[from] NotHere),
    /// A flag whose value makes no sense.
    #[error("{flag}: {problem}")]
    Flag {
        /// The flag.
        flag: &'static str,
        /// What is wrong with its value.
        problem: String,
    },
    /// More memory than is available.
    #[error(transparent)]
    Memory(#[from] NotEnough),
    /// The primitive refuses its input.
    #[error("{0}")]
    Primitive(warpwise::Error),
}

impl AppError {
    /// What is wrong with a flag's value.
    pub(super) fn flag(flag: &'static str, problem: impl ToString) -> Self {
        Self::Flag { flag, problem: problem.to_string() }
    }
}

impl From<warpwise::Error> for AppError {
    fn from(error: warpwise::Error) -> Self {
        match error {
            // The flag tells users which of their arguments is wrong.
            warpwise::Error::UnknownVariant { .. } => Self::flag("--variant", error),
            other => Self::Primitive(other),
        }
    }
}
