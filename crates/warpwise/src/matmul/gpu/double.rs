//! The rung for f64 on tensor cores of compute capability 9.0: see `double.cuh`.

use super::Product;
use super::hopper::{self, INSTEAD, KERNELS};
use super::sharing::Sharing;
use crate::device::{Argument, Session, Shape};
use crate::{Error, Float};

/// Its name.
pub(in crate::matmul) const DOUBLE: &str = "gpu-11-tensor-f64";

/// A tile of C.
#[derive(Clone, Copy)]
struct Tile {
    rows: u64,
    columns: u64,
    /// What a step of it costs, with as many as fill the GPU.
    cost: u64,
}

const fn tile(rows: u64, columns: u64, cost: u64) -> Tile {
    Tile { rows, columns, cost }
}

/// A larger one shares more of what is loaded, and smaller ones leave fewer multiprocessors without work. The first is
/// only for factors in pairs.
const TILES: [Tile; 4] = [tile(128, 128, 700), tile(128, 64, 360), tile(96, 64, 277), tile(64, 64, 200)];
/// The tile of the kernel for matrices that are smaller than those.
const SMALL: Tile = tile(64, 64, 200);
/// Elements along k in a step.
const DEPTH: u64 = 16;

impl Tile {
    /// Tiles in a matrix.
    fn count(self, [m, n, _]: [u64; 3]) -> u64 {
        m.div_ceil(self.rows) * n.div_ceil(self.columns)
    }

    /// Whether a block has it for itself on a multiprocessor, and more stages.
    fn is_wide(self) -> bool {
        self.columns > 64
    }

    fn fits(self, [m, n, _]: [u64; 3], pairs: bool) -> bool {
        m >= self.rows && n >= self.columns && (pairs || !self.is_wide())
    }

    fn threads(self) -> u32 {
        self.columns as u32 * 2
    }

    /// Bytes of the stages of A and B in the shared memory of a block.
    fn stages(self) -> u64 {
        let stages = if self.is_wide() { 4 } else { 3 };
        stages * DEPTH * (self.rows + self.columns + 2) * size_of::<f64>() as u64
    }
}

/// Refuses what the rung cannot do.
pub(in crate::matmul) fn check<T: Float>(session: &Session) -> Result<(), Error> {
    hopper::check_device(session, DOUBLE)?;
    match T::NAME {
        "f64" => Ok(()),
        _ => Err(Error::Needs { variant: DOUBLE, needs: "matrices of f64", instead: INSTEAD }),
    }
}

/// Whether it is the fastest for such a product.
pub(in crate::matmul) fn is_best<T: Float>(session: &Session, [m, n, k]: [u64; 3]) -> bool {
    let work = u128::from(m) * u128::from(n) * u128::from(k);
    work >= session.tuning().matmul.tensor_f64_from.into() && check::<T>(session).is_ok()
}

/// Computes a product.
pub(in crate::matmul) fn multiply(session: &Session, product: Product) -> Result<(), Error> {
    let (sizes, Product { a, b, c }) = (product.sizes(), product);
    let (blocks, costs) = (u64::from(session.multiprocessors()), &session.tuning().matmul.sharing.f64);
    let shared = |tile: Tile| Sharing::new(tile.count(sizes), sizes[2].div_ceil(DEPTH), blocks, costs);
    let pairs = a.is_in_pairs() && b.is_in_pairs();
    let whole = TILES.into_iter().filter(|tile| tile.fits(sizes, pairs));
    let cheapest = whole.min_by_key(|&tile| shared(tile).cost * tile.cost);
    let form = cheapest.map_or("small".into(), |tile| format!("{}x{}", tile.rows, tile.columns));
    let tile = cheapest.unwrap_or(SMALL);
    let sharing = shared(tile);
    let bytes = tile.rows * tile.columns * size_of::<f64>() as u64;
    let partials = sharing.partials(session, tile.count(sizes), bytes)?;
    let places = [a, b, c].map(|factor| factor.at::<f64>(0, 0));
    let strides = [a, b, c].map(|factor| Argument::U64(factor.layout.stride as u64));
    let mut arguments = [&places[..], &sizes.map(|x| Argument::U32(x as u32)), &strides].concat();
    arguments.extend(partials.arguments(sharing));
    let shape = Shape::cover(sharing.whole + sharing.shares, 1, tile.threads(), tile.stages() as u32);
    session.launch(KERNELS, &format!("matmul_11_tensor_f64_{form}_f64"), shape, &arguments)?;
    Ok(())
}
