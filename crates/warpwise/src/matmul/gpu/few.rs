//! The rung for few elements with long sums, on clusters of compute capability 9.0: see `few.cuh`.

use super::Product;
use super::hopper::{self, INSTEAD, KERNELS};
use crate::device::{Argument, Session, Shape};
use crate::{Error, Float};

/// Its name.
pub(in crate::matmul) const SHARED_SUMS: &str = "gpu-12-shared-sums";

/// Blocks that share sums, and their threads.
const SHARERS: u32 = 8;
const THREADS: u32 = 256;
/// Rows and columns of C that they make of small squares, and the shared memory for the factors.
const SIDE: u64 = 16;
const SQUARES_SHARED: u32 = (16 * (512 + 4) + 512 * 16) * 4;
/// The most rows of C at a time, and columns, if there are few rows.
const MOST_ROWS: u64 = 4;
const COLUMNS: u64 = 128;

/// Whether it is the fastest for such a product.
pub(in crate::matmul) fn is_best<T: Float>(session: &Session, [m, n, k]: [u64; 3]) -> bool {
    let few = &session.tuning().matmul.few;
    let squares = m.saturating_mul(n) <= few.elements && k >= few.terms;
    let rows = m <= MOST_ROWS && n >= COLUMNS && k >= few.terms;
    (squares || rows) && hopper::check::<T>(session, SHARED_SUMS).is_ok()
}

/// Computes a product.
pub(in crate::matmul) fn multiply(session: &Session, product: Product) -> Result<(), Error> {
    let (sizes, Product { a, b, c }) = (product.sizes(), product);
    let [m, n, _] = sizes;
    let places = [a, b, c].map(|factor| factor.at::<f32>(0, 0));
    let strides = [a, b, c].map(|factor| Argument::U64(factor.layout.stride as u64));
    let arguments = [&places[..], &sizes.map(|x| Argument::U32(x as u32)), &strides].concat();
    let (kernel, [height, width], shared) = match m {
        1 => ("rows_1", [1, COLUMNS], 0),
        2 => ("rows_2", [2, COLUMNS], 0),
        3..=MOST_ROWS => ("rows_4", [MOST_ROWS, COLUMNS], 0),
        _ => ("squares", [SIDE, SIDE], SQUARES_SHARED),
    };
    let (down, across) = (m.div_ceil(height), n.div_ceil(width));
    if down > super::MOST_BLOCKS || across > super::MOST_BLOCKS {
        return Err(Error::Needs {
            variant: SHARED_SUMS,
            needs: "at most a million rows and columns",
            instead: INSTEAD,
        });
    }
    let shape = Shape { grid: [SHARERS, across as u32, down as u32], block: [THREADS, 1, 1], shared };
    session.launch(KERNELS, &format!("matmul_12_shared_sums_{kernel}_f32"), shape, &arguments)?;
    Ok(())
}
