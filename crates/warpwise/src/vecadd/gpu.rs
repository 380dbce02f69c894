//! The GPU rungs: one launch each. See `kernels.cu` for what each rung does.

use crate::device::{Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::{Element, Error, Geometry};

const KERNELS: &KernelModule = &kernels::VECADD;

/// The default number of threads in a block.
const BLOCK: u32 = 128;
/// The most blocks in x.
const MOST_BLOCKS: u64 = 0x7fff_ffff;

/// The sums of `n` elements, from the first two addresses to the third; `n` is not 0.
pub(crate) fn add_into<T: Element>(
    session: &Session,
    name: &str,
    [a, b, out]: [Argument; 3],
    n: usize,
    geometry: Geometry,
) -> Result<(), Error> {
    let elements = n as u64;
    let block = geometry.block.unwrap_or(BLOCK);
    let shape = match name {
        "gpu-blocks" => {
            // Beyond the most blocks in x, further blocks are in y.
            let x = elements.min(MOST_BLOCKS);
            Shape { grid: [x as u32, elements.div_ceil(x) as u32, 1], block: [1, 1, 1], shared: 0 }
        }
        // Too many elements mean too many threads: the device reports it.
        "gpu-one-block" => Shape::line(1, u32::try_from(n).unwrap_or(u32::MAX), 0),
        "gpu-grid" => Shape::cover(elements, block.into(), block, 0),
        _ => {
            let all = Shape::cover(elements, u64::from(block) * (16 / size_of::<T>() as u64), block, 0);
            geometry.grid.map_or(all, |grid| Shape::line(grid, block, 0))
        }
    };
    let kernel = format!("vecadd_{}_{}", name.trim_start_matches("gpu-").replace('-', "_"), T::NAME);
    session.launch(KERNELS, &kernel, shape, &[a, b, out, Argument::U64(elements)])?;
    Ok(())
}
