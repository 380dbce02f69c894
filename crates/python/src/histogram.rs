//! Histograms.

use crate::calls::general;
use crate::counting;
use crate::error::exception;
use crate::given::Given;
use crate::host::{Kind, Plain, array, empty, unsupported};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use warpwise::histogram::{Binning, Histogram, Rung};

/// Numbers that are counted at once.
const SMALL: usize = 1 << 12;
/// Bins that are made at once.
const SMALL_BINS: i64 = 1 << 16;

fn binning(name: &str, bins: usize, low: f64, high: f64) -> PyResult<Binning> {
    Ok(match name {
        "value" => Binning::Value,
        "letter" => Binning::Letter,
        "modulo" => Binning::Modulo { bins },
        "even" => Binning::Even { bins, lo: low, hi: high },
        _ => {
            return Err(PyValueError::new_err(format!(
                "by: there is no way {name:?}: use \"range\", \"value\", \"modulo\" or \"letter\""
            )));
        }
    })
}

/// Counts the elements of a prepared array by a rule of the library.
#[pyfunction]
#[pyo3(signature = (a, by, bins, low=0.0, high=1.0, device=None, variant=None))]
#[allow(clippy::too_many_arguments, reason = "all of them are choices")]
pub(crate) fn count_by<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    by: &str,
    bins: usize,
    low: f64,
    high: f64,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = Given::of(a)?;
    let device = given.place(device)?;
    let rung = variant.map(str::parse::<Rung>).transpose().map_err(exception)?;
    let how = Histogram::new(binning(by, bins, low, high)?).variant(rung);
    macro_rules! counted {
        ($t:ident) => {{
            let input = given.input::<$t>()?;
            py.detach(|| how.run::<$t>(&device, &*input)).map_err(exception)?
        }};
    }
    let counts = match given.kind() {
        Kind::Bool | Kind::U8 => counted!(u8),
        Kind::I32 => counted!(i32),
        Kind::U32 => counted!(u32),
        Kind::F32 => counted!(f32),
        Kind::F64 => counted!(f64),
        other => return Err(unsupported("a histogram", other, "uint8, int32, uint32, float32, float64")),
    };
    let counts: Vec<i64> = counts.into_iter().map(|count| count as i64).collect();
    array(py, &counts)
}

/// Counts by the rule of NumPy: an element is in the bin whose edges it lies between; the last bin has both its edges.
/// Whether the edges are at equal distances is said by `even`.
#[pyfunction]
pub(crate) fn count_between<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    edges: Vec<f64>,
    even: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let Given::Host(plain, kind) = Given::of(a)? else {
        return Err(PyValueError::new_err("a: not an array of NumPy"));
    };
    if edges.len() < 2 {
        return Err(PyValueError::new_err("bins: there are no edges: give at least two"));
    }
    macro_rules! counted {
        ($t:ident) => {{
            // SAFETY: dense and of this type.
            let values = unsafe { plain.slice::<$t>() };
            py.detach(|| counting::between(values, &edges, even, |x| x as f64))
        }};
    }
    let counts = match kind {
        Kind::Bool | Kind::U8 => counted!(u8),
        Kind::U16 => counted!(u16),
        Kind::I32 => counted!(i32),
        Kind::U32 => counted!(u32),
        Kind::I64 => counted!(i64),
        Kind::U64 => counted!(u64),
        Kind::F32 => counted!(f32),
        Kind::F64 => counted!(f64),
    };
    array(py, &counts)
}

/// How often each number from 0 occurs, for `numpy.bincount`'s rule. The numbers are below `bins`.
#[pyfunction]
pub(crate) fn count_numbers<'py>(py: Python<'py>, a: &Bound<'py, PyAny>, bins: usize) -> PyResult<Bound<'py, PyAny>> {
    let plain = Plain::of(a).filter(|plain| plain.is_dense() && plain.kind() == Some(Kind::I64));
    let plain = plain.ok_or_else(|| PyValueError::new_err("a: not a dense array of int64"))?;
    // SAFETY: dense and of this type.
    let values = unsafe { plain.slice::<i64>() };
    let bin = move |value: i64| usize::try_from(value).map_or(bins, |bin| bin.min(bins));
    let counts = py.detach(|| counting::by_bin(values, bins, bin));
    array(py, &counts)
}

/// How often each number from 0 on occurs, as `numpy.bincount`.
///
/// >>> import warpwise as ww
/// >>> ww.bincount([0, 2, 2]).tolist()
/// [1, 0, 2]
#[pyfunction]
#[pyo3(signature = (x, /, weights=None, minlength=0, *, device=None, variant=None))]
pub(crate) fn bincount<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    weights: Option<&Bound<'py, PyAny>>,
    minlength: i64,
    device: Option<&Bound<'py, PyAny>>,
    variant: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if weights.is_none()
        && device.is_none()
        && variant.is_none()
        && (0..=SMALL_BINS).contains(&minlength)
        && let Some(plain) = Plain::of(x).filter(Plain::in_c_order)
        && let (&[length], Some(kind)) = (plain.shape(), plain.kind())
    {
        if kind == Kind::I64 && (1..=SMALL).contains(&length) {
            // SAFETY: dense and of this type.
            let values = unsafe { plain.slice::<i64>() };
            if let Some(made) = few_numbers(py, values, minlength)? {
                return Ok(made);
            }
        } else if length > SMALL
            && let Some(mut counts) = many_numbers(py, plain, kind)
        {
            counts.resize(counts.len().max(minlength as usize), 0);
            return array(py, &counts);
        }
    }
    general(py, "bincount", (x, weights, minlength, device, variant))
}

/// Counts a few numbers at once; none if one of them is negative or large.
fn few_numbers<'py>(py: Python<'py>, values: &[i64], minlength: i64) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (low, high) = values.iter().fold((0, 0), |(low, high), &x| (x.min(low), x.max(high)));
    if low < 0 || high >= SMALL_BINS {
        return Ok(None);
    }
    let made = empty(py, Kind::I64, &[(high + 1).max(minlength) as usize])?;
    if let Some(to) = Plain::of(&made) {
        // SAFETY: new, dense and of this type.
        let counts = unsafe { to.slice_mut::<i64>() };
        counts.fill(0);
        values.iter().for_each(|&x| counts[x as usize] += 1);
    }
    Ok(Some(made))
}

/// Counts many numbers; none if one of them is negative or large.
fn many_numbers(py: Python<'_>, plain: Plain<'_>, kind: Kind) -> Option<Vec<i64>> {
    macro_rules! counted {
        ($t:ident) => {{
            // SAFETY: dense and of this type.
            let values = unsafe { plain.slice::<$t>() };
            py.detach(|| counting::numbers(values, |x| i64::from(x) as u64))
        }};
    }
    match kind {
        Kind::U8 => counted!(u8),
        Kind::U16 => counted!(u16),
        Kind::I32 => counted!(i32),
        Kind::U32 => counted!(u32),
        Kind::I64 => counted!(i64),
        _ => None,
    }
}
