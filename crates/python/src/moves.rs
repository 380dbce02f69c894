//! Formulas written to memory, and arrays without what is not wanted.

use crate::array::Array;
use crate::calls::{away, general};
use crate::error::exception;
use crate::formula::Formula;
use crate::given::Given;
use crate::host::{Element, Kind, Plain, empty, owned, unsupported};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warpwise::compact::{Compact, Condition, Rung, by_mask};
use warpwise::{Device, map};

/// What a formula gives, written to an array that is there, or to a new one on the device.
#[pyfunction]
#[pyo3(signature = (formula, out=None, device=None))]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    formula: &Bound<'py, Formula>,
    out: Option<&Bound<'py, PyAny>>,
    device: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let formula = formula.get();
    let device = Given::Formula(formula).place(device)?;
    macro_rules! written {
        ($t:ident) => {{
            let elements = formula.mapped::<$t>().map_err(exception)?;
            let Some(out) = out else {
                let made = py.detach(|| map::run_buffer(&device, &elements)).map_err(exception)?;
                return Ok(Bound::new(py, Array::new::<$t>(made, formula.dimensions()))?.into_any());
            };
            let to = Plain::of(out).filter(|to| to.in_c_order() && to.is_writable());
            let to = to.filter(|to| to.kind().is_some_and(|kind| crate::given::same(kind, formula.kind())));
            let to = to.ok_or_else(|| PyValueError::new_err("out: it needs the type and shape of the result"))?;
            // SAFETY: dense, of this type, and promised to this call.
            let to = unsafe { to.slice_mut::<$t>() };
            py.detach(|| map::run_into(&device, &elements, to)).map_err(exception)?;
            Ok(out.clone())
        }};
    }
    match formula.kind() {
        Kind::I32 => written!(i32),
        Kind::U32 => written!(u32),
        Kind::I64 => written!(i64),
        Kind::U64 => written!(u64),
        Kind::F32 => written!(f32),
        Kind::F64 => written!(f64),
        Kind::Bool | Kind::U8 | Kind::U16 => written!(u8),
    }
}

fn condition<T>(relation: &str, value: T) -> PyResult<Condition<T>> {
    Ok(match relation {
        "==" => Condition::Equal(value),
        "!=" => Condition::NotEqual(value),
        "<" => Condition::Less(value),
        ">" => Condition::Greater(value),
        _ => return Err(PyValueError::new_err("a condition compares with ==, !=, < or >")),
    })
}

/// The elements of a prepared array for which a condition holds: one of a mask, or a relation to a number.
#[pyfunction]
#[pyo3(signature = (a, mask=None, relation="", number=0.0, device=None, variant=None))]
pub(crate) fn keep<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    mask: Option<&Bound<'py, PyAny>>,
    relation: &str,
    number: f64,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = Given::of(a)?;
    let device = given.place(device)?;
    let rung = variant.map(str::parse::<Rung>).transpose().map_err(exception)?;
    let mask = mask.map(Given::of).transpose()?;
    let mask = mask.map(|mask| mask.input::<u8>()).transpose()?;
    let mask = mask.as_deref();
    macro_rules! kept {
        ($t:ident) => {{
            let input = given.input::<$t>()?;
            let how = match &mask {
                Some(mask) => Compact::<$t>::by_mask(mask),
                None => Compact::new(condition(relation, number as $t)?),
            };
            let how = how.variant(rung);
            if let Given::Device(_) = given {
                let made = py.detach(|| how.run_buffer(&device, &*input)).map_err(exception)?;
                let len = made.len();
                return Ok(Bound::new(py, Array::new::<$t>(made, &[len]))?.into_any());
            }
            let found = py.detach(|| how.run(&device, &*input)).map_err(exception)?;
            owned::<$t>(py, found)
        }};
    }
    match given.kind() {
        Kind::I32 => kept!(i32),
        Kind::U32 => kept!(u32),
        Kind::F32 => kept!(f32),
        Kind::F64 => kept!(f64),
        other => Err(unsupported("compact", other, "int32, uint32, float32, float64")),
    }
}

/// The elements for which a condition holds, in their order: an expression of `x`, or an array of truth values.
///
/// >>> import warpwise as ww
/// >>> ww.compact([3, -1, 2], "x > 0").tolist()
/// [3, 2]
#[pyfunction]
#[pyo3(signature = (a, condition, /, *, device=None, variant=None, **variables))]
pub(crate) fn compact<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    condition: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
    variant: Option<&Bound<'py, PyAny>>,
    variables: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if device.is_none()
        && variant.is_none()
        && variables.is_none()
        && let (Some(plain), Some(mask)) = (Plain::of(a), Plain::of(condition))
        && plain.shape() == mask.shape()
        && plain.in_c_order()
        && mask.in_c_order()
        && mask.kind() == Some(Kind::Bool)
        && let Some(kind) = plain.kind().filter(|kind| [4, 8].contains(&kind.bytes()))
    {
        // Elements are moved as they are.
        macro_rules! moved {
            ($t:ident) => {{
                // SAFETY: both are dense, with elements of these sizes; a bool is a byte.
                let (values, mask) = unsafe { (plain.slice::<$t>(), mask.slice::<u8>()) };
                let cpu = Device::cpu();
                let work = || by_mask(&cpu, values, mask);
                let found: Vec<$t> = away(py, &cpu, size_of_val(values), work).map_err(exception)?;
                if kind == $t::KIND {
                    return owned(py, found);
                }
                let made = empty(py, kind, &[found.len()])?;
                if let Some(to) = Plain::of(&made) {
                    // SAFETY: new, dense, with elements of this size.
                    unsafe { to.slice_mut::<$t>() }.copy_from_slice(&found);
                }
                return Ok(made);
            }};
        }
        if kind.bytes() == 4 { moved!(f32) } else { moved!(f64) }
    }
    general(py, "compact", (a, condition, device, variant, variables))
}
