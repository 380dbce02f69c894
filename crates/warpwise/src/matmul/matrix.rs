//! Matrices wherever they are.

use std::borrow::Cow;
use std::ops::Range;

use super::{HostMatrix, HostMatrixMut, Layout};
use crate::device::{DevicePtr, Session, Staged};
use crate::{Device, Element, Error, Input, Output, Target, View};

/// A matrix, row after row in a slice or in a [`Buffer`](crate::Buffer), or its transpose.
///
/// ```
/// use warpwise::{Buffer, Device};
/// use warpwise::matmul::{Matrix, multiply};
///
/// let device = Device::emulator();
/// let data = Buffer::from_slice(&device, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let a = Matrix::new(&data, 2, 3)?;
/// assert_eq!(multiply(&device, &a, &a.transposed())?, [14.0, 32.0, 32.0, 77.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matrix<'a, T: Element> {
    elements: Elements<'a, T>,
    layout: Layout,
    transposed: bool,
}

#[derive(Clone, Debug)]
enum Elements<'a, T: Element> {
    Host(Cow<'a, [T]>),
    Buffer(View<'a, T>),
}

/// A [`Matrix`] to write to.
///
/// ```
/// use warpwise::matmul::{Matrix, MatrixMut, multiply_into};
///
/// // Into the right half of a 2 x 4 matrix.
/// let (ones, mut out) = ([1.0_f32; 6], [0.0; 8]);
/// let mut whole = MatrixMut::new(&mut out, 2, 4)?;
/// let (a, b) = (Matrix::new(&ones, 2, 3)?, Matrix::new(&ones, 3, 2)?);
/// multiply_into(&warpwise::Device::best(), &a, &b, &mut whole.part(0..2, 2..4)?)?;
/// assert_eq!(out, [0.0, 0.0, 3.0, 3.0, 0.0, 0.0, 3.0, 3.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct MatrixMut<'a, T: Element> {
    elements: Target<'a, T>,
    layout: Layout,
}

impl<'a, T: Element> Matrix<'a, T> {
    /// A matrix whose rows follow each other.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when there are not enough elements.
    ///
    /// ```
    /// use warpwise::matmul::Matrix;
    ///
    /// assert_eq!(Matrix::new(&[1.0; 6], 2, 3)?.columns(), 3);
    /// assert!(Matrix::new(&[1.0; 6], 3, 3).is_err());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(data: &'a (impl Input<T> + ?Sized), rows: usize, columns: usize) -> Result<Self, Error> {
        Self::with_stride(data, rows, columns, columns)
    }

    /// A matrix whose rows are `stride` elements apart.
    ///
    /// # Errors
    ///
    /// [`Error::Stride`] when rows overlap, [`Error::Length`] when there are not enough elements.
    ///
    /// ```
    /// use warpwise::matmul::Matrix;
    ///
    /// assert!(Matrix::with_stride(&[1.0; 6], 2, 2, 3).is_ok());
    /// assert!(Matrix::with_stride(&[1.0; 6], 2, 3, 2).is_err());
    /// ```
    pub fn with_stride(
        data: &'a (impl Input<T> + ?Sized),
        rows: usize,
        columns: usize,
        stride: usize,
    ) -> Result<Self, Error> {
        Self::with_layout(data, Layout { stride, ..Layout::new(rows, columns) })
    }

    /// A matrix that lies anywhere.
    pub(crate) fn with_layout(data: &'a (impl Input<T> + ?Sized), layout: Layout) -> Result<Self, Error> {
        layout.check("the matrix", data.length())?;
        let elements = match data.as_view() {
            Some(view) => Elements::Buffer(view),
            None => Elements::Host(data.on_host()?),
        };
        Ok(Self { elements, layout, transposed: false })
    }

    /// Rows as columns, without a copy.
    ///
    /// ```
    /// use warpwise::matmul::Matrix;
    ///
    /// let turned = Matrix::new(&[0.0; 6], 2, 3)?.transposed();
    /// assert_eq!((turned.rows(), turned.columns()), (3, 2));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn transposed(&self) -> Self {
        Self { transposed: !self.transposed, ..self.clone() }
    }

    /// Some rows and columns, without a copy.
    ///
    /// # Errors
    ///
    /// [`Error::View`] when a range reaches past the end.
    ///
    /// ```
    /// use warpwise::transpose;
    /// use warpwise::{Device, matmul::Matrix};
    ///
    /// // The lower right quarter of a 4 x 4 matrix.
    /// let quarter = Matrix::new(b"abcdefghijklmnop", 4, 4)?.part(2..4, 2..4)?;
    /// assert_eq!(transpose::matrix(&Device::emulator(), &quarter)?, b"kolp");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn part(&self, rows: Range<usize>, columns: Range<usize>) -> Result<Self, Error> {
        let (rows, columns) = if self.transposed { (columns, rows) } else { (rows, columns) };
        Ok(Self { layout: self.layout.part(rows, columns)?, ..self.clone() })
    }

    /// The number of rows.
    ///
    /// ```
    /// use warpwise::matmul::Matrix;
    ///
    /// assert_eq!(Matrix::new(&[0.0; 6], 2, 3)?.rows(), 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn rows(&self) -> usize {
        if self.transposed { self.layout.columns } else { self.layout.rows }
    }

    /// The number of columns.
    ///
    /// ```
    /// use warpwise::matmul::Matrix;
    ///
    /// assert_eq!(Matrix::new(&[0.0; 6], 2, 3)?.columns(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn columns(&self) -> usize {
        if self.transposed { self.layout.rows } else { self.layout.columns }
    }

    /// Whether rows are columns of the elements.
    pub(crate) fn is_transposed(&self) -> bool {
        self.transposed
    }

    /// Refuses a buffer of another device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), Error> {
        match &self.elements {
            Elements::Host(_) => Ok(()),
            Elements::Buffer(view) => view.device().check_same(device),
        }
    }

    /// The matrix in host memory, not transposed; `None` if it is in a GPU's memory.
    pub(crate) fn on_host(&self) -> Result<Option<HostMatrix<'_, T>>, Error> {
        match &self.elements {
            Elements::Host(values) => Ok(Some(self.layout.view(values)?)),
            Elements::Buffer(view) => view.in_host_memory().map(|values| self.layout.view(values)).transpose(),
        }
    }

    /// The elements on a session's GPU, and where the matrix lies in them, not transposed. Gaps between the rows of
    /// slices are not copied.
    pub(crate) fn stage(&self, session: &Session) -> Result<(Staged, Layout), Error> {
        match &self.elements {
            Elements::Buffer(view) => Ok((Staged::new(session, view)?, self.layout)),
            Elements::Host(values) => {
                let packed = super::packed(self.layout.view(values)?);
                Ok((Staged::new(session, &*packed)?, Layout::new(self.layout.rows, self.layout.columns)))
            }
        }
    }
}

impl<'a, T: Element> MatrixMut<'a, T> {
    /// A matrix whose rows follow each other.
    ///
    /// # Errors
    ///
    /// As for [`Matrix::new`].
    ///
    /// ```
    /// use warpwise::matmul::MatrixMut;
    ///
    /// assert!(MatrixMut::new(&mut [0.0; 6], 2, 3).is_ok());
    /// assert!(MatrixMut::new(&mut [0.0; 6], 3, 3).is_err());
    /// ```
    pub fn new(data: &'a mut (impl Output<T> + ?Sized), rows: usize, columns: usize) -> Result<Self, Error> {
        Self::with_stride(data, rows, columns, columns)
    }

    /// A matrix whose rows are `stride` elements apart; what is between them is left unchanged.
    ///
    /// # Errors
    ///
    /// As for [`Matrix::with_stride`].
    ///
    /// ```
    /// use warpwise::matmul::MatrixMut;
    ///
    /// assert!(MatrixMut::with_stride(&mut [0.0; 5], 2, 2, 3).is_ok());
    /// assert!(MatrixMut::with_stride(&mut [0.0; 5], 2, 3, 2).is_err());
    /// ```
    pub fn with_stride(
        data: &'a mut (impl Output<T> + ?Sized),
        rows: usize,
        columns: usize,
        stride: usize,
    ) -> Result<Self, Error> {
        Self::with_layout(data, Layout { stride, ..Layout::new(rows, columns) })
    }

    /// A matrix that lies anywhere.
    pub(crate) fn with_layout(data: &'a mut (impl Output<T> + ?Sized), layout: Layout) -> Result<Self, Error> {
        layout.check("the matrix", data.room())?;
        Ok(Self { elements: data.as_target(), layout })
    }

    /// Some rows and columns, to be written.
    ///
    /// # Errors
    ///
    /// [`Error::View`] when a range reaches past the end.
    ///
    /// ```
    /// use warpwise::matmul::MatrixMut;
    ///
    /// let mut data = [0.0; 6];
    /// assert_eq!(MatrixMut::new(&mut data, 2, 3)?.part(0..2, 1..2)?.columns(), 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn part(&mut self, rows: Range<usize>, columns: Range<usize>) -> Result<MatrixMut<'_, T>, Error> {
        let layout = self.layout.part(rows, columns)?;
        let elements = match &mut self.elements {
            Target::Slice(values) => Target::Slice(values),
            Target::Buffer(view) => view.as_target(),
        };
        Ok(MatrixMut { elements, layout })
    }

    /// The number of rows.
    ///
    /// ```
    /// use warpwise::matmul::MatrixMut;
    ///
    /// assert_eq!(MatrixMut::new(&mut [0.0; 6], 2, 3)?.rows(), 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn rows(&self) -> usize {
        self.layout.rows
    }

    /// The number of columns.
    ///
    /// ```
    /// use warpwise::matmul::MatrixMut;
    ///
    /// assert_eq!(MatrixMut::new(&mut [0.0; 6], 2, 3)?.columns(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn columns(&self) -> usize {
        self.layout.columns
    }

    /// Where it lies.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Refuses a buffer of another device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), Error> {
        self.elements.check(device)
    }

    /// The matrix, if it is in host memory.
    pub(crate) fn on_host(&mut self) -> Result<Option<HostMatrixMut<'_, T>>, Error> {
        let values = match &mut self.elements {
            Target::Slice(values) => Some(&mut **values),
            Target::Buffer(view) => view.in_host_memory(),
        };
        let Layout { rows, columns, stride, offset } = self.layout;
        let Some(values) = values else { return Ok(None) };
        // A matrix of nothing may begin beyond its elements.
        let first = offset.min(values.len());
        HostMatrixMut::with_stride(&mut values[first..], rows, columns, stride).map(Some)
    }

    /// The address of its elements on a session's GPU, if they are there.
    pub(crate) fn on_device(&self, session: &Session) -> Result<Option<DevicePtr>, Error> {
        match &self.elements {
            Target::Slice(_) => Ok(None),
            Target::Buffer(view) => view.landing(session).map(Some),
        }
    }
}
