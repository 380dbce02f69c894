//! Transpose on the CPU.

use super::blocks::Turn;
use super::check;
use crate::matmul::{HostMatrix, HostMatrixMut};
use crate::memory::{self, LINE, Scratch};
use crate::simd::Level;
use crate::simd::stream::{self, Stores};
use crate::{Element, Error, threads};

/// Bytes of a row that a block has: the hardware asks ahead for pieces so long by itself.
const WIDE: usize = 1024;

/// Rows of a block. Turned, it stays in the second-level cache, and is written in pieces of so many elements.
const DEEP: usize = 256;

/// The transpose, row by row of the result.
///
/// # Errors
///
/// [`Error::Length`] when rows and columns do not match.
///
/// ```
/// use warpwise::matmul::{HostMatrix, HostMatrixMut};
///
/// let mut out = [0; 6];
/// let from = HostMatrix::new(&[1, 2, 3, 4, 5, 6], 2, 3)?;
/// warpwise::transpose::cpu::seq(from, HostMatrixMut::new(&mut out, 3, 2)?)?;
/// assert_eq!(out, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Element>(from: HostMatrix<'_, T>, mut to: HostMatrixMut<'_, T>) -> Result<(), Error> {
    check(from, &to)?;
    for c in 0..to.rows() {
        for (r, out) in to.row_mut(c).iter_mut().enumerate() {
            *out = from.row(r)[c];
        }
    }
    Ok(())
}

/// The transpose, on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::matmul::{HostMatrix, HostMatrixMut};
///
/// let from: Vec<f32> = (0..90_000).map(|i| i as f32).collect();
/// let mut out = vec![0.0; 90_000];
/// warpwise::transpose::cpu::par(HostMatrix::new(&from, 100, 900)?, HostMatrixMut::new(&mut out, 900, 100)?)?;
/// assert_eq!((out[1], out[100]), (900.0, 1.0));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<T: Element>(from: HostMatrix<'_, T>, mut to: HostMatrixMut<'_, T>) -> Result<(), Error> {
    let stores = Stores::of(to.as_strided().0);
    par_at(Level::current(), stores, from, to)
}

/// As [`par`], for a result in memory that is fresh from the system.
pub(crate) fn par_fresh<T: Element>(from: HostMatrix<'_, T>, mut to: HostMatrixMut<'_, T>) -> Result<(), Error> {
    check(from, &to)?;
    let width = WIDE / size_of::<T>();
    let (out, stride) = to.as_strided();
    let Some(parts) = memory::pages(out, width * stride.max(1)) else {
        return par_at(Level::current(), Stores::Cached, from, to);
    };
    let work = Work::new(Level::current(), Stores::Cached, from, stride);
    threads::for_each_part(out, &parts, nanoseconds(out), |range, out| {
        for (i, out) in out.chunks_mut(width * stride).enumerate() {
            work.band(range.start / stride + i * width, out);
        }
    });
    Ok(())
}

pub(crate) fn par_at<T: Element>(
    level: Level,
    stores: Stores,
    from: HostMatrix<'_, T>,
    mut to: HostMatrixMut<'_, T>,
) -> Result<(), Error> {
    check(from, &to)?;
    let (out, stride) = to.as_strided();
    if out.is_empty() {
        return Ok(());
    }
    let work = Work::new(level, stores, from, stride);
    let nanoseconds = nanoseconds(out);
    let width = width::<T>(from.columns(), threads::available(nanoseconds));
    threads::for_each_chunk(out, width * stride, nanoseconds, |i, out| work.band(i * width, out));
    Ok(())
}

/// One core reads and writes some 8 bytes each in a nanosecond.
fn nanoseconds<T>(out: &[T]) -> usize {
    size_of_val(out) / 8
}

/// Columns of a block: fewer, where there are not enough for several blocks a thread; whole lines, if there are so many.
fn width<T>(columns: usize, members: usize) -> usize {
    let (most, line) = (WIDE / size_of::<T>(), LINE / size_of::<T>());
    let each = columns.div_ceil(if members < 2 { 1 } else { 4 * members });
    if columns < line * members { columns.div_ceil(members) } else { each.next_multiple_of(line).min(most) }
}

/// What there is to transpose, and how.
struct Work<'a, T> {
    level: Level,
    stores: Stores,
    turn: Turn,
    from: HostMatrix<'a, T>,
    /// Elements from one row of the result to the next.
    stride: usize,
}

impl<'a, T: Element> Work<'a, T> {
    fn new(level: Level, stores: Stores, from: HostMatrix<'a, T>, stride: usize) -> Self {
        Self { level, stores, turn: Turn::new::<T>(level), from, stride }
    }

    /// The rows of the result from `first` on, which are so many columns.
    fn band(&self, first: usize, out: &mut [T]) {
        let (rows, columns) = (self.from.rows(), out.len().div_ceil(self.stride));
        // A line more than a block has rows, or all its columns would be in the same few places of the cache.
        let line = LINE / size_of::<T>();
        let apart = DEEP.min(rows.next_multiple_of(line)) + line;
        let mut turned = Scratch::<T>::new(columns * apart);
        let turned = turned.as_mut();
        for top in (0..rows).step_by(DEEP) {
            let height = DEEP.min(rows - top);
            let from = (self.from.row(top)[first..].as_ptr(), self.from.stride());
            // SAFETY: these rows have so many columns from `first` on, and `turned` as many of so many rows.
            unsafe { self.turn.block(from, (turned.as_mut_ptr().cast(), apart), (height, columns)) };
            for (c, out) in out.chunks_mut(self.stride).enumerate() {
                let turned = &turned[c * apart..][..height];
                // SAFETY: the rows that were turned are as many.
                let turned = unsafe { std::slice::from_raw_parts(turned.as_ptr().cast::<T>(), height) };
                stream::write(self.level, self.stores, turned, &mut out[top..top + height]);
            }
        }
        if self.stores == Stores::Streamed {
            stream::finish();
        }
    }
}
