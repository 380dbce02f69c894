//! What can be wrong with the request of a measurement.

use crate::NotHere;
use crate::files::FileError;

/// Bad input to `bench`: one sentence on what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A flag whose value makes no sense.
    #[error("{flag}: {problem}")]
    Flag {
        /// The flag.
        flag: String,
        /// What is wrong with its value.
        problem: String,
    },
    /// A primitive that does not exist, or that is not timed.
    #[error("there is no primitive {name} to time: use one of {known}")]
    Primitive {
        /// The name given.
        name: String,
        /// The available names.
        known: String,
    },
    /// A device that is not available.
    #[error(transparent)]
    Place(#[from] NotHere),
    /// The primitive refuses its input, or the device failed.
    #[error("{0}")]
    Library(#[from] warpwise::Error),
    /// Nothing could be measured.
    #[error("{0}")]
    Nothing(String),
    /// A file that cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file of results that cannot be read.
    #[error(transparent)]
    Results(#[from] super::ResultsError),
}

impl BenchError {
    /// What is wrong with a flag's value.
    pub(crate) fn flag(flag: &str, problem: impl ToString) -> Self {
        Self::Flag { flag: flag.to_owned(), problem: problem.to_string() }
    }
}
