//! Transpose with choices, and without.

use super::{Rung, Transposable};
use crate::matmul::{Matrix, MatrixMut};
use crate::primitive::choices;
use crate::{Buffer, Device, Error, Geometry, Input, Output};

/// How to transpose: the device's best rung, unless choices say otherwise.
///
/// ```
/// use warpwise::Device;
/// use warpwise::matmul::Matrix;
/// use warpwise::transpose::{Rung, Transpose};
///
/// // The first two columns of a 2 x 3 matrix.
/// let left = Matrix::with_stride(b"abcdef", 2, 2, 3)?;
/// assert_eq!(Transpose::new().variant(Rung::Padded).run(&Device::emulator(), &left)?, b"adbe");
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Transpose {
    rung: Option<Rung>,
    pub(super) geometry: Geometry,
}

choices!("transpose", "Transpose::new()", [] Transpose);

impl Transpose {
    /// The way that is best on the device.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::{matmul::Matrix, transpose::Transpose};
    ///
    /// assert_eq!(Transpose::new().run(&Device::best(), &Matrix::new(b"abcdef", 2, 3)?)?, b"adbecf");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// The transpose: rows become columns. Rows of the result follow each other.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVariant`] for a rung of another kind of device, [`Error::Block`] and [`Error::Choice`] for a
    /// geometry that the rung cannot work with, [`Error::OtherDevice`] for a buffer of another device.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::{matmul::Matrix, transpose::Transpose};
    ///
    /// let column = Matrix::new(&[1.0, 2.0, 3.0], 3, 1)?;
    /// assert_eq!(Transpose::new().run(&Device::emulator(), &column)?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<T: Transposable>(&self, device: &Device, from: &Matrix<'_, T>) -> Result<Vec<T>, Error> {
        self.run_buffer(device, from)?.into_vec()
    }

    /// Transposes into existing memory, on the host or on the device; what is between the rows of the result stays as
    /// it is.
    ///
    /// # Errors
    ///
    /// As for [`run`](Transpose::run), and [`Error::Length`] when the result does not have as many rows as the matrix
    /// has columns, or the other way round.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    /// use warpwise::matmul::{Matrix, MatrixMut};
    /// use warpwise::transpose::Transpose;
    ///
    /// // Into the right half of a 2 x 4 matrix.
    /// let device = Device::emulator();
    /// let mut out = Buffer::from_slice(&device, b"........")?;
    /// let mut whole = MatrixMut::new(&mut out, 2, 4)?;
    /// Transpose::new().run_into(&device, &Matrix::new(b"abcd", 2, 2)?, &mut whole.part(0..2, 2..4)?)?;
    /// assert_eq!(out.to_vec()?, b"..ac..bd");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into<T: Transposable>(
        &self,
        device: &Device,
        from: &Matrix<'_, T>,
        to: &mut MatrixMut<'_, T>,
    ) -> Result<(), Error> {
        T::transpose_into(device, self, from, to)
    }

    /// Transposes into a new buffer, which stays on the device.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::{matmul::Matrix, transpose::Transpose};
    ///
    /// let turned = Transpose::new().run_buffer(&Device::emulator(), &Matrix::new(b"abcdef", 2, 3)?)?;
    /// assert_eq!(turned.to_vec()?, b"adbecf");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer<T: Transposable>(&self, device: &Device, from: &Matrix<'_, T>) -> Result<Buffer<T>, Error> {
        T::transpose_buffer(device, self, from)
    }
}

/// Elements of rows and columns.
fn whole<T: Transposable>(
    xs: &(impl Input<T> + ?Sized),
    (rows, columns): (usize, usize),
) -> Result<Matrix<'_, T>, Error> {
    Error::check_length("the matrix", xs.length(), Error::area(rows, columns)?)?;
    Matrix::new(xs, rows, columns)
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
    size: (usize, usize),
) -> Result<Vec<T>, Error> {
    Transpose::new().run(device, &whole(xs, size)?)
}

/// Like [`transpose`], but into existing memory: on the host or, with a buffer, on the device.
///
/// # Errors
///
/// [`Error::Length`] when there are not `rows * columns` elements on both sides.
///
/// ```
/// use warpwise::{Device, transpose};
///
/// let mut turned = *b"......";
/// transpose::transpose_into(&Device::best(), b"abcdef", (2, 3), &mut turned)?;
/// assert_eq!(&turned, b"adbecf");
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn transpose_into<T: Transposable>(
    device: &Device,
    xs: &(impl Input<T> + ?Sized),
    size: (usize, usize),
    out: &mut (impl Output<T> + ?Sized),
) -> Result<(), Error> {
    let from = whole(xs, size)?;
    Error::check_length("the output", out.room(), xs.length())?;
    Transpose::new().run_into(device, &from, &mut MatrixMut::new(out, size.1, size.0)?)
}

/// Like [`transpose`], but the result stays on the device.
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
    size: (usize, usize),
) -> Result<Buffer<T>, Error> {
    Transpose::new().run_buffer(device, &whole(xs, size)?)
}

/// The transpose of any matrix, or of a part of one.
///
/// ```
/// use warpwise::{Device, matmul::Matrix, transpose};
///
/// let quarter = Matrix::new(b"abcdefghijklmnop", 4, 4)?.part(2..4, 2..4)?;
/// assert_eq!(transpose::matrix(&Device::best(), &quarter)?, b"kolp");
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn matrix<T: Transposable>(device: &Device, from: &Matrix<'_, T>) -> Result<Vec<T>, Error> {
    Transpose::new().run(device, from)
}
