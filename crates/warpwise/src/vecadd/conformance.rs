//! Checks of vector add.

use crate::Error;
use crate::conformance::Placed;
use crate::conformance::{Collector, SIZES, Verdict, within};
use crate::vecadd::{self, Rung, Summand, VecAdd};

/// Every type at every size.
pub(super) fn checks(c: &mut Collector<'_>) {
    typed::<i32>(c, 0);
    typed::<f32>(c, 1);
    typed::<f64>(c, 2);
}

fn typed<T: Summand>(c: &mut Collector<'_>, column: usize) {
    let how = VecAdd::new().variant(c.rung::<Rung>());
    let one_block = c.variant().name == "gpu-one-block";
    for (row, &n) in SIZES.iter().enumerate() {
        if !c.takes(row + column) {
            continue;
        }
        let how = how.clone();
        c.add(format!("{}, n = {n}", T::NAME), move |device, random| {
            let (a, b): (Vec<T>, Vec<T>) = (random.elements(n), random.elements(n));
            let mut expected = vec![T::ZERO.exact(); n];
            vecadd::reference::add(&a, &b, &mut expected)?;
            let (left, right) = (Placed::new(device, &a, random)?, Placed::new(device, &b, random)?);
            match how.run(device, &left, &right) {
                // The lesson of that rung: a block has at most 1024 threads.
                Err(Error::Launch(_)) if one_block && n > 1024 => Ok(Verdict::Passed { max_error: 0.0 }),
                found => Ok(within(&found?, &expected, 1)),
            }
        });
    }
}
