//! Sorting.

use crate::array::{Array, Storable};
use crate::calls::{away, general};
use crate::error::exception;
use crate::given::Given;
use crate::host::{Kind, Plain, empty, owned};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use warpwise::sort::{Key, Rung, Sort};
use warpwise::{Device, Error, Input, unique};

/// Numbers that a thread makes wide at a time.
const PIECE: usize = 1 << 16;

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Calls a function for the type of the keys.
macro_rules! keyed {
    ($kind:expr, $t:ident => $body:expr) => {
        match $kind {
            Kind::Bool | Kind::U8 => {
                type $t = u8;
                $body
            }
            Kind::U16 => {
                type $t = u16;
                $body
            }
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
        }
    };
}

/// Whether a call is plain: one axis of a dense array of NumPy, and no choices.
fn is_plain<'a>(a: &'a Bound<'_, PyAny>, choices: &[Any<'_, '_>], descending: bool) -> Option<(Plain<'a>, Kind)> {
    if descending || choices.iter().any(Option::is_some) {
        return None;
    }
    let plain = Plain::of(a).filter(|plain| plain.in_c_order() && plain.shape().len() == 1)?;
    Some((plain, plain.kind()?))
}

/// A sorted copy, along the last axis unless another one is given. Stable; NaNs are last.
///
/// >>> import warpwise as ww
/// >>> ww.sort([3, 1, 2]).tolist()
/// [1, 2, 3]
#[pyfunction]
#[pyo3(signature = (a, /, axis=None, *, descending=false, out=None, device=None, variant=None))]
pub(crate) fn sort<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    axis: Any<'_, 'py>,
    descending: bool,
    out: Any<'_, 'py>,
    device: Any<'_, 'py>,
    variant: Any<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    match is_plain(a, &[axis, out, device, variant], descending) {
        Some((plain, kind)) => {
            let made = empty(py, kind, plain.shape())?;
            into(py, &Given::Host(plain, kind), &made, &Sort::new(), &Device::cpu())?;
            Ok(made)
        }
        None => general(py, "sort", (a, axis, descending, out, device, variant)),
    }
}

/// The places of the elements in sorted order, along the last axis unless another one is given. Stable.
///
/// >>> import warpwise as ww
/// >>> ww.argsort([3, 1, 2]).tolist()
/// [1, 2, 0]
#[pyfunction]
#[pyo3(signature = (a, /, axis=None, *, descending=false, out=None, device=None, variant=None))]
pub(crate) fn argsort<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    axis: Any<'_, 'py>,
    descending: bool,
    out: Any<'_, 'py>,
    device: Any<'_, 'py>,
    variant: Any<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    match is_plain(a, &[axis, out, device, variant], descending) {
        Some((plain, kind)) => {
            let made = empty(py, Kind::I64, plain.shape())?;
            places(py, &Given::Host(plain, kind), &made, &Sort::new(), &Device::cpu())?;
            Ok(made)
        }
        None => general(py, "argsort", (a, axis, descending, out, device, variant)),
    }
}

/// The different elements, sorted; with `return_counts=True`, also how many there are of each. NaNs are one element.
///
/// >>> import warpwise as ww
/// >>> ww.unique([3, 1, 3]).tolist()
/// [1, 3]
#[pyfunction]
#[pyo3(signature = (a, /, return_counts=false, *, device=None))]
pub(crate) fn unique_elements<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    return_counts: bool,
    device: Any<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(plain) = Plain::of(a).filter(|plain| device.is_none() && !return_counts && plain.is_dense())
        && let Some(kind) = plain.kind().filter(|&kind| kind != Kind::Bool)
    {
        return keyed!(kind, T => {
            // SAFETY: dense and of this type.
            let values = unsafe { plain.slice::<T>() };
            let cpu = Device::cpu();
            let found = away(py, &cpu, size_of_val(values), || unique::unique(&cpu, values)).map_err(exception)?;
            owned::<T>(py, found)
        });
    }
    general(py, "unique", (a, return_counts, device))
}

fn written<'a>(out: &'a Bound<'_, PyAny>, kind: Kind, len: usize) -> PyResult<Plain<'a>> {
    let fits = |out: &Plain<'_>| out.in_c_order() && out.is_writable() && out.kind() == Some(kind) && out.len() == len;
    Plain::of(out).filter(fits).ok_or_else(|| PyValueError::new_err("out: it needs the type and shape of the result"))
}

/// The length of the last axis, and whether it is the only one.
fn rows(given: &Given<'_>) -> (usize, bool) {
    let shape = given.shape();
    (shape.last().copied().unwrap_or(1), shape.len() <= 1)
}

fn into(py: Python<'_>, from: &Given<'_>, out: &Bound<'_, PyAny>, how: &Sort, device: &Device) -> PyResult<()> {
    let (columns, flat) = rows(from);
    let to = written(out, from.kind(), from.shape().iter().product())?;
    keyed!(from.kind(), T => {
        // SAFETY: dense, of this type, and promised to this call.
        let to = unsafe { to.slice_mut::<T>() };
        let bytes = size_of_val(to);
        if flat {
            let input = from.input::<T>()?;
            return away(py, device, bytes, || how.run_into::<T>(device, &*input, to)).map_err(exception);
        }
        let Given::Host(from, _) = from else { return Err(only_flat()) };
        // SAFETY: dense and of this type.
        let from = unsafe { from.slice::<T>() };
        let work = || each(columns, from, to, |from, to| how.run_into(device, from, to));
        away(py, device, bytes, work).map_err(exception)
    })
}

fn places(py: Python<'_>, from: &Given<'_>, out: &Bound<'_, PyAny>, how: &Sort, device: &Device) -> PyResult<()> {
    let (columns, flat) = rows(from);
    let to = written(out, Kind::I64, from.shape().iter().product())?;
    // SAFETY: dense, of this type, and promised to this call.
    let to = unsafe { to.slice_mut::<i64>() };
    let bytes = size_of_val(to);
    keyed!(from.kind(), T => {
        if flat {
            let input = from.input::<T>()?;
            let work = || numbers::<T>(how, device, &*input, to);
            return away(py, device, bytes, work).map_err(exception);
        }
        let Given::Host(from, _) = from else { return Err(only_flat()) };
        // SAFETY: dense and of this type.
        let from = unsafe { from.slice::<T>() };
        let row = |from: &[T], to: &mut [i64]| numbers(how, device, from, to);
        away(py, device, bytes, || each(columns, from, to, row)).map_err(exception)
    })
}

/// The places of the elements in sorted order, in the 64 bits that NumPy has for them.
fn numbers<T: Key>(how: &Sort, device: &Device, from: &(impl Input<T> + ?Sized), to: &mut [i64]) -> Result<(), Error> {
    let n = to.len();
    how.argsort_into(device, from, &mut bytemuck::cast_slice_mut::<_, u32>(to)[n..])?;
    widen(to);
    Ok(())
}

/// Makes numbers of 64 bits of those of 32 bits that are in the second half of their memory.
fn widen(to: &mut [i64]) {
    let (n, mut done) = (to.len(), 0);
    while n - done > 1 {
        // Half of the rest is made in memory before that of what it is made from, on all cores.
        let count = (n - done) / 2;
        let (below, above) = bytemuck::cast_slice_mut::<_, u32>(to).split_at_mut(n + done);
        let wide: &mut [i64] = bytemuck::cast_slice_mut(&mut below[2 * done..][..2 * count]);
        let copy = |(wide, narrow): (&mut [i64], &[u32])| {
            wide.iter_mut().zip(narrow).for_each(|(wide, &narrow)| *wide = i64::from(narrow));
        };
        match count {
            ..=PIECE => copy((wide, &above[..count])),
            _ => wide.par_chunks_mut(PIECE).zip(above[..count].par_chunks(PIECE)).for_each(copy),
        }
        done += count;
    }
    if let Some(last) = n.checked_sub(1) {
        to[last] = i64::from(bytemuck::cast_slice::<_, u32>(to)[2 * n - 1]);
    }
}

fn only_flat() -> PyErr {
    PyValueError::new_err("axis: an array on a device is sorted only if it has one axis: reshape it")
}

fn each<T, R>(
    columns: usize,
    from: &[T],
    to: &mut [R],
    row: impl Fn(&[T], &mut [R]) -> Result<(), Error>,
) -> Result<(), Error> {
    let columns = columns.max(1);
    from.chunks(columns).zip(to.chunks_mut(columns)).try_for_each(|(from, to)| row(from, to))
}

fn choices(descending: bool, variant: Option<&str>) -> PyResult<Sort> {
    let rung = variant.map(str::parse::<Rung>).transpose().map_err(exception)?;
    Ok(Sort::new().descending(descending).variant(rung))
}

/// Sorts the rows of a prepared array into one that is there.
#[pyfunction]
pub(crate) fn sort_into(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    descending: bool,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<()> {
    let given = Given::of(a)?;
    into(py, &given, out, &choices(descending, variant)?, &given.place(device)?)
}

/// Writes the places of the elements of the rows of a prepared array in sorted order.
#[pyfunction]
pub(crate) fn argsort_into(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    descending: bool,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<()> {
    let given = Given::of(a)?;
    places(py, &given, out, &choices(descending, variant)?, &given.place(device)?)
}

/// A sorted array on the device of the given one, or the places of its elements in sorted order.
#[pyfunction]
pub(crate) fn sort_buffer(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    by_place: bool,
    descending: bool,
    variant: Option<&str>,
) -> PyResult<Array> {
    let given = Given::of(a)?;
    let (device, how) = (given.place(None)?, choices(descending, variant)?);
    let len = given.shape().iter().product();
    fn run<T: Key + Storable>(
        given: &Given<'_>,
        py: Python<'_>,
        how: &Sort,
        device: &Device,
        by_place: bool,
        len: usize,
    ) -> PyResult<Array> {
        let input = given.input::<T>()?;
        if by_place {
            let found = py.detach(|| how.argsort_buffer::<T>(device, &*input)).map_err(exception)?;
            return Ok(Array::new::<u32>(found, &[len]));
        }
        let sorted = py.detach(|| how.run_buffer::<T>(device, &*input)).map_err(exception)?;
        Ok(Array::new::<T>(sorted, &[len]))
    }
    match given.kind() {
        Kind::Bool | Kind::U8 => run::<u8>(&given, py, &how, &device, by_place, len),
        Kind::I32 => run::<i32>(&given, py, &how, &device, by_place, len),
        Kind::U32 => run::<u32>(&given, py, &how, &device, by_place, len),
        Kind::I64 => run::<i64>(&given, py, &how, &device, by_place, len),
        Kind::U64 => run::<u64>(&given, py, &how, &device, by_place, len),
        Kind::F32 => run::<f32>(&given, py, &how, &device, by_place, len),
        Kind::F64 => run::<f64>(&given, py, &how, &device, by_place, len),
        other => Err(crate::host::unsupported("sort", other, "uint8, uint32, int32 and wider types")),
    }
}

/// The different elements of a prepared array and how many there are of each.
#[pyfunction]
pub(crate) fn unique_counts<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    device: Option<&str>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    fn run<T: Key>(input: &(dyn Input<T> + Send + Sync), device: &Device) -> Result<(Vec<T>, Vec<u64>), Error> {
        let sorted = Sort::new().run_buffer::<T>(device, input)?;
        unique::run_lengths(device, &sorted)
    }
    let given = Given::of(a)?;
    let device = given.place(device)?;
    keyed!(given.kind(), T => {
        let input = given.input::<T>()?;
        let (elements, counts) = py.detach(|| run::<T>(&*input, &device)).map_err(exception)?;
        let counts: Vec<i64> = counts.into_iter().map(|count| count as i64).collect();
        Ok((owned::<T>(py, elements)?, owned(py, counts)?))
    })
}
