//! The rungs on tensor cores of compute capability 9.0: see `hopper.cu`.

use super::sharing::Sharing;
use super::{Product, Tiling};
use crate::device::{Allocation, Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::{Error, Float};

pub(super) const KERNELS: &KernelModule = &kernels::MATMUL_HOPPER;

/// The rung that rounds to tf32.
pub(in crate::matmul) const TF32: &str = "gpu-9-tensor-tf32";
/// The rung that splits into three bf16.
pub(in crate::matmul) const SPLIT: &str = "gpu-10-tensor-split";

/// The rung that works everywhere.
pub(in crate::matmul) const INSTEAD: &str = "gpu-8-wide-tiles";

/// The compute capability whose instructions the kernels use.
const CAPABILITY: (u32, u32) = (9, 0);
/// Rows of a tile of the workspace, and columns of 16 bytes in a chunk of it.
const ROWS: u64 = 128;
const COLUMNS: u64 = 4;
/// Bytes of shared memory in which the second launch assembles rows of C.
const STAGING: u64 = 8 * 8 * (ROWS + 8) * 4;
/// Words for the magnitudes of the numbers, and whether the product was computed.
const NOTES: usize = 5;
/// In shorter sums the split may have a larger error than f32.
const LEAST_SUM: u64 = 512;

/// Whether a device has what the rungs need.
fn is_there(session: &Session) -> bool {
    session.compute_capability() == CAPABILITY
}

/// Refuses what the rungs cannot do.
pub(in crate::matmul) fn check<T: Float>(session: &Session, name: &'static str) -> Result<(), Error> {
    if T::NAME != "f32" {
        return Err(Error::Needs { variant: name, needs: "matrices of f32", instead: INSTEAD });
    }
    check_device(session, name)
}

/// Refuses devices without the instructions.
pub(in crate::matmul) fn check_device(session: &Session, name: &'static str) -> Result<(), Error> {
    if is_there(session) {
        return Ok(());
    }
    Err(Error::Needs { variant: name, needs: "a GPU of compute capability 9.0", instead: INSTEAD })
}

/// Whether the split is the fastest for such a product, with an error no larger than that of other rungs: it truncates
/// where they round, which shows in short sums.
pub(in crate::matmul) fn is_best<T: Float>(session: &Session, [m, n, k]: [u64; 3]) -> bool {
    let work = u128::from(m) * u128::from(n) * u128::from(k);
    T::NAME == "f32" && k >= LEAST_SUM && work >= session.tuning().matmul.split_from.into() && is_there(session)
}

/// A format of the workspace, and how the second launch goes through it.
struct Format {
    /// Numbers in 16 bytes, and parts per number.
    numbers: u64,
    parts: u64,
    /// Tiles of 128 columns that a block computes at once, chunks in a stage, stages.
    across: u64,
    chunks: u64,
    stages: u64,
}

impl Format {
    fn of(name: &str) -> Self {
        match name {
            TF32 => Self { numbers: 4, parts: 1, across: 2, chunks: 2, stages: 4 },
            _ => Self { numbers: 8, parts: 3, across: 1, chunks: 2, stages: 2 },
        }
    }

    fn chunk_bytes(&self) -> u64 {
        self.parts * COLUMNS * ROWS * 16
    }

    /// Chunks of a tile.
    fn chunks(&self, k: u64) -> u64 {
        k.div_ceil(COLUMNS * self.numbers).next_multiple_of(self.chunks)
    }

    /// Dynamic shared memory of the second launch.
    fn shared(&self) -> u32 {
        ((1 + self.across) * self.chunks * self.stages * self.chunk_bytes() + STAGING) as u32
    }
}

/// Computes a product, on as many blocks as there are multiprocessors. The split leaves numbers near the ends of the
/// range to a kernel of rung 8. That kernel is always launched, and usually finds nothing to do, so the host does not
/// have to wait for the device to know.
pub(in crate::matmul) fn multiply(session: &Session, name: &str, product: Product, blocks: u32) -> Result<(), Error> {
    let ([m, n, k], format) = (product.sizes(), Format::of(name));
    let stem = name.trim_start_matches("gpu-").replace('-', "_");
    let Product { a, b, c } = product;
    let chunks = format.chunks(k);
    let (a_tiles, b_tiles) = (m.div_ceil(ROWS), n.div_ceil(ROWS).next_multiple_of(format.across));
    let [a_parts, b_parts] = [a_tiles, b_tiles].map(|tiles| session.allocate(tiles * chunks * format.chunk_bytes()));
    let (a_parts, b_parts) = (a_parts?, b_parts?);
    let notes = session.allocate_zeroed::<u32>(NOTES)?;
    let [rows, columns, inner, all_chunks] = [m, n, k, chunks].map(|x| Argument::U32(x as u32));
    let [lda, ldb, ldc] = [a, b, c].map(|factor| Argument::U64(factor.layout.stride as u64));
    let [a_to, b_to, sizes] = [&a_parts, &b_parts, &notes].map(Allocation::argument);
    let places = [a.at::<f32>(0, 0), b.at::<f32>(0, 0), a_to, b_to];
    if k > 0 {
        let shape = Shape::cover((a_tiles + b_tiles) * chunks, 1, 256, 0);
        let arguments = [&places[..], &[rows, columns, inner, all_chunks, lda, ldb, sizes]].concat();
        session.launch(KERNELS, &format!("matmul_{stem}_pack_f32"), shape, &arguments)?;
    }
    let (tiles, blocks) = (a_tiles * (b_tiles / format.across), u64::from(blocks));
    let sharing = Sharing::new(tiles, chunks / format.chunks, blocks, &session.tuning().matmul.sharing.f32);
    let grid = if sharing.whole > 0 { tiles.min(blocks) } else { sharing.shares };
    let shape = Shape::line(grid as u32, 384, format.shared());
    let done = sizes.plus(4 * 4);
    let partials = sharing.partials(session, tiles, ROWS * ROWS * format.across * 4)?;
    let mut arguments = vec![a_to, b_to, c.at::<f32>(0, 0), rows, columns, all_chunks, ldc];
    arguments.extend(partials.arguments(sharing));
    if name == SPLIT {
        arguments.extend([sizes, done]);
    }
    session.launch(KERNELS, &format!("matmul_{stem}_f32"), shape, &arguments)?;
    if name == SPLIT {
        let (kernel, tiling) = Tiling::of_rest();
        tiling.launch::<f32>(session, kernel, product, &[done])?;
    }
    Ok(())
}
