//! Products on GPUs: panels go from the GPU of whoever has them to those of its row and its column of the grid.
//!
//! Blocks of the product stay on the GPUs. The next panel is on its way while the current one is multiplied.

use std::ops::Range;

use warpwise::matmul::{Matmul, Matrix, MatrixMut, Scalar};
use warpwise::{Buffer, Element};

use super::Grid;
use crate::communicator::Communicator;
use crate::link::Carried;
use crate::{Error, Place, agree};

/// Buffers are carried by elements.
impl<T: Element> Carried<T> for Buffer<T> {
    fn unit(&self) -> usize {
        1
    }

    fn address(&self, part: Range<usize>) -> u64 {
        Buffer::address(self) + (part.start * size_of::<T>()) as u64
    }

    fn read(&self, part: Range<usize>, out: &mut [T]) -> Result<(), warpwise::Error> {
        self.view(part)?.download_into(out)
    }

    fn write(&mut self, part: Range<usize>, values: &[T]) -> Result<(), warpwise::Error> {
        self.view_mut(part)?.upload_from(values)
    }
}

/// Parts of the room for panels that go to other ranks, and that come from them.
type Routes = Vec<(usize, Range<usize>)>;

/// Room for two panels, of which one is multiplied while the other comes.
struct Panels<'a, T: Element> {
    grid: &'a Grid,
    me: usize,
    blocks: (&'a [T], &'a [T]),
    widest: usize,
    room: Buffer<T>,
}

impl<T: Scalar> Panels<'_, T> {
    /// Rows and columns of the own block of the product.
    fn sides(&self) -> (usize, usize) {
        (self.grid.a(self.me).0.len(), self.grid.b(self.me).1.len())
    }

    /// Where the columns of A and the rows of B of a panel lie: in the first room, or in the second.
    fn places(&self, panel: &Range<usize>, second: bool) -> (Range<usize>, Range<usize>) {
        let (m, n) = self.sides();
        let begin = if second { (m + n) * self.widest } else { 0 };
        let right = begin + m * self.widest;
        (begin..begin + m * panel.len(), right..right + panel.len() * n)
    }

    /// Puts what this rank has of a panel into its room.
    fn open(&mut self, panel: &Range<usize>, second: bool) -> Result<(), warpwise::Error> {
        let ((_, columns), (rows, _)) = (self.grid.a(self.me), self.grid.b(self.me));
        let (left, right) = self.places(panel, second);
        if columns.contains(&panel.start) && !left.is_empty() {
            let from = panel.start - columns.start;
            let lines = self.blocks.0.chunks(columns.len());
            let packed: Vec<T> = lines.flat_map(|line| &line[from..from + panel.len()]).copied().collect();
            self.room.write(left, &packed)?;
        }
        if rows.contains(&panel.start) && !right.is_empty() {
            let from = (panel.start - rows.start) * self.sides().1;
            let values = &self.blocks.1[from..from + right.len()];
            self.room.write(right, values)?;
        }
        Ok(())
    }

    /// What goes to other ranks, and what comes from them.
    fn routes(&self, panel: &Range<usize>, second: bool) -> (Routes, Routes) {
        let ((left, right), (i, j)) = (self.places(panel, second), self.grid.place(self.me));
        let rank = |row: usize, column: usize| row * self.grid.columns() + column;
        let has_left = |column: &usize| self.grid.a(rank(0, *column)).1.contains(&panel.start);
        let has_right = |row: &usize| self.grid.b(rank(*row, 0)).0.contains(&panel.start);
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        let mut route = |from: Option<usize>, others: Vec<usize>, part: Range<usize>| match from {
            _ if part.is_empty() => {}
            Some(from) if from != self.me => receives.push((from, part)),
            _ => sends.extend(others.into_iter().filter(|other| *other != self.me).map(|to| (to, part.clone()))),
        };
        let (columns, rows) = (0..self.grid.columns(), 0..self.grid.rows());
        let from = columns.clone().find(has_left).map(|column| rank(i, column));
        route(from, columns.map(|column| rank(i, column)).collect(), left);
        let from = rows.clone().find(has_right).map(|row| rank(row, j));
        route(from, rows.map(|row| rank(row, j)).collect(), right);
        (sends, receives)
    }
}

/// This rank's block of the product.
pub(super) fn multiply<T: Scalar>(
    ranks: &dyn Communicator,
    place: &Place,
    grid: &Grid,
    blocks: (&[T], &[T]),
    c: &mut [T],
) -> Result<(), Error> {
    let (device, link, me) = (place.device(), place.carrier(), ranks.rank());
    let (m, n, all) = (grid.a(me).0.len(), grid.b(me).1.len(), grid.panels());
    let widest = all.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    let rooms = Buffer::zeros(device, 2 * (m + n) * widest).and_then(|room| Ok((room, Buffer::zeros(device, m * n)?)));
    let (room, mut product) = agree(ranks, rooms.map_err(Error::from))?;
    let mut panels = Panels { grid, me, blocks, widest, room };
    // One panel more than there are: the last one only multiplies.
    for at in 0..=all.len() {
        let (coming, second) = (all.get(at), at % 2 == 1);
        let mut result: Result<(), Error> = Ok(());
        let mut flight = None;
        if let Some(panel) = coming {
            result = panels.open(panel, second).map_err(Error::from);
            let (sends, receives) = panels.routes(panel, second);
            flight = Some((link.begin(device, &panels.room, &sends, &receives), receives));
        }
        if let (Some(panel), Ok(())) = (at.checked_sub(1).and_then(|before| all.get(before)), &result) {
            let (left, right) = panels.places(panel, !second);
            let add = || {
                let (left, right) = (panels.room.view(left)?, panels.room.view(right)?);
                let (left, right) = (Matrix::new(&left, m, panel.len())?, Matrix::new(&right, panel.len(), n)?);
                let how = Matmul::new().beta(if at == 1 { 0.0 } else { 1.0 });
                how.run_into(device, &left, &right, &mut MatrixMut::new(&mut product, m, n)?)
            };
            result = add().map_err(Error::from);
        }
        if let Some((flight, receives)) = flight {
            result = result.and(link.end(ranks, device, &mut panels.room, &receives, flight));
        }
        link.agree(ranks, result)?;
    }
    Ok(product.download_into(c)?)
}
