//! Transpose: a matrix of which every rank has some rows becomes one of which every rank has some columns.
//!
//! What two ranks exchange is one block: it is transposed where it comes from, and its rows are put in their places where
//! it goes to.

use warpwise::Device;
use warpwise::matmul::Matrix;
use warpwise::transpose::{Transposable, Transpose};

use crate::communicator::{Communicator, exchange};
use crate::parts::Parts;
use crate::redistribute::zeros;
use crate::{Error, agree};

/// This rank's rows of the transposed matrix. `part` are its rows of the matrix: [`Parts`] of both are as even as can
/// be.
///
/// # Errors
///
/// What the device says, and a part of another length.
///
/// ```
/// use warpwise::Device;
/// use warpwise_cluster::{Communicator, Threads, transpose};
///
/// let parts = Threads::run(2, |ranks| {
///     let mine = [[1_u8, 2, 3], [4, 5, 6]][ranks.rank()];
///     transpose::transpose(ranks, &Device::cpu(), 2, 3, &mine).unwrap()
/// });
/// assert_eq!(parts, [vec![1, 4, 2, 5], vec![3, 6]]);
/// ```
pub fn transpose<T: Transposable>(
    ranks: &dyn Communicator,
    device: &Device,
    rows: usize,
    columns: usize,
    part: &[T],
) -> Result<Vec<T>, Error> {
    let (me, size) = (ranks.rank(), ranks.size());
    let (down, across) = (Parts::new(rows, size), Parts::new(columns, size));
    let (mine, out_rows) = (down.of(me), across.of(me));
    let blocks = || -> Result<Vec<Vec<T>>, Error> {
        let matrix = Matrix::new(part, mine.len(), columns)?;
        let block = |rank: usize| Ok(Transpose::new().run(device, &matrix.part(0..mine.len(), across.of(rank))?)?);
        (0..size).map(block).collect()
    };
    let blocks = agree(ranks, blocks())?;
    if size == 1 {
        return Ok(blocks.into_iter().next().unwrap_or_default());
    }
    let mut coming: Vec<Vec<T>> = (0..size).map(|rank| zeros(out_rows.len() * down.of(rank).len())).collect();
    let sends: Vec<_> = blocks.iter().enumerate().filter(|(_, b)| !b.is_empty()).map(|(r, b)| (r, &b[..])).collect();
    let receives = coming.iter_mut().enumerate().filter(|(_, b)| !b.is_empty()).map(|(r, b)| (r, &mut b[..]));
    exchange(ranks, &sends, receives.collect());
    let mut out = zeros(out_rows.len() * rows);
    for (rank, block) in coming.iter().enumerate() {
        let there = down.of(rank);
        if !there.is_empty() {
            for (row, piece) in out.chunks_mut(rows).zip(block.chunks(there.len())) {
                row[there.clone()].copy_from_slice(piece);
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;

    #[test]
    fn any_shape_on_any_number_of_ranks() {
        for (rows, columns) in [(0, 0), (0, 5), (1, 1), (1, 9), (9, 1), (3, 5), (40, 33), (8, 64)] {
            let xs: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
            let alone: Vec<f32> = (0..columns).flat_map(|j| (0..rows).map(move |i| (i * columns + j) as f32)).collect();
            for ranks in [1, 2, 3, 4, 7, 8] {
                let parts = Threads::run(ranks, |comm| {
                    let mine = Parts::new(rows, ranks).of(comm.rank());
                    let part = &xs[mine.start * columns..mine.end * columns];
                    transpose(comm, &Device::cpu(), rows, columns, part).unwrap()
                });
                assert_eq!(parts.concat(), alone, "{rows}x{columns} on {ranks}");
            }
        }
    }
}
