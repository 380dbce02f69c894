//! Scans.

use crate::array::Array;
use crate::calls::{away, general};
use crate::error::exception;
use crate::given::Given;
use crate::host::{Element, Kind, LARGE, Plain, empty, owned, unsupported};
use crate::reduce::operator_named;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warpwise::scan::{Kind as Ends, Rung, Scan, Scannable};
use warpwise::{Device, Operator};

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The sums of the elements up to each one, as in NumPy: of all of them, or along an axis.
///
/// >>> import warpwise as ww
/// >>> ww.cumsum([1, 2, 3]).tolist()
/// [1, 3, 6]
#[pyfunction]
#[pyo3(signature = (a, /, axis=None, dtype=None, out=None, *, device=None, variant=None, **variables))]
#[allow(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn cumsum<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    axis: Any<'_, 'py>,
    dtype: Any<'_, 'py>,
    out: Any<'_, 'py>,
    device: Any<'_, 'py>,
    variant: Any<'_, 'py>,
    variables: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let chosen = [axis, dtype, device, variant].iter().any(Option::is_some) || variables.is_some();
    if let Some(plain) = Plain::of(a).filter(|plain| !chosen && plain.in_c_order() && plain.shape().len() == 1)
        && let Some(kind @ (Kind::I64 | Kind::U64 | Kind::F32 | Kind::F64)) = plain.kind()
        && out.is_none_or(|out| fits(out, plain, kind))
    {
        return on_cpu(py, plain, kind, out, &Scan::new());
    }
    general(py, "cumsum", (a, axis, dtype, out, device, variant, variables))
}

/// Whether an array can take the result as it is.
fn fits(out: &Bound<'_, PyAny>, of: Plain<'_>, kind: Kind) -> bool {
    Plain::of(out).is_some_and(|out| {
        out.in_c_order() && out.is_writable() && out.kind() == Some(kind) && out.shape() == of.shape()
            // In place, or elsewhere: a part of the same memory would be read after it is written.
            && (out.address() == of.address() || apart(out, of))
    })
}

fn apart(a: Plain<'_>, b: Plain<'_>) -> bool {
    let end = |plain: Plain<'_>| plain.address() as usize + plain.len() * plain.kind().map_or(8, Kind::bytes);
    end(a) <= b.address() as usize || end(b) <= a.address() as usize
}

/// The elements up to each one combined: with `exclusive=True`, without it.
///
/// `operator` is "sum", "prod", "min" or "max". The result has the type of the elements; integers wrap.
///
/// >>> import warpwise as ww
/// >>> ww.scan([3, 1, 2], "max").tolist()
/// [3, 3, 3]
/// >>> ww.scan([3, 1, 2], exclusive=True).tolist()
/// [0, 3, 4]
#[pyfunction]
#[pyo3(signature = (a, /, operator="sum", *, exclusive=false, axis=None, out=None, device=None, variant=None, **variables))]
#[allow(clippy::too_many_arguments, reason = "all of them are choices")]
pub(crate) fn scan<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    operator: &str,
    exclusive: bool,
    axis: Any<'_, 'py>,
    out: Any<'_, 'py>,
    device: Any<'_, 'py>,
    variant: Any<'_, 'py>,
    variables: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let chosen = [axis, device, variant].iter().any(Option::is_some) || variables.is_some();
    if let Some(plain) = Plain::of(a).filter(|plain| !chosen && plain.in_c_order() && plain.shape().len() == 1)
        && let Some(kind) = plain.kind().filter(|kind| kind.bytes() >= 4)
        && out.is_none_or(|out| fits(out, plain, kind))
    {
        let ends = if exclusive { Ends::Exclusive } else { Ends::Inclusive };
        let how = Scan::new().operator(operator_named(operator)?).kind(ends);
        return on_cpu(py, plain, kind, out, &how);
    }
    general(py, "scan", (a, operator, exclusive, axis, out, device, variant, variables))
}

/// Calls a function for the type of a kind.
macro_rules! with_type {
    ($kind:expr, $function:ident $arguments:tt) => {
        match $kind {
            Kind::I32 => $function::<i32> $arguments,
            Kind::U32 => $function::<u32> $arguments,
            Kind::I64 => $function::<i64> $arguments,
            Kind::U64 => $function::<u64> $arguments,
            Kind::F32 => $function::<f32> $arguments,
            Kind::F64 => $function::<f64> $arguments,
            other => Err(unsupported("a scan", other, "int32, uint32, int64, uint64, float32, float64")),
        }
    };
}

/// The scan of one axis on the CPU, into an array or into a new one.
fn on_cpu<'py>(
    py: Python<'py>,
    from: Plain<'_>,
    kind: Kind,
    out: Any<'_, 'py>,
    how: &Scan,
) -> PyResult<Bound<'py, PyAny>> {
    if out.is_none() && from.len() * kind.bytes() >= LARGE {
        // The library writes fresh memory in an order of its own.
        return with_type!(kind, in_fresh_memory(py, from, how));
    }
    let made = out.map_or_else(|| empty(py, kind, from.shape()), |out| Ok(out.clone()))?;
    scanned(py, &Given::Host(from, kind), &made, how, &Device::cpu())?;
    Ok(made)
}

fn in_fresh_memory<'py, T: Scannable + Element>(
    py: Python<'py>,
    from: Plain<'_>,
    how: &Scan,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: dense and of this type.
    let xs = unsafe { from.slice::<T>() };
    let device = Device::cpu();
    let sums = away(py, &device, size_of_val(xs), || how.run::<T>(&device, xs)).map_err(exception)?;
    owned(py, sums)
}

fn scanned(py: Python<'_>, from: &Given<'_>, to: &Bound<'_, PyAny>, how: &Scan, device: &Device) -> PyResult<()> {
    with_type!(from.kind(), scanned_as(py, from, to, how, device))
}

fn scanned_as<T: Scannable + Element>(
    py: Python<'_>,
    from: &Given<'_>,
    to: &Bound<'_, PyAny>,
    how: &Scan,
    device: &Device,
) -> PyResult<()> {
    let Some(to) = Plain::of(to).filter(|to| to.in_c_order() && to.is_writable()) else {
        return Err(PyValueError::new_err("out: not an array of NumPy that can be written"));
    };
    let shape = from.shape();
    if to.kind() != Some(from.kind()) || to.len() != shape.iter().product::<usize>() {
        return Err(PyValueError::new_err("out: it needs the type and the number of the elements"));
    }
    // SAFETY: dense, of this type, and promised to this call.
    let out = unsafe { to.slice_mut::<T>() };
    let bytes = size_of_val(out);
    // Every row of an array of two axes is a scan of its own.
    let rows = if shape.len() == 2 { shape[0] } else { 1 };
    if rows == 1 {
        let input = from.input::<T>()?;
        return away(py, device, bytes, || how.run_into::<T>(device, &*input, out)).map_err(exception);
    }
    let Given::Host(from, _) = from else {
        return Err(PyValueError::new_err("axis: only arrays of NumPy are scanned along an axis"));
    };
    // SAFETY: dense and of this type.
    let from = unsafe { from.slice::<T>() };
    away(py, device, bytes, || by_rows(how, device, rows, from, out)).map_err(exception)
}

fn by_rows<T: Scannable>(
    how: &Scan,
    device: &Device,
    rows: usize,
    from: &[T],
    out: &mut [T],
) -> Result<(), warpwise::Error> {
    let columns = (from.len() / rows.max(1)).max(1);
    for (from, out) in from.chunks(columns).zip(out.chunks_mut(columns)) {
        how.run_into(device, from, out)?;
    }
    Ok(())
}

/// Scans a prepared array into one that is there, or into a new array on the device.
#[pyfunction]
#[pyo3(signature = (operator, exclusive, a, out=None, device=None, variant=None))]
pub(crate) fn scan_all<'py>(
    py: Python<'py>,
    operator: &str,
    exclusive: bool,
    a: &Bound<'py, PyAny>,
    out: Any<'_, 'py>,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = Given::of(a)?;
    let device = given.place(device)?;
    let operator: Operator = operator_named(operator)?;
    let rung = variant.map(str::parse::<Rung>).transpose().map_err(exception)?;
    let how = Scan::new().operator(operator).variant(rung);
    let how = how.kind(if exclusive { Ends::Exclusive } else { Ends::Inclusive });
    if let Some(out) = out {
        scanned(py, &given, out, &how, &device)?;
        return Ok(out.clone());
    }
    macro_rules! buffer {
        ($t:ident) => {{
            let input = given.input::<$t>()?;
            let made = py.detach(|| how.run_buffer::<$t>(&device, &*input)).map_err(exception)?;
            let shape = [made.len()];
            Ok(Bound::new(py, Array::new::<$t>(made, &shape))?.into_any())
        }};
    }
    match given.kind() {
        Kind::I32 => buffer!(i32),
        Kind::U32 => buffer!(u32),
        Kind::I64 => buffer!(i64),
        Kind::U64 => buffer!(u64),
        Kind::F32 => buffer!(f32),
        Kind::F64 => buffer!(f64),
        other => Err(unsupported("a scan", other, "int32, uint32, int64, uint64, float32, float64")),
    }
}
