//! Transpose on a device.

use super::{PRIMITIVE, check, check_shapes, cpu, gpu};
use crate::device::{Argument, Session, Staged};
use crate::matmul::{Layout, Matrix, MatrixMut, packed};
use crate::{Buffer, Device, Element, Error, Geometry, Input, Variant};

/// The rung where the caller does not say.
const BEST: &str = "gpu-6-vector";

/// A type of matrices that can be transposed: `u8`, `f32` or `f64`.
///
/// ```
/// fn turned<T: warpwise::transpose::Transposable>(xs: &[T; 4]) -> Result<Vec<T>, warpwise::Error> {
///     warpwise::transpose::transpose(&warpwise::Device::cpu(), xs, (2, 2))
/// }
/// assert_eq!(turned(b"abcd"), Ok(b"acbd".to_vec()));
/// ```
pub trait Transposable: Element {}

impl Transposable for u8 {}
impl Transposable for f32 {}
impl Transposable for f64 {}

/// How to transpose; the default is the best that the device has.
///
/// ```
/// use warpwise::transpose::Options;
///
/// let options = Options { variant: Some("gpu-3-tile".into()), ..Options::default() };
/// assert!(options.geometry.block.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rung, by name; the best where it is left out.
    pub variant: Option<String>,
    /// Launch geometry of GPU rungs: the threads of a block, 32 of them side by side. Those of `gpu-6-vector` and the
    /// elements of each choose one of its tiles: 256 threads with 64 or 128 bytes, with 16 or 32 `f32`, or with 8 or 16
    /// `f64`; 512 threads with 16 `f32` or 8 `f64`.
    pub geometry: Geometry,
}

/// The transpose of a matrix of rows and columns: rows become columns.
///
/// # Errors
///
/// [`Error::Length`] when there are not `rows * columns` elements.
///
/// ```
/// use warpwise::{Device, transpose};
///
/// let turned = transpose::transpose(&Device::emulator(), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], (2, 3))?;
/// assert_eq!(turned, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn transpose<T: Transposable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    (rows, columns): (usize, usize),
) -> Result<Vec<T>, Error> {
    transpose_buffer(device, xs, (rows, columns))?.into_vec()
}

/// As [`transpose`], with a result that stays on the device.
///
/// ```
/// use warpwise::{Buffer, Device, transpose};
///
/// let device = Device::emulator();
/// let xs = Buffer::from_slice(&device, b"abcdef")?;
/// let there = transpose::transpose_buffer(&device, &xs, (2, 3))?;
/// let and_back = transpose::transpose_buffer(&device, &there, (3, 2))?;
/// assert_eq!(and_back.to_vec()?, b"abcdef");
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn transpose_buffer<T: Transposable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    (rows, columns): (usize, usize),
) -> Result<Buffer<T>, Error> {
    Error::check_length("the matrix", xs.length(), Error::area(rows, columns)?)?;
    run_buffer(device, (xs, Layout::new(rows, columns)), &Options::default())
}

/// The transpose of a matrix whose rows may lie apart, in a chosen way. Rows of the result follow each other.
///
/// # Errors
///
/// [`Error::UnknownVariant`] for a variant that the device does not have, [`Error::Block`] and [`Error::Choice`] for a
/// geometry that the rung cannot work with.
///
/// ```
/// use warpwise::matmul::Matrix;
/// use warpwise::transpose::{Options, run};
///
/// // The first two columns of a 2 x 3 matrix.
/// let left = Matrix::with_stride(b"abcdef", 2, 2, 3)?;
/// let options = Options { variant: Some("gpu-4-padded".into()), ..Options::default() };
/// assert_eq!(run(&warpwise::Device::emulator(), left, &options)?, b"adbe");
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run<T: Transposable>(device: &Device, from: Matrix<'_, T>, options: &Options) -> Result<Vec<T>, Error> {
    let (rows, columns) = (from.columns(), from.rows());
    let mut out = crate::memory::zeros(Error::area(rows, columns)?);
    let to = MatrixMut::new(&mut out, rows, columns)?;
    if device.is_cpu() {
        match choose(device, options)?.name {
            "cpu-seq" => cpu::seq(from, to)?,
            _ => cpu::par_fresh(from, to)?,
        }
    } else {
        run_into(device, from, to, options)?;
    }
    Ok(out)
}

/// As [`run`], into a matrix that is there; what is between its rows stays as it is.
///
/// # Errors
///
/// As for [`run`], and [`Error::Length`] when it does not have as many rows as the first has columns, or the other way
/// round.
///
/// ```
/// use warpwise::Device;
/// use warpwise::matmul::{Matrix, MatrixMut};
/// use warpwise::transpose::{Options, run_into};
///
/// // Into the right half of a 2 x 4 matrix.
/// let mut out = [0.0; 8];
/// let right = MatrixMut::with_stride(&mut out[2..], 2, 2, 4)?;
/// run_into(&Device::best(), Matrix::new(&[1.0, 2.0, 3.0, 4.0], 2, 2)?, right, &Options::default())?;
/// assert_eq!(out, [0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 2.0, 4.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_into<T: Transposable>(
    device: &Device,
    from: Matrix<'_, T>,
    mut to: MatrixMut<'_, T>,
    options: &Options,
) -> Result<(), Error> {
    check(from, &to)?;
    if device.is_cpu() {
        return match choose(device, options)?.name {
            "cpu-seq" => cpu::seq(from, to),
            _ => cpu::par(from, to),
        };
    }
    // Without the gaps between rows: they need not go to the device.
    let (elements, layout) = (packed(from), Layout::new(from.rows(), from.columns()));
    let turned = run_buffer(device, (&*elements, layout), options)?;
    if let Some(out) = to.without_gaps() {
        return turned.download_into(out);
    }
    for (i, row) in turned.into_vec()?.chunks(to.columns().max(1)).enumerate() {
        to.row_mut(i).copy_from_slice(row);
    }
    Ok(())
}

/// As [`run`], for a matrix in a buffer (or a slice), with a result that stays on the device.
///
/// # Errors
///
/// As for [`run`], [`Error::Stride`] when the rows of a layout overlap, [`Error::Length`] when it is longer than its
/// buffer.
///
/// ```
/// use warpwise::matmul::Layout;
/// use warpwise::transpose::{Options, run_buffer};
///
/// // The lower right quarter of a 4 x 4 matrix.
/// let quarter = Layout { offset: 10, stride: 4, ..Layout::new(2, 2) };
/// let turned = run_buffer(&warpwise::Device::emulator(), (b"abcdefghijklmnop", quarter), &Options::default())?;
/// assert_eq!(turned.to_vec()?, b"kolp");
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_buffer<T: Transposable>(
    device: &Device,
    (xs, from): (&(impl Input<T> + ?Sized), Layout),
    options: &Options,
) -> Result<Buffer<T>, Error> {
    from.check("the matrix", xs.length())?;
    let Some(session) = device.session() else {
        return Ok(Buffer::from_vec(run(device, from.view(&xs.on_host()?)?, options)?));
    };
    let length = Error::area(from.rows, from.columns)?;
    if length == 0 {
        choose(device, options)?;
        return Buffer::from_slice(device, &[]);
    }
    let input = Staged::new(session, xs)?;
    let out = session.allocate((length * size_of::<T>()) as u64)?;
    let to = (out.argument(), Layout::new(from.columns, from.rows));
    launch::<T>(device, session, (input.argument(), from), to, options)?;
    Ok(Buffer::from_allocation(device, out, length))
}

/// As [`run_buffer`], into a part of a buffer, which is given back: what does not belong to the result stays as it is.
/// A buffer of another device is copied.
///
/// # Errors
///
/// As for [`run_buffer`] and [`run_into`].
///
/// ```
/// use warpwise::matmul::Layout;
/// use warpwise::transpose::{Options, run_buffer_into};
/// use warpwise::{Buffer, Device};
///
/// let device = Device::emulator();
/// let out = Buffer::from_slice(&device, b"........")?;
/// let right = Layout { offset: 2, stride: 4, ..Layout::new(2, 2) };
/// let out = run_buffer_into(&device, (b"abcd", Layout::new(2, 2)), (out, right), &Options::default())?;
/// assert_eq!(out.to_vec()?, b"..ac..bd");
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_buffer_into<T: Transposable>(
    device: &Device,
    (xs, from): (&(impl Input<T> + ?Sized), Layout),
    (out, to): (Buffer<T>, Layout),
    options: &Options,
) -> Result<Buffer<T>, Error> {
    from.check("the matrix", xs.length())?;
    to.check("the result", out.len())?;
    check_shapes((from.rows, from.columns), (to.rows, to.columns))?;
    let Some(session) = device.session() else {
        let mut values = out.into_vec()?;
        let elements = xs.on_host()?;
        // A matrix of nothing may begin beyond its buffer.
        let first = to.offset.min(values.len());
        let part = &mut values[first..];
        run_into(
            device,
            from.view(&elements)?,
            MatrixMut::with_stride(part, to.rows, to.columns, to.stride)?,
            options,
        )?;
        return Ok(Buffer::from_vec(values));
    };
    let here = out.device().session().is_some_and(|other| other.same(session));
    let out = if here { out } else { Buffer::from_slice(device, &out.into_vec()?)? };
    if from.rows == 0 || from.columns == 0 {
        choose(device, options)?;
        return Ok(out);
    }
    let (input, place) = (Staged::new(session, xs)?, Staged::new(session, &out)?);
    launch::<T>(device, session, (input.argument(), from), (place.argument(), to), options)?;
    Ok(out)
}

fn launch<T: Transposable>(
    device: &Device,
    session: &Session,
    from: (Argument, Layout),
    to: (Argument, Layout),
    options: &Options,
) -> Result<(), Error> {
    let chosen = choose(device, options)?;
    let geometry = PRIMITIVE.geometry(session, options.geometry, chosen.name, T::NAME);
    gpu::transpose::<T>(session, chosen.name, from, to, geometry)
}

fn choose(device: &Device, options: &Options) -> Result<&'static Variant, Error> {
    PRIMITIVE.choose(device, options.variant.as_deref(), BEST)
}
