//! Checks of histogram.

use crate::conformance::Placed;
use crate::conformance::large;
use crate::conformance::{Collector, SIZES, equal};
use crate::histogram::{self, Binning, Countable, Histogram, Rung};
use crate::random::Random;
use crate::sort::reference::ascending;

/// Numbers of bins, from one to more than a block's shared memory holds.
const BINS: [usize; 5] = [1, 8, 256, 1000, 1 << 16];

/// How the input is distributed.
#[derive(Clone, Copy, Debug)]
enum Input {
    Random,
    Sorted,
    /// Every element the same: the worst case for atomics.
    Black,
}

impl Input {
    fn make<T: Countable>(self, random: &mut Random, n: usize) -> Vec<T> {
        let mut xs: Vec<T> = random.elements(n);
        match self {
            Self::Random => {}
            Self::Sorted => xs = ascending(&xs),
            Self::Black => xs.fill(T::ONE),
        }
        xs
    }
}

/// Every binning, type and distribution.
pub(super) fn checks(c: &mut Collector<'_>) {
    for (row, &n) in SIZES.iter().enumerate() {
        for (k, input) in [Input::Random, Input::Sorted, Input::Black].into_iter().enumerate() {
            if c.takes(row + k) {
                check::<u8>(c, Binning::Value, input, n);
                check::<u8>(c, Binning::Letter, input, n);
            }
            for (j, &bins) in BINS.iter().enumerate() {
                let at = row + k + j;
                if c.takes(at) {
                    check::<u32>(c, Binning::Modulo { bins }, input, n);
                    check::<f32>(c, Binning::Even { bins, lo: -0.5, hi: 0.75 }, input, n);
                }
                if c.takes(at + 1) {
                    check::<i32>(c, Binning::Modulo { bins }, input, n);
                    check::<f64>(c, Binning::Even { bins, lo: -1.0, hi: 1.0 }, input, n);
                }
                if c.takes(at + 2) {
                    check::<u8>(c, Binning::Modulo { bins }, input, n);
                    check::<u8>(c, Binning::Even { bins, lo: 3.0, hi: 200.0 }, input, n);
                }
            }
        }
    }
}

fn check<T: Countable>(c: &mut Collector<'_>, binning: Binning, input: Input, n: usize) {
    let how = Histogram::new(binning).variant(c.rung::<Rung>());
    c.add(format!("{binning:?} {}, {input:?}, n = {n}", T::NAME), move |device, random| {
        let xs: Vec<T> = input.make(random, n);
        let found = how.run(device, &Placed::new(device, &xs, random)?)?;
        Ok(equal(&found, &histogram::reference::histogram(binning, &xs)?))
    });
}

/// More elements than 31 bits can count.
pub(super) fn large(c: &mut Collector<'_>) {
    let how = Histogram::new(Binning::Value).variant(c.rung::<Rung>());
    c.add(large::label("u8 by value"), move |device, _| {
        let counts = how.run(device, large::bytes())?;
        Ok(large::same(&counts, &(0..256).map(large::count_of).collect()))
    });
}
