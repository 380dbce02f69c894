//! The GPU rungs: one launch each. See `kernels.cu` for what each rung does.

use crate::device::{Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::matmul::Layout;
use crate::{Element, Error, Geometry};

const KERNELS: &KernelModule = &kernels::TRANSPOSE;

/// Threads of a block where the caller does not say, and how many are side by side.
const BLOCK: u32 = 256;
const WARP: u32 = 32;
/// Bytes of a vector.
const VECTOR: usize = 16;

/// A tile of `gpu-6-vector`, which has a kernel of its own.
#[derive(Clone, Copy)]
struct Wide {
    rows: u32,
    columns: u32,
    threads: u32,
}

impl Wide {
    const fn new(rows: u32, columns: u32, threads: u32) -> Self {
        Self { rows, columns, threads }
    }

    /// Elements a thread.
    fn items(&self) -> u32 {
        self.rows * self.columns / self.threads
    }
}

/// The tiles of elements of so many bytes: the best first. Measured on an NVIDIA H200.
fn wide(bytes: usize) -> &'static [Wide] {
    match bytes {
        1 => const { &[Wide::new(128, 128, 256), Wide::new(256, 128, 256)] },
        4 => const { &[Wide::new(64, 64, 256), Wide::new(128, 64, 512), Wide::new(128, 64, 256)] },
        _ => const { &[Wide::new(64, 32, 256), Wide::new(64, 64, 256), Wide::new(64, 64, 512)] },
    }
}

/// The tile where rows begin at no boundary of a vector, and the elements of a sector: a tile begins where one begins in
/// the result.
fn odd(bytes: usize) -> Option<(Wide, u32)> {
    match bytes {
        4 => Some((Wide::new(96, 64, 512), 8)),
        8 => Some((Wide::new(96, 32, 256), 4)),
        _ => None,
    }
}

/// Transposes a matrix that has at least one element. The layouts are of both matrices in their buffers.
pub(super) fn transpose<T: Element>(
    session: &Session,
    name: &'static str,
    (input, from): (Argument, Layout),
    (out, to): (Argument, Layout),
    geometry: Geometry,
) -> Result<(), Error> {
    let rung = name.trim_start_matches("gpu-").replace('-', "_");
    let mut rows_more = 0;
    let (kernel, tile, block) = if name == "gpu-6-vector" {
        let boundary = |stride: usize| (stride * size_of::<T>()).is_multiple_of(VECTOR);
        let (kind, wide) = match odd(size_of::<T>()) {
            Some((wide, sector))
                if geometry == Geometry::default() && !(boundary(from.stride) && boundary(to.stride)) =>
            {
                rows_more = sector as usize - 1;
                ("_odd", wide)
            }
            _ => ("", choose::<T>(name, geometry)?),
        };
        let Wide { rows, columns, threads } = wide;
        (format!("transpose_{rung}{kind}_{rows}_{columns}_{threads}_{}", T::NAME), [rows, columns], [threads, 1, 1])
    } else {
        let block = geometry.block.unwrap_or(BLOCK);
        if block == 0 || !block.is_multiple_of(WARP) {
            return Err(Error::Block { variant: name.to_owned(), block, needs: "a multiple of 32" });
        }
        let y = block / WARP;
        let tile = match name {
            "gpu-1-naive-read" => [y, WARP],
            "gpu-2-naive-write" => [WARP, y],
            _ => [WARP, WARP],
        };
        (format!("transpose_{rung}_{}", T::NAME), tile, [WARP, y, 1])
    };
    let tiles = |cells: usize, tile: u32| (cells as u64).div_ceil(tile.into());
    let blocks = tiles(from.rows + rows_more, tile[0]).checked_mul(tiles(from.columns, tile[1]));
    // More blocks than there can be are left to the device to refuse.
    let grid = blocks.and_then(|blocks| u32::try_from(blocks).ok()).unwrap_or(u32::MAX);
    let place = |buffer: Argument, layout: Layout| buffer.plus(layout.offset as u64 * size_of::<T>() as u64);
    let sizes = [from.rows, from.columns, from.stride, to.stride].map(|x| Argument::U64(x as u64));
    let mut arguments = vec![place(input, from), place(out, to)];
    arguments.extend(sizes);
    session.launch(KERNELS, &kernel, Shape { grid: [grid, 1, 1], block, shared: 0 }, &arguments)?;
    Ok(())
}

/// The tile that the caller has chosen, by its threads and the elements of each, or the best.
fn choose<T: Element>(name: &'static str, geometry: Geometry) -> Result<Wide, Error> {
    let tiles = wide(size_of::<T>());
    let fits = |wide: &&Wide| {
        geometry.block.is_none_or(|block| block == wide.threads)
            && geometry.items.is_none_or(|items| items == wide.items())
    };
    tiles.iter().find(fits).copied().ok_or_else(|| match geometry.block {
        Some(block) if tiles.iter().all(|wide| wide.threads != block) => {
            Error::Block { variant: name.to_owned(), block, needs: "256, or 512 for f32 and f64" }
        }
        _ => Error::Choice {
            variant: name,
            what: "items",
            value: geometry.items.unwrap_or_default() as usize,
            needs: "64 or 128 for u8, 16 or 32 for f32, 8 or 16 for f64",
        },
    })
}
