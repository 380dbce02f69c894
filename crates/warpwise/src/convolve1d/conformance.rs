//! Checks of 1-D convolution.

use crate::Border;
use crate::conformance::Placed;
use crate::conformance::{Collector, SIZES, within};
use crate::convolve1d::{self, Convolve1d, Rung, Signal};

/// Widths of masks, to the largest.
const WIDTHS: [usize; 5] = [1, 3, 7, 31, 129];

/// Every type, width and border, at every size.
pub(super) fn checks(c: &mut Collector<'_>) {
    typed::<i32>(c, 0);
    typed::<f32>(c, 1);
    typed::<f64>(c, 2);
}

fn typed<T: Signal>(c: &mut Collector<'_>, column: usize) {
    for (row, &n) in SIZES.iter().enumerate() {
        for (k, &width) in WIDTHS.iter().enumerate() {
            for (j, border) in Border::ALL.into_iter().enumerate() {
                // Many combinations: the short grid takes a third of a third.
                if !c.takes(row + column + k + j) || !(c.full || (row + k + j) % 3 == column % 3) {
                    continue;
                }
                let rung = c.rung::<Rung>();
                let what = format!("{}, width {width}, {} border, n = {n}", T::NAME, border.name());
                c.add(what, move |device, random| {
                    let (mask, xs): (Vec<T>, Vec<T>) = (random.elements(width), random.elements(n));
                    let mut expected = vec![T::ZERO.exact(); n];
                    convolve1d::reference::convolve(&mask, border, &xs, &mut expected)?;
                    let xs = Placed::new(device, &xs, random)?;
                    let how = Convolve1d::new(&mask).border(border).variant(rung);
                    Ok(within(&how.run(device, &xs)?, &expected, width))
                });
            }
        }
    }
}
