//! The native module of the Python package: the library on arrays of NumPy, and the laboratory.
//!
//! Functions that people call (`sum`, `sort`) take the short way if they are given a dense array of NumPy and no
//! choices. Everything else goes to `warpwise._general`, which is written in Python: it makes dense arrays of what it
//! gets, keeps the rules of NumPy for types and axes, and calls the functions of this module that take prepared arrays.

#![allow(missing_docs, reason = "its items are private; what Python sees has docstrings")]

mod array;
mod calls;
mod convolve;
mod counting;
mod dlpack;
mod error;
mod formula;
mod given;
mod histogram;
mod host;
mod kernel;
mod matmul;
mod moves;
mod place;
mod reduce;
mod scan;
mod simulate;
mod sort;

use pyo3::prelude::*;

#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use super::array::{Array, upload};
    #[pymodule_export]
    use super::convolve::{convolve, filter_picture, slide};
    #[pymodule_export]
    use super::dlpack::{import_cuda, import_dlpack};
    #[pymodule_export]
    use super::formula::{Formula, is_plain};
    #[pymodule_export]
    use super::histogram::{bincount, count_between, count_by, count_numbers};
    #[pymodule_export]
    use super::kernel::{inspect_file, ladder_of, primitives, run_kernel, study_kernel};
    #[pymodule_export]
    use super::matmul::{matmul, matmul_buffer, matmul_into, transpose, transpose_buffer, transpose_into};
    #[pymodule_export]
    use super::moves::{compact, evaluate, keep};
    #[pymodule_export]
    use super::reduce::{argmax, argmin, max, min, prod, reduce_all, reduce_rows, sum};
    #[pymodule_export]
    use super::scan::{cumsum, scan, scan_all};
    #[pymodule_export]
    use super::simulate::{heat_into, radiate};
    #[pymodule_export]
    use super::sort::{argsort, argsort_into, sort, sort_buffer, sort_into, unique_counts, unique_elements};
}
