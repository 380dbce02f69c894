//! The GPU rungs: how many launches, how large, with which buffers. See `kernels.cu` and `gather.cu` for what each rung
//! does.

use super::Kind;
use crate::device::{Allocation, Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::{Element, Error, Geometry, Operator};

/// Rungs 1 to 7.
const KERNELS: &KernelModule = &kernels::SCAN;
/// Rung 8, and its version for a single block.
const GATHER: &KernelModule = &kernels::SCAN_GATHER;
const ALONE: &KernelModule = &kernels::SCAN_ALONE;

/// The default number of threads in a block.
const BLOCK: u32 = 256;
/// The most threads of a block, which limits what one block can scan.
const MOST: u32 = 1024;

/// Bytes of a vector. The most vectors of a tile per thread of `gpu-8-gather`; each of them takes twice as many bytes
/// of shared memory.
const VECTOR: u32 = 16;
const GATHERED: u32 = 12;
const GATHER_SHARED: u32 = 2 * VECTOR * GATHERED;
/// The most threads of its blocks.
const GATHER_BLOCK: u32 = 256;
/// The number of blocks that tiles are sized for.
const GATHER_USUAL: u64 = 256;
/// Vectors per thread if one block takes the whole input, and the most vectors of such an input.
const ALONE_ROWS: u64 = 4;
const ALONE_VECTORS: u64 = 4096;

/// A scan of a type with an operator.
struct Scan<'a> {
    session: &'a Session,
    /// The rung.
    name: &'static str,
    /// The last part of kernels' names: `sum_f32`.
    suffix: String,
    /// Bytes of an element.
    size: u32,
}

/// The scan of `n` elements from the first address to the second; `n` is not 0.
pub(super) fn scan_into<T: Element>(
    session: &Session,
    name: &'static str,
    (operator, kind): (Operator, Kind),
    data: [Argument; 2],
    n: usize,
    geometry: Geometry,
) -> Result<(), Error> {
    let suffix = format!("{}_{}", operator.name(), T::NAME);
    let scan = Scan { session, name, suffix, size: size_of::<T>() as u32 };
    match name {
        "gpu-5-three-phase" | "gpu-6-warp-shuffle" => scan.in_tiles(kind, data, n as u64, scan.block(geometry)?),
        "gpu-7-look-back" => scan.look_back(kind, data, n as u64, scan.block(geometry)?),
        "gpu-8-gather" => scan.gather(kind, data, n as u64, geometry),
        _ => scan.one_block(kind, data, n, geometry),
    }
}

/// Combines the element at `before` with the one at `first`, which is changed: a scan from there continues where the
/// other ended.
pub(super) fn carry_on<T: Element>(
    session: &Session,
    operator: Operator,
    before: Argument,
    first: Argument,
) -> Result<(), Error> {
    let kernel = format!("scan_add_{}_{}", operator.name(), T::NAME);
    let arguments = [first, before, Argument::U64(1), Argument::U64(1)];
    session.launch(KERNELS, &kernel, Shape::line(1, 1, 0), &arguments)?;
    Ok(())
}

impl Scan<'_> {
    /// The kernel of the rung.
    fn kernel(&self, part: &str, kind: Kind) -> String {
        let rung = self.name.trim_start_matches("gpu-").replace('-', "_");
        format!("scan_{rung}{part}_{}_{}", kind.name(), self.suffix)
    }

    fn refuse(&self, block: u32, needs: &'static str) -> Error {
        Error::Block { variant: self.name.to_owned(), block, needs }
    }

    /// Threads of a block of the rungs that take any length.
    fn block(&self, geometry: Geometry) -> Result<u32, Error> {
        let block = geometry.block.unwrap_or(BLOCK);
        match self.name {
            // One thread has two elements, so even a block of one thread leaves fewer totals than elements.
            "gpu-5-three-phase" if !block.is_power_of_two() => Err(self.refuse(block, "a power of two")),
            "gpu-6-warp-shuffle" | "gpu-7-look-back" if block == 0 || !block.is_multiple_of(32) => {
                Err(self.refuse(block, "a multiple of 32"))
            }
            _ => Ok(block),
        }
    }

    /// Bytes of a tile with a gap after every 128 bytes.
    fn padded(&self, elements: u32) -> u32 {
        (elements + elements * self.size / 128) * self.size
    }

    /// Rungs 1 to 4: everything in one block, with one or two elements per thread.
    fn one_block(&self, kind: Kind, data: [Argument; 2], n: usize, geometry: Geometry) -> Result<(), Error> {
        let tree = matches!(self.name, "gpu-3-blelloch" | "gpu-4-blelloch-padded");
        let per_thread = if tree { 2 } else { 1 };
        let limit = geometry.block.unwrap_or(MOST) as usize * per_thread;
        if n > limit {
            let instead = "gpu-5-three-phase or one after it";
            return Err(Error::OneBlock { variant: self.name, elements: n, limit, instead });
        }
        let needed = n.div_ceil(per_thread) as u32;
        let block = geometry.block.unwrap_or(if tree { needed.next_power_of_two() } else { needed });
        if tree && !block.is_power_of_two() {
            return Err(self.refuse(block, "a power of two"));
        }
        // The device refuses a larger block, whatever its memory.
        let threads = block.min(MOST);
        let shared = match self.name {
            "gpu-1-hillis-steele" => threads * self.size,
            "gpu-4-blelloch-padded" => self.padded(2 * threads),
            _ => 2 * threads * self.size,
        };
        let arguments = [data[0], data[1], Argument::U64(n as u64)];
        self.session.launch(KERNELS, &self.kernel("", kind), Shape::line(1, block, shared), &arguments)?;
        Ok(())
    }

    /// Rungs 5 and 6: scans of tiles, a scan of their totals, done the same way, and a pass that adds these.
    fn in_tiles(&self, kind: Kind, [input, out]: [Argument; 2], n: u64, block: u32) -> Result<(), Error> {
        let (tile, shared) = match self.name {
            "gpu-5-three-phase" => (2 * u64::from(block), self.padded(2 * block.min(MOST))),
            _ => (u64::from(block), 0),
        };
        let grid = n.div_ceil(tile);
        let totals = if grid > 1 { Some(self.session.allocate(grid * u64::from(self.size))?) } else { None };
        let to = totals.as_ref().map_or(Argument::NULL, Allocation::argument);
        let arguments = [input, out, to, Argument::U64(n)];
        let shape = Shape::cover(n, tile, block, shared);
        self.session.launch(KERNELS, &self.kernel("_tiles", kind), shape, &arguments)?;
        if totals.is_none() {
            return Ok(());
        }
        self.in_tiles(Kind::Exclusive, [to, to], grid, block)?;
        let arguments = [out, to, Argument::U64(n), Argument::U64(tile)];
        let shape = Shape::cover(n, BLOCK.into(), BLOCK, 0);
        self.session.launch(KERNELS, &format!("scan_add_{}", self.suffix), shape, &arguments)?;
        Ok(())
    }

    /// Rung 7: one launch, whose blocks publish their totals on a board.
    fn look_back(&self, kind: Kind, [input, out]: [Argument; 2], n: u64, block: u32) -> Result<(), Error> {
        let items = 64 / self.size;
        let tile = u64::from(block) * u64::from(items);
        let tiles = n.div_ceil(tile);
        // A ticket, then a word for each tile, and two values for wide types; only the words must be zero.
        let words = if self.size == 4 { 1 + tiles } else { 1 + 3 * tiles };
        let state = self.session.allocate_zeroed::<u64>(words as usize)?;
        let threads = block.min(MOST);
        let shape = Shape::cover(n, tile, block, (threads * items + threads / 2) * self.size);
        let arguments = [input, out, state.argument(), Argument::U64(n)];
        self.session.launch(KERNELS, &self.kernel("", kind), shape, &arguments)?;
        Ok(())
    }

    /// Rung 8: one launch of as many blocks as run at once; they post their totals for each other.
    fn gather(&self, kind: Kind, [input, out]: [Argument; 2], n: u64, geometry: Geometry) -> Result<(), Error> {
        // Tiles begin at a 16-byte boundary, which may lie before the first element.
        let per_vector = u64::from(VECTOR / self.size);
        let vectors = (n + per_vector - 1).div_ceil(per_vector);
        if vectors <= ALONE_VECTORS && geometry == Geometry::default() {
            let block = vectors.div_ceil(ALONE_ROWS).next_multiple_of(32) as u32;
            let arguments = [input, out, Argument::U64(n)];
            self.session.launch(ALONE, &self.kernel("_alone", kind), Shape::line(1, block, 0), &arguments)?;
            return Ok(());
        }
        let block = geometry.block.unwrap_or_else(|| self.session.block_that_fits(GATHER_BLOCK, GATHER_SHARED));
        if block == 0 || !block.is_multiple_of(32) || block > GATHER_BLOCK {
            return Err(self.refuse(block, "a multiple of 32 up to 256"));
        }
        let per_sm = self.session.tuning().scan.gather_blocks_per_sm;
        let tiles = |rows: u32| (n + per_vector - 1).div_ceil(u64::from(block * rows) * per_vector);
        // Small tiles finish sooner, and large ones leave fewer totals to add. If the caller does not choose the number
        // of blocks, this depends only on the length, and so do the bits of floats.
        let usual = geometry.grid.map_or(GATHER_USUAL, u64::from);
        let rows = match tiles(GATHERED) {
            _ if tiles(4) <= usual / 2 => 4,
            few if few <= 4 * usual => 8,
            _ => GATHERED,
        };
        let state = self.session.workspace("scan", 8 * (1 + tiles(rows) * u64::from(self.size / 4)))?;
        // Blocks wait for each other, so that there are no more than run at once.
        let bytes = block * rows * 2 * VECTOR;
        let wanted = geometry.grid.unwrap_or(per_sm * self.session.multiprocessors());
        let most = wanted.min(self.session.blocks_at_once(block, bytes)).max(1).into();
        let shape = Shape::line(tiles(rows).min(most) as u32, block, bytes);
        let arguments = [input, out, state, Argument::U64(n), Argument::U32(rows)];
        self.session.launch(GATHER, &self.kernel("", kind), shape, &arguments)?;
        Ok(())
    }
}
