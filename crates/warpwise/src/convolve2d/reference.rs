//! The truth that other variants are verified against.

use super::{Edge, Filter, Image, Pixel, check};
use crate::Error;

/// The convolution before any rounding, each pixel a sum in `f64`.
///
/// # Errors
///
/// [`Error::Length`] when the result does not have the size given by [`Edge::result`].
///
/// ```
/// use warpwise::convolve2d::{Edge, Filter, Image, reference};
///
/// let image = Image::new(&[10_u8, 20, 30], 1, 3)?;
/// let mut out = [0.0];
/// reference::convolve(&Filter::new(&[0.5, 0.0, 0.5], 1, 3)?, Edge::Valid, image, &mut out)?;
/// assert_eq!(out, [20.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn convolve<T: Pixel>(filter: &Filter, edge: Edge, image: Image<T>, out: &mut [f64]) -> Result<(), Error> {
    let (_, columns) = check(filter, edge, image, out)?;
    let ((top, border), (left, _)) = (edge.origin(filter.rows()), edge.origin(filter.columns()));
    for (place, out) in out.iter_mut().enumerate() {
        let (i, j) = (place / columns, place % columns);
        *out = 0.0;
        for (tap, &weight) in filter.weights().iter().enumerate() {
            let y = border.place((i + tap / filter.columns()) as isize + top, image.rows);
            let x = border.place((j + tap % filter.columns()) as isize + left, image.columns);
            let pixel = y.zip(x).map_or(0.0, |(y, x)| image.pixels[y * image.columns + x].to_f64());
            *out += f64::from(weight) * pixel;
        }
    }
    Ok(())
}
