//! Matrix multiply: blocks of the product on a grid of ranks.
//!
//! Ranks are a grid of rows and columns. Each has a block of A, of B and of the product. The columns of A and the rows of
//! B that belong together, a panel, go along the rows and the columns of the grid; the next panel is on its way while
//! the current one is multiplied.

use std::ops::Range;

use warpwise::Device;
use warpwise::matmul::{Matmul, Matrix, MatrixMut, Scalar};

use crate::communicator::Communicator;
use crate::parts::Parts;
use crate::redistribute::zeros;
use crate::{Error, agree};

/// The widest panel: wide enough for the local product to be fast, so narrow that others are on their way meanwhile.
const PANEL: usize = 1024;

/// How ranks are arranged for a product, and which blocks they have.
///
/// ```
/// use warpwise_cluster::matmul::Grid;
///
/// let grid = Grid::new(6, 100, 50, 100);
/// assert_eq!((grid.rows(), grid.columns()), (2, 3));
/// assert_eq!(grid.a(4), (50..100, 17..34));
/// assert_eq!(grid.b(4), (25..50, 34..67));
/// assert_eq!(grid.c(4), (50..100, 34..67));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    rows: usize,
    columns: usize,
    shape: (usize, usize, usize),
}

impl Grid {
    /// The grid of all ranks for which the least is sent: A is of m rows and k columns, B of k rows and n columns.
    ///
    /// ```
    /// use warpwise_cluster::matmul::Grid;
    ///
    /// assert_eq!(Grid::new(4, 1000, 10, 10).rows(), 4);
    /// ```
    pub fn new(ranks: usize, m: usize, k: usize, n: usize) -> Self {
        let shapes = (1..=ranks.max(1)).filter(|rows| ranks.max(1).is_multiple_of(*rows));
        let cost = |rows: &usize| (m / rows).saturating_add(n / (ranks.max(1) / rows));
        let rows = shapes.min_by_key(cost).unwrap_or(1);
        Self { rows, columns: ranks.max(1) / rows, shape: (m, k, n) }
    }

    /// Rows of ranks.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::matmul::Grid::new(1, 5, 5, 5).rows(), 1);
    /// ```
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of ranks.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::matmul::Grid::new(4, 5, 5, 5).columns(), 2);
    /// ```
    pub fn columns(&self) -> usize {
        self.columns
    }

    fn place(&self, rank: usize) -> (usize, usize) {
        (rank / self.columns, rank % self.columns)
    }

    /// The rows and columns of A that a rank has.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::matmul::Grid::new(4, 8, 6, 8).a(3), (4..8, 3..6));
    /// ```
    pub fn a(&self, rank: usize) -> (Range<usize>, Range<usize>) {
        let (i, j) = self.place(rank);
        (Parts::new(self.shape.0, self.rows).of(i), Parts::new(self.shape.1, self.columns).of(j))
    }

    /// The rows and columns of B that a rank has.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::matmul::Grid::new(4, 8, 6, 8).b(1), (0..3, 4..8));
    /// ```
    pub fn b(&self, rank: usize) -> (Range<usize>, Range<usize>) {
        let (i, j) = self.place(rank);
        (Parts::new(self.shape.1, self.rows).of(i), Parts::new(self.shape.2, self.columns).of(j))
    }

    /// The rows and columns of the product that a rank computes.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::matmul::Grid::new(4, 8, 6, 8).c(2), (4..8, 0..4));
    /// ```
    pub fn c(&self, rank: usize) -> (Range<usize>, Range<usize>) {
        (self.a(rank).0, self.b(rank).1)
    }

    /// The panels: columns of A and rows of B that are in one rank of every row and of every column of the grid.
    fn panels(&self) -> Vec<Range<usize>> {
        let k = self.shape.1;
        let starts = |parts: usize| Parts::new(k, parts).all().into_iter().map(|part| part.start);
        let mut cuts: Vec<usize> = starts(self.rows).chain(starts(self.columns)).chain([k]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let even = |pair: &[usize]| {
            let begin = pair[0];
            let pieces = Parts::new(pair[1] - begin, (pair[1] - begin).div_ceil(PANEL)).all();
            pieces.into_iter().map(move |piece| begin + piece.start..begin + piece.end).collect::<Vec<_>>()
        };
        cuts.windows(2).flat_map(even).collect()
    }
}

/// This rank's block of the product, from its blocks of A and B.
///
/// # Errors
///
/// Blocks of other sizes, and what the device says.
///
/// ```
/// use warpwise::Device;
/// use warpwise_cluster::matmul::{Grid, multiply};
/// use warpwise_cluster::{Communicator, Threads};
///
/// // Ones, 4 x 6 times 6 x 4.
/// let grid = Grid::new(4, 4, 6, 4);
/// let blocks = Threads::run(4, |ranks| {
///     let size = |block: (std::ops::Range<usize>, std::ops::Range<usize>)| block.0.len() * block.1.len();
///     let (a, b) = (vec![1.0; size(grid.a(ranks.rank()))], vec![1.0; size(grid.b(ranks.rank()))]);
///     multiply(ranks, &Device::cpu(), &grid, &a, &b).unwrap()
/// });
/// assert_eq!(blocks, [[6.0; 4], [6.0; 4], [6.0; 4], [6.0; 4]]);
/// ```
pub fn multiply<T: Scalar>(
    ranks: &dyn Communicator,
    device: &Device,
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
        Matmul::new().run_into(device, &mine_a, &mine_b, &mut MatrixMut::new(&mut c, m, n)?)?;
        return Ok(c);
    }
    let (i, j) = grid.place(me);
    let (row, column) = (ranks.split(i), ranks.split(grid.rows + j));
    let panels = grid.panels();
    let owner = |parts: usize, at: usize| {
        Parts::new(grid.shape.1, parts).all().iter().position(|part| part.contains(&at)).unwrap_or(0)
    };
    // A panel of both matrices: room with the own piece of it. What is alone in its row or its column has all of it.
    let open = |panel: &Range<usize>| {
        let mut left = (grid.columns > 1).then(|| zeros::<T>(m * panel.len()));
        let mut right = (grid.rows > 1).then(|| zeros::<T>(panel.len() * n));
        if let (Some(left), true) = (&mut left, a_columns.contains(&panel.start)) {
            let from = panel.start - a_columns.start;
            for (row, out) in a.chunks(a_columns.len()).zip(left.chunks_mut(panel.len())) {
                out.copy_from_slice(&row[from..from + panel.len()]);
            }
        }
        if let (Some(right), true) = (&mut right, b_rows.contains(&panel.start) && n > 0) {
            right.copy_from_slice(&b[(panel.start - b_rows.start) * n..][..panel.len() * n]);
        }
        (left, right)
    };
    let send = |panel: &Range<usize>, pair: &mut (Option<Vec<T>>, Option<Vec<T>>), work: &mut dyn FnMut()| {
        let roots = (owner(grid.columns, panel.start), owner(grid.rows, panel.start));
        let mut down = || match &mut pair.1 {
            Some(right) => column.broadcast_while(roots.1, bytemuck::cast_slice_mut(right), work),
            None => work(),
        };
        match &mut pair.0 {
            Some(left) => row.broadcast_while(roots.0, bytemuck::cast_slice_mut(left), &mut down),
            None => down(),
        }
    };
    let mut current = panels.first().map(open);
    if let (Some(panel), Some(pair)) = (panels.first(), &mut current) {
        send(panel, pair, &mut || ());
    }
    let mut result = Ok(());
    for (at, panel) in panels.iter().enumerate() {
        let Some((left, right)) = current.take() else { break };
        let mut work = || {
            let beta = if at == 0 { 0.0 } else { 1.0 };
            let product = || {
                let left = match &left {
                    Some(left) => Matrix::new(left, m, panel.len())?,
                    None => mine_a.part(0..m, panel.clone())?,
                };
                let right = match &right {
                    Some(right) => Matrix::new(right, panel.len(), n)?,
                    None => mine_b.part(panel.clone(), 0..n)?,
                };
                Matmul::new().beta(beta).run_into(device, &left, &right, &mut MatrixMut::new(&mut c, m, n)?)
            };
            if let (Ok(()), Err(error)) = (&result, { product }()) {
                result = Err(Error::from(error));
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
    agree(ranks, result)?;
    Ok(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;
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
            for ranks in [1, 2, 3, 4, 6, 7, 8] {
                let grid = Grid::new(ranks, m, k, n);
                let blocks = Threads::run(ranks, |comm| {
                    let me = comm.rank();
                    multiply(comm, &Device::cpu(), &grid, &block(&a, k, grid.a(me)), &block(&b, n, grid.b(me))).unwrap()
                });
                for (rank, found) in blocks.iter().enumerate() {
                    assert_eq!(*found, block(&alone, n, grid.c(rank)), "{m} {k} {n} on {ranks}");
                }
            }
        }
    }

    #[test]
    fn panels_lie_in_one_rank_of_every_row_and_column() {
        let grid = Grid { rows: 3, columns: 4, shape: (10, 5000, 10) };
        let panels = grid.panels();
        assert_eq!(panels.iter().map(ExactSizeIterator::len).sum::<usize>(), 5000);
        for panel in panels {
            for parts in [3, 4] {
                let parts = Parts::new(5000, parts).all();
                assert!(parts.iter().any(|part| part.start <= panel.start && panel.end <= part.end));
            }
            assert!(panel.len() <= PANEL);
        }
    }
}
