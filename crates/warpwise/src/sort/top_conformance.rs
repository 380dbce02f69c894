//! Checks of the largest elements.

use super::{Key, bits, made, reference, top_k};
use crate::conformance::{Collector, Placed, SIZES, equal};

/// What elements are like.
const KINDS: [&str; 6] = ["random", "few", "special", "sorted", "reversed", "equal"];

/// Every type at every size, with none, few, most and all of the elements.
pub(crate) fn checks(c: &mut Collector<'_>) {
    typed::<u8>(c, 0);
    typed::<u16>(c, 1);
    typed::<u32>(c, 2);
    typed::<i32>(c, 3);
    typed::<u64>(c, 4);
    typed::<i64>(c, 5);
    typed::<f32>(c, 6);
    typed::<f64>(c, 7);
}

fn typed<K: Key>(c: &mut Collector<'_>, column: usize) {
    for (row, &n) in SIZES.iter().enumerate() {
        for (i, k) in [0, 1, 10, n / 2, n, usize::MAX].into_iter().enumerate() {
            if !c.takes(row + column + i) || (!c.full && n > 10_000 && i > 2) {
                continue;
            }
            let kind = KINDS[(row + column + 2 * i) % KINDS.len()];
            let many = if k == usize::MAX { "all".to_owned() } else { k.to_string() };
            c.add(format!("{many} of {kind} {}, n = {n}", K::NAME), move |device, random| {
                let mut xs: Vec<K> = made(random, kind, n);
                let found = top_k(device, &Placed::new(device, &xs, random)?, k)?;
                xs.sort_by(|a, b| reference::compare(b, a));
                Ok(equal(&bits(&found), &bits(&xs[..k.min(n)])))
            });
        }
    }
}
