//! Products on a grid of one row or one column: blocks go round a ring.
//!
//! Every rank begins with its own block of the matrix that moves, and hands on what it has while it multiplies with it: no
//! rank waits for another before it can begin.

use warpwise::Device;
use warpwise::matmul::{Matmul, Matrix, MatrixMut, Scalar};

use super::Grid;
use crate::Error;
use crate::communicator::{Communicator, exchange_while};
use crate::parts::Parts;
use crate::redistribute::zeros;

/// This rank's block of the product. B moves along a column of ranks, A along a row.
pub(super) fn multiply<T: Scalar>(
    ranks: &dyn Communicator,
    grid: &Grid,
    (a, b): (&[T], &[T]),
    c: &mut [T],
) -> Result<(), Error> {
    let (me, size, cpu) = (ranks.rank(), ranks.size(), Device::cpu());
    let (m, k, n) = (grid.a(me).0.len(), grid.shape.1, grid.b(me).1.len());
    let parts = Parts::new(k, size);
    let moves_b = grid.columns == 1;
    let stays = if moves_b { Matrix::new(a, m, k)? } else { Matrix::new(b, k, n)? };
    let cells = |panel: usize| if moves_b { panel * n } else { m * panel };
    let (before, after) = ((me + size - 1) % size, (me + 1) % size);
    let mut held: Option<Vec<T>> = None;
    let mut result = Ok(());
    let mut begun = false;
    for step in 0..size {
        let panel = parts.of((me + step) % size);
        let coming = parts.of((me + step + 1) % size).len();
        let block: &[T] = held.as_deref().unwrap_or(if moves_b { b } else { a });
        let mut room = zeros::<T>(if step + 1 < size { cells(coming) } else { 0 });
        let beta = if begun { 1.0 } else { 0.0 };
        let mut product = || {
            let (mut c, moved) = (MatrixMut::new(&mut *c, m, n)?, panel.len());
            let how = Matmul::new().beta(beta);
            if moves_b {
                return how.run_into(&cpu, &stays.part(0..m, panel.clone())?, &Matrix::new(block, moved, n)?, &mut c);
            }
            how.run_into(&cpu, &Matrix::new(block, m, moved)?, &stays.part(panel.clone(), 0..n)?, &mut c)
        };
        let mut work = || {
            if let (Ok(()), false) = (&result, panel.is_empty()) {
                result = product().map_err(Error::from);
            }
        };
        let hands_on = step + 1 < size && !block.is_empty();
        let sends: &[(usize, &[T])] = if hands_on { &[(before, block)] } else { &[] };
        let receives = if room.is_empty() { Vec::new() } else { vec![(after, &mut room[..])] };
        exchange_while(ranks, sends, receives, &mut work);
        begun |= !panel.is_empty();
        held = Some(room);
    }
    result
}
