//! Products of matrices, and transposes.

use crate::array::Array;
use crate::calls::{away, general};
use crate::error::exception;
use crate::given::Given;
use crate::host::{Element, Kind, Plain, empty, unsupported};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use warpwise::matmul::{Matmul, Matrix, MatrixMut, Rung, Scalar};
use warpwise::transpose::{Rung as Turn, Transposable, Transpose};
use warpwise::{Device, Error};

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// A matrix in the memory of an array of NumPy: rows at a distance, or columns.
struct Laid<'a, T> {
    data: &'a [T],
    rows: usize,
    columns: usize,
    stride: usize,
    transposed: bool,
}

impl<'a, T: Element> Laid<'a, T> {
    /// The matrix of an array, if its rows or its columns are in one piece.
    fn of(plain: Plain<'a>) -> Option<Self> {
        let (&[rows, columns], &[down, right]) = (plain.shape(), plain.strides()) else { return None };
        let size = size_of::<T>() as isize;
        if rows == 0 || columns == 0 {
            return Some(Self { data: &[], rows, columns, stride: columns, transposed: false });
        }
        if plain.in_c_order() {
            // Distances along an axis of one element say nothing.
            // SAFETY: dense and of this type.
            let data = unsafe { plain.slice() };
            return Some(Self { data, rows, columns, stride: columns, transposed: false });
        }
        let fits = |long: isize, short: isize, across: usize| {
            (short == size || across == 1) && long >= size * across as isize && long % size == 0
        };
        let (transposed, stride, rows, columns) = if fits(down, right, columns) || (rows == 1 && right == size) {
            (false, down, rows, columns)
        } else if fits(right, down, rows) || (columns == 1 && down == size) {
            (true, right, columns, rows)
        } else {
            return None;
        };
        let stride = (stride / size).max(columns as isize) as usize;
        let stride = if rows == 1 { columns } else { stride };
        // SAFETY: the first row starts at the address, others follow at the distance, and the last one has `columns`.
        let data = unsafe { std::slice::from_raw_parts(plain.address().cast(), (rows - 1) * stride + columns) };
        Some(Self { data, rows, columns, stride, transposed })
    }

    fn matrix(&self) -> Result<Matrix<'_, T>, Error> {
        let matrix = Matrix::with_stride(self.data, self.rows, self.columns, self.stride)?;
        Ok(if self.transposed { matrix.transposed() } else { matrix })
    }
}

/// The product of two matrices, or of stacks of them, as in NumPy.
///
/// >>> import numpy as np, warpwise as ww
/// >>> ww.matmul(np.eye(2), np.ones((2, 2))).tolist()
/// [[1.0, 1.0], [1.0, 1.0]]
#[pyfunction]
#[pyo3(signature = (a, b, /, out=None, *, device=None, variant=None))]
pub(crate) fn matmul<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    out: Any<'_, 'py>,
    device: Any<'_, 'py>,
    variant: Any<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    if out.is_none()
        && device.is_none()
        && variant.is_none()
        && let (Some(left), Some(right)) = (Plain::of(a), Plain::of(b))
        && let (&[m, inner], &[again, n]) = (left.shape(), right.shape())
        && inner == again
        && let (Some(kind @ (Kind::F32 | Kind::F64)), true) = (left.kind(), left.kind() == right.kind())
    {
        let made = empty(py, kind, &[m, n])?;
        let done = match kind {
            Kind::F32 => product::<f32>(py, left, right, &made, &Matmul::new(), &Device::cpu()),
            _ => product::<f64>(py, left, right, &made, &Matmul::new(), &Device::cpu()),
        };
        if done? {
            return Ok(made);
        }
    }
    general(py, "matmul", (a, b, out, device, variant))
}

/// Whether it was possible: both matrices have rows or columns in one piece.
fn product<T: Scalar + Element>(
    py: Python<'_>,
    a: Plain<'_>,
    b: Plain<'_>,
    out: &Bound<'_, PyAny>,
    how: &Matmul,
    device: &Device,
) -> PyResult<bool> {
    let (Some(a), Some(b)) = (Laid::<T>::of(a), Laid::<T>::of(b)) else { return Ok(false) };
    let Some(to) = Plain::of(out).filter(|to| to.in_c_order() && to.is_writable() && to.kind() == Some(T::KIND)) else {
        return Ok(false);
    };
    let &[m, n] = to.shape() else { return Ok(false) };
    // SAFETY: dense, of this type, and promised to this call.
    let to = unsafe { to.slice_mut::<T>() };
    let inner = if a.transposed { a.rows } else { a.columns };
    if inner == 0 {
        to.fill(T::ZERO);
        return Ok(true);
    }
    if m == 0 || n == 0 {
        return Ok(true);
    }
    let bytes = size_of_val(a.data) + size_of_val(b.data);
    let work = || -> Result<(), Error> {
        let mut c = MatrixMut::new(to, m, n)?;
        how.run_into(device, &a.matrix()?, &b.matrix()?, &mut c)
    };
    away(py, device, bytes, work).map_err(exception)?;
    Ok(true)
}

/// The product of two prepared matrices into one that is there.
#[pyfunction]
pub(crate) fn matmul_into(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<()> {
    let device = device.map_or_else(|| Ok(Device::cpu()), crate::place::named)?;
    let how = Matmul::new().variant(variant.map(str::parse::<Rung>).transpose().map_err(exception)?);
    let refused = || PyValueError::new_err("matmul: these are not matrices with rows in one piece");
    let (Some(left), Some(right)) = (Plain::of(a), Plain::of(b)) else { return Err(refused()) };
    let done = match left.kind() {
        Some(Kind::F32) => product::<f32>(py, left, right, out, &how, &device)?,
        Some(Kind::F64) => product::<f64>(py, left, right, out, &how, &device)?,
        Some(other) => return Err(unsupported("matmul", other, "float32, float64")),
        None => false,
    };
    if done { Ok(()) } else { Err(refused()) }
}

/// The product of two matrices on a device, as a new one there.
#[pyfunction]
pub(crate) fn matmul_buffer(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    variant: Option<&str>,
) -> PyResult<Array> {
    let (left, right) = (Given::of(a)?, Given::of(b)?);
    let device = left.place(None)?;
    let how = Matmul::new().variant(variant.map(str::parse::<Rung>).transpose().map_err(exception)?);
    let (&[m, k], &[again, n]) = (left.shape(), right.shape()) else {
        return Err(PyValueError::new_err("matmul: arrays on a device are multiplied if they have two axes"));
    };
    macro_rules! multiplied {
        ($t:ident) => {{
            let (a, b) = (left.input::<$t>()?, right.input::<$t>()?);
            let work = || how.run_buffer(&device, &Matrix::new(&*a, m, k)?, &Matrix::new(&*b, again, n)?);
            Ok(Array::new::<$t>(py.detach(work).map_err(exception)?, &[m, n]))
        }};
    }
    match (left.kind(), right.kind()) {
        (Kind::F32, Kind::F32) => multiplied!(f32),
        (Kind::F64, Kind::F64) => multiplied!(f64),
        (other, _) => Err(unsupported("matmul", other, "float32, float64, the same for both")),
    }
}

/// A transposed copy of an array of two axes, or of any number in another order.
///
/// >>> import numpy as np, warpwise as ww
/// >>> ww.transpose(np.arange(6).reshape(2, 3)).tolist()
/// [[0, 3], [1, 4], [2, 5]]
#[pyfunction]
#[pyo3(signature = (a, /, axes=None, *, out=None, device=None, variant=None))]
pub(crate) fn transpose<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    axes: Any<'_, 'py>,
    out: Any<'_, 'py>,
    device: Any<'_, 'py>,
    variant: Any<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    if axes.is_none()
        && out.is_none()
        && device.is_none()
        && variant.is_none()
        && let Some(plain) = Plain::of(a).filter(Plain::in_c_order)
        && let (Some(kind), &[rows, columns]) = (plain.kind(), plain.shape())
        && kind != Kind::U16
    {
        let made = empty(py, kind, &[columns, rows])?;
        turn(py, plain, kind, &made, &Transpose::new(), &Device::cpu())?;
        return Ok(made);
    }
    general(py, "transpose", (a, axes, out, device, variant))
}

/// Elements are moved as they are, so that types of the same size are the same.
fn turn(
    py: Python<'_>,
    from: Plain<'_>,
    kind: Kind,
    out: &Bound<'_, PyAny>,
    how: &Transpose,
    device: &Device,
) -> PyResult<()> {
    let to = Plain::of(out).filter(|to| to.in_c_order() && to.is_writable() && to.kind() == Some(kind));
    let to = to.filter(|to| to.len() == from.len());
    let to = to.ok_or_else(|| PyValueError::new_err("out: it needs the type and shape of the result"))?;
    let &[rows, columns] = from.shape() else { return Err(PyValueError::new_err("a: it needs two axes")) };
    fn run<T: Transposable + Element>(
        from: &[T],
        (rows, columns): (usize, usize),
        to: &mut [T],
        how: &Transpose,
        device: &Device,
    ) -> Result<(), Error> {
        how.run_into(device, &Matrix::new(from, rows, columns)?, &mut MatrixMut::new(to, columns, rows)?)
    }
    macro_rules! moved {
        ($t:ident) => {{
            // SAFETY: both are dense, with elements of this size and alignment; the second is promised to this call.
            let (from, to) = unsafe { (from.slice::<$t>(), to.slice_mut::<$t>()) };
            away(py, device, size_of_val(from), || run(from, (rows, columns), to, how, device)).map_err(exception)
        }};
    }
    match kind.bytes() {
        1 => moved!(u8),
        4 => moved!(f32),
        8 => moved!(f64),
        _ => Err(unsupported("transpose", kind, "types of one, four or eight bytes")),
    }
}

/// Transposes a prepared array into one that is there.
#[pyfunction]
pub(crate) fn transpose_into(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    device: Option<&str>,
    variant: Option<&str>,
) -> PyResult<()> {
    let device = device.map_or_else(|| Ok(Device::cpu()), crate::place::named)?;
    let rung = variant.map(str::parse::<Turn>).transpose().map_err(exception)?;
    let plain = Plain::of(a).filter(Plain::in_c_order);
    let (Some(plain), Some(kind)) = (plain, plain.and_then(|plain| plain.kind())) else {
        return Err(PyValueError::new_err("a: not a dense array of NumPy"));
    };
    turn(py, plain, kind, out, &Transpose::new().variant(rung), &device)
}

/// A transposed copy of a matrix on a device.
#[pyfunction]
pub(crate) fn transpose_buffer(py: Python<'_>, a: &Bound<'_, PyAny>, variant: Option<&str>) -> PyResult<Array> {
    let given = Given::of(a)?;
    let device = given.place(None)?;
    let rung = variant.map(str::parse::<Turn>).transpose().map_err(exception)?;
    let how = Transpose::new().variant(rung);
    let &[rows, columns] = given.shape() else { return Err(PyValueError::new_err("a: it needs two axes")) };
    macro_rules! moved {
        ($t:ident) => {{
            let input = given.input::<$t>()?;
            let work = || how.run_buffer(&device, &Matrix::new(&*input, rows, columns)?);
            Ok(Array::new::<$t>(py.detach(work).map_err(exception)?, &[columns, rows]))
        }};
    }
    match given.kind() {
        Kind::Bool | Kind::U8 => moved!(u8),
        Kind::F32 => moved!(f32),
        Kind::F64 => moved!(f64),
        other => Err(unsupported("transpose on a device", other, "uint8, float32, float64")),
    }
}
