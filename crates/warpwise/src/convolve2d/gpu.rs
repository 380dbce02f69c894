//! The GPU rungs: one launch each. See `kernels.cu` for what each rung does.

use super::{Edge, Filter, Pixel};
use crate::device::{Allocation, Argument, KernelModule, Session, Shape};
use crate::{Border, Error, Geometry};

pub(crate) const KERNELS: KernelModule = KernelModule { name: "convolve2d", ptx: include_str!("kernels.ptx") };

/// Threads of a block where the caller does not say.
const BLOCK: u32 = 256;
/// Outputs of a thread of the last rung.
const OUTPUTS: u32 = 4;

/// How kernels call an edge.
fn number(edge: Edge) -> u32 {
    match edge {
        Edge::Border(Border::Zero) => 0,
        Edge::Border(Border::Replicate) => 1,
        Edge::Border(Border::Reflect) => 2,
        Edge::Border(Border::Wrap) => 3,
        Edge::Valid => 4,
    }
}

/// The convolution of an image of rows and columns; there is at least one pixel in the result.
pub(super) fn convolve<T: Pixel>(
    session: &Session,
    name: &'static str,
    (filter, edge): (&Filter, Edge),
    input: Argument,
    (rows, columns): (usize, usize),
    geometry: Geometry,
) -> Result<Allocation, Error> {
    // Kernels add a filter's height to rows, as signed numbers.
    let fits = |side: usize| side <= i32::MAX as usize - 2 * super::MAX_SIDE;
    if !fits(rows) || !fits(columns) {
        return Err(Error::TooLarge { rows, columns });
    }
    let threads = geometry.block.unwrap_or(BLOCK);
    if threads == 0 {
        return Err(Error::Block { variant: name.to_owned(), block: threads, needs: "at least 1" });
    }
    let (out_rows, out_columns) = edge.result(filter, rows, columns);
    let out = session.allocate(out_rows as u64 * out_columns as u64 * size_of::<T>() as u64)?;
    let per_thread = if name == "gpu-5-register" { OUTPUTS } else { 1 };
    let (width, height) = (out_columns as u64, (out_rows as u64).div_ceil(per_thread.into()));
    // A warp wide even where the image is not: a narrow block is a high one, whose tile may not fit.
    let block = Shape::plane_block(width.max(32), height, threads);
    let tile_rows = block[1].saturating_mul(per_thread).saturating_add(filter.rows() as u32 - 1);
    let tile_columns = block[0] + filter.columns() as u32 - 1;
    let tiled = !matches!(name, "gpu-1-naive" | "gpu-2-constant");
    let shared = if tiled { tile_rows.saturating_mul(tile_columns).saturating_mul(4) } else { 0 };
    let shape = Shape::plane(width, height, block, shared);

    let kernel = format!("convolve2d_{}_{}", name.trim_start_matches("gpu-").replace('-', "_"), T::NAME);
    let sizes = [rows, columns, filter.rows(), filter.columns()].map(|x| Argument::U32(x as u32));
    let weights = if name == "gpu-1-naive" { Some(session.allocate_copy(filter.weights())?) } else { None };
    let mut arguments = vec![input];
    arguments.extend(weights.as_ref().map(Allocation::argument));
    arguments.push(out.argument());
    arguments.extend(sizes);
    arguments.push(Argument::U32(number(edge)));
    if weights.is_some() {
        session.launch(KERNELS, &kernel, shape, &arguments)?;
    } else {
        let constant = ("convolve2d_filter", filter.weights());
        session.launch_with_constant(KERNELS, constant, &kernel, shape, &arguments)?;
    }
    Ok(out)
}
