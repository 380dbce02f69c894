//! A grid with the rows around it.

/// Rows in up to three places: some may be above others that lie together, and some below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stack<'a, T> {
    pub(super) above: &'a [T],
    pub(super) middle: &'a [T],
    pub(super) below: &'a [T],
}

impl<'a, T: Copy> Stack<'a, T> {
    /// Rows that all lie together.
    pub(super) fn together(cells: &'a [T]) -> Self {
        Self { above: &[], middle: cells, below: &[] }
    }

    /// Rows in three places, from the first.
    pub(super) fn of([above, middle, below]: &'a [Vec<T>; 3]) -> Self {
        Self { above, middle, below }
    }

    /// Cells in all places.
    pub(super) fn len(self) -> usize {
        self.above.len() + self.middle.len() + self.below.len()
    }

    /// A row of that many columns.
    #[inline(always)]
    pub(super) fn row(self, columns: usize, i: usize) -> &'a [T] {
        let (mut at, mut cells) = (i * columns, self.middle);
        if at < self.above.len() {
            cells = self.above;
        } else {
            at -= self.above.len();
            if at >= self.middle.len() {
                (at, cells) = (at - self.middle.len(), self.below);
            }
        }
        &cells[at..][..columns]
    }

    /// Where a cell would be if all rows lay with those in the middle: not to be read, but to be fetched ahead.
    #[inline(always)]
    pub(super) fn near(self, cell: usize) -> *const T {
        self.middle.as_ptr().wrapping_add(cell).wrapping_sub(self.above.len())
    }

    /// All rows, brought together.
    pub(super) fn to_vec(self) -> Vec<T> {
        [self.above, self.middle, self.below].concat()
    }
}

/// Temperatures, with the fixed rows above and below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid<'a, T> {
    pub(super) columns: usize,
    /// The initial temperatures: the first and the last of their rows are the fixed ones.
    pub(super) start: &'a [T],
    /// The current temperatures.
    pub(super) cells: Stack<'a, T>,
}

impl<'a, T: Copy> Grid<'a, T> {
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
            Some(i) => cells.row(columns, i),
        }
    }
}
