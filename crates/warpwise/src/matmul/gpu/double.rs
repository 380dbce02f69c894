//! The rung for f64 on tensor cores of compute capability 9.0: see `double.cuh`.

use super::Product;
use super::hopper::{self, INSTEAD, KERNELS};
use crate::device::{Argument, Session, Shape};
use crate::{Error, Float};

/// Its name.
pub(in crate::matmul) const DOUBLE: &str = "gpu-11-tensor-f64";

/// Rows and columns of a tile of C, threads that compute it, and elements of A and B in their shared memory.
const TILE: [u64; 2] = [96, 64];
const THREADS: u32 = 128;
const SHARED: u32 = 4 * (96 * 24 + 16 * 66);

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
    let tiles = sizes[0].div_ceil(TILE[0]) * sizes[1].div_ceil(TILE[1]);
    let places = [a, b, c].map(|factor| factor.at::<f64>(0, 0));
    let strides = [a, b, c].map(|factor| Argument::U64(factor.layout.stride as u64));
    let arguments = [&places[..], &sizes.map(|x| Argument::U32(x as u32)), &strides].concat();
    let shape = Shape::cover(tiles, 1, THREADS, SHARED * size_of::<f64>() as u32);
    session.launch(KERNELS, "matmul_11_tensor_f64_f64", shape, &arguments)?;
    Ok(())
}
