//! Large images in host memory: rows are uploaded and downloaded while others are computed.

use super::{Edge, Filter, Image, Pixel, gpu};
use crate::Variant;
use crate::device::{Part, Rows, Session};
use crate::{Border, Error, Geometry};

/// A convolution in parts of as many rows as `cut` says; `false`, with nothing done, if it returns none, or if the
/// first and the last rows need each other.
pub(super) fn filter<T: Pixel>(
    session: &Session,
    chosen: &Variant,
    (filter, edge): (&Filter, Edge),
    image: Image<T>,
    out: &mut [T],
    geometry: Geometry,
    cut: impl FnOnce(&Rows<'_>) -> Option<usize>,
) -> Result<bool, Error> {
    let (rows, columns) = (image.rows, image.columns);
    let row = columns * size_of::<T>();
    if matches!(edge, Edge::Valid | Edge::Border(Border::Wrap)) || row == 0 {
        return Ok(false);
    }
    let job = Rows {
        inputs: vec![(bytemuck::cast_slice(image.pixels), row)],
        output: (bytemuck::cast_slice_mut(out), row),
        count: rows,
        // Where the image continues, a part's own edges are among the rows that are discarded.
        halo: filter.rows() / 2,
    };
    let Some(part) = cut(&job) else { return Ok(false) };
    session.in_parts(job, part, |Part { inputs, output, rows }| {
        let data = [inputs[0], output];
        gpu::convolve_into::<T>(session, chosen.name, (filter, edge), data, (rows, columns), geometry)
    })?;
    Ok(true)
}
