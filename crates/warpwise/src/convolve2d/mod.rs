//! 2-D convolution of images: each pixel becomes a weighted sum of its neighbours.
//!
//! - **Orientation.** The filter is not flipped: its first weight meets the pixel up and to the left, as in image
//!   processing and deep learning.
//! - **Edges.** [`Edge::Border`] reads beyond the image and gives an image of the same size; [`Edge::Valid`] stays
//!   within it and gives a smaller one, or none when the filter is larger than the image.
//! - **Pixels** are `f32`, or `u8` with sums in `f32` that are rounded to the nearest integer (ties to even) and
//!   clamped to 0..=255; NaN becomes 0.

mod builder;
mod conformance;
pub mod cpu;
mod description;
#[cfg(test)]
mod device_tests;
mod filter;
pub(crate) mod gpu;
mod parts;
pub mod reference;
mod run;
mod structure;
mod taps;
#[cfg(test)]
mod tests;
mod workload;

pub use builder::{Convolve2d, filter, filter_buffer, filter_into};
pub use description::{PRIMITIVE, Rung, VARIANTS};
pub use filter::{Filter, MAX_SIDE};

use crate::{Border, Buffer, Device, Element, Error, Input, Output};

/// What happens at the edges of an image.
///
/// ```
/// use warpwise::Border;
/// use warpwise::convolve2d::{Edge, Filter};
///
/// let filter = Filter::new(&[1.0; 9], 3, 3)?;
/// assert_eq!(Edge::Border(Border::Zero).result(&filter, 10, 10), (10, 10));
/// assert_eq!(Edge::Valid.result(&filter, 10, 10), (8, 8));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// Pixels beyond the image are made up by a border.
    Border(Border),
    /// Only pixels whose whole neighbourhood is in the image are computed.
    Valid,
}

impl Edge {
    /// Every way.
    ///
    /// ```
    /// use warpwise::convolve2d::Edge;
    ///
    /// assert_eq!(Edge::ALL.map(Edge::name), ["zero", "replicate", "reflect", "wrap", "valid"]);
    /// ```
    pub const ALL: [Self; 5] = [
        Self::Border(Border::Zero),
        Self::Border(Border::Replicate),
        Self::Border(Border::Reflect),
        Self::Border(Border::Wrap),
        Self::Valid,
    ];

    /// The name, as the command line spells it.
    ///
    /// ```
    /// assert_eq!(warpwise::convolve2d::Edge::Valid.name(), "valid");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Border(border) => border.name(),
            Self::Valid => "valid",
        }
    }

    /// Rows and columns of the result for an image of that size.
    ///
    /// ```
    /// use warpwise::convolve2d::{Edge, Filter};
    ///
    /// assert_eq!(Edge::Valid.result(&Filter::default(), 480, 640), (476, 636));
    /// ```
    pub fn result(self, filter: &Filter, rows: usize, columns: usize) -> (usize, usize) {
        match self {
            Self::Border(_) => (rows, columns),
            Self::Valid => {
                let (rows, columns) =
                    (rows.saturating_sub(filter.rows() - 1), columns.saturating_sub(filter.columns() - 1));
                if rows == 0 || columns == 0 { (0, 0) } else { (rows, columns) }
            }
        }
    }

    /// Where to read for place `i` of the filter's reach over a line of the result, with the border to use there.
    pub(crate) fn origin(self, reach: usize) -> (isize, Border) {
        match self {
            Self::Border(border) => (-(reach as isize / 2), border),
            // Never beyond the image, so any border will do.
            Self::Valid => (0, Border::Zero),
        }
    }
}

/// A pixel type: `u8` or `f32`.
///
/// ```
/// use warpwise::convolve2d::Pixel;
///
/// fn brighter<T: Pixel>(pixel: T) -> T {
///     T::from_sum(pixel.widen() * 1.5)
/// }
/// assert_eq!(brighter(100_u8), 150);
/// assert_eq!(brighter(200_u8), 255);
/// ```
pub trait Pixel: Element {
    /// As a term of a sum.
    ///
    /// ```
    /// use warpwise::convolve2d::Pixel;
    ///
    /// assert_eq!(200_u8.widen(), 200.0);
    /// ```
    fn widen(self) -> f32;
    /// From a sum.
    ///
    /// ```
    /// use warpwise::convolve2d::Pixel;
    ///
    /// assert_eq!(u8::from_sum(2.5), 2);
    /// assert_eq!(u8::from_sum(300.0), 255);
    /// assert_eq!(f32::from_sum(2.5), 2.5);
    /// ```
    fn from_sum(sum: f32) -> Self;
    // Methods of the type, so that they are compiled here, once, and not again in every program that calls them.
    #[doc(hidden)]
    fn run_into(
        device: &Device,
        how: &Convolve2d<'_>,
        pixels: &dyn Input<Self>,
        size: (usize, usize),
        out: &mut dyn Output<Self>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn run_buffer(
        device: &Device,
        how: &Convolve2d<'_>,
        pixels: &dyn Input<Self>,
        size: (usize, usize),
    ) -> Result<Buffer<Self>, Error>;
}

impl Pixel for u8 {
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from(self)
    }
    #[inline(always)]
    fn from_sum(sum: f32) -> Self {
        // NaN is not above zero, so it becomes zero. Adding 1.5 * 2^23 leaves no bits for a fraction: the sum is
        // rounded to an integer, ties to even, and the lowest bits hold that integer.
        let positive = if sum > 0.0 { sum } else { 0.0 };
        let clamped = if positive < 255.0 { positive } else { 255.0 };
        (clamped + 12_582_912.0).to_bits() as u8
    }
    fn run_into(
        device: &Device,
        how: &Convolve2d<'_>,
        pixels: &dyn Input<u8>,
        size: (usize, usize),
        out: &mut dyn Output<u8>,
    ) -> Result<(), Error> {
        run::into_on(device, how, pixels, size, out)
    }
    fn run_buffer(
        device: &Device,
        how: &Convolve2d<'_>,
        pixels: &dyn Input<u8>,
        size: (usize, usize),
    ) -> Result<Buffer<u8>, Error> {
        run::buffer_on(device, how, pixels, size)
    }
}

impl Pixel for f32 {
    #[inline(always)]
    fn widen(self) -> f32 {
        self
    }
    #[inline(always)]
    fn from_sum(sum: f32) -> Self {
        sum
    }
    fn run_into(
        device: &Device,
        how: &Convolve2d<'_>,
        pixels: &dyn Input<f32>,
        size: (usize, usize),
        out: &mut dyn Output<f32>,
    ) -> Result<(), Error> {
        run::into_on(device, how, pixels, size, out)
    }
    fn run_buffer(
        device: &Device,
        how: &Convolve2d<'_>,
        pixels: &dyn Input<f32>,
        size: (usize, usize),
    ) -> Result<Buffer<f32>, Error> {
        run::buffer_on(device, how, pixels, size)
    }
}

/// An image to convolve.
///
/// ```
/// use warpwise::convolve2d::{Edge, Filter, Image, cpu};
///
/// let image = Image::new(&[1.0_f32, 2.0, 4.0, 8.0], 1, 4)?;
/// let mut out = [0.0; 2];
/// cpu::par(&Filter::new(&[-1.0, 0.0, 1.0], 1, 3)?, Edge::Valid, image, &mut out)?;
/// assert_eq!(out, [3.0, 6.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Image<'a, T> {
    pub(crate) pixels: &'a [T],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl<'a, T: Pixel> Image<'a, T> {
    /// An image, row after row.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when there are not `rows * columns` pixels.
    ///
    /// ```
    /// use warpwise::convolve2d::Image;
    ///
    /// assert!(Image::new(&[0_u8; 6], 2, 3).is_ok());
    /// assert!(Image::new(&[0_u8; 6], 2, 4).is_err());
    /// ```
    pub fn new(pixels: &'a [T], rows: usize, columns: usize) -> Result<Self, Error> {
        Error::check_length("the image", pixels.len(), Error::area(rows, columns)?)?;
        Ok(Self { pixels, rows, columns })
    }
}

/// Checks the length of the result, and returns its rows and columns.
pub(crate) fn check<T, R>(filter: &Filter, edge: Edge, image: Image<T>, out: &[R]) -> Result<(usize, usize), Error> {
    let (rows, columns) = edge.result(filter, image.rows, image.columns);
    Error::check_length("the result", out.len(), Error::area(rows, columns)?)?;
    Ok((rows, columns))
}
