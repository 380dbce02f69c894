//! Where matrices lie.

use std::ops::Range;

use super::HostMatrix;
use crate::{Element, Error};

/// Where a matrix lies in a buffer or a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Layout {
    /// The number of rows.
    pub(crate) rows: usize,
    /// The number of columns.
    pub(crate) columns: usize,
    /// Elements from one row to the next.
    pub(crate) stride: usize,
    /// Elements before the first one.
    pub(crate) offset: usize,
}

impl Layout {
    /// A matrix at the beginning, whose rows follow each other.
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, stride: columns, offset: 0 }
    }

    /// The number of elements that a buffer needs; `None` if it overflows.
    pub(crate) fn end(self) -> Option<usize> {
        if self.rows == 0 || self.columns == 0 {
            return Some(0);
        }
        (self.rows - 1).checked_mul(self.stride)?.checked_add(self.columns)?.checked_add(self.offset)
    }

    /// Some rows and columns of it.
    pub(crate) fn part(self, rows: Range<usize>, columns: Range<usize>) -> Result<Self, Error> {
        for (range, len) in [(&rows, self.rows), (&columns, self.columns)] {
            if range.start > range.end || range.end > len {
                return Err(Error::View { first: range.start, end: range.end, len });
            }
        }
        // A matrix of nothing begins anywhere.
        let before = rows.start.checked_mul(self.stride).and_then(|rows| rows.checked_add(columns.start));
        let offset = before.and_then(|before| before.checked_add(self.offset)).unwrap_or(self.offset);
        Ok(Self { rows: rows.len(), columns: columns.len(), offset, ..self })
    }

    /// Checks that rows do not overlap and that a buffer of so many elements has them all.
    pub(crate) fn check(self, what: &'static str, length: usize) -> Result<(), Error> {
        if self.stride < self.columns {
            return Err(Error::Stride { stride: self.stride, columns: self.columns });
        }
        let end = self.end().ok_or(Error::TooLarge { rows: self.rows, columns: self.columns })?;
        if length < end { Err(Error::Length { what, expected: end, found: length }) } else { Ok(()) }
    }

    /// The matrix in a slice that is long enough.
    pub(crate) fn view<T: Element>(self, data: &[T]) -> Result<HostMatrix<'_, T>, Error> {
        HostMatrix::with_stride(&data[self.offset.min(data.len())..], self.rows, self.columns, self.stride)
    }
}
