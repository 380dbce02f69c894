//! How ranks are arranged for a product.

use std::ops::Range;

use crate::parts::Parts;

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
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) shape: (usize, usize, usize),
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

    pub(super) fn place(&self, rank: usize) -> (usize, usize) {
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
    pub(super) fn panels(&self) -> Vec<Range<usize>> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
