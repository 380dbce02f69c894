//! The rung for few elements with long sums, on clusters of compute capability 9.0: see `few.cuh`.

use super::Product;
use super::hopper::{self, INSTEAD, KERNELS};
use crate::device::{Argument, Session, Shape};
use crate::{Error, Float};

/// Its name.
pub(in crate::matmul) const SHARED_SUMS: &str = "gpu-12-shared-sums";

/// Small squares: blocks that share sums, and their threads; rows and columns of C that they make, and the shared memory
/// for the factors.
const SQUARES: [u32; 2] = [8, 256];
const SIDE: u64 = 16;
const SQUARES_SHARED: u32 = (16 * (512 + 4) + 512 * 16) * 4;
/// Few rows, in narrow strips or in wide ones: blocks and threads, and columns of C; the most rows of it at a time.
const NARROW: ([u32; 2], u64) = ([2, 512], 32);
const WIDE: ([u32; 2], u64) = ([8, 256], 128);
const MOST_ROWS: u64 = 4;
/// Fewer columns are no work for a GPU.
const LEAST_COLUMNS: u64 = 128;

/// Whether it is the fastest for such a product.
pub(in crate::matmul) fn is_best<T: Float>(session: &Session, [m, n, k]: [u64; 3]) -> bool {
    let few = &session.tuning().matmul.few;
    let squares = m.saturating_mul(n) <= few.elements && k >= few.terms;
    let fits = n >= LEAST_COLUMNS && n.div_ceil(WIDE.1) <= super::MOST_BLOCKS;
    let rows = m <= MOST_ROWS && fits && k >= few.terms;
    (squares || rows) && hopper::check::<T>(session, SHARED_SUMS).is_ok()
}

/// Computes a product.
pub(in crate::matmul) fn multiply(session: &Session, product: Product) -> Result<(), Error> {
    let (sizes, Product { a, b, c }) = (product.sizes(), product);
    let [m, n, _] = sizes;
    let places = [a, b, c].map(|factor| factor.at::<f32>(0, 0));
    let strides = [a, b, c].map(|factor| Argument::U64(factor.layout.stride as u64));
    let arguments = [&places[..], &sizes.map(|x| Argument::U32(x as u32)), &strides].concat();
    // A narrow strip for each multiprocessor at most: with more of them some would have two, while others have none left.
    let is_narrow = n.div_ceil(NARROW.1) <= u64::from(session.multiprocessors());
    let (([sharers, threads], width), strips) = if is_narrow { (NARROW, "rows") } else { (WIDE, "wide_rows") };
    let rows = |height: u64| (format!("{strips}_{height}"), [height, width], [sharers, threads], 0);
    let (kernel, [height, width], [sharers, threads], shared) = match m {
        1 | 2 => rows(m),
        3..=MOST_ROWS => rows(MOST_ROWS),
        _ => ("squares".to_owned(), [SIDE, SIDE], SQUARES, SQUARES_SHARED),
    };
    let (down, across) = (m.div_ceil(height), n.div_ceil(width));
    if down > super::MOST_BLOCKS || across > super::MOST_BLOCKS {
        return Err(Error::Needs {
            variant: SHARED_SUMS,
            needs: "at most a million rows and columns",
            instead: INSTEAD,
        });
    }
    let shape = Shape { grid: [sharers, across as u32, down as u32], block: [threads, 1, 1], shared };
    session.launch(KERNELS, &format!("matmul_12_shared_sums_{kernel}_f32"), shape, &arguments)?;
    Ok(())
}
