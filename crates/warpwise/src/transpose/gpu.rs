//! The GPU rungs: one launch each. See `kernels.cu` for what each rung does.

use crate::device::{Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::matmul::Layout;
use crate::{Element, Error, Geometry};

const KERNELS: &KernelModule = &kernels::TRANSPOSE;

/// Threads of a block where the caller does not say, and how many are side by side.
const BLOCK: u32 = 256;
const WARP: u32 = 32;

/// A tile of `gpu-6-vector`, which has a kernel of its own.
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

/// The tiles of elements of so many bytes: the best first. Measured on an NVIDIA H200, as are those of odd rows.
fn wide(bytes: usize) -> &'static [Wide] {
    match bytes {
        1 => const { &[Wide::new(128, 128, 256), Wide::new(256, 128, 256)] },
        4 => const { &[Wide::new(64, 64, 256), Wide::new(128, 64, 512), Wide::new(128, 64, 256)] },
        _ => const { &[Wide::new(64, 32, 256), Wide::new(64, 64, 256), Wide::new(64, 64, 512)] },
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
    let (kernel, tile, block) = if name == "gpu-6-vector" {
        let odd = [from.stride, to.stride].iter().any(|stride| !(stride * size_of::<T>()).is_multiple_of(16));
        let wide = choose::<T>(name, geometry, odd)?;
        let Wide { rows, columns, threads } = *wide;
        (format!("transpose_{rung}_{rows}_{columns}_{threads}_{}", T::NAME), [rows, columns], [threads, 1, 1])
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
    let blocks = tiles(from.rows, tile[0]).checked_mul(tiles(from.columns, tile[1]));
    // More blocks than there can be are left to the device to refuse.
    let grid = blocks.and_then(|blocks| u32::try_from(blocks).ok()).unwrap_or(u32::MAX);
    let place = |buffer: Argument, layout: Layout| buffer.plus(layout.offset as u64 * size_of::<T>() as u64);
    let sizes = [from.rows, from.columns, from.stride, to.stride].map(|x| Argument::U64(x as u64));
    let mut arguments = vec![place(input, from), place(out, to)];
    arguments.extend(sizes);
    session.launch(KERNELS, &kernel, Shape { grid: [grid, 1, 1], block, shared: 0 }, &arguments)?;
    Ok(())
}

/// The tile that the caller has chosen, by its threads and the elements of each, or the best: one with longer rows where
/// rows begin at no boundary of a vector.
fn choose<T: Element>(name: &'static str, geometry: Geometry, odd: bool) -> Result<&'static Wide, Error> {
    let tiles = wide(size_of::<T>());
    if odd && size_of::<T>() == 4 && geometry == Geometry::default() {
        return Ok(const { &Wide::new(128, 32, 256) });
    }
    let fits = |wide: &&Wide| {
        geometry.block.is_none_or(|block| block == wide.threads)
            && geometry.items.is_none_or(|items| items == wide.items())
    };
    tiles.iter().find(fits).ok_or_else(|| match geometry.block {
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
