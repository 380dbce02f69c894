//! Errors of the library as exceptions.

use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use warpwise::Error;

/// What Python code expects to catch: `ValueError` for input that is wrong, `TypeError` for types without the
/// operation, `MemoryError`, and `RuntimeError` for what went wrong on a device.
pub(crate) fn exception(error: Error) -> PyErr {
    let words = error.to_string();
    match error {
        Error::OutOfMemory { .. } => PyMemoryError::new_err(words),
        Error::NoCuda(_) | Error::Lost | Error::Launch(_) | Error::Kernel(_) => PyRuntimeError::new_err(words),
        Error::Binning { .. } => PyTypeError::new_err(words),
        _ => PyValueError::new_err(words),
    }
}
