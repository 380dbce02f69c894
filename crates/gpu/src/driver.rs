//! The NVIDIA driver of this machine, if any: its version and its GPUs.

use crate::cuda::{self, Facts, NoCuda};
use libloading::Library;

/// A driver that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// The library it is reached through.
    pub library: &'static str,
    /// The CUDA version it supports, major and minor; `None` if it could not be asked.
    pub cuda: Option<(u32, u32)>,
    /// The GPUs, or why there are none.
    pub gpus: Result<Vec<Facts>, String>,
}

#[cfg(windows)]
pub(crate) const LIBRARIES: [&str; 1] = ["nvcuda.dll"];
#[cfg(not(windows))]
pub(crate) const LIBRARIES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// The libraries that are tried.
pub fn looked_for() -> &'static [&'static str] {
    &LIBRARIES
}

/// Asks the driver, if there is one.
pub fn find() -> Option<Driver> {
    // SAFETY: loading the driver's library has no requirements.
    let library = LIBRARIES.iter().find(|name| unsafe { Library::new(**name) }.is_ok())?;
    match cuda::version() {
        Err(NoCuda::Driver) => None,
        Err(problem) => {
            let cuda = if let NoCuda::TooOld { have } = problem { Some(have) } else { None };
            Some(Driver { library, cuda, gpus: Err(problem.to_string()) })
        }
        Ok(version) => {
            Some(Driver { library, cuda: Some(version), gpus: cuda::gpus().map_err(|problem| problem.to_string()) })
        }
    }
}
