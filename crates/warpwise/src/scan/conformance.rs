//! Checks of scan.

use crate::conformance::Placed;
use crate::conformance::large;
use crate::conformance::{Collector, SIZES, Verdict, combined, picked};
use crate::scan::{self, Kind, Rung, Scan, Scannable};
use crate::{Error, Operator};

/// Every operator, kind and type, at every size.
pub(super) fn checks(c: &mut Collector<'_>) {
    typed::<i32>(c, 0);
    typed::<u32>(c, 1);
    typed::<i64>(c, 2);
    typed::<u64>(c, 3);
    typed::<f32>(c, 4);
    typed::<f64>(c, 5);
    zeros::<f32>(c);
    zeros::<f64>(c);
}

/// Rungs that scan one block and refuse more than it holds.
fn is_one_block(name: &str) -> bool {
    ["gpu-1-", "gpu-2-", "gpu-3-", "gpu-4-"].iter().any(|rung| name.starts_with(rung))
}

fn typed<T: Scannable>(c: &mut Collector<'_>, column: usize) {
    let scan = Scan::new().variant(c.rung::<Rung>());
    let one_block = is_one_block(c.variant().name);
    let mut sizes = SIZES.to_vec();
    sizes.push(2500 + 731 * column);
    for (row, &n) in sizes.iter().enumerate() {
        for (k, operator) in Operator::ALL.into_iter().enumerate() {
            for (j, kind) in [Kind::Inclusive, Kind::Exclusive].into_iter().enumerate() {
                if !c.takes(row + column + k + j) {
                    continue;
                }
                let scan = scan.clone().operator(operator).kind(kind);
                c.add(format!("{kind:?} {} {}, n = {n}", operator.name(), T::NAME), move |device, random| {
                    let mut xs: Vec<T> = random.elements(n);
                    if operator == Operator::Product && T::IS_FLOAT {
                        // Products of many numbers below one underflow and test nothing.
                        xs.iter_mut().for_each(|x| *x = T::from_random(0, if x.to_f64() < 0.0 { -1.0 } else { 1.0 }));
                    }
                    let mut expected = vec![T::ZERO.exact(); n];
                    scan::reference::scan(operator, kind, &xs, &mut expected)?;
                    match scan.run(device, &Placed::new(device, &xs, random)?) {
                        Err(Error::OneBlock { .. }) if one_block && n > 2048 => Ok(Verdict::Passed { max_error: 0.0 }),
                        Err(Error::OneBlock { .. }) if one_block && n > 1024 && one_element_a_thread(&scan) => {
                            Ok(Verdict::Passed { max_error: 0.0 })
                        }
                        found => Ok(combined(operator, &found?, &expected, n)),
                    }
                });
            }
        }
    }
}

/// -0 is smaller than +0.
fn zeros<T: Scannable>(c: &mut Collector<'_>) {
    let scan = Scan::new().variant(c.rung::<Rung>());
    let sizes = if is_one_block(c.variant().name) { [2, 33, 1000] } else { [33, 1000, 20_000] };
    for kind in [Kind::Inclusive, Kind::Exclusive] {
        let scan = scan.clone().kind(kind);
        c.add(format!("{kind:?}, zeros of both signs {}", T::NAME), move |device, random| {
            for n in sizes {
                for (operator, often) in
                    [Operator::Min, Operator::Max].into_iter().flat_map(|op| [(op, false), (op, true)])
                {
                    let xs: Vec<T> = random.zeros(n, operator, often);
                    let mut expected = vec![T::ZERO.exact(); n];
                    scan::reference::scan(operator, kind, &xs, &mut expected)?;
                    let scan = scan.clone().operator(operator);
                    let found = scan.run(device, &Placed::new(device, &xs, random)?)?;
                    let verdict = picked(&found, &expected);
                    if !verdict.passed() {
                        return Ok(verdict);
                    }
                }
            }
            Ok(Verdict::Passed { max_error: 0.0 })
        });
    }
}

/// The two Hillis-Steele rungs take one element per thread, the two Blelloch rungs take two.
fn one_element_a_thread(scan: &Scan) -> bool {
    matches!(scan.rung, Some(Rung::HillisSteele | Rung::DoubleBuffer))
}

/// More elements than 31 bits can count.
pub(super) fn large(c: &mut Collector<'_>) {
    let scan = Scan::new().variant(c.rung::<Rung>());
    c.add(large::label("inclusive sum i32"), move |device, _| {
        let sums = match scan.run(device, large::words()) {
            // The one-block rungs say so.
            Err(Error::OneBlock { .. }) => return Ok(Verdict::Passed { max_error: 0.0 }),
            other => other?,
        };
        let mut expected = 0i32;
        let wrong = sums.iter().enumerate().find_map(|(i, &sum)| {
            expected = expected.wrapping_add(large::value(i));
            (sum != expected).then_some((i, sum, expected))
        });
        Ok(large::same(&(sums.len(), wrong), &(large::N, None)))
    });
}
