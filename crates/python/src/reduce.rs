//! Reductions.

use crate::calls::{away, general};
use crate::error::exception;
use crate::formula::plain_formula;
use crate::given::Given;
use crate::host::{Kind, Plain, scalar, unsupported};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warpwise::reduce::{self, Extreme, Reduce, Reducible, Rung};
use warpwise::{Device, Operator};

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;
type Names<'a, 'py> = &'a Bound<'py, PyDict>;

const TYPES: &str = "int32, uint32, int64, uint64, float32, float64";

/// A plain call: an array of NumPy that is dense, and no choices.
macro_rules! plain {
    ($a:expr, $($choice:expr),*) => {
        if $($choice.is_none())&&* { Plain::of($a).filter(Plain::is_dense) } else { None }
    };
}

/// The sum of all elements, or of those along an axis.
///
/// Integers are added in 64 bits, as in NumPy. A string is an expression of the arrays and numbers given by name.
///
/// >>> import numpy as np, warpwise as ww
/// >>> float(ww.sum(np.array([1.5, 2.5])))
/// 4.0
/// >>> float(ww.sum("(x - m)**2", x=np.array([1.0, 5.0]), m=3.0))
/// 8.0
#[pyfunction]
#[pyo3(signature = (a, /, axis=None, dtype=None, out=None, keepdims=false, *, device=None, variant=None, **variables))]
#[allow(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn sum<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    axis: Any<'_, 'py>,
    dtype: Any<'_, 'py>,
    out: Any<'_, 'py>,
    keepdims: bool,
    device: Any<'_, 'py>,
    variant: Any<'_, 'py>,
    variables: Option<Names<'_, 'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(plain) = plain!(a, axis, dtype, out, device, variant, variables).filter(|_| !keepdims) {
        macro_rules! total {
            ($t:ident) => {{
                // SAFETY: the array is dense and of this type.
                let values = unsafe { plain.slice::<$t>() };
                let cpu = Device::cpu();
                let sum = away(py, &cpu, size_of_val(values), || reduce::sum(&cpu, values));
                return scalar(py, sum.map_err(exception)?);
            }};
        }
        match plain.kind() {
            Some(Kind::U8) => total!(u8),
            Some(Kind::I32) => total!(i32),
            Some(Kind::U32) => total!(u32),
            Some(Kind::I64) => total!(i64),
            Some(Kind::U64) => total!(u64),
            Some(Kind::F32) => total!(f32),
            Some(Kind::F64) => total!(f64),
            _ => {}
        }
    }
    if axis.is_none()
        && dtype.is_none()
        && out.is_none()
        && device.is_none()
        && variant.is_none()
        && !keepdims
        && let Some(formula) = plain_formula(a, variables)?
    {
        let given = Given::Formula(&formula);
        return match formula.kind() {
            Kind::I64 | Kind::U64 | Kind::F32 | Kind::F64 => value(py, Operator::Sum, &given, &Device::cpu(), None),
            Kind::Bool | Kind::U8 if formula.is_condition => {
                let input = given.input::<u8>()?;
                let cpu = Device::cpu();
                let sum = away(py, &cpu, bytes(&given), || reduce::sum::<u8>(&cpu, &*input));
                scalar(py, sum.map_err(exception)? as i64)
            }
            _ => general(py, "sum", (a, axis, dtype, out, keepdims, device, variant, variables)),
        };
    }
    general(py, "sum", (a, axis, dtype, out, keepdims, device, variant, variables))
}

/// The product of all elements, or of those along an axis; integers wrap in 64 bits, as in NumPy.
///
/// >>> import warpwise as ww
/// >>> int(ww.prod([2, 3, 4]))
/// 24
#[pyfunction]
#[pyo3(signature = (a, /, axis=None, dtype=None, out=None, keepdims=false, *, device=None, variant=None, **variables))]
#[allow(clippy::too_many_arguments, reason = "they are those of NumPy")]
pub(crate) fn prod<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    axis: Any<'_, 'py>,
    dtype: Any<'_, 'py>,
    out: Any<'_, 'py>,
    keepdims: bool,
    device: Any<'_, 'py>,
    variant: Any<'_, 'py>,
    variables: Option<Names<'_, 'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(plain) = plain!(a, axis, dtype, out, device, variant, variables).filter(|_| !keepdims)
        && let Some(kind @ (Kind::I64 | Kind::U64 | Kind::F32 | Kind::F64)) = plain.kind()
    {
        return value(py, Operator::Product, &Given::Host(plain, kind), &Device::cpu(), None);
    }
    general(py, "prod", (a, axis, dtype, out, keepdims, device, variant, variables))
}

macro_rules! extreme {
    ($(#[doc = $doc:expr])* $name:ident $operator:ident) => {
        $(#[doc = $doc])*
        #[pyfunction]
        #[pyo3(signature = (a, /, axis=None, out=None, keepdims=false, *, device=None, variant=None, **variables))]
        #[allow(clippy::too_many_arguments, reason = "they are those of NumPy")]
        pub(crate) fn $name<'py>(
            py: Python<'py>,
            a: &Bound<'py, PyAny>,
            axis: Any<'_, 'py>,
            out: Any<'_, 'py>,
            keepdims: bool,
            device: Any<'_, 'py>,
            variant: Any<'_, 'py>,
            variables: Option<Names<'_, 'py>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            if let Some(plain) = plain!(a, axis, out, device, variant, variables).filter(|_| !keepdims)
                && let Some(kind) = plain.kind().filter(|kind| kind.bytes() >= 4)
            {
                return value(py, Operator::$operator, &Given::Host(plain, kind), &Device::cpu(), None);
            }
            if axis.is_none() && out.is_none() && device.is_none() && variant.is_none() && !keepdims
                && let Some(formula) = plain_formula(a, variables)?
                && formula.kind().bytes() >= 4
            {
                return value(py, Operator::$operator, &Given::Formula(&formula), &Device::cpu(), None);
            }
            general(py, stringify!($name), (a, axis, out, keepdims, device, variant, variables))
        }
    };
}

extreme!(
    /// The smallest element, or those along an axis; a NaN wins, as in NumPy.
    ///
    /// >>> import warpwise as ww
    /// >>> int(ww.min([3, 1, 2]))
    /// 1
    min Min
);
extreme!(
    /// The largest element, or those along an axis; a NaN wins, as in NumPy.
    ///
    /// >>> import warpwise as ww
    /// >>> int(ww.max([3, 1, 2]))
    /// 3
    max Max
);

macro_rules! place {
    ($(#[doc = $doc:expr])* $name:ident $extreme:ident) => {
        $(#[doc = $doc])*
        #[pyfunction]
        #[pyo3(signature = (a, /, axis=None, out=None, *, device=None, variant=None, **variables))]
        pub(crate) fn $name<'py>(
            py: Python<'py>,
            a: &Bound<'py, PyAny>,
            axis: Any<'_, 'py>,
            out: Any<'_, 'py>,
            device: Any<'_, 'py>,
            variant: Any<'_, 'py>,
            variables: Option<Names<'_, 'py>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            if let Some(plain) = plain!(a, axis, out, device, variant, variables).filter(Plain::in_c_order)
                && let Some(kind) = plain.kind().filter(|kind| kind.bytes() >= 4)
            {
                return index(py, Extreme::$extreme, &Given::Host(plain, kind), &Device::cpu(), None);
            }
            general(py, stringify!($name), (a, axis, out, device, variant, variables))
        }
    };
}

place!(
    /// The place of the first smallest element, or of those along an axis; that of a NaN if there is one.
    ///
    /// >>> import warpwise as ww
    /// >>> int(ww.argmin([3, 1, 2, 1]))
    /// 1
    argmin Min
);
place!(
    /// The place of the first largest element, or of those along an axis; that of a NaN if there is one.
    ///
    /// >>> import warpwise as ww
    /// >>> int(ww.argmax([3, 1, 3]))
    /// 0
    argmax Max
);

/// Calls a function for the type of the elements.
macro_rules! reducible {
    ($given:expr, $what:expr, $t:ident => $body:expr) => {
        match $given.kind() {
            Kind::I32 => {
                type $t = i32;
                $body
            }
            Kind::U32 => {
                type $t = u32;
                $body
            }
            Kind::I64 => {
                type $t = i64;
                $body
            }
            Kind::U64 => {
                type $t = u64;
                $body
            }
            Kind::F32 => {
                type $t = f32;
                $body
            }
            Kind::F64 => {
                type $t = f64;
                $body
            }
            other => return Err(unsupported($what, other, TYPES)),
        }
    };
}

fn bytes(given: &Given<'_>) -> usize {
    given.shape().iter().product::<usize>() * given.kind().bytes()
}

fn value<'py>(
    py: Python<'py>,
    operator: Operator,
    given: &Given<'_>,
    device: &Device,
    rung: Option<Rung>,
) -> PyResult<Bound<'py, PyAny>> {
    let how = Reduce::new().operator(operator).variant(rung);
    let size = bytes(given);
    reducible!(given, operator.name(), T => {
        let input = given.input::<T>()?;
        let found = away(py, device, size, || how.run::<T>(device, &*input));
        scalar(py, found.map_err(exception)?)
    })
}

fn index<'py>(
    py: Python<'py>,
    extreme: Extreme,
    given: &Given<'_>,
    device: &Device,
    rung: Option<Rung>,
) -> PyResult<Bound<'py, PyAny>> {
    let how = Reduce::new().variant(rung);
    let size = bytes(given);
    reducible!(given, extreme.name(), T => {
        let input = given.input::<T>()?;
        let found = away(py, device, size, || how.place::<T>(device, extreme, &*input));
        scalar(py, found.map_err(exception)? as i64)
    })
}

fn operator(name: &str) -> Option<Operator> {
    match name {
        "sum" => Some(Operator::Sum),
        "prod" | "product" => Some(Operator::Product),
        "min" => Some(Operator::Min),
        "max" => Some(Operator::Max),
        _ => None,
    }
}

/// An operator by its name.
pub(crate) fn operator_named(name: &str) -> PyResult<Operator> {
    operator(name).ok_or_else(|| {
        PyValueError::new_err(format!(
            "operator: there is no operator {name:?}: use \"sum\", \"prod\", \"min\" or \"max\""
        ))
    })
}

/// Reduces a prepared array: in the type of its elements, unless it is a sum without a variant.
#[pyfunction]
#[pyo3(signature = (name, a, device=None, variant=None))]
pub(crate) fn reduce_all<'py>(
    py: Python<'py>,
    name: &str,
    a: &Bound<'py, PyAny>,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = Given::of(a)?;
    let device = given.place(device)?;
    let rung = variant.map(str::parse::<Rung>).transpose().map_err(exception)?;
    match name {
        "argmin" => index(py, Extreme::Min, &given, &device, rung),
        "argmax" => index(py, Extreme::Max, &given, &device, rung),
        "sum" if rung.is_none() => {
            macro_rules! total {
                ($t:ident) => {{
                    let input = given.input::<$t>()?;
                    let sum = away(py, &device, bytes(&given), || reduce::sum::<$t>(&device, &*input));
                    scalar(py, sum.map_err(exception)?)
                }};
            }
            match given.kind() {
                Kind::Bool | Kind::U8 => total!(u8),
                Kind::I32 => total!(i32),
                Kind::U32 => total!(u32),
                Kind::I64 => total!(i64),
                Kind::U64 => total!(u64),
                Kind::F32 => total!(f32),
                Kind::F64 => total!(f64),
                Kind::U16 => Err(unsupported("sum", Kind::U16, TYPES)),
            }
        }
        _ => value(py, operator_named(name)?, &given, &device, rung),
    }
}

/// Reduces every row of a prepared array of two axes into an array of results: the type of the elements, or `int64` for
/// places.
#[pyfunction]
pub(crate) fn reduce_rows(
    py: Python<'_>,
    name: &str,
    a: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<()> {
    let given = Given::of(a)?;
    let (Given::Host(from, _), &[rows, columns], Some(to)) = (given, given.shape(), Plain::of(out)) else {
        return Err(PyValueError::new_err("rows of arrays of NumPy are reduced"));
    };
    let device = given.place(device)?;
    let how = Reduce::new().variant(variant.map(str::parse::<Rung>).transpose().map_err(exception)?);
    let extreme = [("argmin", Extreme::Min), ("argmax", Extreme::Max)].into_iter().find(|(known, _)| *known == name);
    if to.len() != rows || !to.is_dense() {
        return Err(PyValueError::new_err("there is one result for each row"));
    }
    if columns == 0 && rows > 0 && operator(name).is_none_or(|op| !matches!(op, Operator::Sum | Operator::Product)) {
        return Err(PyValueError::new_err(format!("{name} of no elements is undefined: give at least one")));
    }
    reducible!(given, name, T => {
        // SAFETY: the array is dense and has this type.
        let from = unsafe { from.slice::<T>() };
        let row = |i: usize| &from[i * columns..(i + 1) * columns];
        if let Some((_, extreme)) = extreme {
            if to.kind() != Some(Kind::I64) {
                return Err(unsupported("an array of places", given.kind(), "int64"));
            }
            // SAFETY: dense, of this type, and nobody else's: the package made it for this call.
            let to = unsafe { to.slice_mut::<i64>() };
            return py.detach(|| fill(to, |i| Ok(how.place::<T>(&device, extreme, row(i))? as i64)));
        }
        let how = how.operator(operator_named(name)?);
        if to.kind() != Some(given.kind()) {
            return Err(unsupported("an array of results", given.kind(), "the type of the elements"));
        }
        // SAFETY: as above.
        let to = unsafe { to.slice_mut::<T>() };
        py.detach(|| fill(to, |i| one::<T>(&how, &device, row(i))))
    })
}

fn one<T: Reducible>(how: &Reduce, device: &Device, row: &[T]) -> Result<T, warpwise::Error> {
    how.run(device, row)
}

fn fill<T>(to: &mut [T], of: impl Fn(usize) -> Result<T, warpwise::Error>) -> PyResult<()> {
    for (i, place) in to.iter_mut().enumerate() {
        *place = of(i).map_err(exception)?;
    }
    Ok(())
}
