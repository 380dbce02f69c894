//! The rung for f64 on tensor cores of compute capability 9.0: see `double.cuh`.

use super::Product;
use super::hopper::{self, INSTEAD, KERNELS};
use super::sharing::Sharing;
use crate::device::{Argument, Session, Shape};
use crate::{Error, Float};

/// Its name.
pub(in crate::matmul) const DOUBLE: &str = "gpu-11-tensor-f64";

/// Tiles of C: the rows of one, and what a step costs. A larger one shares more of what is loaded, and smaller ones leave
/// fewer multiprocessors without work.
const TILES: [(u64, u64); 3] = [(128, 360), (96, 277), (64, 200)];
/// Rows of a tile of the kernel for matrices that are smaller than those.
const SMALL: u64 = 64;
/// Columns of a tile, elements along k in a step, and threads that compute it.
const COLUMNS: u64 = 64;
const DEPTH: u64 = 16;
const THREADS: u32 = 128;

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
    let tiles = |rows: u64| sizes[0].div_ceil(rows) * sizes[1].div_ceil(COLUMNS);
    let (blocks, costs) = (u64::from(session.multiprocessors()), &session.tuning().matmul.sharing.f64);
    let shared = |rows: u64| Sharing::new(tiles(rows), sizes[2].div_ceil(DEPTH), blocks, costs);
    let whole = TILES.into_iter().filter(|&(rows, _)| sizes[0] >= rows && sizes[1] >= COLUMNS);
    let cheapest = whole.min_by_key(|&(rows, cost)| shared(rows).cost * cost);
    let (form, rows) = cheapest.map_or(("small".into(), SMALL), |(rows, _)| (rows.to_string(), rows));
    let sharing = shared(rows);
    let partials = sharing.partials(session, tiles(rows), rows * COLUMNS * size_of::<f64>() as u64)?;
    let places = [a, b, c].map(|factor| factor.at::<f64>(0, 0));
    let strides = [a, b, c].map(|factor| Argument::U64(factor.layout.stride as u64));
    let mut arguments = [&places[..], &sizes.map(|x| Argument::U32(x as u32)), &strides].concat();
    arguments.extend(partials.arguments(sharing));
    // Three stages of A and B in the shared memory of a block.
    let stages = 3 * DEPTH * (rows + COLUMNS + 2) * size_of::<f64>() as u64;
    let shape = Shape::cover(sharing.whole + sharing.shares, 1, THREADS, stages as u32);
    session.launch(KERNELS, &format!("matmul_11_tensor_f64_{form}_f64"), shape, &arguments)?;
    Ok(())
}
