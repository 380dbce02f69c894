//! A grid with the rows around it.

/// Temperatures, with the fixed rows above and below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid<'a, T> {
    pub(super) columns: usize,
    /// The initial temperatures: the first and the last of their rows are the fixed ones.
    pub(super) start: &'a [T],
    /// The current temperatures.
    pub(super) cells: &'a [T],
}

impl<'a, T> Grid<'a, T> {
    /// Rows, without the fixed ones. There must be at least one column.
    pub(super) fn rows(self) -> usize {
        self.cells.len() / self.columns
    }

    /// The rows in order: first the fixed one above, last the fixed one below.
    #[inline(always)]
    pub(super) fn row(self, i: usize) -> &'a [T] {
        let Self { columns, start, cells } = self;
        match i.checked_sub(1) {
            None => &start[..columns],
            Some(i) if i * columns == cells.len() => &start[start.len() - columns..],
            Some(i) => &cells[i * columns..][..columns],
        }
    }
}
