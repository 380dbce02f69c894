//! The GPU rungs: how many launches, how large, with which buffers. See `kernels.cu` and `look_back.cu` for what each
//! rung does.

use super::Condition;
use crate::device::{Allocation, Argument, Session, Shape, Staged};
use crate::kernels::{self, KernelModule};
use crate::scan;
use crate::{Buffer, Device, Element, Error, Geometry, Input};

/// Rungs 1 to 3.
const KERNELS: &KernelModule = &kernels::COMPACT;
/// Rung 4.
const LOOK_BACK: &KernelModule = &kernels::COMPACT_LOOK_BACK;

/// Threads of a block where the caller does not say.
const BLOCK: u32 = 256;
/// Elements that rung 1 takes at once: their sums fit 32 bits.
const AT_ONCE: usize = 1 << 31;
/// Elements a thread of rung 3.
const STAGED: u32 = 8;

/// Bytes of a vector, and the most vectors of a tile that a thread of rung 4 has, each of which takes twice as many bytes
/// of shared memory.
const VECTOR: u32 = 16;
const MOST_ROWS: u32 = 12;
/// The most threads of its blocks, and blocks of so many threads a multiprocessor.
const LOOK_BACK_BLOCK: u32 = 256;
const BLOCKS_PER_SM: u32 = 2;

/// Which elements are kept.
#[derive(Clone, Copy)]
pub(super) enum Keep<T> {
    Where(Condition<T>),
    /// Those with a byte that is not zero.
    Mask(Argument),
}

impl<T: Element> Keep<T> {
    /// As arguments of a kernel.
    fn arguments(self) -> Vec<Argument> {
        match self {
            Self::Where(condition) => {
                let number = match condition {
                    Condition::Equal(_) => 0,
                    Condition::NotEqual(_) => 1,
                    Condition::Less(_) => 2,
                    Condition::Greater(_) => 3,
                };
                let value = condition.value();
                let value = match size_of::<T>() {
                    4 => Argument::U32(bytemuck::cast(value)),
                    _ => Argument::U64(bytemuck::cast(value)),
                };
                vec![Argument::U32(number), value]
            }
            Self::Mask(mask) => vec![mask],
        }
    }

    /// The same from an element on.
    fn from(self, first: usize) -> Self {
        match self {
            Self::Where(condition) => Self::Where(condition),
            Self::Mask(mask) => Self::Mask(mask.plus(first as u64)),
        }
    }

    /// The last part of a kernel's name: `f32`, or `mask_b32`.
    fn suffix(self) -> String {
        match self {
            Self::Where(_) => T::NAME.to_owned(),
            Self::Mask(_) => format!("mask_{}", width::<T>()),
        }
    }
}

/// Elements of one width, as kernels call them.
fn width<T>() -> &'static str {
    if size_of::<T>() == 4 { "b32" } else { "b64" }
}

/// A device, with the rung and its geometry.
#[derive(Clone, Copy)]
pub(super) struct Rung<'a> {
    pub(super) device: &'a Device,
    pub(super) session: &'a Session,
    pub(super) name: &'static str,
    pub(super) geometry: Geometry,
}

/// Writes what is kept of `n` elements at the first address to the second, and returns how many these are; `n` is not 0.
pub(super) fn compact<T: Element>(
    rung: Rung<'_>,
    [input, out]: [Argument; 2],
    keep: Keep<T>,
    n: usize,
) -> Result<usize, Error> {
    match rung.name {
        "gpu-1-two-pass" => rung.two_pass(input, keep, out, n),
        "gpu-2-warp-atomic" => rung.warp_atomic(input, keep, out, n),
        "gpu-3-staged" => rung.staged(input, keep, out, n),
        _ => rung.look_back(input, keep, out, n),
    }
}

impl Rung<'_> {
    /// Threads of a block: whole warps.
    fn block(&self) -> Result<u32, Error> {
        let block = self.geometry.block.unwrap_or(BLOCK);
        if block > 0 && block.is_multiple_of(32) {
            return Ok(block);
        }
        Err(Error::Block { variant: self.name.to_owned(), block, needs: "a multiple of 32" })
    }

    /// The running sums of numbers, and all of them together.
    fn sums<N: scan::Scannable>(&self, numbers: Allocation, n: usize) -> Result<(Buffer<N>, N), Error> {
        let numbers = Buffer::from_allocation(self.device, numbers, n);
        let sums = scan::inclusive_buffer(self.device, &numbers)?;
        let total = sums.view(n - 1..)?.on_host()?[0];
        Ok((sums, total))
    }

    /// Rung 1: flags, their sums, and elements to where these say.
    fn two_pass<T: Element>(&self, input: Argument, keep: Keep<T>, out: Argument, n: usize) -> Result<usize, Error> {
        let (block, size) = (self.block()?, size_of::<T>() as u64);
        let mut count = 0;
        for first in (0..n).step_by(AT_ONCE) {
            let part = AT_ONCE.min(n - first);
            let shape = Shape::cover(part as u64, block.into(), block, 0);
            let from = input.plus(first as u64 * size);
            let flags = self.session.allocate(4 * part as u64)?;
            let mut arguments = keep.from(first).arguments();
            if matches!(keep, Keep::Where(_)) {
                arguments.insert(0, from);
            }
            arguments.extend([flags.argument(), Argument::U64(part as u64)]);
            let kernel = match keep {
                Keep::Where(_) => format!("compact_1_two_pass_flags_{}", T::NAME),
                Keep::Mask(_) => "compact_1_two_pass_flags_mask".to_owned(),
            };
            self.session.launch(KERNELS, &kernel, shape, &arguments)?;
            let (sums, total) = self.sums::<u32>(flags, part)?;
            let (sums, to) = (Staged::new(self.session, &sums)?, out.plus(count as u64 * size));
            let arguments = [from, sums.argument(), to, Argument::U64(part as u64)];
            let kernel = format!("compact_1_two_pass_scatter_{}", width::<T>());
            self.session.launch(KERNELS, &kernel, shape, &arguments)?;
            count += total as usize;
        }
        Ok(count)
    }

    /// Rung 2: one launch, and a counter that starts from zero.
    fn warp_atomic<T: Element>(&self, input: Argument, keep: Keep<T>, out: Argument, n: usize) -> Result<usize, Error> {
        let block = self.block()?;
        let count = self.session.allocate_zeroed::<u64>(1)?;
        let mut arguments = vec![input];
        arguments.extend(keep.arguments());
        arguments.extend([out, count.argument(), Argument::U64(n as u64)]);
        let shape = Shape::cover(n as u64, block.into(), block, 0);
        self.session.launch(KERNELS, &format!("compact_2_warp_atomic_{}", keep.suffix()), shape, &arguments)?;
        Ok(self.session.download_vec::<u64>(count.ptr(), 1)?[0] as usize)
    }

    /// Rung 3: how many elements each tile keeps, the sums of these, and tiles to where these say.
    fn staged<T: Element>(&self, input: Argument, keep: Keep<T>, out: Argument, n: usize) -> Result<usize, Error> {
        let block = self.block()?;
        let tile = u64::from(block) * u64::from(STAGED);
        let tiles = (n as u64).div_ceil(tile);
        let shape = Shape::cover(n as u64, tile, block, 0);
        let counts = self.session.allocate(8 * tiles)?;
        let mut arguments = vec![input];
        arguments.extend(keep.arguments());
        let (values, n) = (arguments.len(), Argument::U64(n as u64));
        arguments.extend([counts.argument(), n]);
        self.session.launch(KERNELS, &format!("compact_3_staged_count_{}", keep.suffix()), shape, &arguments)?;
        let (ends, total) = self.sums::<u64>(counts, tiles as usize)?;
        let ends = Staged::new(self.session, &ends)?;
        arguments.truncate(values);
        arguments.extend([ends.argument(), out, n]);
        let shape = Shape { shared: block.saturating_mul(STAGED * size_of::<T>() as u32), ..shape };
        self.session.launch(KERNELS, &format!("compact_3_staged_{}", keep.suffix()), shape, &arguments)?;
        Ok(total as usize)
    }

    /// Rung 4: one launch of as many blocks as run at once, which post how many elements they keep.
    fn look_back<T: Element>(&self, input: Argument, keep: Keep<T>, out: Argument, n: usize) -> Result<usize, Error> {
        let size = size_of::<T>() as u32;
        let per_vector = u64::from(VECTOR / size);
        let fits = || self.session.block_that_fits(LOOK_BACK_BLOCK, MOST_ROWS * 2 * VECTOR);
        let block = self.geometry.block.unwrap_or_else(fits);
        if block == 0 || !block.is_multiple_of(32) || block > LOOK_BACK_BLOCK {
            return Err(Error::Block { variant: self.name.to_owned(), block, needs: "a multiple of 32 up to 256" });
        }
        let bytes = |rows: u32| block * rows * 2 * VECTOR;
        // Blocks wait for each other, so that there are no more than run at once.
        let usual = BLOCKS_PER_SM * self.session.multiprocessors();
        let most = |rows: u32| {
            let at_once = self.session.blocks_at_once(block, bytes(rows)).min(usual * (LOOK_BACK_BLOCK / block));
            u64::from(self.geometry.grid.unwrap_or(usual).clamp(1, at_once.max(1)))
        };
        // Tiles begin at a 16-byte boundary, which may lie before the first element.
        let tiles = |rows: u32| (n as u64 + per_vector - 1).div_ceil(u64::from(block * rows) * per_vector);
        let rows = match self.geometry.items {
            // Small tiles are finished sooner, and large ones leave less to add up.
            None if tiles(4) <= most(4) => 4,
            None if tiles(8) <= self.session.tuning().compact.tiles_per_block * most(8) => 8,
            None => MOST_ROWS,
            Some(items) if [4, 8, MOST_ROWS].map(|rows| rows * VECTOR / size).contains(&items) => items * size / VECTOR,
            Some(items) => {
                let needs = "16, 32 or 48, half as many for f64";
                return Err(Error::Choice { variant: self.name, what: "items", value: items as usize, needs });
            }
        };
        let state = self.session.workspace("compact", 8 * (1 + tiles(rows)))?;
        let count = self.session.allocate_result(8)?;
        let mut arguments = vec![input];
        arguments.extend(keep.arguments());
        arguments.extend([out, state, count.argument(), Argument::U64(n as u64)]);
        // The kernels of the largest tiles are compiled for these alone.
        let size = match rows {
            MOST_ROWS => "large_",
            _ => {
                arguments.push(Argument::U32(rows));
                ""
            }
        };
        let shape = Shape::line(tiles(rows).min(most(rows)) as u32, block, bytes(rows));
        self.session.launch(LOOK_BACK, &format!("compact_4_look_back_{size}{}", keep.suffix()), shape, &arguments)?;
        Ok(self.session.download_vec::<u64>(count.ptr(), 1)?[0] as usize)
    }
}
