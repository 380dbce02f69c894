//! The GPU rungs: one launch each. See `kernels.cu` for what each rung does.

use super::structure::Structure;
use super::{Edge, Filter, Pixel};
use crate::device::{Allocation, Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::{Border, Error, Geometry};

const KERNELS: &KernelModule = &kernels::CONVOLVE2D;

/// The default number of threads in a block.
const BLOCK: u32 = 256;
/// Outputs of a thread of rung 5.
const OUTPUTS: u32 = 4;
/// The default number of threads in a block of the streaming rungs, and the most.
const STREAM_BLOCK: u32 = 128;
/// Columns of the output that a warp of these rungs computes.
const STRIP: u32 = 120;

/// The number that kernels use for an edge.
fn number(edge: Edge) -> u32 {
    match edge {
        Edge::Border(Border::Zero) => 0,
        Edge::Border(Border::Replicate) => 1,
        Edge::Border(Border::Reflect) => 2,
        Edge::Border(Border::Wrap) => 3,
        Edge::Valid => 4,
    }
}

/// The convolution of an image from the first address to the second; the result is not empty.
pub(super) fn convolve_into<T: Pixel>(
    session: &Session,
    name: &'static str,
    (filter, edge): (&Filter, Edge),
    data: [Argument; 2],
    (rows, columns): (usize, usize),
    geometry: Geometry,
) -> Result<(), Error> {
    // Kernels add a filter's height to rows, as signed numbers.
    let fits = |side: usize| side <= i32::MAX as usize - 2 * super::MAX_SIDE;
    if !fits(rows) || !fits(columns) {
        return Err(Error::TooLarge { rows, columns });
    }
    if let Some(structure) = streams(name).then(|| Structure::new::<T>(name, filter)).flatten() {
        return stream::<T>(session, name, (filter, edge, structure), data, (rows, columns), geometry);
    }
    // Filters that cannot be streamed are left to the rung before.
    let name = if streams(name) { "gpu-5-register" } else { name };
    let threads = geometry.block.unwrap_or(BLOCK);
    if threads == 0 {
        return Err(Error::Block { variant: name.to_owned(), block: threads, needs: "at least 1" });
    }
    let (out_rows, out_columns) = edge.result(filter, rows, columns);
    let per_thread = if name == "gpu-5-register" { OUTPUTS } else { 1 };
    let (width, height) = (out_columns as u64, (out_rows as u64).div_ceil(per_thread.into()));
    // A warp wide even if the image is not: a narrow block is a high one, whose tile may not fit.
    let block = Shape::plane_block(width.max(32), height, threads);
    let tile_rows = block[1].saturating_mul(per_thread).saturating_add(filter.rows() as u32 - 1);
    let tile_columns = block[0] + filter.columns() as u32 - 1;
    let tiled = !matches!(name, "gpu-1-naive" | "gpu-2-constant");
    let shared = if tiled { tile_rows.saturating_mul(tile_columns).saturating_mul(4) } else { 0 };
    let shape = Shape::plane(width, height, block, shared);

    let kernel = format!("convolve2d_{}_{}", name.trim_start_matches("gpu-").replace('-', "_"), T::NAME);
    let sizes = [rows, columns, filter.rows(), filter.columns()].map(|x| Argument::U32(x as u32));
    let weights = if name == "gpu-1-naive" { Some(session.allocate_copy(filter.weights())?) } else { None };
    let mut arguments = vec![data[0]];
    arguments.extend(weights.as_ref().map(Allocation::argument));
    arguments.push(data[1]);
    arguments.extend(sizes);
    arguments.push(Argument::U32(number(edge)));
    if weights.is_some() {
        session.launch(KERNELS, &kernel, shape, &arguments)?;
    } else {
        let constant = ("convolve2d_filter", filter.weights());
        session.launch_with_constant(KERNELS, constant, &kernel, shape, &arguments)?;
    }
    Ok(())
}

/// Whether a rung streams the rows of the image.
fn streams(name: &str) -> bool {
    matches!(name, "gpu-6-streamed" | "gpu-7-structured")
}

/// Like [`convolve_into`], but for the streaming rungs.
fn stream<T: Pixel>(
    session: &Session,
    name: &'static str,
    (filter, edge, structure): (&Filter, Edge, Structure),
    data: [Argument; 2],
    (rows, columns): (usize, usize),
    geometry: Geometry,
) -> Result<(), Error> {
    let block = geometry.block.unwrap_or(STREAM_BLOCK);
    if block == 0 || !block.is_multiple_of(32) || block > STREAM_BLOCK {
        let needs = "a multiple of 32 up to 128";
        return Err(Error::Block { variant: name.to_owned(), block, needs });
    }
    let (out_rows, out_columns) = edge.result(filter, rows, columns);
    let (width, height) = (out_columns as u64, out_rows as u64);
    // Fewer rows per warp if there would not be enough warps for the whole GPU, 32 for a multiprocessor; more if the
    // grid would become too high.
    let warps = u64::from(session.multiprocessors().max(1)) * 32;
    let fair = width.div_ceil(STRIP.into()) * height / warps;
    let strip = fair.clamp(4, structure.height::<T>(columns)).max(height.div_ceil(65535)) as u32;
    let shape = Shape::plane(width, height, [STRIP, strip * (block / 32)], 0);
    let shape = Shape { block: [block, 1, 1], ..shape };
    let kernel = format!("convolve2d_{}_{}_{}", structure.kernel, filter.rows(), T::NAME);
    let mut arguments = data.to_vec();
    arguments.extend([rows as u32, columns as u32, number(edge), strip].map(Argument::U32));
    arguments.extend(structure.weights.into_iter().map(Argument::F32));
    session.launch(KERNELS, &kernel, shape, &arguments)?;
    Ok(())
}
