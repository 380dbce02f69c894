//! Checks of transpose.

use super::{Rung, Transposable, Transpose, reference};
use crate::conformance::{Collector, Placed, equal};
use crate::matmul::{HostMatrixMut, Layout, Matrix, MatrixMut};
use crate::{Buffer, Error};

/// Rows and columns: lines, around the tiles of the rungs, and some of their own.
const SHAPES: [(usize, usize); 12] = [
    (0, 5),
    (1, 1),
    (1, 130),
    (130, 1),
    (31, 33),
    (32, 32),
    (64, 64),
    (65, 63),
    (128, 256),
    (129, 255),
    (100, 391),
    (301, 200),
];

/// Every type and shape, with rows that follow each other and rows that do not.
pub(super) fn checks(c: &mut Collector<'_>) {
    typed::<u8>(c, 0);
    typed::<f32>(c, 1);
    typed::<f64>(c, 2);
}

fn typed<T: Transposable>(c: &mut Collector<'_>, column: usize) {
    for (i, &(rows, columns)) in SHAPES.iter().enumerate() {
        for (j, gaps) in [None, Some((16, 32)), Some((1, 2))].into_iter().enumerate() {
            if !c.takes(i + j + column) {
                continue;
            }
            let how = Transpose::new().variant(c.rung::<Rung>());
            let what = match gaps {
                None => format!("{}, {rows} x {columns}", T::NAME),
                Some((before, after)) => format!("{}, {rows} x {columns}, gaps {before} and {after}", T::NAME),
            };
            c.add(what, move |device, random| {
                let (gap, out_gap) = gaps.unwrap_or((0, 0));
                let from = Layout { stride: columns + gap, ..Layout::new(rows, columns) };
                let to = Layout { stride: rows + out_gap, offset: out_gap, ..Layout::new(columns, rows) };
                let ends = [from, to].map(|layout| layout.end().map_or(0, |end| end.max(layout.offset)));
                let (xs, background): (Vec<T>, Vec<T>) = (random.elements(ends[0]), random.elements(ends[1]));
                let mut expected = background.clone();
                let into = HostMatrixMut::with_stride(&mut expected[to.offset..], columns, rows, to.stride)?;
                reference::transpose(from.view(&xs)?, into)?;
                let placed = Placed::new(device, &xs, random)?;
                let from = Matrix::with_layout(&placed, from)?;
                let found = if gaps.is_none() {
                    how.run_buffer(device, &from)?.into_vec()?
                } else {
                    let mut out = Buffer::from_slice(device, &background)?;
                    how.run_into(device, &from, &mut MatrixMut::with_layout(&mut out, to)?)?;
                    out.into_vec()?
                };
                Ok::<_, Error>(equal(&found, &expected))
            });
        }
    }
}
