//! 2-D convolution on the CPU.

use super::taps::Taps;
use super::{Edge, Filter, Image, Pixel, check};
use crate::memory::LINE;
use crate::simd::{Body, Level, prefetch_later};
use crate::{Border, Error, memory, threads};

/// Rows of the result that one task computes.
const BAND: usize = 32;

/// Columns that a task computes at a time: the pixels that they need stay in the second-level cache.
const STRIPE: usize = 512;

/// The convolution, each pixel a sum of its own.
///
/// # Errors
///
/// [`Error::Length`] when the result does not have the size given by [`Edge::result`].
///
/// ```
/// use warpwise::Border;
/// use warpwise::convolve2d::{Edge, Filter, Image, cpu};
///
/// let mut out = [0; 9];
/// let image = Image::new(&[70_u8; 9], 3, 3)?;
/// cpu::seq(&Filter::default(), Edge::Border(Border::Replicate), image, &mut out)?;
/// assert_eq!(out, [70; 9]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<T: Pixel>(filter: &Filter, edge: Edge, image: Image<T>, out: &mut [T]) -> Result<(), Error> {
    let (_, columns) = check(filter, edge, image, out)?;
    let ((top, border), (left, _)) = (edge.origin(filter.rows()), edge.origin(filter.columns()));
    for (i, row) in out.chunks_mut(columns.max(1)).enumerate() {
        for (j, out) in row.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (y, weights) in filter.weights().chunks(filter.columns()).enumerate() {
                let Some(y) = border.place((i + y) as isize + top, image.rows) else { continue };
                for (x, weight) in weights.iter().enumerate() {
                    if let Some(x) = border.place((j + x) as isize + left, image.columns) {
                        sum += weight * image.pixels[y * image.columns + x].widen();
                    }
                }
            }
            *out = T::from_sum(sum);
        }
    }
    Ok(())
}

/// The convolution, on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// use warpwise::Border;
/// use warpwise::convolve2d::{Edge, Filter, Image, cpu};
///
/// let mut out = vec![0.0; 100 * 100];
/// let ones = vec![1.0_f32; 100 * 100];
/// cpu::par(&Filter::default(), Edge::Border(Border::Wrap), Image::new(&ones, 100, 100)?, &mut out)?;
/// assert!(out.iter().all(|x| (x - 1.0).abs() < 1e-6));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<T: Pixel>(filter: &Filter, edge: Edge, image: Image<T>, out: &mut [T]) -> Result<(), Error> {
    par_at(Level::current(), filter, edge, image, out)
}

/// Like [`par`], but for a result in memory fresh from the system.
pub(crate) fn par_fresh<T: Pixel>(filter: &Filter, edge: Edge, image: Image<T>, out: &mut [T]) -> Result<(), Error> {
    let level = Level::current();
    let (_, columns) = check(filter, edge, image, out)?;
    let Some(parts) = memory::pages(out, columns) else { return par_at(level, filter, edge, image, out) };
    threads::for_each_part(out, &parts, nanoseconds(filter, out), |range, out| {
        for (i, out) in out.chunks_mut(BAND * columns).enumerate() {
            band(level, filter, edge, image, range.start / columns + i * BAND, out);
        }
    });
    Ok(())
}

pub(crate) fn par_at<T: Pixel>(
    level: Level,
    filter: &Filter,
    edge: Edge,
    image: Image<T>,
    out: &mut [T],
) -> Result<(), Error> {
    let (rows, columns) = check(filter, edge, image, out)?;
    let nanoseconds = nanoseconds(filter, out);
    // How rows are divided does not affect the result, so few rows are divided more finely.
    let height = BAND.min(rows.div_ceil(threads::available(nanoseconds))).max(1);
    threads::for_each_chunk(out, height * columns.max(1), nanoseconds, |i, out| {
        band(level, filter, edge, image, i * height, out);
    });
    Ok(())
}

/// One core does about 16 products in a nanosecond, and moves about one pixel.
fn nanoseconds<T>(filter: &Filter, out: &[T]) -> usize {
    out.len() * (filter.weights().len() + 16) / 16
}

/// The rows of the result from `top` on.
fn band<T: Pixel>(level: Level, filter: &Filter, edge: Edge, image: Image<T>, top: usize, out: &mut [T]) {
    let ((above, border), (left, _)) = (edge.origin(filter.rows()), edge.origin(filter.columns()));
    let (_, columns) = edge.result(filter, image.rows, image.columns);
    let rows = out.len() / columns;
    let stride = (columns.min(STRIPE)).next_multiple_of(Taps::STEP) + filter.columns() - 1;
    // Both have one row more than needed, because rows are computed in pairs.
    let mut around = vec![0.0; (rows + filter.rows()) * stride];
    let mut sums = vec![0.0; (rows + 1) * stride];
    for first in (0..columns).step_by(STRIPE) {
        let width = (columns - first).min(STRIPE);
        let reach = width + filter.columns() - 1;
        for (y, line) in around.chunks_mut(stride).take(rows + filter.rows() - 1).enumerate() {
            let line = &mut line[..reach];
            match border.place((top + y) as isize + above, image.rows) {
                Some(y) => level.run(Fill {
                    line,
                    row: &image.pixels[y * image.columns..][..image.columns],
                    left: first as isize + left,
                    border,
                }),
                None => line.fill(0.0),
            }
        }
        // Floats need no conversion: whole pairs and whole registers are written directly to the result.
        if T::IS_FLOAT && rows.is_multiple_of(2) && width.is_multiple_of(Taps::STEP) {
            let sums = &mut bytemuck::cast_slice_mut(out)[first..];
            level.run_kernel(Taps { filter, around: &around, stride, sums, apart: columns, rows, columns: width });
            continue;
        }
        let apart = stride;
        level.run_kernel(Taps { filter, around: &around, stride, sums: &mut sums, apart, rows, columns: width });
        for (sums, out) in sums.chunks(stride).zip(out.chunks_mut(columns)) {
            level.run(Finish { sums, out: &mut out[first..first + width] });
        }
    }
}

/// How many rows ahead of the copy to prefetch.
const AHEAD: usize = 4;

/// Copies part of a row, with the border where it reaches beyond the row.
struct Fill<'a, T> {
    line: &'a mut [f32],
    row: &'a [T],
    /// Where in the row the line begins.
    left: isize,
    border: Border,
}

impl<T: Pixel> Body for Fill<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let inside = (self.left.max(0) - self.left).unsigned_abs().min(self.line.len());
        let start = (self.left.max(0)).unsigned_abs().min(self.row.len());
        let count = (self.row.len() - start).min(self.line.len() - inside);
        let pixels = &self.row[start..start + count];
        // Rows lie far apart: the hardware would not prefetch the next one by itself.
        let later = pixels.as_ptr().wrapping_add(AHEAD * self.row.len());
        for line in (0..size_of_val(pixels)).step_by(LINE) {
            prefetch_later(later.wrapping_byte_add(line));
        }
        for (x, pixel) in self.line[inside..inside + count].iter_mut().zip(pixels) {
            *x = pixel.widen();
        }
        for i in (0..inside).chain(inside + count..self.line.len()) {
            let place = self.border.place(self.left + i as isize, self.row.len());
            self.line[i] = place.map_or(0.0, |place| self.row[place].widen());
        }
    }
}

/// Turns sums into pixels.
struct Finish<'a, T> {
    sums: &'a [f32],
    out: &'a mut [T],
}

impl<T: Pixel> Body for Finish<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (out, &sum) in self.out.iter_mut().zip(self.sums) {
            *out = T::from_sum(sum);
        }
    }
}
