//! The GPU rungs: one launch each, or several for a matrix with very many rows. See `kernels.cu` for what each does.

use super::run::Layout;
use crate::device::{Allocation, Argument, KernelModule, Session, Shape};
use crate::{Error, Float, Geometry};

pub(crate) const KERNELS: KernelModule = KernelModule { name: "matmul", ptx: include_str!("kernels.ptx") };

/// The most blocks in y.
const MOST_BLOCKS: u64 = 65535;

/// A factor on the device.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    /// Where its buffer begins.
    pub(super) buffer: Argument,
    pub(super) layout: Layout,
}

impl Factor {
    /// The address of an element.
    fn at<T>(self, row: u64, column: u64) -> Argument {
        let Layout { stride, offset, .. } = self.layout;
        let elements = offset as u64 + row * stride as u64 + column;
        self.buffer.plus(elements * size_of::<T>() as u64)
    }
}

/// A rung's block, the part of C that it makes, and its shared memory.
struct Tiling {
    block: [u32; 2],
    /// Columns and rows of C, or rows and columns for the rung that exchanges them.
    tile: [u64; 2],
    shared: u32,
}

impl Tiling {
    fn new<T: Float>(name: &'static str, geometry: Geometry) -> Result<Self, Error> {
        let size = size_of::<T>();
        let refuse = |block, needs| Err(Error::Block { variant: name.to_owned(), block, needs });
        let fixed = match name {
            "gpu-1-uncoalesced" | "gpu-2-naive" => {
                let block = Shape::plane_block(32, 1, geometry.block.unwrap_or(256));
                return Ok(Self { block, tile: block.map(u64::from), shared: 0 });
            }
            "gpu-3-tiled" => {
                let threads = geometry.block.unwrap_or(256);
                let side = threads.isqrt();
                if side == 0 || side * side != threads {
                    return refuse(threads, "a square, such as 64, 256 or 1024");
                }
                let shared = threads.saturating_mul(2 * size as u32);
                return Ok(Self { block: [side, side], tile: [side.into(); 2], shared });
            }
            "gpu-4-register-1d" => Self { block: [512, 1], tile: [64; 2], shared: 0 },
            _ => Self { block: [256, 1], tile: [512 / size as u64; 2], shared: 0 },
        };
        match geometry.block {
            Some(block) if block != fixed.block[0] => {
                refuse(block, if fixed.block[0] == 512 { "512: it is fixed" } else { "256: it is fixed" })
            }
            _ => Ok(fixed),
        }
    }
}

/// The product of two matrices, with rows that follow each other; there is at least one element of it.
pub(super) fn multiply<T: Float>(
    session: &Session,
    name: &'static str,
    a: Factor,
    b: Factor,
    geometry: Geometry,
) -> Result<Allocation, Error> {
    let (m, n, k) = (a.layout.rows as u64, b.layout.columns as u64, a.layout.columns as u64);
    let number = |x: u64| u32::try_from(x).map(Argument::U32);
    let (Ok(_), Ok(_), Ok(_)) = (number(m), number(n), number(k)) else {
        return Err(Error::TooLarge { rows: a.layout.rows, columns: b.layout.columns.max(a.layout.columns) });
    };
    let tiling = Tiling::new::<T>(name, geometry)?;
    let out = session.allocate(m * n * size_of::<T>() as u64)?;
    let c = Factor { buffer: out.argument(), layout: Layout::new(m as usize, n as usize) };
    let kernel = format!("matmul_{}_{}", name.trim_start_matches("gpu-").replace('-', "_"), T::NAME);
    // Rung 1 has rows in x and columns in y. What has more blocks in y than a launch can is done in bands.
    let across = name == "gpu-1-uncoalesced";
    let (along_x, along_y) = if across { (m, n) } else { (n, m) };
    let band = MOST_BLOCKS * tiling.tile[1];
    for first in (0..along_y).step_by(band as usize) {
        let size = band.min(along_y - first);
        let (rows, columns) = if across { (m, size) } else { (size, n) };
        let (row, column) = if across { (0, first) } else { (first, 0) };
        let shape = Shape {
            grid: [along_x.div_ceil(tiling.tile[0]) as u32, size.div_ceil(tiling.tile[1]) as u32, 1],
            block: [tiling.block[0], tiling.block[1], 1],
            shared: tiling.shared,
        };
        let [lda, ldb, ldc] = [a, b, c].map(|factor| Argument::U64(factor.layout.stride as u64));
        let [rows, columns, inner] = [rows, columns, k].map(|x| Argument::U32(x as u32));
        let (a, b, c) = (a.at::<T>(row, 0), b.at::<T>(0, column), c.at::<T>(row, column));
        session.launch(KERNELS, &kernel, shape, &[a, b, c, rows, columns, inner, lda, ldb, ldc])?;
    }
    Ok(out)
}
