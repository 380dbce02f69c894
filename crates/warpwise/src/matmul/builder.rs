//! Matrix multiply with choices, and without.

use super::{Matrix, MatrixMut, Rung, Scalar};
use crate::primitive::choices;
use crate::{Buffer, Device, Error, Geometry};

/// C = alpha A B + beta C, with choices: alpha is 1, beta is 0, and the rung is the device's fastest with the accuracy of
/// the type, unless they say otherwise. That is never `gpu-9-tensor-tf32`, which must be chosen.
///
/// ```
/// use warpwise::Device;
/// use warpwise::matmul::{Matmul, Matrix, MatrixMut, Rung};
///
/// let ones = [1.0_f32; 6];
/// let (a, b, mut c) = (Matrix::new(&ones, 2, 3)?, Matrix::new(&ones, 3, 2)?, [1.0; 4]);
/// let how = Matmul::new().alpha(2.0).beta(-1.0).variant(Rung::WarpTiled);
/// how.run_into(&Device::emulator(), &a, &b, &mut MatrixMut::new(&mut c, 2, 2)?)?;
/// assert_eq!(c, [5.0; 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matmul {
    pub(super) alpha: f64,
    pub(super) beta: f64,
    rung: Option<Rung>,
    pub(super) geometry: Geometry,
}

impl Default for Matmul {
    fn default() -> Self {
        Self { alpha: 1.0, beta: 0.0, rung: None, geometry: Geometry::default() }
    }
}

choices!("matmul", "Matmul::new()", [] Matmul);

impl Matmul {
    /// A plain product, the way that is best on the device.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::matmul::{Matmul, Matrix};
    ///
    /// let a = Matrix::new(&[1.0, 2.0, 3.0, 4.0], 2, 2)?;
    /// assert_eq!(Matmul::new().run(&Device::best(), &a, &a)?, [7.0, 10.0, 15.0, 22.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// What the product is multiplied by.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::matmul::{Matmul, Matrix};
    ///
    /// let a = Matrix::new(&[3.0], 1, 1)?;
    /// assert_eq!(Matmul::new().alpha(0.5).run(&Device::best(), &a, &a)?, [4.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn alpha(self, alpha: f64) -> Self {
        Self { alpha, ..self }
    }

    /// What the elements that are there are multiplied by before the product is added to them. With 0 they are not read:
    /// they may be NaN, or nothing yet.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::matmul::{Matmul, Matrix, MatrixMut};
    ///
    /// let (a, mut c) = (Matrix::new(&[3.0], 1, 1)?, [1.0]);
    /// Matmul::new().beta(1.0).run_into(&Device::best(), &a, &a, &mut MatrixMut::new(&mut c, 1, 1)?)?;
    /// assert_eq!(c, [10.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn beta(self, beta: f64) -> Self {
        Self { beta, ..self }
    }

    /// Whether the product is the result.
    pub(super) fn is_plain(&self) -> bool {
        self.alpha == 1.0 && self.beta == 0.0
    }

    /// The product, times alpha, row after row.
    ///
    /// # Errors
    ///
    /// [`Error::Shapes`] when rows and columns do not match, [`Error::UnknownVariant`] for a rung of another kind of
    /// device, [`Error::Block`] for a block that the rung cannot work with, [`Error::Needs`] for a tensor-core rung if
    /// the device does not have such tensor cores, or for another type, [`Error::OtherDevice`] for a buffer of another
    /// device.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::matmul::{Matmul, Matrix, Rung};
    ///
    /// let a = Matrix::new(&[1.0_f32, 2.0, 3.0], 1, 3)?;
    /// let squares = Matmul::new().variant(Rung::Tiled).run(&Device::emulator(), &a, &a.transposed())?;
    /// assert_eq!(squares, [14.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<T: Scalar>(&self, device: &Device, a: &Matrix<'_, T>, b: &Matrix<'_, T>) -> Result<Vec<T>, Error> {
        let (rows, columns) = (a.rows(), b.columns());
        let mut c = crate::memory::try_zeros(Error::area(rows, columns)?)?;
        self.run_into(device, a, b, &mut MatrixMut::new(&mut c, rows, columns)?)?;
        Ok(c)
    }

    /// C = alpha A B + beta C, into existing memory, on the host or on the device. What is between the rows of C stays
    /// as it is.
    ///
    /// # Errors
    ///
    /// As for [`run`](Matmul::run).
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    /// use warpwise::matmul::{Matmul, Matrix, MatrixMut};
    ///
    /// let device = Device::emulator();
    /// let a = Buffer::from_slice(&device, &[1.0_f32, 2.0, 3.0, 4.0])?;
    /// let (a, mut c) = (Matrix::new(&a, 2, 2)?, Buffer::zeros(&device, 4)?);
    /// for _ in 0..3 {
    ///     Matmul::new().beta(1.0).run_into(&device, &a, &a, &mut MatrixMut::new(&mut c, 2, 2)?)?;
    /// }
    /// assert_eq!(c.to_vec()?, [21.0, 30.0, 45.0, 66.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into<T: Scalar>(
        &self,
        device: &Device,
        a: &Matrix<'_, T>,
        b: &Matrix<'_, T>,
        c: &mut MatrixMut<'_, T>,
    ) -> Result<(), Error> {
        T::run(device, self, [a, b], c)
    }

    /// The product, times alpha, in a new buffer, row after row; it stays on the device.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    /// use warpwise::matmul::{Matmul, Matrix};
    ///
    /// let device = Device::emulator();
    /// let a = Buffer::from_slice(&device, &[1.0_f32, 2.0, 3.0, 4.0])?;
    /// let a = Matrix::new(&a, 2, 2)?;
    /// let squared = Matmul::new().run_buffer(&device, &a, &a)?;
    /// let cubed = Matmul::new().run_buffer(&device, &Matrix::new(&squared, 2, 2)?, &a)?;
    /// assert_eq!(cubed.to_vec()?, [37.0, 54.0, 81.0, 118.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer<T: Scalar>(
        &self,
        device: &Device,
        a: &Matrix<'_, T>,
        b: &Matrix<'_, T>,
    ) -> Result<Buffer<T>, Error> {
        let (rows, columns) = (a.rows(), b.columns());
        let mut c = Buffer::uninit(device, Error::area(rows, columns)?)?;
        self.run_into(device, a, b, &mut MatrixMut::new(&mut c, rows, columns)?)?;
        Ok(c)
    }
}

/// The product of two matrices, row after row.
///
/// # Errors
///
/// [`Error::Shapes`] when the first does not have as many columns as the second has rows.
///
/// ```
/// use warpwise::Device;
/// use warpwise::matmul::{Matrix, multiply};
///
/// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 0.0]);
/// let product = multiply(&Device::emulator(), &Matrix::new(&a, 2, 2)?, &Matrix::new(&b, 2, 2)?)?;
/// assert_eq!(product, [2.0, 1.0, 4.0, 3.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn multiply<T: Scalar>(device: &Device, a: &Matrix<'_, T>, b: &Matrix<'_, T>) -> Result<Vec<T>, Error> {
    Matmul::new().run(device, a, b)
}

/// Like [`multiply`], but into existing memory: on the host or, with a buffer, on the device.
///
/// ```
/// use warpwise::Device;
/// use warpwise::matmul::{Matrix, MatrixMut, multiply_into};
///
/// let (a, mut c) = (Matrix::new(&[2.0], 1, 1)?, [0.0]);
/// multiply_into(&Device::best(), &a, &a, &mut MatrixMut::new(&mut c, 1, 1)?)?;
/// assert_eq!(c, [4.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn multiply_into<T: Scalar>(
    device: &Device,
    a: &Matrix<'_, T>,
    b: &Matrix<'_, T>,
    c: &mut MatrixMut<'_, T>,
) -> Result<(), Error> {
    Matmul::new().run_into(device, a, b, c)
}

/// Like [`multiply`], but the product stays on the device.
///
/// ```
/// use warpwise::Device;
/// use warpwise::matmul::{Matrix, multiply_buffer};
///
/// let a = Matrix::new(&[1.0_f32, 2.0, 3.0, 4.0], 2, 2)?;
/// assert_eq!(multiply_buffer(&Device::emulator(), &a, &a)?.to_vec()?, [7.0, 10.0, 15.0, 22.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn multiply_buffer<T: Scalar>(device: &Device, a: &Matrix<'_, T>, b: &Matrix<'_, T>) -> Result<Buffer<T>, Error> {
    Matmul::new().run_buffer(device, a, b)
}
