//! Matrices as views of slices: what the loops of the CPU take.

use crate::{Element, Error};

/// A matrix, row after row in a slice, `stride` elements from one row to the next.
///
/// ```
/// use warpwise::matmul::HostMatrix;
///
/// let data = [1, 2, 3, 4, 5, 6];
/// // The first two columns of a 2 x 3 matrix.
/// let left = HostMatrix::with_stride(&data, 2, 2, 3)?;
/// assert_eq!(left.row(1), [4, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HostMatrix<'a, T> {
    data: &'a [T],
    rows: usize,
    columns: usize,
    stride: usize,
}

/// A [`HostMatrix`] to write to.
///
/// ```
/// use warpwise::matmul::HostMatrixMut;
///
/// let mut data = [0; 6];
/// let mut right = HostMatrixMut::with_stride(&mut data[1..], 2, 2, 3)?;
/// right.row_mut(1).fill(7);
/// assert_eq!(data, [0, 0, 0, 0, 7, 7]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct HostMatrixMut<'a, T> {
    data: &'a mut [T],
    rows: usize,
    columns: usize,
    stride: usize,
}

/// Checks a shape against its slice.
fn check(length: usize, rows: usize, columns: usize, stride: usize) -> Result<(), Error> {
    if stride < columns {
        return Err(Error::Stride { stride, columns });
    }
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    let needed = Error::area(rows - 1, stride)?.checked_add(columns).ok_or(Error::TooLarge { rows, columns })?;
    if length < needed { Err(Error::Length { what: "the matrix", expected: needed, found: length }) } else { Ok(()) }
}

impl<'a, T: Element> HostMatrix<'a, T> {
    /// A matrix whose rows follow each other.
    ///
    /// # Errors
    ///
    /// As for [`with_stride`](HostMatrix::with_stride).
    ///
    /// ```
    /// use warpwise::matmul::HostMatrix;
    ///
    /// assert_eq!(HostMatrix::new(&[1, 2, 3, 4, 5, 6], 2, 3)?.row(1), [4, 5, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(data: &'a [T], rows: usize, columns: usize) -> Result<Self, Error> {
        Self::with_stride(data, rows, columns, columns)
    }

    /// A matrix whose rows are `stride` elements apart.
    ///
    /// # Errors
    ///
    /// [`Error::Stride`] when rows overlap, [`Error::Length`] when the slice is too short.
    ///
    /// ```
    /// use warpwise::matmul::HostMatrix;
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// assert_eq!(HostMatrix::with_stride(&data[1..], 2, 2, 3)?.row(1), [5, 6]);
    /// assert!(HostMatrix::with_stride(&data, 2, 3, 2).is_err());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn with_stride(data: &'a [T], rows: usize, columns: usize, stride: usize) -> Result<Self, Error> {
        check(data.len(), rows, columns, stride)?;
        Ok(Self { data, rows, columns, stride })
    }

    /// The number of rows.
    ///
    /// ```
    /// use warpwise::matmul::HostMatrix;
    ///
    /// assert_eq!(HostMatrix::new(&[0.0; 6], 2, 3)?.rows(), 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn rows(self) -> usize {
        self.rows
    }

    /// The number of columns.
    ///
    /// ```
    /// use warpwise::matmul::HostMatrix;
    ///
    /// assert_eq!(HostMatrix::new(&[0.0; 6], 2, 3)?.columns(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn columns(self) -> usize {
        self.columns
    }

    /// One row.
    ///
    /// ```
    /// use warpwise::matmul::HostMatrix;
    ///
    /// assert_eq!(HostMatrix::new(&[1, 2, 3, 4], 2, 2)?.row(0), [1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn row(self, i: usize) -> &'a [T] {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        if self.columns == 0 { &[] } else { &self.data[i * self.stride..][..self.columns] }
    }

    /// Elements from one row to the next.
    pub(crate) fn stride(self) -> usize {
        self.stride
    }

    /// All elements, if rows follow each other.
    pub(crate) fn without_gaps(self) -> Option<&'a [T]> {
        (self.stride == self.columns || self.rows < 2).then(|| &self.data[..self.rows * self.columns])
    }
}

impl<'a, T: Element> HostMatrixMut<'a, T> {
    /// A matrix whose rows follow each other.
    ///
    /// # Errors
    ///
    /// As for [`HostMatrix::with_stride`].
    ///
    /// ```
    /// use warpwise::matmul::HostMatrixMut;
    ///
    /// assert!(HostMatrixMut::new(&mut [0.0; 6], 2, 3).is_ok());
    /// assert!(HostMatrixMut::new(&mut [0.0; 6], 3, 3).is_err());
    /// ```
    pub fn new(data: &'a mut [T], rows: usize, columns: usize) -> Result<Self, Error> {
        Self::with_stride(data, rows, columns, columns)
    }

    /// A matrix whose rows are `stride` elements apart; the gaps between them are left unchanged.
    ///
    /// # Errors
    ///
    /// As for [`HostMatrix::with_stride`].
    ///
    /// ```
    /// use warpwise::matmul::HostMatrixMut;
    ///
    /// let mut data = [1; 5];
    /// HostMatrixMut::with_stride(&mut data, 2, 2, 3)?.row_mut(1).fill(0);
    /// assert_eq!(data, [1, 1, 1, 0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn with_stride(data: &'a mut [T], rows: usize, columns: usize, stride: usize) -> Result<Self, Error> {
        check(data.len(), rows, columns, stride)?;
        Ok(Self { data, rows, columns, stride })
    }

    /// The number of rows.
    ///
    /// ```
    /// use warpwise::matmul::HostMatrixMut;
    ///
    /// assert_eq!(HostMatrixMut::new(&mut [0.0; 6], 2, 3)?.rows(), 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    ///
    /// ```
    /// use warpwise::matmul::HostMatrixMut;
    ///
    /// assert_eq!(HostMatrixMut::new(&mut [0.0; 6], 2, 3)?.columns(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One row.
    ///
    /// ```
    /// use warpwise::matmul::HostMatrixMut;
    ///
    /// let mut data = [1, 2, 3, 4];
    /// HostMatrixMut::new(&mut data, 2, 2)?.row_mut(1)[0] = 0;
    /// assert_eq!(data, [1, 2, 0, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        if self.columns == 0 { &mut [] } else { &mut self.data[i * self.stride..][..self.columns] }
    }

    /// All elements, if rows follow each other.
    pub(crate) fn without_gaps(&mut self) -> Option<&mut [T]> {
        (self.stride == self.columns || self.rows < 2).then(|| &mut self.data[..self.rows * self.columns])
    }

    /// All elements, with the stride: from the first row to the end of the last.
    pub(crate) fn as_strided(&mut self) -> (&mut [T], usize) {
        let nothing = self.rows == 0 || self.columns == 0;
        let length = if nothing { 0 } else { (self.rows - 1) * self.stride + self.columns };
        (&mut self.data[..length], self.stride)
    }
}
