//! Convolutions.

use crate::array::Array;
use crate::calls::{away, general};
use crate::error::exception;
use crate::given::Given;
use crate::host::{Kind, Plain, empty, unsupported};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use warpwise::convolve1d::{self, Convolve1d, Signal};
use warpwise::convolve2d::{self, Convolve2d, Edge, Filter};
use warpwise::{Border, Device, Error};

fn border(name: &str) -> PyResult<Border> {
    let found = Border::ALL.into_iter().find(|border| border.name() == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = Border::ALL.into_iter().map(Border::name).collect();
        PyValueError::new_err(format!("border: there is no border {name:?}: use one of {}", known.join(", ")))
    })
}

/// The convolution of an array and a mask, as `numpy.convolve`; the mask is turned around.
///
/// With `border="zero"`, `"replicate"`, `"reflect"` or `"wrap"` the result is as long as the array, which goes on beyond
/// its ends in that way.
///
/// >>> import warpwise as ww
/// >>> ww.convolve([1.0, 2.0, 3.0], [1.0, 1.0]).tolist()
/// [1.0, 3.0, 5.0, 3.0]
/// >>> ww.convolve([1.0, 2.0, 4.0], [1.0, 1.0, 1.0], border="replicate").tolist()
/// [4.0, 7.0, 10.0]
#[pyfunction]
#[pyo3(signature = (a, v, /, mode="full", *, border=None, out=None, device=None, variant=None))]
#[allow(clippy::too_many_arguments, reason = "all of them are choices")]
pub(crate) fn convolve<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
    mode: &str,
    border: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
    variant: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if [border, out, device, variant].iter().all(Option::is_none)
        && let (Some(long), Some(short)) = (Plain::of(a), Plain::of(v))
        && let (&[n], &[m]) = (long.shape(), short.shape())
        && (1..=LONGEST).contains(&m)
        && m <= n
        && long.in_c_order()
        && short.in_c_order()
        && let (Some(kind @ (Kind::I32 | Kind::F32 | Kind::F64)), true) = (long.kind(), long.kind() == short.kind())
        && let Some((first, len)) = part(mode, n, m)
    {
        let made = empty(py, kind, &[len])?;
        macro_rules! convolved {
            ($t:ident) => {{
                // SAFETY: all are dense and of this type; the last one is new.
                let (xs, mask) = unsafe { (long.slice::<$t>(), short.slice::<$t>()) };
                if let Some(to) = Plain::of(&made) {
                    // SAFETY: as above.
                    let to = unsafe { to.slice_mut::<$t>() };
                    let cpu = Device::cpu();
                    away(py, &cpu, size_of_val(xs), || wholly(&cpu, xs, mask, first, to)).map_err(exception)?;
                }
            }};
        }
        match kind {
            Kind::I32 => convolved!(i32),
            Kind::F32 => convolved!(f32),
            _ => convolved!(f64),
        }
        return Ok(made);
    }
    general(py, "convolve", (a, v, mode, border, out, device, variant))
}

/// The widest mask.
const LONGEST: usize = convolve1d::MAX_WIDTH;

/// The first product and the number of them that a mode of NumPy gives.
fn part(mode: &str, n: usize, m: usize) -> Option<(usize, usize)> {
    match mode {
        "full" => Some((0, n + m - 1)),
        "same" => Some(((m - 1) / 2, n)),
        "valid" => Some((m - 1, n - m + 1)),
        _ => None,
    }
}

/// All products of an array and a mask, from the first one wanted on.
fn wholly<T: Signal>(device: &Device, xs: &[T], mask: &[T], first: usize, to: &mut [T]) -> Result<(), Error> {
    let (n, m) = (xs.len(), mask.len());
    // The mask turned around, of odd width: slid over the array, it gives the products from number `half` on.
    let width = m + 1 - m % 2;
    let half = width / 2;
    let mut turned = vec![T::ZERO; width];
    turned[width - m..].iter_mut().rev().zip(mask).for_each(|(to, &weight)| *to = weight);
    let how = Convolve1d::new(&turned);
    let end = first + to.len();
    let (from, until) = (first.max(half), end.min(half + n));
    if until > from {
        how.run_into(device, &xs[from - half..until - half], &mut to[from - first..until - first])?;
    }
    // At both ends it went past what it was slid over: with what lies there, or zeros, once more.
    for part in [first..(from + half).min(end), until.saturating_sub(half).max(first)..end] {
        let around: Vec<T> = (part.start..part.end + 2 * half)
            .map(|at| at.checked_sub(2 * half).and_then(|at| xs.get(at).copied()).unwrap_or(T::ZERO))
            .collect();
        let found = how.run(device, &around)?;
        to[part.start - first..part.end - first].copy_from_slice(&found[half..][..part.len()]);
    }
    Ok(())
}

/// Slides a mask of odd width, which is not turned around, over a prepared array. The result is as long as the array.
#[pyfunction]
#[pyo3(signature = (a, mask, border_name, out=None, device=None, variant=None))]
pub(crate) fn slide<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    mask: &Bound<'py, PyAny>,
    border_name: &str,
    out: Option<&Bound<'py, PyAny>>,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = Given::of(a)?;
    let device = given.place(device)?;
    let border = border(border_name)?;
    let rung = variant.map(str::parse::<convolve1d::Rung>).transpose().map_err(exception)?;
    let weights = Plain::of(mask).filter(|mask| mask.in_c_order() && mask.kind() == Some(given.kind()));
    let weights = weights.ok_or_else(|| PyValueError::new_err("mask: it needs the type of the array"))?;
    macro_rules! slid {
        ($t:ident) => {{
            let input = given.input::<$t>()?;
            // SAFETY: dense and of this type.
            let how = Convolve1d::new(unsafe { weights.slice::<$t>() }).border(border).variant(rung);
            if let (Given::Device(_), None) = (given, out) {
                let made = py.detach(|| how.run_buffer(&device, &*input)).map_err(exception)?;
                return Ok(Bound::new(py, Array::new::<$t>(made, given.shape()))?.into_any());
            }
            let made = match out {
                Some(out) => out.clone(),
                None => empty(py, given.kind(), given.shape())?,
            };
            let to = Plain::of(&made).filter(|to| to.in_c_order() && to.kind() == Some(given.kind()));
            let to = to.filter(Plain::is_writable);
            let to = to.ok_or_else(|| PyValueError::new_err("out: it needs the type and shape of the array"))?;
            // SAFETY: dense, of this type, and promised to this call.
            let to = unsafe { to.slice_mut::<$t>() };
            away(py, &device, size_of_val(to), || how.run_into(&device, &*input, to)).map_err(exception)?;
            Ok(made)
        }};
    }
    match given.kind() {
        Kind::I32 => slid!(i32),
        Kind::F32 => slid!(f32),
        Kind::F64 => slid!(f64),
        other => Err(unsupported("a convolution", other, "int32, float32, float64")),
    }
}

/// Filters a prepared picture; the filter, in `float32`, is not turned around.
#[pyfunction]
#[pyo3(signature = (a, filter, border_name, out=None, device=None, variant=None))]
pub(crate) fn filter_picture<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    filter: &Bound<'py, PyAny>,
    border_name: &str,
    out: Option<&Bound<'py, PyAny>>,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = Given::of(a)?;
    let device: Device = given.place(device)?;
    let edge = if border_name == "valid" { Edge::Valid } else { Edge::Border(border(border_name)?) };
    let rung = variant.map(str::parse::<convolve2d::Rung>).transpose().map_err(exception)?;
    let weights = Plain::of(filter).filter(|filter| filter.in_c_order() && filter.kind() == Some(Kind::F32));
    let (Some(weights), &[rows, columns]) = (weights, given.shape()) else {
        return Err(PyValueError::new_err("filter2d needs a picture with two axes"));
    };
    let &[high, wide] = weights.shape() else { return Err(PyValueError::new_err("kernel: it needs two axes")) };
    // SAFETY: dense and of this type.
    let filter = Filter::new(unsafe { weights.slice() }, high, wide).map_err(exception)?;
    let how = Convolve2d::new(&filter).edge(edge).variant(rung);
    let (down, across) = edge.result(&filter, rows, columns);
    macro_rules! filtered {
        ($t:ident) => {{
            let input = given.input::<$t>()?;
            if let (Given::Device(_), None) = (given, out) {
                let made = py.detach(|| how.run_buffer(&device, &*input, (rows, columns))).map_err(exception)?;
                return Ok(Bound::new(py, Array::new::<$t>(made, &[down, across]))?.into_any());
            }
            let made = match out {
                Some(out) => out.clone(),
                None => empty(py, given.kind(), &[down, across])?,
            };
            let to = Plain::of(&made).filter(|to| to.in_c_order() && to.kind() == Some(given.kind()));
            let to = to.filter(|to| to.is_writable() && to.shape() == [down, across]);
            let to = to.ok_or_else(|| PyValueError::new_err("out: it needs the type and shape of the result"))?;
            // SAFETY: dense, of this type, and promised to this call.
            let to = unsafe { to.slice_mut::<$t>() };
            let bytes = size_of_val(to);
            let work = || how.run_into(&device, &*input, (rows, columns), to);
            away(py, &device, bytes, work).map_err(exception)?;
            Ok(made)
        }};
    }
    match given.kind() {
        Kind::U8 => filtered!(u8),
        Kind::F32 => filtered!(f32),
        other => Err(unsupported("filter2d", other, "uint8, float32")),
    }
}
