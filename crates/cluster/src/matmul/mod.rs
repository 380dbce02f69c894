//! Matrix multiply: blocks of the product on a grid of ranks.
//!
//! Ranks are a grid of rows and columns. Each has a block of A, of B and of the product. On a grid of one row or one column
//! the blocks of one matrix go round a ring; on others, panels of both are broadcast. On GPUs panels go from one to the
//! others of its row and column.

mod gpu;
mod grid;
mod panels;
mod ring;

pub use grid::Grid;

use warpwise::matmul::{Matmul, Matrix, MatrixMut, Scalar};

use crate::communicator::Communicator;
use crate::redistribute::zeros;
use crate::{Error, Place, agree};

/// This rank's block of the product, from its blocks of A and B.
///
/// # Errors
///
/// Blocks of other sizes, and what the device says.
///
/// ```
/// use warpwise::Device;
/// use warpwise_cluster::matmul::{Grid, multiply};
/// use warpwise_cluster::{Communicator, Place, Threads};
///
/// // Ones, 4 x 6 times 6 x 4.
/// let grid = Grid::new(4, 4, 6, 4);
/// let blocks = Threads::run(4, |ranks| {
///     let size = |block: (std::ops::Range<usize>, std::ops::Range<usize>)| block.0.len() * block.1.len();
///     let (a, b) = (vec![1.0; size(grid.a(ranks.rank()))], vec![1.0; size(grid.b(ranks.rank()))]);
///     multiply(ranks, &Place::on(Device::cpu()), &grid, &a, &b).unwrap()
/// });
/// assert_eq!(blocks, [[6.0; 4], [6.0; 4], [6.0; 4], [6.0; 4]]);
/// ```
pub fn multiply<T: Scalar>(
    ranks: &dyn Communicator,
    place: &Place,
    grid: &Grid,
    a: &[T],
    b: &[T],
) -> Result<Vec<T>, Error> {
    let me = ranks.rank();
    let ((a_rows, a_columns), (b_rows, b_columns)) = (grid.a(me), grid.b(me));
    let (m, n) = (a_rows.len(), b_columns.len());
    let mut c = zeros::<T>(m * n);
    let mine_a = agree(ranks, Matrix::new(a, m, a_columns.len()).map_err(Error::from))?;
    let mine_b = agree(ranks, Matrix::new(b, b_rows.len(), n).map_err(Error::from))?;
    if ranks.size() == 1 {
        Matmul::new().run_into(place.device(), &mine_a, &mine_b, &mut MatrixMut::new(&mut c, m, n)?)?;
        return Ok(c);
    }
    let result = match grid.rows == 1 || grid.columns == 1 {
        _ if !place.device().is_cpu() => gpu::multiply(ranks, place, grid, (a, b), &mut c),
        true => ring::multiply(ranks, grid, (a, b), &mut c),
        false => panels::multiply(ranks, grid, (a, b), &mut c),
    };
    agree(ranks, result)?;
    Ok(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;
    use std::ops::Range;
    use warpwise::Device;
    use warpwise::random::Random;

    fn block(xs: &[f64], columns: usize, block: (Range<usize>, Range<usize>)) -> Vec<f64> {
        block.0.flat_map(|i| xs[i * columns..][block.1.clone()].to_vec()).collect()
    }

    #[test]
    fn any_shape_on_any_grid() {
        for (m, k, n) in [(0, 3, 2), (1, 1, 1), (2, 0, 3), (5, 7, 3), (17, 1, 40), (33, 65, 20), (64, 2500, 8)] {
            let mut random = Random::new((m * k + n) as u64);
            // Small whole numbers: every order of the sum gives the same.
            let mut whole = |length| (0..length).map(|_| random.below(7) as f64 - 3.0).collect::<Vec<f64>>();
            let (a, b) = (whole(m * k), whole(k * n));
            let mut alone = vec![0.0; m * n];
            for i in 0..m {
                for j in 0..n {
                    alone[i * n + j] = (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
                }
            }
            let on = [1, 2, 3, 4, 6, 7, 8].map(|ranks| (ranks, Device::cpu()));
            let on = on.into_iter().chain([2, 3, 4, 6].map(|ranks| (ranks, Device::emulator())));
            for (ranks, device) in on {
                let grid = Grid::new(ranks, m, k, n);
                let blocks = Threads::run(ranks, |comm| {
                    let (me, place) = (comm.rank(), Place::on(device.clone()));
                    multiply(comm, &place, &grid, &block(&a, k, grid.a(me)), &block(&b, n, grid.b(me))).unwrap()
                });
                for (rank, found) in blocks.iter().enumerate() {
                    assert_eq!(*found, block(&alone, n, grid.c(rank)), "{m} {k} {n} on {ranks}");
                }
            }
        }
    }
}
