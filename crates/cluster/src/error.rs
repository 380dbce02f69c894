//! Errors that all ranks agree on.

use std::path::{Path, PathBuf};

use crate::communicator::{Communicator, broadcast, gather};

/// What went wrong, in one sentence that says what to do.
///
/// ```
/// use warpwise_cluster::Error;
///
/// let error = Error::Flag { flag: "--type", problem: "use one of f32, f64".to_owned() };
/// assert_eq!(error.to_string(), "--type: use one of f32, f64");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A primitive cannot do it.
    #[error("{0}")]
    Primitive(#[from] warpwise::Error),
    /// A file cannot be read or written.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A flag asks for what there is not.
    #[error("{flag}: {problem}")]
    Flag {
        /// The flag.
        flag: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// Some ranks failed; the message is that of the first of them.
    #[error("{0}")]
    Ranks(String),
}

impl Error {
    pub(crate) fn file(path: &Path, problem: impl ToString) -> Self {
        Self::File { path: path.to_owned(), problem: problem.to_string() }
    }

    pub(crate) fn flag(flag: &'static str, problem: impl Into<String>) -> Self {
        Self::Flag { flag, problem: problem.into() }
    }
}

/// The result of every rank, if all have one. If any has failed, all of them get the same error: that of the first one
/// that failed.
///
/// ```
/// use warpwise_cluster::{Communicator, Error, Threads, agree};
///
/// let results = Threads::run(3, |ranks| {
///     let own = if ranks.rank() == 1 { Err(Error::Ranks("no disk".to_owned())) } else { Ok(()) };
///     agree(ranks, own).unwrap_err().to_string()
/// });
/// assert_eq!(results, ["rank 1: no disk"; 3]);
/// ```
pub fn agree<T>(ranks: &dyn Communicator, result: Result<T, Error>) -> Result<T, Error> {
    let message = result.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let failed = gather(ranks, if result.is_err() { message.len() as u64 + 1 } else { 0 });
    let Some(first) = failed.iter().position(|&length| length > 0) else { return result };
    let mut text = message.into_bytes();
    text.resize(failed[first] as usize - 1, 0);
    broadcast(ranks, first, &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    // What all ranks say needs no name.
    let all = failed.iter().all(|&length| length > 0);
    Err(Error::Ranks(if all { text } else { format!("rank {first}: {text}") }))
}

/// Like [`agree`], where a device may fail in one rank alone; what the CPU cannot do, it cannot do in any rank.
pub(crate) fn agree_on_device<T>(
    ranks: &dyn Communicator,
    device: &warpwise::Device,
    result: Result<T, warpwise::Error>,
) -> Result<T, Error> {
    let result = result.map_err(Error::from);
    if device.is_cpu() { result } else { agree(ranks, result) }
}
