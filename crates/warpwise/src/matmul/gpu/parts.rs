//! Large matrices in host memory: rows of the first are uploaded and rows of the product downloaded while others are
//! multiplied.

use super::{Factor, double, hopper, multiply_into};
use crate::Variant;
use crate::device::{Part, Rows, Session, Staged};
use crate::matmul::Layout;
use crate::{Error, Float, Geometry};

/// Rows of a part are a multiple of this: whole tiles of every rung.
const TILE_ROWS: usize = 256;

/// The product of two matrices with contiguous rows, in parts of as many rows as `cut` says; `false`, with nothing
/// done, if it returns none or the rung is not one for large matrices.
pub(in crate::matmul) fn multiply<T: Float>(
    session: &Session,
    chosen: &Variant,
    [a, b]: [(&[T], Layout); 2],
    c: &mut [T],
    geometry: Geometry,
    cut: impl FnOnce(&Rows<'_>) -> Option<usize>,
) -> Result<bool, Error> {
    let (k, n, size) = (a.1.columns, b.1.columns, size_of::<T>());
    let for_large = matches!(chosen.name, "gpu-8-wide-tiles" | hopper::TF32 | hopper::SPLIT | double::DOUBLE);
    if !for_large || k == 0 || c.is_empty() {
        return Ok(false);
    }
    let job = Rows {
        inputs: vec![(bytemuck::cast_slice(a.0), k * size)],
        output: (bytemuck::cast_slice_mut(c), n * size),
        count: a.1.rows,
        halo: 0,
    };
    let Some(rows) = cut(&job) else { return Ok(false) };
    let second = Staged::new(session, b.0)?;
    let b = Factor { buffer: second.argument(), layout: b.1 };
    session.in_parts(job, rows.next_multiple_of(TILE_ROWS), |Part { inputs, output, rows }| {
        let a = Factor { buffer: inputs[0], layout: Layout::new(rows, k) };
        let c = Factor { buffer: output, layout: Layout::new(rows, n) };
        multiply_into::<T>(session, chosen.name, [a, b, c], geometry)
    })?;
    Ok(true)
}
