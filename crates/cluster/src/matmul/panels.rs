//! Products on a grid of several rows and columns: panels are broadcast.
//!
//! The columns of A and the rows of B that belong together, a panel, go along the rows and the columns of the grid; the
//! next panel is on its way while the current one is multiplied.

use std::ops::Range;

use warpwise::Device;
use warpwise::matmul::{Matmul, Matrix, MatrixMut, Scalar};

use super::Grid;
use crate::Error;
use crate::communicator::Communicator;
use crate::parts::Parts;
use crate::redistribute::zeros;

/// This rank's block of the product.
pub(super) fn multiply<T: Scalar>(
    ranks: &dyn Communicator,
    grid: &Grid,
    (a, b): (&[T], &[T]),
    c: &mut [T],
) -> Result<(), Error> {
    let (me, cpu) = (ranks.rank(), Device::cpu());
    let ((a_rows, a_columns), (b_rows, b_columns)) = (grid.a(me), grid.b(me));
    let (m, n) = (a_rows.len(), b_columns.len());
    let (i, j) = grid.place(me);
    let (row, column) = (ranks.split(i), ranks.split(grid.rows + j));
    let panels = grid.panels();
    let owner = |parts: usize, at: usize| {
        Parts::new(grid.shape.1, parts).all().iter().position(|part| part.contains(&at)).unwrap_or(0)
    };
    // A panel of both matrices: room with the own piece of it.
    let open = |panel: &Range<usize>| {
        let (mut left, mut right) = (zeros::<T>(m * panel.len()), zeros::<T>(panel.len() * n));
        if a_columns.contains(&panel.start) {
            let from = panel.start - a_columns.start;
            for (row, out) in a.chunks(a_columns.len()).zip(left.chunks_mut(panel.len())) {
                out.copy_from_slice(&row[from..from + panel.len()]);
            }
        }
        if b_rows.contains(&panel.start) && n > 0 {
            right.copy_from_slice(&b[(panel.start - b_rows.start) * n..][..panel.len() * n]);
        }
        (left, right)
    };
    let send = |panel: &Range<usize>, (left, right): &mut (Vec<T>, Vec<T>), work: &mut dyn FnMut()| {
        let mut down = || column.broadcast_while(owner(grid.rows, panel.start), bytemuck::cast_slice_mut(right), work);
        row.broadcast_while(owner(grid.columns, panel.start), bytemuck::cast_slice_mut(left), &mut down);
    };
    let mut current = panels.first().map(open);
    if let (Some(panel), Some(pair)) = (panels.first(), &mut current) {
        send(panel, pair, &mut || ());
    }
    let mut result = Ok(());
    for (at, panel) in panels.iter().enumerate() {
        let Some((left, right)) = current.take() else { break };
        let mut product = || {
            let (left, right) = (Matrix::new(&left, m, panel.len())?, Matrix::new(&right, panel.len(), n)?);
            let how = Matmul::new().beta(if at == 0 { 0.0 } else { 1.0 });
            how.run_into(&cpu, &left, &right, &mut MatrixMut::new(&mut *c, m, n)?)
        };
        let mut work = || {
            if result.is_ok() {
                result = product().map_err(Error::from);
            }
        };
        match panels.get(at + 1) {
            Some(next) => {
                let mut pair = open(next);
                send(next, &mut pair, &mut work);
                current = Some(pair);
            }
            None => work(),
        }
    }
    result
}
