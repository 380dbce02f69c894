//! Rows in which neighbouring cells lie in neighbouring registers.
//!
//! In a plain row, the neighbours of the cells in a register are in that register and the ones beside it: each has to
//! be combined from two. So during a pass a row is divided into as many segments as a register has lanes, one segment
//! in each lane: lane l of register j holds cell l * segment + j. The neighbours of all cells of a register are then
//! the registers before and after it. Only where segments meet, at the first and the last register, do lanes shift by
//! one; a copy with the lanes shifted is kept at both ends of the row.
//!
//! Rows are circular. If the cells do not fill the last segment, those from the beginning follow again: they are
//! computed twice, with the same result, and need no special treatment.

use crate::simd::Vector;

/// How a row is laid out in lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interleaved {
    columns: usize,
    lanes: usize,
    /// Registers of a row, without those at both ends.
    pub(super) segment: usize,
    /// Where the cell before the first one lies.
    before: usize,
    /// Where the cell after the last one in the last lane lies.
    behind: usize,
}

impl Interleaved {
    /// Rows of at least one column in registers of that many lanes.
    pub(super) fn new(columns: usize, lanes: usize) -> Self {
        let segment = columns.div_ceil(lanes);
        let place = |cell: usize| cell % segment * lanes + cell / segment;
        Self { columns, lanes, segment, before: place(columns - 1), behind: place(lanes * segment % columns) }
    }

    /// Elements from row to row. A row begins with its first register; there is one more before it and one after it.
    pub(super) fn stride(self) -> usize {
        (self.segment + 2) * self.lanes
    }

    /// Elements of a row in the order of its cells, including the repeated ones.
    pub(super) fn line(self) -> usize {
        self.segment * self.lanes
    }

    /// Brings a row into lanes. `line` has room for a [line](Interleaved::line).
    ///
    /// # Safety
    ///
    /// The host must have the instructions of `V`, which has the lanes of this layout. `to` must be valid for a row.
    #[inline(always)]
    pub(super) unsafe fn lay<V: Vector>(self, cells: &[V::Element], line: &mut [V::Element], to: *mut V::Element) {
        let Self { columns, lanes, segment, .. } = self;
        let line = if columns == self.line() {
            cells
        } else {
            line[..columns].copy_from_slice(cells);
            for i in columns..self.line() {
                line[i] = line[i - columns];
            }
            &*line
        };
        assert!(line.len() >= self.line() && lanes == V::LANES);
        // SAFETY: the line is long enough, as asserted; the rest is guaranteed by the caller.
        unsafe {
            if lanes.is_multiple_of(4) && segment >= lanes {
                for j in (0..segment).step_by(lanes) {
                    // Repeat a whole last register, rather than copy part of one.
                    let j = j.min(segment - lanes);
                    for l in (0..lanes).step_by(4) {
                        let from = line.as_ptr().add(l * segment + j);
                        let four = [from, from.add(segment), from.add(2 * segment), from.add(3 * segment)];
                        V::transpose(four, to.add(j * lanes + l), lanes);
                    }
                }
            } else {
                for (l, cells) in line.chunks_exact(segment).take(lanes).enumerate() {
                    for (j, &cell) in cells.iter().enumerate() {
                        *to.add(j * lanes + l) = cell;
                    }
                }
            }
            self.close::<V>(to);
        }
    }

    /// Takes a row out of its lanes. `line` has room for a [line](Interleaved::line).
    ///
    /// # Safety
    ///
    /// As for [`lay`](Interleaved::lay).
    #[inline(always)]
    pub(super) unsafe fn take<V: Vector>(
        self,
        from: *const V::Element,
        line: &mut [V::Element],
        cells: &mut [V::Element],
    ) {
        let Self { columns, lanes, segment, .. } = self;
        let is_full = columns == self.line();
        let to = if is_full { &mut *cells } else { &mut *line };
        assert!(to.len() >= self.line() && lanes == V::LANES);
        // SAFETY: the line is long enough, as asserted; the rest is guaranteed by the caller.
        unsafe {
            if segment >= 4 {
                for j in (0..segment).step_by(4) {
                    let j = j.min(segment - 4);
                    let from = from.add(j * lanes);
                    let four = [from, from.add(lanes), from.add(2 * lanes), from.add(3 * lanes)];
                    V::transpose(four, to.as_mut_ptr().add(j), segment);
                }
            } else {
                for (l, cells) in to.chunks_exact_mut(segment).take(lanes).enumerate() {
                    for (j, cell) in cells.iter_mut().enumerate() {
                        *cell = *from.add(j * lanes + l);
                    }
                }
            }
        }
        if !is_full {
            cells.copy_from_slice(&line[..columns]);
        }
    }

    /// Makes the registers at both ends of a row from those within.
    ///
    /// # Safety
    ///
    /// As for [`lay`](Interleaved::lay).
    #[inline(always)]
    pub(super) unsafe fn close<V: Vector>(self, row: *mut V::Element) {
        let Self { lanes, segment, before, behind, .. } = self;
        // SAFETY: guaranteed by the caller. There is a register before the first one, and one after the last one.
        unsafe {
            let last = row.add((segment - 1) * lanes);
            let (first, end) = (row.sub(lanes), last.add(lanes));
            V::load(last.sub(1)).store(first);
            *first = *row.add(before);
            V::load(row.add(1)).store(end);
            *end.add(lanes - 1) = *row.add(behind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Kernel, Level};

    /// A row of that many columns, in lanes and back.
    struct Row(usize);

    impl Kernel for Row {
        type Element = f64;
        type Output = ();

        #[inline(always)]
        unsafe fn run<V: Vector<Element = f64>, const ROWS: usize, const VECTORS: usize>(self) {
            let columns = self.0;
            let layout = Interleaved::new(columns, V::LANES);
            let cells: Vec<f64> = (0..columns).map(|cell| cell as f64).collect();
            let (mut line, mut row) = (vec![-1.0; layout.line()], vec![-1.0; layout.stride()]);
            let mut back = vec![-1.0; columns];
            // SAFETY: guaranteed by the caller; the row begins with its first register.
            unsafe {
                layout.lay::<V>(&cells, &mut line, row.as_mut_ptr().add(V::LANES));
                line.fill(-1.0);
                layout.take::<V>(row.as_ptr().add(V::LANES), &mut line, &mut back);
            }
            assert_eq!(back, cells);
            for (place, cell) in row.iter().enumerate() {
                let (register, lane) = (place / V::LANES, place % V::LANES);
                // Registers are counted from the one before the first.
                let expected = (lane * layout.segment + register + columns - 1) % columns;
                assert_eq!(*cell, expected as f64, "register {register}, lane {lane} of {columns} columns");
            }
        }
    }

    #[test]
    fn neighbours_are_a_register_apart_and_rows_come_back() {
        for level in Level::available() {
            for columns in (1..150).chain([255, 256, 257, 1000, 1001]) {
                level.run_kernel(Row(columns));
            }
        }
    }
}
