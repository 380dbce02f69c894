//! Checks of compact.

use super::{Compact, Compactable, Condition, Rung, reference};
use crate::Error;
use crate::conformance::large;
use crate::conformance::{Collector, Placed, SIZES, Verdict, equal};
use crate::random::Random;

/// Every type and condition, and masks, at every size.
pub(super) fn checks(c: &mut Collector<'_>) {
    typed::<i32>(c, 0);
    typed::<u32>(c, 1);
    typed::<f32>(c, 2);
    typed::<f64>(c, 3);
}

fn typed<T: Compactable>(c: &mut Collector<'_>, column: usize) {
    let rung = c.rung::<Rung>();
    for (row, &n) in SIZES.iter().enumerate() {
        for k in 0..4 {
            if !c.takes(row + column + k) {
                continue;
            }
            let name = Condition::all(T::ZERO)[k].name();
            c.add(format!("{name} {}, n = {n}", T::NAME), move |device, random| {
                let xs = elements::<T>(random, n);
                let value = elements::<T>(random, 1)[0];
                let condition = Condition::all(value)[k];
                let how = Compact::new(condition).variant(rung);
                let found = how.run(device, &Placed::new(device, &xs, random)?)?;
                Ok(compare(rung, found, reference::compact(&xs, condition)))
            });
        }
        if c.takes(row + column + 4) {
            c.add(format!("mask {}, n = {n}", T::NAME), move |device, random| {
                let xs = elements::<T>(random, n);
                let mask: Vec<u8> = (0..n).map(|_| random.below(4).saturating_sub(1) as u8 * 85).collect();
                let (placed, placed_mask) = (Placed::new(device, &xs, random)?, Placed::new(device, &mask, random)?);
                let found = Compact::by_mask(&placed_mask).variant(rung).run(device, &placed)?;
                Ok::<_, Error>(compare(rung, found, reference::by_mask(&xs, &mask)?))
            });
        }
    }
}

/// Few different ones, so that conditions keep some and not others; and NaN.
fn elements<T: Compactable>(random: &mut Random, n: usize) -> Vec<T> {
    let few = [T::ZERO, T::ONE, T::LOWEST, T::HIGHEST, T::ONE.plus(T::ONE), T::LOWEST.plus(T::HIGHEST)];
    (0..n).map(|_| few[random.below(few.len())]).collect()
}

/// Equal where the order is kept; else the same elements in any.
fn compare<T: Compactable>(rung: Option<Rung>, found: Vec<T>, expected: Vec<T>) -> Verdict {
    // As bits, because NaN equals nothing: `f64` holds every value of these types.
    let [mut found, mut expected] =
        [found, expected].map(|xs| xs.iter().map(|x| x.to_f64().to_bits()).collect::<Vec<_>>());
    if rung == Some(Rung::WarpAtomic) {
        found.sort_unstable();
        expected.sort_unstable();
    }
    equal(&found, &expected)
}

/// More elements than 31 bits count.
pub(super) fn large(c: &mut Collector<'_>) {
    let rung = c.rung::<Rung>();
    c.add(large::label("i32 above the last but one"), move |device, _| {
        let last = large::PERIOD as i32 - 1;
        let kept = Compact::new(Condition::Greater(last - 1)).variant(rung).run(device, large::words())?;
        let found = [last, large::PEAK].map(|value| kept.iter().filter(|&&x| x == value).count() as u64);
        let count = large::count_of(last as usize);
        Ok(large::same(&(found, kept.len() as u64), &([count, 1], count + 1)))
    });
}
