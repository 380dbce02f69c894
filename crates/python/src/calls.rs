//! What the functions of this module have in common.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use warpwise::Device;

/// Bytes up to which a call on the CPU is over before another thread could make use of the interpreter.
const SMALL: usize = 1 << 15;

/// Does work while other threads may run Python, unless there is little to do.
#[inline]
pub(crate) fn away<R: Send>(py: Python<'_>, device: &Device, bytes: usize, work: impl FnOnce() -> R + Send) -> R {
    if device.is_cpu() && bytes <= SMALL { work() } else { py.detach(work) }
}

/// Calls the function of the same name in the part of the package that is written in Python, which takes any array and
/// any choice, and calls this module again with arrays that it can use.
#[cold]
pub(crate) fn general<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("warpwise._general")?.into_any().unbind()))?;
    module.bind(py).getattr(name)?.call1(arguments.into_pyobject(py)?)
}
