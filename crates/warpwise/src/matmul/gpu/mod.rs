//! The GPU rungs: one launch each, or several for a matrix with very many rows. See `kernels.cu` for what each does;
//! those of `hopper.cu` are in [`hopper`].

pub(super) mod double;
pub(super) mod few;
pub(super) mod hopper;
pub(super) mod parts;
mod sharing;

use super::{Layout, Matmul};
use crate::device::{Argument, Session, Shape};
use crate::kernels::{self, KernelModule};
use crate::tuning::Tile;
use crate::{Error, Float, Geometry};

const KERNELS: &KernelModule = &kernels::MATMUL;

/// The most blocks in y.
const MOST_BLOCKS: u64 = 65535;

/// A factor, or the product, on the device.
#[derive(Clone, Copy)]
pub(in crate::matmul) struct Factor {
    /// Where its buffer begins.
    pub(in crate::matmul) buffer: Argument,
    pub(in crate::matmul) layout: Layout,
}

impl Factor {
    /// The address of an element.
    pub(in crate::matmul) fn at<T>(self, row: u64, column: u64) -> Argument {
        let Layout { stride, offset, .. } = self.layout;
        let elements = offset as u64 + row * stride as u64 + column;
        self.buffer.plus(elements * size_of::<T>() as u64)
    }

    /// Whether pairs of f64 begin at 16 bytes, and no row ends within one.
    fn is_in_pairs(self) -> bool {
        let Layout { stride, columns, .. } = self.layout;
        let aligned = matches!(self.at::<f64>(0, 0), Argument::Pointer(first) if first.0.is_multiple_of(16));
        aligned && stride.is_multiple_of(2) && columns.is_multiple_of(2)
    }
}

/// A product: both factors and its destination.
#[derive(Clone, Copy)]
pub(in crate::matmul) struct Product {
    pub(in crate::matmul) a: Factor,
    pub(in crate::matmul) b: Factor,
    pub(in crate::matmul) c: Factor,
}

impl Product {
    /// Rows and columns of C, and the terms of each sum.
    pub(in crate::matmul) fn sizes(self) -> [u64; 3] {
        [self.c.layout.rows, self.c.layout.columns, self.a.layout.columns].map(|x| x as u64)
    }
}

/// A kernel's block, the part of C that it computes, and its shared memory.
pub(in crate::matmul) struct Tiling {
    block: [u32; 2],
    /// Columns and rows of C, or rows and columns for the rung that swaps them.
    tile: [u64; 2],
    shared: u32,
}

/// A tile of `gpu-8-wide-tiles`.
struct Wide {
    name: &'static str,
    /// Rows and columns of f32.
    tile: [u64; 2],
    threads: u32,
}

/// Large tiles load least; small ones keep every multiprocessor busy. The tuning table has the cost of each.
const WIDE: [Wide; 4] = [
    Wide { name: "2x4x1", tile: [128, 256], threads: 256 },
    Wide { name: "1x2x4", tile: [64, 128], threads: 256 },
    Wide { name: "half_1x1x4", tile: [64, 32], threads: 128 },
    Wide { name: "quarter_1x1x4", tile: [32, 32], threads: 128 },
];

/// Edges of that many rows or columns are not computed as tiles, and cost almost nothing: `THIN` in `wide.cuh`.
const THIN: u64 = 2;

impl Wide {
    /// The fastest tile on that many multiprocessors. `size` is that of a number: f64 has half the sides.
    fn best(costs: &[Tile; 4], [rows, columns]: [u64; 2], multiprocessors: u32, size: u64) -> &'static Self {
        let (kind, at_once) = (usize::from(size == 8), u64::from(multiprocessors.max(1)));
        let tiles = |length: u64, side: u64| (length.max(THIN) - THIN).div_ceil(side);
        let cost = |(wide, tile): &(&Self, &Tile)| {
            let [height, width] = wide.tile.map(|side| side * 4 / size);
            let rounds = (tiles(rows, height) * tiles(columns, width)).div_ceil(at_once);
            if rounds <= 1 { tile.alone[kind] } else { rounds * tile.cost[kind] }
        };
        WIDE.iter().zip(costs).min_by_key(cost).map_or(&WIDE[0], |(wide, _)| wide)
    }

    fn tiling(&self, size: u64) -> Tiling {
        let [height, width] = self.tile.map(|side| side * 4 / size);
        Tiling { block: [self.threads, 1], tile: [width, height], shared: 0 }
    }

    fn launch<T: Float>(&self, session: &Session, product: Product) -> Result<(), Error> {
        let kernel = format!("matmul_8_wide_tiles_{}_{}", self.name, T::NAME);
        self.tiling(size_of::<T>() as u64).launch::<T>(session, &kernel, product, &[Argument::NULL])
    }
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

    /// The kernel that computes what rung 10 leaves undone, and its tiling.
    pub(in crate::matmul) fn of_rest() -> (&'static str, Self) {
        ("matmul_8_wide_tiles_2x4x1_f32", WIDE[0].tiling(4))
    }

    /// Launches a kernel for the whole product, with `more` arguments after those that all kernels have. A product with
    /// more blocks in y than a launch can have is computed in bands.
    pub(in crate::matmul) fn launch<T: Float>(
        &self,
        session: &Session,
        kernel: &str,
        product: Product,
        more: &[Argument],
    ) -> Result<(), Error> {
        let ([m, n, k], Product { a, b, c }) = (product.sizes(), product);
        // Rung 1 has rows in x and columns in y.
        let across = kernel.starts_with("matmul_1_");
        let (along_x, along_y) = if across { (m, n) } else { (n, m) };
        let band = MOST_BLOCKS * self.tile[1];
        for first in (0..along_y).step_by(band as usize) {
            let size = band.min(along_y - first);
            let (rows, columns) = if across { (m, size) } else { (size, n) };
            let (row, column) = if across { (0, first) } else { (first, 0) };
            let shape = Shape {
                grid: [along_x.div_ceil(self.tile[0]) as u32, size.div_ceil(self.tile[1]) as u32, 1],
                block: [self.block[0], self.block[1], 1],
                shared: self.shared,
            };
            let strides = [a, b, c].map(|factor| Argument::U64(factor.layout.stride as u64));
            let sizes = [rows, columns, k].map(|x| Argument::U32(x as u32));
            let places = [a.at::<T>(row, 0), b.at::<T>(0, column), c.at::<T>(row, column)];
            session.launch(KERNELS, kernel, shape, &[&places, &sizes, &strides, more].concat())?;
        }
        Ok(())
    }
}

/// The product of the first two matrices into the third, which has at least one element.
pub(in crate::matmul) fn multiply_into<T: Float>(
    session: &Session,
    name: &'static str,
    [a, b, c]: [Factor; 3],
    geometry: Geometry,
) -> Result<(), Error> {
    let (rows, columns) = (a.layout.rows, b.layout.columns);
    if [rows, columns, a.layout.columns].into_iter().any(|x| u32::try_from(x).is_err()) {
        return Err(Error::TooLarge { rows, columns: columns.max(a.layout.columns) });
    }
    let stem = name.trim_start_matches("gpu-").replace('-', "_");
    let own_block =
        matches!(name, "gpu-8-wide-tiles" | hopper::TF32 | hopper::SPLIT | double::DOUBLE | few::SHARED_SUMS);
    if let (true, Some(block)) = (own_block, geometry.block) {
        return Err(Error::Block { variant: name.to_owned(), block, needs: "its own: leave the block out" });
    }
    match name {
        hopper::TF32 | hopper::SPLIT | few::SHARED_SUMS => hopper::check::<T>(session, name)?,
        double::DOUBLE => double::check::<T>(session)?,
        _ => {}
    }
    let product = Product { a, b, c };
    match name {
        hopper::TF32 | hopper::SPLIT => hopper::multiply(session, name, product, session.multiprocessors())?,
        double::DOUBLE => double::multiply(session, product)?,
        few::SHARED_SUMS => few::multiply(session, product)?,
        "gpu-8-wide-tiles" => {
            let size = size_of::<T>() as u64;
            let (costs, sides) = (&session.tuning().matmul.wide, [rows as u64, columns as u64]);
            Wide::best(costs, sides, session.multiprocessors(), size).launch::<T>(session, product)?;
        }
        _ => {
            let kernel = format!("matmul_{stem}_{}", T::NAME);
            Tiling::new::<T>(name, geometry)?.launch::<T>(session, &kernel, product, &[])?;
        }
    }
    Ok(())
}

/// C = alpha P + beta C, where P has contiguous rows. C may be P, if beta is 0.
pub(in crate::matmul) fn scale<T: Float>(session: &Session, how: &Matmul, p: Factor, c: Factor) -> Result<(), Error> {
    const BLOCK: u32 = 256;
    const MOST: u64 = 1 << 20;
    let Layout { rows, columns, .. } = p.layout;
    let count = rows as u64 * columns as u64;
    let [alpha, beta] = [how.alpha, how.beta].map(|x| Argument::float(T::from_f64(x)));
    let sizes = [columns as u64, count, c.layout.stride as u64].map(Argument::U64);
    let arguments = [&[p.at::<T>(0, 0), c.at::<T>(0, 0), alpha, beta][..], &sizes].concat();
    let shape = Shape::line(count.div_ceil(BLOCK.into()).min(MOST) as u32, BLOCK, 0);
    session.launch(&kernels::MATMUL_SCALE, &format!("matmul_scale_{}", T::NAME), shape, &arguments)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;
    use crate::agreement::{Random, Sample, assert_agree};
    use crate::matmul::{HostMatrixMut, Scalar, reference};
    use crate::tuning::Tuning;

    #[test]
    fn small_products_get_small_tiles() {
        let best = |n: u64, size: u64| Wide::best(&Tuning::of((9, 0)).matmul.wide, [n, n], 132, size).name;
        let [large, middle, half, quarter] = WIDE.map(|wide| wide.name);
        assert_eq!([1, 256, 512, 1024, 2048].map(|n| best(n, 4)), [quarter, quarter, half, middle, large]);
        // Tiles that leave the last wave nearly empty are slower, however large.
        assert_eq!([1536, 2304, 3000].map(|n| best(n, 4)), [half, middle, half]);
        assert_eq!([128, 256, 512, 1024].map(|n| best(n, 8)), [quarter, half, middle, large]);
        // One more row and column do not need more tiles.
        assert_eq!([513, 1025, 2049].map(|n| best(n, 4)), [half, middle, large]);
    }

    /// Every tile on the part of larger matrices that starts `gap` elements in, and into such a part.
    fn tiles_agree<T: Scalar + Sample>(sizes: &[[usize; 3]], gap: usize) {
        let gpu = Device::emulator();
        let session = gpu.session().unwrap();
        let mut random = Random::new(31);
        for &[m, k, n] in sizes {
            let layouts = [(m, k), (k, n), (m, n)].map(|(rows, columns)| Layout {
                stride: columns + gap,
                offset: gap,
                ..Layout::new(rows, columns)
            });
            let [a, b, before] = layouts.map(|layout| random.elements::<T>(layout.end().unwrap()));
            let mut truth = vec![T::Exact::default(); m * n];
            let (a_view, b_view) = (layouts[0].view(&a).unwrap(), layouts[1].view(&b).unwrap());
            reference::multiply(a_view, b_view, HostMatrixMut::new(&mut truth, m, n).unwrap()).unwrap();
            for wide in &WIDE {
                let buffers = [&a, &b, &before].map(|values| session.allocate_copy(values).unwrap());
                let factor = |i: usize| Factor { buffer: buffers[i].argument(), layout: layouts[i] };
                wide.launch::<T>(session, Product { a: factor(0), b: factor(1), c: factor(2) }).unwrap();
                let after: Vec<T> = session.download_vec(buffers[2].ptr(), before.len()).unwrap();
                let (c, what) = (layouts[2].view(&after).unwrap(), format!("{} {m} x {k} x {n}", wide.name));
                let made: Vec<T> = (0..m).flat_map(|i| c.row(i)).copied().collect();
                assert_agree(&what, &made, &truth, k);
                let outside = |i: usize| i < gap || (i - gap) % (n + gap) >= n;
                assert!((0..after.len()).all(|i| !outside(i) || after[i] == before[i]), "{what}: around it");
            }
        }
    }

    #[test]
    fn every_tile_agrees() {
        // Whole vectors and others; edges that are thin, and that are not; sums shorter than a slice, and longer.
        let sizes = [[132, 36, 260], [131, 7, 259], [129, 40, 34], [2, 50, 300], [70, 33, 1], [3, 0, 5]];
        for gap in [0, 4, 3] {
            tiles_agree::<f32>(&sizes, gap);
        }
        let sizes = [[66, 34, 132], [67, 7, 131], [65, 40, 18], [1, 50, 150], [35, 33, 2], [3, 0, 5]];
        for gap in [0, 2, 1] {
            tiles_agree::<f64>(&sizes, gap);
        }
    }
}
